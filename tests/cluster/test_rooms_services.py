"""Several nodes as one room without its services: the owners of tables then, and the tables that play on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest

from pokerroom.cluster.membership import LEASE_S
from pokerroom.room import TURN_AWAY_S
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding
from pokerroom_protocol.errors import Code
from tests.cluster import rooms as support
from tests.cluster.rooms import (
    MANY,
    Node,
    Rooms,
    hand_of,
    player_of,
    seated,
    settings,
)
from tests.poker.support import now


@pytest.fixture
def rooms() -> Iterator[Rooms]:
    yield from support.rooms()


def test_a_node_that_cannot_tell_stops_before_its_lease_ends(rooms):
    """No new hand, no action, no clock: players are told at once, and get full clocks when it goes on."""
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
    assert a.table().game.hand.play.hand_id == turn.hand_id

    a.away()
    rooms.until(lambda: not a.room.ownership.suspended())
    again = anna.last(wire.Turn)
    assert again.seq > turn.seq
    assert [notice.state for notice in anna.all(wire.TableNotice)] == ["frozen", "running"]
    assert again.deadline_ms >= took * 1000 + 120_000
    assert isinstance(a.answer(client, wire.Act, hand_id=turn.hand_id, seq=again.seq, action="call"), wire.Ok)
    rooms.check()


class Line:
    """A `Link` that keeps what it is told."""

    encoding = Encoding.MSGPACK
    kind: Literal["tcp", "websocket"] = "tcp"
    peer = "192.0.2.1:40000"

    def __init__(self, node: Node) -> None:
        self.closed: Code | None = None
        self.session = node.room.sessions.make(self)

    def send(self, outgoing: Outgoing | Bundle) -> None:
        assert outgoing.parts

    def close(self, code: Code) -> None:
        self.closed = code


def test_a_node_of_several_that_is_cut_off_sends_its_clients_to_the_others(rooms):
    """Also clients that connect meanwhile; when it goes on, it accepts them again."""
    a, _ = rooms.start("a"), rooms.start("b")
    rooms.pass_s(1)
    early = Line(a)
    a.away(directory=True)
    rooms.until(a.room.ownership.suspended)
    rooms.pass_s(TURN_AWAY_S - 1)
    assert early.closed is None
    rooms.pass_s(3)
    assert early.closed is Code.UNAVAILABLE
    assert Line(a).closed is Code.UNAVAILABLE

    a.away()
    rooms.until(lambda: not a.room.ownership.suspended())
    rooms.pass_s(1.5)
    assert Line(a).closed is None


def test_a_node_that_is_alone_keeps_its_clients(rooms):
    """No other node could serve them: they wait, and see at once when it goes on."""
    a = rooms.start("a")
    line = Line(a)
    a.away(directory=True)
    rooms.until(a.room.ownership.suspended)
    rooms.pass_s(60)

    assert line.closed is None
    a.away()


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


def test_a_table_that_the_ledger_gives_to_another_node_is_dropped(rooms):
    """By whatever mistake: the ledger is right, and a node looks at it once a second."""
    a = rooms.start("a")
    seated(rooms, a)
    assert now(rooms.ledger.take_table("t1", "somebody", 1)) == 2

    rooms.until(lambda: a.tables() == [], 2)

    rooms.until(lambda: a.tables() == ["t1"], LEASE_S)  # from one who never lived
    assert rooms.epochs() == {"t1": 3}
    rooms.check()


def test_an_answer_of_the_last_lease_lets_no_node_go_on(rooms):
    """What the ledger said of the owners then need not be so any more."""
    a = rooms.start("a")
    a.away(directory=True)
    rooms.until(a.room.ownership.suspended)

    rows = {row.table: row for row in now(rooms.ledger.owners())}
    a.room.ownership.owners_read(rows, lease_renewed=False)

    assert a.room.ownership.suspended()


def test_a_directory_that_no_node_reaches_costs_no_node_its_tables(rooms):
    """All are suspended, none counts as gone, and every table goes on where it was."""
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
    """Two ready players wait for the ledger, and are dealt in when it is back."""
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
