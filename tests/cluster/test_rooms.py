"""Several nodes as one room: the owners of tables when nodes join or end, and when the operator moves a table."""

from __future__ import annotations

import itertools

from structlog.testing import capture_logs
from twisted.internet.defer import Deferred, fail
from twisted.internet.task import deferLater

from pokerroom.cluster.membership import HEARTBEAT_S, LEASE_S, IncompatibleNode
from pokerroom.cluster.owned_tables import OwnedTables
from pokerroom.cluster.room_bus import RoomBus
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom_protocol import messages as wire
from tests.cluster import rooms as support
from tests.cluster.rooms import (
    MANY,
    NAMES,
    act,
    back,
    hand_of,
    player_of,
    seated,
    settings,
)
from tests.poker.support import now

# --- starting ---------------------------------------------------------------------------------------------------------


def test_one_node_has_every_table_at_once(rooms):
    """A room of one node waits for no other."""
    node = rooms.begin("a", MANY)
    rooms.pass_s(0.1)

    assert node.started.called
    assert node.tables() == NAMES
    rooms.check()


def test_tables_that_are_taken_together_are_told_together(rooms, monkeypatch):
    """Otherwise each of them costs the node a look at all tables, and the start of a large room never ends."""
    told = []
    placed = RoomBus.placed
    monkeypatch.setattr(
        RoomBus, "placed", lambda bus, owners: (told.append(len(owners)), placed(bus, owners))
    )

    rooms.begin("a", MANY)
    rooms.pass_s(0.1)

    assert told == [len(NAMES)]
    rooms.check()


def test_a_node_alone_looks_at_its_tables_once_a_heartbeat(rooms, monkeypatch):
    """To tell of them. It has no other node to weigh their loads with, and there is no table to take."""
    rooms.start("a", MANY)
    rooms.pass_s(1)
    looked = []
    now = OwnedTables.now
    monkeypatch.setattr(OwnedTables, "now", lambda owned: (looked.append(1), now(owned))[1])

    rooms.pass_s(10 * HEARTBEAT_S)

    assert 9 <= len(looked) <= 11


def test_a_second_node_gets_its_share(rooms):
    """The tables go over one after the other, each to one owner; all names stay in the lobby of both."""
    a, b = rooms.start("a", MANY), rooms.start("b", MANY)

    took = rooms.until(lambda: len(b.tables()) == 3)

    assert took < 5
    rooms.pass_s(5)
    assert sorted(a.tables() + b.tables()) == NAMES
    assert [info.table for info in b.room.lobby.rows()] == NAMES
    rooms.check()


def test_a_hand_in_progress_ends_before_its_table_goes_over(rooms):
    """A joining node takes its share between hands: the players' hand is settled, and both see the table go on."""
    a = rooms.start("a", settings("t1", "t2"))
    players = seated(rooms, a, "t1") + seated(rooms, a, "t2")
    b = rooms.start("b", settings("t1", "t2"))
    rooms.pass_s(3)
    assert a.tables() == ["t1", "t2"]

    pairs = {"t1": players[:2], "t2": players[2:]}
    hands = {table: hand_of(pair[0]) for table, pair in pairs.items()}
    playing = itertools.cycle(pairs)
    while b.tables() == []:
        table = next(playing)
        assert isinstance(act(a, *pairs[table], table=table), wire.Ok)
    [going] = b.tables()
    at_it, first = pairs[going], hands[going]
    rooms.pass_s(1)

    assert first in now(rooms.ledger.settled_hands([first]))
    rooms.until(lambda: hand_of(at_it[0]) != first)
    assert isinstance(act(a, *at_it, table=going), wire.Ok)  # over the node where they are connected
    assert not at_it[0].all(wire.TableNotice)
    rooms.check()


