"""Several nodes as one room: who owns which table when nodes join, end, die, stop for a while, or lose services."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom.cluster.membership import LEASE_S, NotAlike
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code
from tests.cluster import rooms as support
from tests.cluster.rooms import Node, Rooms, settings
from tests.table.support import Client, now

MANY = settings("t1", "t2", "t3", "t4", "t5", "t6")
NAMES = ["t1", "t2", "t3", "t4", "t5", "t6"]


@pytest.fixture
def rooms() -> Iterator[Rooms]:
    yield from support.rooms()


def seated(rooms: Rooms, node: Node, table: str = "t1") -> tuple[Client, Client]:
    """Two players at a table, and their first hand."""
    anna, ben = rooms.client(f"anna-{table}"), rooms.client(f"ben-{table}")
    for client in (anna, ben):
        assert isinstance(node.answer(client, wire.SitDown, table, buy_in=5_000), wire.Snapshot)
    assert anna.all(wire.Turn)
    return anna, ben


def act(node: Node, *players: Client, table: str = "t1") -> wire.Answer:
    """Whose turn it is calls or checks, through this node."""
    turn = max((player.last(wire.Turn) for player in players), key=lambda turn: turn.seq)
    client = player_of(players, turn)
    action = "check" if turn.check else "call"
    return node.answer(client, wire.Act, table, hand_id=turn.hand_id, seq=turn.seq, action=action)


def player_of(players: tuple[Client, ...], turn: wire.Turn) -> Client:
    """Whose turn it is."""
    return next(player for player in players if player.last(wire.Snapshot).your_seat == turn.seat)


def hand_of(client: Client) -> str:
    return client.last(wire.HandStarted).hand_id


def back(node: Node, *clients: Client, table: str = "t1") -> tuple[Client, ...]:
    """The accounts over new connections to this node."""
    found = []
    for client in clients:
        client.connected = False
        again = Client(client.name, client.account)
        assert isinstance(node.answer(again, wire.Observe, table), wire.Snapshot)
        found.append(again)
    return tuple(found)


# --- starting ---------------------------------------------------------------------------------------------------------


def test_one_node_has_every_table_at_once(rooms):
    """A room of one node waits for nobody."""
    node = rooms.begin("a", MANY)
    rooms.pass_s(0.1)

    assert node.started.called
    assert node.tables() == NAMES
    rooms.check()


def test_a_second_node_gets_its_share(rooms):
    """The tables go over one after the other, each to one owner; all names stay in the lobby of both."""
    a, b = rooms.start("a", MANY), rooms.start("b", MANY)

    took = rooms.until(lambda: len(b.tables()) == 3)

    assert took < 5
    rooms.pass_s(5)
    assert sorted(a.tables() + b.tables()) == NAMES
    assert [info.table for info in b.room.lobby.infos()] == NAMES
    rooms.check()


def test_a_hand_in_progress_ends_before_its_table_goes_over(rooms):
    """A joining node takes its share between hands: the players' hand is settled, and both see the table go on."""
    a = rooms.start("a", settings("t1", "t2"))
    players = seated(rooms, a, "t1") + seated(rooms, a, "t2")
    b = rooms.start("b", settings("t1", "t2"))
    rooms.pass_s(3)
    assert a.tables() == ["t1", "t2"]

    going = next(name for name, held in a.room.ownership._held.items() if held.going)
    at_it = players[:2] if going == "t1" else players[2:]
    first = hand_of(at_it[0])
    while b.tables() == []:
        assert isinstance(act(a, *at_it, table=going), wire.Ok)
    rooms.pass_s(1)

    assert first in now(rooms.ledger.settled_hands([first]))
    rooms.until(lambda: hand_of(at_it[0]) != first)
    assert isinstance(act(a, *at_it, table=going), wire.Ok)  # over the node where they are connected
    assert not at_it[0].all(wire.TableNotice)
    rooms.check()


def test_nodes_that_start_together_share_the_tables(rooms):
    """Whoever is first where: each table has one owner, and all have about as many."""
    nodes = [rooms.begin(name, MANY) for name in ("a", "b", "c")]

    rooms.until(lambda: all(node.started.called for node in nodes))
    rooms.until(lambda: [len(node.tables()) for node in nodes] == [2, 2, 2])

    rooms.check()


def test_the_next_start_after_a_clean_end_is_immediate(rooms):
    """Who ends in good order has given up its tables, with a hand in progress left to the journal."""
    a = rooms.start("a")
    anna, ben = seated(rooms, a)
    hand = hand_of(anna)
    stopped = a.room.stop()
    rooms.pass_s(0.5)
    assert stopped.called
    rooms.nodes.remove(a)
    assert rooms.owners() == {"t1": None}

    b = rooms.begin("b")
    rooms.pass_s(0.1)

    assert b.started.called
    again = back(b, anna, ben)
    assert again[0].last(wire.Snapshot).hand.hand_id == hand


