"""Several nodes as one room: the owners of tables when a node dies, or is stopped for a while and continues."""

from __future__ import annotations

from pokerroom.cluster.membership import LEASE_S
from pokerroom_protocol import messages as wire
from tests.cluster.rooms import (
    MANY,
    act,
    act_from_snapshot,
    back,
    hand_of,
    player_of,
    seated,
    settings,
)
from tests.poker.support import now

# --- dying ------------------------------------------------------------------------------------------------------------


def test_a_killed_nodes_hand_goes_on_at_another(rooms):
    """The survivor has its tables within the lease and a heartbeat, and the next prompt is there."""
    a, b = rooms.start("a", settings("t1", "t2")), rooms.start("b", settings("t1", "t2"))
    rooms.until(lambda: len(b.tables()) == 1)
    [name] = b.tables()
    anna, ben = seated(rooms, b, name)
    assert isinstance(act(b, anna, ben, table=name), wire.Ok)
    hand = hand_of(anna)

    b.kill()
    took = rooms.until(lambda: name in a.tables())

    assert took < LEASE_S + 1.5
    again = back(a, anna, ben, table=name)
    assert again[0].last(wire.Snapshot).hand.hand_id == hand
    assert isinstance(act_from_snapshot(a, again, name), wire.Ok)
    rooms.check()


def test_watchers_elsewhere_see_the_table_again_unasked(rooms):
    """A client of the survivor gets a snapshot when the survivor has the table, without asking."""
    a, b = rooms.start("a", settings("t1", "t2")), rooms.start("b", settings("t1", "t2"))
    rooms.until(lambda: len(b.tables()) == 1)
    [name] = b.tables()
    watcher = rooms.client("watcher")
    assert isinstance(a.answer(watcher, wire.Observe, name), wire.Snapshot)

    b.kill()
    rooms.until(lambda: name in a.tables())
    rooms.pass_s(0.2)

    assert [snapshot.re is None for snapshot in watcher.all(wire.Snapshot)] == [False, True]


def test_the_tables_of_a_killed_node_are_shared(rooms):
    """No survivor takes all of them."""
    nodes = [rooms.start(name, MANY) for name in ("a", "b", "c")]
    rooms.until(lambda: [len(node.tables()) for node in nodes] == [2, 2, 2])

    nodes[2].kill()
    rooms.until(lambda: [len(node.tables()) for node in nodes[:2]] == [3, 3])

    rooms.check()


# --- stopping for a while ---------------------------------------------------------------------------------------------


def test_a_stopped_owner_that_goes_on_gets_every_write_refused(rooms):
    """SIGSTOP past the lease: journal and ledger refuse its first words, no player hears them, others serve the table.

    Its own clients reach the table through it, and each chip is where it was won.
    """
    a, b = rooms.start("a"), rooms.start("b")
    anna, ben = seated(rooms, a)
    hand = hand_of(anna)
    turn = anna.last(wire.Turn)
    a.stop()
    rooms.until(lambda: b.tables() == ["t1"])
    rooms.pass_s(0.5)
    at_b = back(b, anna, ben)
    anna.connected = ben.connected = True  # their old connections to the stopped node
    told = len(anna.got), len(ben.got)

    client = player_of((anna, ben), turn)
    number = a.ask(
        client, wire.Act, hand_id=hand, seq=turn.seq, action="call"
    )  # it was in its socket's buffer
    a.go_on()
    rooms.pass_s(1)

    assert a.store.refused > 0
    assert a.tables() == []
    accepted = [message for message in client.got if getattr(message, "re", None) == number]
    assert [type(message) for message in accepted] in ([], [wire.Error])
    assert not any(isinstance(message, wire.Acted) for message in (anna.got[told[0] :] + ben.got[told[1] :]))
    assert isinstance(act_from_snapshot(b, at_b, "t1"), wire.Ok)
    late = rooms.client("late")
    assert isinstance(a.answer(late, wire.Observe), wire.Snapshot)
    assert late.last(wire.Snapshot).hand.hand_id == hand
    rooms.check()


def test_a_stopped_owners_settlement_is_refused(rooms):
    """The last action was journalled, the result on its way when it was stopped: the new owner settles it, once."""
    a, b = rooms.start("a"), rooms.start("b")
    anna, ben = seated(rooms, a)
    hand = hand_of(anna)
    a.away(ledger=True)  # the hand ends, and cannot be settled
    turn = anna.last(wire.Turn)
    folder = player_of((anna, ben), turn)
    a.ask(folder, wire.Act, hand_id=hand, seq=turn.seq, action="fold")
    rooms.pass_s(0.2)
    assert not now(rooms.ledger.settled_hands([hand]))
    a.stop()
    rooms.until(lambda: b.tables() == ["t1"])
    rooms.pass_s(1)
    assert now(rooms.ledger.settled_hands([hand])) == {hand}
    told = len(anna.got)

    a.away()
    a.go_on()
    rooms.pass_s(5)

    assert a.tables() == []
    ends = [message for message in anna.got[told:] if isinstance(message, wire.HandEnded)]
    assert not any(end.void for end in ends)
    assert {end.hand_id for end in ends} <= {hand}
    rooms.check()


def test_no_hand_of_a_lost_table_is_settled_twice(rooms):
    """An owner that was cut off from nothing but time: both have the hand's end, and it is in the ledger once."""
    a, b = rooms.start("a"), rooms.start("b")
    anna, ben = seated(rooms, a)
    hand = hand_of(anna)
    turn = anna.last(wire.Turn)
    a.stop()
    rooms.until(lambda: b.tables() == ["t1"])
    at_b = back(b, anna, ben)
    folder = player_of(at_b, turn)
    shown = folder.last(wire.Snapshot).hand.turn
    assert isinstance(b.answer(folder, wire.Act, hand_id=hand, seq=shown.seq, action="fold"), wire.Ok)
    rooms.pass_s(0.5)
    stacks = {row.account: row.stack for row in now(rooms.ledger.seats())}

    a.ask(folder, wire.Act, hand_id=hand, seq=turn.seq, action="fold")
    a.go_on()
    rooms.pass_s(3)

    assert {row.account: row.stack for row in now(rooms.ledger.seats())}.keys() == stacks.keys()
    assert sum(row.stack for row in now(rooms.ledger.seats())) == sum(stacks.values())
    rooms.check()
