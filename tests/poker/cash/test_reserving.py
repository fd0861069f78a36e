"""Accounts that may have a seat held: they could buy in, and do not hold seats again and again for nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from twisted.internet.defer import Deferred

from pokerroom.poker.cash.cooldown import UNUSED_MAX, WINDOW_S
from pokerroom.table.restarts import DELAY_S
from pokerroom_protocol import messages as wire
from tests.poker.support import OPENING, Client, Room


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room(seats_max=3, reservation_s=60)
    yield room
    room.stop()


def code(answer: wire.Answer) -> str:
    assert isinstance(answer, wire.Error)
    return answer.code


def held_wallet(room: Room) -> Deferred[int]:
    """The next question for a wallet waits for this answer."""
    answer: Deferred[int] = Deferred()
    original = room.ledger.wallet

    def once(_: int) -> Deferred[int]:
        room.ledger.wallet = original
        return answer

    room.ledger.wallet = once
    return answer


def gone(room: Room, client: Client) -> None:
    client.connected = False
    room.table.viewer_gone(client)


@pytest.mark.parametrize(("wallet", "held"), [(1_999, []), (2_000, [1])])
def test_a_seat_is_held_for_whom_could_buy_in(room, wallet, held):
    """A wallet of less than the table's minimum keeps no seat from others."""
    anna = room.client("anna")
    room.spend_elsewhere(anna, OPENING - wallet)

    answer = room.answer(anna, wire.ReserveSeat)

    assert room.table.game.seats.reserved() == held
    if not held:
        assert code(answer) == "insufficient_balance"
        assert room.seats.tables_of(anna.account) == []


def test_while_the_ledger_is_asked_a_second_wish_is_refused(room):
    """`request_pending`, for a hold as for its end; then the first one is answered."""
    anna = room.client("anna")
    wallet = held_wallet(room)
    number = room.ask(anna, wire.ReserveSeat)

    assert code(room.answer(anna, wire.ReserveSeat, seat=2)) == "request_pending"
    assert code(room.answer(anna, wire.ReleaseSeat)) == "request_pending"

    wallet.callback(OPENING)
    assert (anna.last(wire.Reserved).re, anna.last(wire.Reserved).seat) == (number, 1)
    assert isinstance(room.answer(anna, wire.ReleaseSeat), wire.Ok)


def test_a_seat_that_a_player_takes_meanwhile_is_theirs(room):
    """Nothing is held before the ledger has answered; what is free then counts."""
    anna, bert = room.client("anna"), room.client("bert")
    wallet = held_wallet(room)
    room.ask(anna, wire.ReserveSeat, seat=2)
    room.ask(bert, wire.SitDown, buy_in=5_000, seat=2)

    wallet.callback(OPENING)

    assert anna.last(wire.Error).code == "seat_taken"
    assert room.table.game.seats.reserved() == []


def test_a_player_who_is_gone_meanwhile_holds_nothing(room):
    """Otherwise the seat would be held for an absent account until its time is over."""
    anna = room.client("anna")
    wallet = held_wallet(room)
    room.ask(anna, wire.ReserveSeat)
    gone(room, anna)

    wallet.callback(OPENING)

    assert room.table.game.seats.reserved() == []
    assert room.seats.tables_of(anna.account) == []


def test_a_table_that_starts_again_meanwhile_holds_nothing(room):
    """The client is told, and may ask the table that goes on."""
    anna = room.client("anna")
    wallet = held_wallet(room)
    room.ask(anna, wire.ReserveSeat)
    room.table.mailbox.post(lambda: 1 / 0)

    wallet.callback(OPENING)

    assert anna.last(wire.Error).code == "unavailable"
    room.clock.advance(DELAY_S)
    assert isinstance(room.answer(anna, wire.ReserveSeat), wire.Reserved)


@pytest.mark.parametrize("unused", ["lapsed", "released", "connection lost"])
def test_after_several_unused_holds_there_is_none_for_a_while(room, unused):
    """`seat_cooldown`, however the holds have ended; the account may still sit down, and others may hold seats."""
    anna, bert = room.client("anna"), room.client("bert")
    for _ in range(UNUSED_MAX):
        assert isinstance(room.answer(anna, wire.ReserveSeat), wire.Reserved)
        if unused == "lapsed":
            room.clock.advance(60)
        elif unused == "released":
            room.ask(anna, wire.ReleaseSeat)
        else:
            gone(room, anna)
            anna = Client("anna", anna.account)

    refused = room.answer(anna, wire.ReserveSeat)
    assert code(refused) == "seat_cooldown"
    assert 0 < refused.retry_after_ms <= 600_000

    assert isinstance(room.answer(bert, wire.ReserveSeat), wire.Reserved)
    room.clock.advance(WINDOW_S)
    assert isinstance(room.answer(anna, wire.ReserveSeat), wire.Reserved)


def test_a_player_who_buys_in_may_hold_seats_again(room):
    """The cool-down is for those who never come; `sit_down` needs no hold."""
    anna = room.client("anna")
    for _ in range(UNUSED_MAX):
        room.ask(anna, wire.ReserveSeat)
        room.ask(anna, wire.ReleaseSeat)
    assert isinstance(room.answer(anna, wire.SitDown, buy_in=5_000), wire.Snapshot)
    room.ask(anna, wire.StandUp)

    assert isinstance(room.answer(anna, wire.ReserveSeat), wire.Reserved)


def test_a_hold_that_the_table_or_a_waiting_list_ends_is_not_counted(room):
    """A table that closes ends the holds itself, and an offer that is not taken costs the place on the list."""
    anna = room.client("anna")
    for _ in range(UNUSED_MAX):
        room.ask(anna, wire.ReserveSeat)
        room.table.close()
        room.table.reopen()
        room.table.offer_seat(anna.account, lambda *_: None)
        room.clock.advance(60)

    assert isinstance(room.answer(anna, wire.ReserveSeat), wire.Reserved)