def test_the_next_start_after_a_kill_waits_for_the_lease(rooms):
    """Nobody knows but by his silence that the last owner is gone."""
    a = rooms.start("a")
    a.kill()
    rooms.pass_s(60)

    b = rooms.begin("b")
    took = rooms.until(lambda: b.started.called)

    assert took < LEASE_S + 1
    assert b.failed == []
    assert b.tables() == ["t1"]
    rooms.check()


def test_other_tables_than_a_living_nodes_are_refused(rooms):
    """A second node with other settings does not start, and the first one does not notice."""
    a = rooms.start("a")

    b = rooms.begin("b", settings("t1", "t2"))
    rooms.until(lambda: b.failed != [])

    assert b.failed[0].check(NotAlike)
    assert a.tables() == ["t1"]
    assert rooms.said.keys() == {"a"}


def test_tables_that_are_there_no_more_are_cashed_out(rooms):
    """The next room without a table pays its seats out; the hand that was in progress there is void."""
    a = rooms.start("a", settings("t1", "t2"))
    anna, ben = seated(rooms, a, "t2")
    a.kill()

    b = rooms.start("b", settings("t1"))

    assert b.tables() == ["t1"]
    assert now(rooms.ledger.seats()) == []
    assert [now(rooms.ledger.wallet(client.account)) for client in (anna, ben)] == [support.OPENING] * 2
    assert rooms.store.tables() == []
    assert rooms.owners()["t2"] is None


def test_chairs_that_are_there_no_more_are_cashed_out(rooms):
    """A table with fewer chairs keeps whom it has a chair for."""
    a = rooms.start("a")
    players = [rooms.client(name) for name in ("anna", "ben", "cleo")]
    for client in players:
        a.answer(client, wire.SitDown, buy_in=5_000)
    a.kill()

    b = rooms.start("b", settings("t1").replace("seats = 4", "seats = 2"))

    assert [seat.account for seat in b.table().chairs.seats] == [players[0].account, players[1].account]
    assert now(rooms.ledger.wallet(players[2].account)) == support.OPENING
    rooms.check()


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


def act_from_snapshot(node: Node, players: tuple[Client, ...], table: str) -> wire.Answer:
    """Whose turn it is by what he was shown."""
    view = players[0].last(wire.Snapshot).hand
    turns = [turn for turn in players[0].all(wire.Turn) if turn.hand_id == view.hand_id]
    turn = max([view.turn, *turns], key=lambda one: one.seq)
    client = player_of(players, turn)
    action = "check" if turn.check else "call"
    return node.answer(client, wire.Act, table, hand_id=view.hand_id, seq=turn.seq, action=action)


def test_watchers_elsewhere_see_the_table_again_unasked(rooms):
    """Who is connected to the survivor gets a snapshot when it has the table, without a word of his."""
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
    """SIGSTOP past the lease: journal and ledger refuse its first words, nobody hears them, others serve the table.

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


# --- without the services ---------------------------------------------------------------------------------------------


def test_a_node_that_cannot_tell_stops_before_its_lease_ends(rooms):
    """No new hand, no action, no clock: it says so at once, and its players' time begins anew when it goes on."""
    a = rooms.start("a")
    anna, ben = seated(rooms, a)
    turn = anna.last(wire.Turn)
    client = player_of((anna, ben), turn)
    a.away(directory=True)
    rooms.until(a.room.ownership.suspended)
    took = rooms.clock.seconds()

    refused = a.answer(client, wire.Act, hand_id=turn.hand_id, seq=turn.seq, action="call")
    assert refused.code == Code.UNAVAILABLE
    assert isinstance(a.answer(client, wire.GetSnapshot), wire.Snapshot)
    rooms.pass_s(120)
    assert not any(message.by_clock for message in anna.all(wire.Acted))
    assert [notice.state for notice in anna.all(wire.TableNotice)] == ["frozen"]
    assert a.table().hands.play().hand_id == turn.hand_id

    a.away()
    rooms.until(lambda: not a.room.ownership.suspended())
    again = anna.last(wire.Turn)
    assert again.seq > turn.seq
    assert [notice.state for notice in anna.all(wire.TableNotice)] == ["frozen", "running"]
    assert again.deadline_ms >= took * 1000 + 120_000
    assert isinstance(a.answer(client, wire.Act, hand_id=turn.hand_id, seq=again.seq, action="call"), wire.Ok)
    rooms.check()


