"""Buying in after having left (the rat-holing guard), and the automatic top-up between hands."""

from __future__ import annotations

from collections.abc import Iterator
from unittest import mock

import pytest
from twisted.internet.defer import Deferred, fail

from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.operator_wallet import WalletBusy, WalletRefused
from pokerroom_protocol import messages as wire
from tests.poker.support import OPENING, Client, Room, now


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room(rathole_s=3600)
    yield room
    room.stop()


def error(answer: wire.Answer) -> wire.Error:
    assert isinstance(answer, wire.Error)
    return answer


def leave_with(room: Room, client: Client, amount: int) -> None:
    """Sits down and leaves with so much, won or not."""
    room.ask(client, wire.SitDown, buy_in=min(amount, 10_000))
    if amount > 10_000:
        now(room.ledger.top_up(f"topup:t1:{client.account}:a win", "t1", 1, client.account, amount - 10_000))
    room.ask(client, wire.StandUp)
    assert now(room.ledger.left_with("t1", client.account, 3600)) == amount


def test_a_player_who_returns_brings_back_what_they_left_with(room):
    """Less is refused with the amount in the message and changes nothing; exactly that is enough."""
    anna = room.client("anna")
    leave_with(room, anna, 7_000)
    room.clock.advance(3_599)

    refused = error(room.answer(anna, wire.SitDown, buy_in=6_999))

    assert refused.code == "bring_back"
    assert f"with {refused.amount} a short while" in refused.message
    assert "7000" in refused.message
    assert len(room.table.game.seats.seats) == 0
    assert room.seats.tables_of(anna.account) == []
    assert now(room.ledger.wallet(anna.account)) == OPENING
    assert isinstance(room.answer(anna, wire.SitDown, buy_in=7_000), wire.Snapshot)


def test_after_the_time_they_bring_what_they_like(room):
    """An hour later the table has forgotten what the player left with."""
    anna = room.client("anna")
    leave_with(room, anna, 7_000)
    room.clock.advance(3_600)

    assert isinstance(room.answer(anna, wire.SitDown, buy_in=2_000), wire.Snapshot)


def test_without_the_guard_no_player_asks():
    """With `rathole_s` 0 the ledger is not asked, and the usual limits hold."""
    room = Room(rathole_s=0)
    anna = room.client("anna")
    leave_with(room, anna, 7_000)
    room.ledger.left_with = None  # asking would raise

    assert error(room.answer(anna, wire.SitDown, buy_in=10_001)).code == "buy_in_too_large"
    assert isinstance(room.answer(anna, wire.SitDown, buy_in=2_000), wire.Snapshot)
    room.stop()


def test_what_they_left_with_may_exceed_the_maximum(room):
    """Then the player brings exactly that: no less, and no more."""
    anna = room.client("anna")
    leave_with(room, anna, 15_000)

    assert error(room.answer(anna, wire.SitDown, buy_in=10_000)).code == "bring_back"
    assert error(room.answer(anna, wire.SitDown, buy_in=15_001)).code == "buy_in_too_large"
    room.ask(anna, wire.SitDown, buy_in=15_000)
    assert anna.last(wire.Snapshot).seats[0].stack == 15_000
    assert error(room.answer(anna, wire.TopUp, amount=1)).code == "buy_in_too_large"


def test_the_seat_is_no_other_players_while_the_ledger_is_asked_what_they_left_with(room):
    """The seat is reserved during both calls of the ledger, and free again after a refusal."""
    anna, bert = room.client("anna"), room.client("bert")
    answer: Deferred[int | None] = Deferred()
    room.ledger.left_with, original = lambda *_: answer, room.ledger.left_with
    number = room.ask(anna, wire.SitDown, buy_in=5_000, seat=2)
    room.ledger.left_with = original

    assert error(room.answer(bert, wire.SitDown, buy_in=5_000, seat=2)).code == "seat_taken"
    assert error(room.answer(anna, wire.TopUp, amount=1)).code == "request_pending"
    assert room.table.requests.waits()
    answer.callback(6_000)

    [refused] = [message for message in anna.got if getattr(message, "re", None) == number]
    assert error(refused).code == "bring_back"
    assert not room.table.requests.waits()
    assert isinstance(room.answer(bert, wire.SitDown, buy_in=5_000, seat=2), wire.Snapshot)