def test_nodes_that_start_together_share_the_tables(rooms):
    """In any order: each table has one owner, and all nodes have about as many."""
    nodes = [rooms.begin(name, MANY) for name in ("a", "b", "c")]

    rooms.until(lambda: all(node.started.called for node in nodes))
    rooms.until(lambda: [len(node.tables()) for node in nodes] == [2, 2, 2])

    rooms.check()


def test_the_next_start_after_a_clean_end_is_immediate(rooms):
    """A node that ends in good order has released its tables, with a hand in progress left to the journal."""
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
    """Only its silence shows that the last owner is gone."""
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
    """A second node with other settings does not start, and the first one does not notice.

    It has not opened the ledger: one of another version would upgrade the database of the first.
    """
    a = rooms.start("a")

    b = rooms.begin("b", settings("t1", "t2"))
    rooms.until(lambda: b.failed != [])

    assert b.failed[0].check(IncompatibleNode)
    assert (a.has_opened_ledger, b.has_opened_ledger) == (True, False)
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
    """A table with fewer seats keeps the players of the seats that are left."""
    a = rooms.start("a")
    players = [rooms.client(name) for name in ("anna", "ben", "cleo")]
    for client in players:
        a.answer(client, wire.SitDown, buy_in=5_000)
    a.kill()

    b = rooms.start("b", settings("t1").replace("seats = 4", "seats = 2"))

    assert [seat.account for seat in b.table().game.seats.seats] == [players[0].account, players[1].account]
    assert now(rooms.ledger.wallet(players[2].account)) == support.OPENING
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


def test_a_drained_node_ends_at_once(rooms):
    """It was drained before; the end finds nothing left, and other nodes give it nothing meanwhile."""
    a, b = rooms.start("a", settings("t1", "t2")), rooms.start("b", settings("t1", "t2"))
    rooms.until(lambda: len(b.tables()) == 1)
    rooms.pass_s(3)
    drained = a.room.drain()
    rooms.until(lambda: drained.called)
    rooms.pass_s(20)
    assert (a.tables(), len(b.tables())) == ([], 2)
    assert a.room.drain().called
    rooms.check()


def test_the_last_node_keeps_its_tables_until_it_ends(rooms):
    """Without another node the players are told that there are no new hands."""
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


def test_a_node_that_takes_its_tables_slowly_says_how_far_it_is(rooms, monkeypatch):
    """Every few seconds, not for each table; nothing is said at the end, which `room.ready` tells."""
    monkeypatch.setattr("pokerroom.cluster.ownership.AT_ONCE", 1)
    take_table = rooms.ledger.take_table

    def slow(*asked):
        return deferLater(rooms.clock, 2, take_table, *asked)

    monkeypatch.setattr(rooms.ledger, "take_table", slow)
    with capture_logs() as logs:
        node = rooms.begin("a", MANY)
        rooms.until(lambda: node.started.called)
    said = [(line["tables"], line["of"]) for line in logs if line["event"] == "tables.taken"]
    assert said == [(3, 6)]


def test_a_table_that_is_being_taken_again_is_not_taken_a_third_time(rooms, monkeypatch):
    """The ledger refuses the first attempt; when the tables behind it are taken, the second one goes on alone."""
    monkeypatch.setattr("pokerroom.cluster.ownership.AT_ONCE", 1)
    asked, held = [], []
    take_table = rooms.ledger.take_table

    def slow(table, *rest):
        asked.append(table)
        if len(asked) == 1:
            return fail(LedgerUnavailable("once"))
        answer = Deferred()
        held.append(lambda: take_table(table, *rest).chainDeferred(answer))
        return answer

    monkeypatch.setattr(rooms.ledger, "take_table", slow)
    node = rooms.begin("a", settings("t1", "t2"))
    rooms.until(lambda: len(held) == 2)
    assert asked == ["t1", "t2", "t1"]
    held[0]()
    rooms.pass_s(5)
    assert asked == ["t1", "t2", "t1"]
    held[1]()
    rooms.until(lambda: node.started.called)
    assert node.tables() == ["t2", "t1"]
    rooms.check()