def test_it_stops_before_another_one_takes_its_tables(rooms):
    """Cut off from the directory alone: by the time that the other one takes the table it does not act any more."""
    a, b = rooms.start("a"), rooms.start("b")
    seated(rooms, a)
    a.away(directory=True)

    rooms.until(lambda: b.tables() == ["t1"] or a.room.ownership.suspended())
    assert a.room.ownership.suspended()
    assert b.tables() == []
    rooms.until(lambda: b.tables() == ["t1"])

    a.away()
    rooms.pass_s(2)
    assert a.tables() == []
    assert not a.room.ownership.suspended()
    rooms.check()


def test_a_node_that_can_tell_again_asks_the_ledger_before_it_goes_on(rooms):
    """Without the ledger's word it stays suspended, for its tables may be another one's."""
    a = rooms.start("a")
    a.away(directory=True, ledger=True)
    rooms.until(a.room.ownership.suspended)
    a.away(ledger=True)
    rooms.pass_s(5)
    assert a.room.ownership.suspended()

    a.away()
    rooms.pass_s(1.5)

    assert not a.room.ownership.suspended()


def test_a_table_that_the_ledger_gives_to_somebody_else_is_dropped(rooms):
    """By whatever mistake: the ledger is right, and a node looks at it once a second."""
    a = rooms.start("a")
    seated(rooms, a)
    assert now(rooms.ledger.take_table("t1", "somebody", 1)) == 2

    rooms.until(lambda: a.tables() == [], 2)

    rooms.until(lambda: a.tables() == ["t1"], LEASE_S)  # from one who never lived
    assert rooms.epochs() == {"t1": 3}
    rooms.check()


def test_an_answer_of_the_last_lease_lets_nobody_go_on(rooms):
    """What the ledger said of the owners then need not be so any more."""
    a = rooms.start("a")
    a.away(directory=True)
    rooms.until(a.room.ownership.suspended)

    rows = {row.table: row for row in now(rooms.ledger.owners())}
    a.room.ownership._seen(rows, licensed=False)

    assert a.room.ownership.suspended()


def test_a_directory_that_nobody_reaches_costs_nobody_his_tables(rooms):
    """All are suspended, nobody is declared dead, and every table goes on where it was."""
    a, b = rooms.start("a", MANY), rooms.start("b", MANY)
    rooms.until(lambda: len(b.tables()) == 3)
    rooms.pass_s(3)
    before = rooms.epochs()

    for node in (a, b):
        node.away(directory=True)
    rooms.pass_s(60)
    a.away()
    rooms.pass_s(1.5)
    b.away()
    rooms.pass_s(5)

    assert rooms.epochs() == before
    assert [node.room.ownership.suspended() for node in (a, b)] == [False, False]
    rooms.check()


def test_a_redis_that_comes_back_empty_voids_hands_and_nothing_else(rooms):
    """Nothing is stolen from the living; stacks are as at hand start, and the next hand is dealt."""
    a, b = rooms.start("a", settings("t1", "t2")), rooms.start("b", settings("t1", "t2"))
    rooms.until(lambda: len(b.tables()) == 1)
    rooms.pass_s(3)
    homes = rooms.owners()
    [name] = a.tables()
    anna, ben = seated(rooms, a, name)
    hand = hand_of(anna)

    rooms.said.clear()
    rooms.store.lose()
    act(a, anna, ben, table=name) if False else None
    turn = anna.last(wire.Turn)
    a.ask(player_of((anna, ben), turn), wire.Act, name, hand_id=hand, seq=turn.seq, action="call")
    rooms.until(lambda: hand_of(anna) != hand)
    rooms.pass_s(5)

    assert rooms.owners() == homes
    assert not now(rooms.ledger.settled_hands([hand]))
    assert [row.stack for row in now(rooms.ledger.seats())] == [5_000, 5_000]
    rooms.check()


def test_without_the_ledger_no_hand_begins_and_no_table_is_taken(rooms):
    """The hand in progress is played to its end; it settles once when the ledger answers, then the next is dealt."""
    a = rooms.start("a", settings("t1", "t2"))
    anna, ben = seated(rooms, a)
    hand = hand_of(anna)
    a.away(ledger=True)
    rooms.pass_s(5)
    turn = anna.last(wire.Turn)
    a.answer(player_of((anna, ben), turn), wire.Act, hand_id=hand, seq=turn.seq, action="fold")
    rooms.pass_s(10)
    assert hand_of(anna) == hand
    assert not now(rooms.ledger.settled_hands([hand]))

    a.away()
    rooms.until(lambda: hand_of(anna) != hand)

    assert now(rooms.ledger.settled_hands([hand])) == {hand}
    rooms.check()


