"""A closed table closes on, whatever happens to it; a room that shuts down waits for no absent player."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec import Raw
from twisted.internet.defer import Deferred

from pokerroom.poker.journal import HandDealt, SeatingFacts, decode, encode
from pokerroom.table.restarts import DELAY_S, RESTARTS_MAX
from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room, now


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room(hand_pause_ms=5_000)
    yield room
    room.stop()


def crash(room: Room) -> None:
    """The process is gone: a new table on what the journal and the ledger have."""
    room.table.stop()
    room.table = room.open()
    hands = frozenset(settled.hand_id for settled in room.settler.settled)
    room.table.restore(now(room.ledger.seats()), list(room.journal.kept), hands)
    room.clock.advance(0)


def fault(room: Room) -> None:
    room.table.mailbox.post(lambda: 1 / 0)


def come_back(room: Room, *clients: Client) -> list[Client]:
    again = [Client(client.name, client.account) for client in clients]
    for client in again:
        room.ask(client, wire.Observe)
    return again


def two(room: Room) -> list[Client]:
    clients = [room.client("anna"), room.client("bert")]
    room.sit(*clients)
    return clients


def let_the_clock_play(room: Room) -> None:
    """Until the hand is over."""
    while room.table.state_name == "playing":
        room.clock.advance(30)
    room.clock.advance(0)


def closed(room: Room, client: Client) -> bool:
    """All players have left, the table says so, and takes no new player."""
    assert now(room.ledger.seats()) == []
    refused = room.answer(client, wire.SitDown, buy_in=5_000)
    assert isinstance(refused, wire.Error)
    assert refused.code == "table_closing"
    return client.last(wire.TableNotice).state == "closed"


def test_a_closing_table_closes_on_after_a_crash_of_the_process(room):
    """The hand in progress is the last, though another process deals it to its end."""
    anna, bert = two(room)
    room.act("call")
    room.table.close()

    crash(room)

    assert room.table.info().closing
    anna, bert = come_back(room, anna, bert)
    let_the_clock_play(room)
    assert closed(room, anna)
    assert bert.all(wire.HandStarted) == []


def test_a_closing_table_without_a_hand_is_closed_after_a_crash(room):
    """Whom it could not cash out any more leaves when the next process begins."""
    anna = room.client("anna")
    room.sit(anna)
    room.ledger.cash_out, original = (lambda *_: Deferred()), room.ledger.cash_out
    room.table.close()
    room.ledger.cash_out = original

    crash(room)

    assert room.table.info().closing
    assert now(room.ledger.seats()) == []
    assert room.seats.tables_of(anna.account) == []


@pytest.mark.parametrize("closes", [True, False])
def test_the_order_to_close_is_known_where_the_facts_of_seats_cannot_be_read(room, closes):
    """The hand is void, as its seats are unknown; the table closes on, or is open, as the operator said."""
    two(room)
    room.act("call")
    if closes:
        room.table.close()
    deal = decode(room.journal.kept[0])
    assert isinstance(deal, HandDealt)
    facts = SeatingFacts(seats=Raw(msgspec.msgpack.encode("no seats")))
    room.journal.kept[0] = encode(msgspec.structs.replace(deal, facts=facts))

    crash(room)

    assert room.table.game.play.hand_id() is None
    assert room.table.info().closing is closes


def test_a_table_that_was_opened_again_is_open_after_a_crash(room):
    """The operator's last word counts."""
    room.table.close()
    room.table.reopen()

    crash(room)

    assert not room.table.info().closing
    assert isinstance(room.answer(room.client("anna"), wire.SitDown, buy_in=5_000), wire.Snapshot)


def test_a_table_that_is_closed_for_good_while_frozen_is_closed_after_a_crash(room):
    """A frozen table may not know its seats, and says nothing of them: what it said before stands."""
    anna, bert = two(room)
    room.act("call")
    for _ in range(RESTARTS_MAX + 1):
        fault(room)
        room.clock.advance(DELAY_S)
    assert room.table.restarts.for_good
    hand_id = room.table.game.play.hand_id()
    room.table.close()

    crash(room)

    assert (room.table.info().closing, room.table.game.play.hand_id()) == (True, hand_id)
    anna, bert = come_back(room, anna, bert)
    let_the_clock_play(room)
    assert closed(room, bert)


@pytest.mark.parametrize("closes", [True, False])
def test_what_the_operator_says_while_the_journal_is_read_counts(room, closes):
    """The answer of the journal is older than the operator's order."""
    two(room)
    room.act("call")
    if not closes:
        room.table.close()
    fault(room)
    room.journal.hold = True
    room.clock.advance(DELAY_S)

    if closes:
        room.table.close()
    else:
        room.table.reopen()
    room.journal.store()
    room.journal.hold = False
    room.clock.advance(0)

    assert room.table.state_name == "playing"
    assert room.table.info().closing is closes


def test_no_hand_is_dealt_at_a_closing_table_that_starts_again(room):
    """A player who took part is here and would play on; they are cashed out instead."""
    anna, _ = two(room)
    anna.wants_pause = True
    room.act("fold")
    assert room.table.state_name == "pausing"
    fault(room)
    room.table.close()

    room.clock.advance(DELAY_S)
    room.clock.advance(0)

    assert len(anna.all(wire.HandStarted)) == 1
    assert closed(room, anna)


def test_the_last_cash_out_may_be_answered_by_the_ledger_alone(room):
    """If the table has faulted meanwhile, no player is left to leave when it restarts: then it is closed."""
    anna, olga = room.client("anna"), room.client("olga")
    room.sit(anna)
    room.ask(olga, wire.Observe)
    answer: Deferred[Any] = Deferred()
    original = room.ledger.cash_out
    asked: list[Any] = []

    def later(*what: Any) -> Deferred[Any]:
        asked.extend(what)
        return answer

    room.ledger.cash_out = later
    done: list[None] = []
    room.table.close().addCallback(done.append)
    fault(room)
    original(*asked).chainDeferred(answer)

    room.clock.advance(DELAY_S)

    assert done == [None]
    assert closed(room, olga)


def test_a_drain_does_not_wait_for_a_hand_that_the_last_player_has_left(room):
    """As soon as no player is there to play it, the hand is left to its journal."""
    anna, bert = two(room)
    done: list[None] = []
    room.table.drain().addCallback(done.append)
    bert.connected = False
    room.table.viewer_gone(bert)
    assert done == []
    anna.connected = False

    room.table.viewer_gone(anna)

    assert done == [None]


def test_a_frozen_table_that_is_opened_again_does_not_say_that_it_runs(room):
    """It takes no new player before it goes on, and says so then."""
    anna, _ = two(room)
    room.table.close()
    fault(room)
    room.table.reopen()
    assert [notice.state for notice in anna.all(wire.TableNotice)] == ["closing", "frozen"]
    room.clock.advance(DELAY_S)
    room.clock.advance(0)
    room.clock.advance(0)
    assert anna.last(wire.TableNotice).state == "running"