def test_a_table_that_closes_while_the_ledger_is_asked_takes_no_money(room):
    """A buy-in that is asked for when the table closes is refused, and nothing is booked."""
    anna = room.client("anna")
    answer: Deferred[int | None] = Deferred()
    room.ledger.left_with = lambda *_: answer
    room.ask(anna, wire.SitDown, buy_in=5_000)
    room.table.mailbox.post(room.table.game.seats.close_doors)

    answer.callback(None)

    assert anna.last(wire.Error).code == "table_closing"
    assert now(room.ledger.wallet(anna.account)) == OPENING


# --- automatic top-up -----------------------------------------------------------------------------------------------


def fold_one(room: Room) -> None:
    """The small blind folds: 50 go over the table."""
    room.act("fold")
    room.clock.advance(0)


def test_a_smaller_stack_is_topped_up_between_hands(room):
    """The difference is booked once from the wallet; the larger stack of the other stays as it is."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=5_000)
    for client in (anna, bert):
        assert isinstance(room.answer(client, wire.SeatOptions, auto_top_up_to=5_000), wire.Ok)

    fold_one(room)

    stacks = {seat.seat: seat.stack for seat in bert.last(wire.HandStarted).seats}
    assert stacks == {1: 5_000, 2: 5_050}
    assert now(room.ledger.wallet(anna.account)) == OPENING - 5_050
    assert now(room.ledger.wallet(bert.account)) == OPENING - 5_000
    assert now(room.ledger.audit()).differences == ()


def test_the_next_hand_does_not_wait_for_an_automatic_top_up(room):
    """While the ledger is away the game goes on; chips that are booked in the next hand play after it (A3)."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=5_000)
    room.ask(anna, wire.SeatOptions, auto_top_up_to=5_000)
    answer: Deferred[None] = Deferred()
    original = room.ledger.top_up
    room.ledger.top_up = lambda *_: answer
    fold_one(room)
    assert {seat.seat: seat.stack for seat in bert.last(wire.HandStarted).seats} == {1: 4_950, 2: 5_050}

    original("topup:" + 32 * "1", "t1", 1, anna.account, 50).chainDeferred(answer)
    room.ledger.top_up = original
    assert room.table.game.seats.seats[1].stack == 4_950
    fold_one(room)

    assert {seat.seat: seat.stack for seat in bert.last(wire.HandStarted).seats} == {1: 5_050, 2: 5_000}


def test_a_wallet_that_cannot_pay_switches_the_automatic_top_up_off(room):
    """The player plays on with the same chips, and is not asked for again."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=5_000)
    room.ask(anna, wire.SeatOptions, auto_top_up_to=5_000)
    room.spend_elsewhere(anna, OPENING - 5_000)

    fold_one(room)

    assert room.table.game.seats.seats[1].auto_top_up_to == 0
    assert room.table.state_name == "playing"
    assert room.table.game.seats.seats[1].stack == 4_950


def broke(room: Room) -> int:
    """Play all-in until one of the two has lost all; return that player's seat."""
    for _ in range(50):
        turn = room.turn()
        room.act("raise", turn.max_raise_to) if turn.max_raise_to else room.act("call")
        lost = [seat.number for seat in room.table.game.seats.seats if seat.stack == 0]
        if lost and room.table.game.hand.play is None:
            return lost[0]
        room.clock.advance(0)
    raise AssertionError("no player has lost")