def test_a_table_between_hands_deals_none_while_the_ledger_is_away(rooms):
    """Two players who are ready wait for the ledger, and are dealt in when it is back."""
    a = rooms.start("a")
    anna, ben = seated(rooms, a)
    hand = hand_of(anna)
    for client in (anna, ben):
        a.answer(client, wire.SitOut)
    turn = anna.last(wire.Turn)
    a.answer(player_of((anna, ben), turn), wire.Act, hand_id=hand, seq=turn.seq, action="fold")
    a.away(ledger=True)
    rooms.pass_s(5)

    for client in (anna, ben):
        a.answer(client, wire.SitIn)
    rooms.pass_s(5)
    assert hand_of(anna) == hand
    a.away()
    rooms.until(lambda: hand_of(anna) != hand, 3)


def test_a_dead_nodes_tables_wait_for_the_ledger(rooms):
    """No table is taken from memory alone."""
    a, b = rooms.start("a", settings("t1", "t2")), rooms.start("b", settings("t1", "t2"))
    rooms.until(lambda: len(b.tables()) == 1)
    a.away(ledger=True)
    b.kill()
    rooms.pass_s(10)
    assert len(a.tables()) == 1

    a.away()
    rooms.until(lambda: len(a.tables()) == 2, 3)

    rooms.check()


# --- ending, moving ---------------------------------------------------------------------------------------------------


def test_a_node_that_is_to_end_hands_its_tables_over(rooms):
    """SIGTERM: idle tables at once, the others as their hands end; players keep their seats and are told nothing."""
    a, b = rooms.start("a", settings("t1", "t2")), rooms.start("b", settings("t1", "t2"))
    rooms.until(lambda: len(b.tables()) == 1)
    rooms.pass_s(3)
    [name] = a.tables()
    anna, ben = seated(rooms, a, name)
    hand = hand_of(anna)

    drained = a.room.drain()
    rooms.pass_s(2)
    assert not drained.called
    turn = anna.last(wire.Turn)
    ok = a.answer(player_of((anna, ben), turn), wire.Act, name, hand_id=hand, seq=turn.seq, action="fold")
    assert isinstance(ok, wire.Ok)
    took = rooms.until(lambda: len(b.tables()) == 2)

    assert drained.called
    assert took <= 1
    assert not anna.all(wire.TableNotice)
    rooms.pass_s(0.3)
    assert anna.last(wire.Snapshot).re is None
    rooms.until(lambda: hand_of(anna) != hand)
    rooms.check()


def test_the_last_node_keeps_its_tables_until_it_ends(rooms):
    """With nobody to go on the players are told that there are no new hands."""
    a = rooms.start("a")
    anna, ben = seated(rooms, a)
    drained = a.room.drain()
    turn = anna.last(wire.Turn)
    a.answer(player_of((anna, ben), turn), wire.Act, hand_id=turn.hand_id, seq=turn.seq, action="fold")

    assert drained.called
    assert [notice.state for notice in anna.all(wire.TableNotice)] == ["closing"]
    assert a.tables() == ["t1"]


def test_the_operator_moves_a_table_and_there_it_stays(rooms):
    """To the named node, between hands, whatever the balance says; a node that is none is no target."""
    a, b = rooms.start("a", MANY), rooms.start("b", MANY)
    rooms.until(lambda: len(b.tables()) == 3)
    rooms.pass_s(3)
    names = a.tables()

    assert not a.room.ownership.move(names[0], "c")
    assert not a.room.ownership.move(names[0], "a")
    assert not a.room.ownership.move(b.tables()[0], "b")
    assert a.room.ownership.move(names[0], "b")
    rooms.until(lambda: names[0] in b.tables(), 2)
    assert a.room.ownership.move(names[1], "b")
    rooms.until(lambda: names[1] in b.tables(), 2)
    rooms.pass_s(20)

    assert {names[0], names[1]} <= set(b.tables())
    rooms.check()


def test_the_last_word_on_a_table_counts(rooms):
    """Moved on at once, it is the third node's: what the first one still says of it is over."""
    nodes = [rooms.start(name, MANY) for name in ("a", "b", "c")]
    rooms.until(lambda: [len(node.tables()) for node in nodes] == [2, 2, 2])
    rooms.pass_s(5)
    a, b, c = nodes
    [name, _] = a.tables()
    epoch = rooms.epochs()[name]

    assert a.room.ownership.move(name, "b")
    rooms.until(lambda: name in b.tables())
    assert b.room.ownership.move(name, "c")
    rooms.until(lambda: name in c.tables())
    rooms.pass_s(5)

    assert name in c.tables()
    assert rooms.epochs()[name] == epoch + 2


def test_a_frozen_table_is_not_given_away(rooms):
    """What is frozen stays its owner's own matter."""
    a = rooms.start("a", settings("t1", "t2"))
    for name in ("t1", "t2"):
        now(a.table(name).freeze())
    b = rooms.start("b", settings("t1", "t2"))
    rooms.pass_s(10)

    assert b.tables() == []
    assert a.tables() == ["t1", "t2"]