def test_a_player_who_lost_all_is_topped_up_and_plays_on(room):
    """With an automatic top-up no player has to ask for chips; once they are booked the player is dealt in."""
    room.sit(room.client("anna"), room.client("bert"), buy_in=2_000)
    waiting: list[tuple[Deferred[None], object]] = []
    original = room.ledger.top_up

    def later(*what: object) -> Deferred[None]:
        waiting.append((Deferred(), what))
        return waiting[-1][0]

    room.ledger.top_up = later
    for seat in (1, 2):
        room.ask(room.at(seat), wire.SeatOptions, auto_top_up_to=2_000)
    seat = room.table.game.seats.seats[broke(room)]
    room.clock.advance(0)
    assert (seat.status(), room.table.state_name) == ("sitting_out", "waiting")

    [(answer, what)] = waiting
    original(*what).chainDeferred(answer)

    assert (seat.status(), seat.stack) == ("playing", 2_000)
    assert room.table.state_name == "playing"


def test_without_a_hand_an_automatic_top_up_comes_at_once(room):
    """The option chosen between hands holds for the hand to come."""
    anna = room.client("anna")
    room.sit(anna, buy_in=2_000)

    room.ask(anna, wire.SeatOptions, auto_top_up_to=3_000)

    assert room.table.game.seats.seats[1].stack == 3_000


def test_no_player_is_topped_up_who_sits_out_or_leaves(room):
    """Only for players who play: none is bought for a player who sits out by request or is leaving."""
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.sit_together(*clients, buy_in=5_000)
    for client in clients:
        room.ask(client, wire.SeatOptions, auto_top_up_to=6_000)
    anna, bert, carl = clients
    room.ask(anna, wire.SitOut)
    room.ask(bert, wire.StandUp)
    room.act("fold")
    room.clock.advance(0)

    assert now(room.ledger.wallet(anna.account)) == OPENING - 5_000
    assert now(room.ledger.wallet(bert.account)) < OPENING
    assert room.table.game.seats.held_by(bert.account) is None
    assert room.table.game.seats.held_by(carl.account).stack == 6_000


# --- topping up -----------------------------------------------------------------------------------------------------


def test_what_they_win_in_the_hand_on_its_way_to_the_ledger_counts_for_a_top_up(room):
    """A request meanwhile is answered when the result is there: with it the player would have more than the maximum."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=9_900)
    room.settler.hold = True
    room.act("fold")
    [winner] = [seat for seat in room.table.game.seats.seats if seat.account == bert.account]
    assert (room.table.state_name, winner.stack) == ("settling", 9_900)

    number = room.ask(bert, wire.TopUp, amount=100)
    assert not any(getattr(message, "re", None) == number for message in bert.got)
    room.settler.commit()

    refused = bert.last(wire.Error)
    assert (refused.re, refused.code) == (number, "buy_in_too_large")
    assert now(room.ledger.wallet(bert.account)) == OPENING - 9_900


def test_a_player_who_leaves_with_the_hand_on_its_way_to_the_ledger_is_not_topped_up(room):
    """`stand_up` was said later and comes about first."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=5_000)
    room.settler.hold = True
    room.act("fold")

    number = room.ask(bert, wire.TopUp, amount=100)
    room.ask(bert, wire.StandUp)
    room.settler.commit()

    assert [error.code for error in bert.all(wire.Error) if error.re == number] == ["leaving"]
    assert now(room.ledger.wallet(bert.account)) == OPENING + 50


def test_a_player_who_has_lost_all_buys_in_again_for_the_minimum_at_least(room):
    """One chip less is refused, and the player is not dealt in; so is an automatic top-up below the minimum."""
    room.sit(room.client("anna"), room.client("bert"))
    loser = room.table.game.seats.seats[broke(room)]
    client = room.at(loser.number)

    assert error(room.answer(client, wire.TopUp, amount=1_999)).code == "buy_in_too_small"
    assert error(room.answer(client, wire.SeatOptions, auto_top_up_to=1_999)).code == "buy_in_too_small"
    room.clock.advance(0)
    assert (loser.status(), room.table.state_name) == ("sitting_out", "waiting")
    assert isinstance(room.answer(client, wire.TopUp, amount=2_000), wire.Ok)
    assert room.table.state_name == "playing"


@pytest.mark.parametrize("name", ["buy_in", "top_up", "cash_out"])
def test_what_is_asked_again_moves_chips_once(room, name):
    """The ledger has booked it, the answer was lost: it is asked again under the same key, and no more chip moves."""
    anna = room.client("anna")
    room.sit(anna, buy_in=4_000)
    if name == "buy_in":
        room.answer(anna, wire.StandUp)
    original, keys = getattr(room.ledger, name), []

    def unheard(key: str, *args: object) -> Deferred[object]:
        keys.append(key)
        booked = original(key, *args)
        return fail(LedgerUnavailable("the answer was lost")) if len(keys) < 3 else booked

    before = now(room.ledger.wallet(anna.account))
    with mock.patch.object(room.ledger, name, unheard):
        match name:
            case "buy_in":
                room.ask(anna, wire.SitDown, buy_in=5_000)
            case "top_up":
                room.ask(anna, wire.TopUp, amount=1_000)
            case _:
                room.ask(anna, wire.StandUp)
        for _ in range(20):
            room.clock.advance(1)

    moved = now(room.ledger.wallet(anna.account)) - before
    assert moved == {"buy_in": -5_000, "top_up": -1_000, "cash_out": 4_000}[name]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert now(room.ledger.audit()).differences == ()


def test_a_buy_in_beyond_a_limit_is_refused_with_what_is_left(room):
    """The seat is free again; so is a top-up refused, and an automatic one switched off."""
    anna = room.client("anna")
    now(room.ledger.set_limit(anna.account, "loss", "day", 6_000))

    refused = error(room.answer(anna, wire.SitDown, buy_in=6_001))

    assert (refused.code, refused.limit, refused.amount) == ("limit_reached", "loss_day", 6_000)
    assert refused.until_ms is not None
    assert len(room.table.game.seats.seats) == 0
    assert isinstance(room.answer(anna, wire.SitDown, buy_in=5_000), wire.Snapshot)
    refused = error(room.answer(anna, wire.TopUp, amount=1_001))
    assert (refused.code, refused.limit, refused.amount) == ("limit_reached", "loss_day", 1_000)
    room.ask(anna, wire.SeatOptions, auto_top_up_to=10_000)
    room.clock.advance(5)
    assert [seat.stack for seat in room.table.game.seats.seats] == [5_000]
    assert now(room.ledger.wallet(anna.account)) == OPENING - 5_000


@pytest.mark.parametrize("refusal", [WalletBusy, WalletRefused])
def test_a_buy_in_that_the_operators_wallet_does_not_give_is_refused(room, refusal):
    """The seat is free again, and an automatic top-up is switched off: the table plays on."""
    anna = room.client("anna")
    with mock.patch.object(room.ledger, "buy_in", side_effect=lambda *_: fail(refusal("not now"))):
        assert error(room.answer(anna, wire.SitDown, buy_in=5_000)).code == refusal.code
    assert len(room.table.game.seats.seats) == 0
    assert isinstance(room.answer(anna, wire.SitDown, buy_in=5_000), wire.Snapshot)
    with mock.patch.object(room.ledger, "top_up", side_effect=lambda *_: fail(refusal("not now"))):
        assert error(room.answer(anna, wire.TopUp, amount=1_000)).code == refusal.code
        room.ask(anna, wire.SeatOptions, auto_top_up_to=10_000)
        room.clock.advance(5)
    assert [(seat.stack, seat.auto_top_up_to) for seat in room.table.game.seats.seats] == [(5_000, 0)]
