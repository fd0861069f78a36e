"""Requests that a client repeats because it lost the answer: they do not act twice, and the wallet is right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from twisted.internet.defer import Deferred

from pokerroom_protocol import messages as wire
from tests.poker.support import OPENING, Client, Room, now

KEY = "5f0c2a9e-77aa-4f6e"


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def resumed(room: Room, client: Client) -> Client:
    """The same account on another connection, which observes the table."""
    room.table.viewer_gone(client)
    again = Client(client.name, client.account)
    room.ask(again, wire.Observe)
    return again


def taken_over(room: Room, client: Client) -> Client:
    """The same account at the next owner of the table, which knows journal and ledger alone."""
    room.table.stop()
    room.table = room.open()
    room.table.restore(now(room.ledger.seats()), list(room.journal.kept), frozenset())
    again = Client(client.name, client.account)
    room.ask(again, wire.Observe)
    return again


def code(answer: wire.Answer) -> str:
    assert isinstance(answer, wire.Error), answer
    return answer.code


@pytest.mark.parametrize("returns", [resumed, taken_over])
def test_a_top_up_with_a_key_is_bought_once(room, returns):
    """After a resume and at another owner the repetition gets `ok`, and no more money moves; another key buys more."""
    anna = room.client("anna")
    room.sit(anna, buy_in=5_000)
    assert isinstance(room.answer(anna, wire.TopUp, amount=1_000, key=KEY), wire.Ok)

    anna = returns(room, anna)
    assert isinstance(room.answer(anna, wire.TopUp, amount=1_000, key=KEY), wire.Ok)

    assert now(room.ledger.wallet(anna.account)) == OPENING - 6_000
    assert room.table.game.seats.seats[1].stack == 6_000
    assert isinstance(room.answer(anna, wire.TopUp, amount=1_000, key=KEY + "2"), wire.Ok)
    assert now(room.ledger.wallet(anna.account)) == OPENING - 7_000
    assert room.table.game.seats.seats[1].stack == 7_000


def test_a_top_up_of_a_hand_is_not_bought_again_where_it_would_exceed_the_maximum(room):
    """The repetition is known before the amount is looked at: it gets the first answer, no refusal."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=5_000)
    room.answer(bert, wire.TopUp, amount=5_000, key=KEY)

    assert isinstance(room.answer(bert, wire.TopUp, amount=5_000, key=KEY), wire.Ok)

    assert now(room.ledger.wallet(bert.account)) == OPENING - 10_000


@pytest.mark.parametrize("returns", [resumed, taken_over])
def test_chips_bought_in_a_hand_are_seen_until_they_join_the_stack(room, returns):
    """In the seat of the snapshot, after a resume and at another owner, and in the events that lead there."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=5_000)
    assert isinstance(room.answer(anna, wire.TopUp, amount=1_000, key=KEY), wire.Ok)
    stack = bert.last(wire.SeatChanged).stack
    assert (bert.last(wire.SeatChanged).waiting_top_up, stack + 100 >= 5_000) == (1_000, True)

    anna = returns(room, anna)
    if returns is taken_over:
        room.ask(bert, wire.Observe)
    for client in (anna, bert):
        seat = room.answer(client, wire.GetSnapshot).seats[0]
        assert (seat.waiting_top_up, seat.stack) == (1_000, stack)

    hand = room.answer(anna, wire.GetSnapshot).hand
    fold = {"hand_id": hand.hand_id, "seq": hand.turn.seq, "action": "fold"}
    assert isinstance(room.answer(room.at(hand.turn.seat), wire.Act, **fold), wire.Ok)
    room.clock.advance(0)
    seat = room.answer(anna, wire.GetSnapshot).seats[0]
    assert (seat.waiting_top_up, seat.stack + seat.bet >= 5_900) == (0, True)
    assert anna.last(wire.SeatChanged).waiting_top_up == 0


def test_a_refused_top_up_may_be_repeated_with_its_key(room):
    """Only what was booked counts as done."""
    anna = room.client("anna")
    room.sit(anna, buy_in=9_500)

    assert code(room.answer(anna, wire.TopUp, amount=1_000, key=KEY)) == "buy_in_too_large"
    assert isinstance(room.answer(anna, wire.TopUp, amount=500, key=KEY), wire.Ok)
    assert now(room.ledger.wallet(anna.account)) == OPENING - 10_000


def test_a_repetition_before_the_answer_is_pending(room):
    """While the ledger is asked, a repetition is told to try again; after that it gets the answer."""
    anna = room.client("anna")
    room.sit(anna, buy_in=5_000)
    top_up, held = room.ledger.top_up, Deferred()
    room.ledger.top_up = lambda *_: held
    first = room.ask(anna, wire.TopUp, amount=1_000, key=KEY)

    assert code(room.answer(anna, wire.TopUp, amount=1_000, key=KEY)) == "request_pending"
    top_up(f"topup:t1:{anna.account}:{KEY}", "t1", 1, anna.account, 1_000).chainDeferred(held)
    room.ledger.top_up = top_up

    assert anna.last(wire.Ok).re == first
    assert isinstance(room.answer(anna, wire.TopUp, amount=1_000, key=KEY), wire.Ok)
    assert now(room.ledger.wallet(anna.account)) == OPENING - 6_000


def test_a_player_who_stands_up_while_the_key_is_looked_up_is_cashed_out_once(room):
    """The top-up is refused, the whole stack is in the wallet, and the seat is free."""
    anna = room.client("anna")
    room.sit(anna, buy_in=5_000)
    held = Deferred()
    room.ledger.is_booked = lambda _: held
    room.ask(anna, wire.TopUp, amount=1_000, key=KEY)
    room.ask(anna, wire.StandUp)

    held.callback(False)

    assert anna.last(wire.Error).code == "leaving"
    assert now(room.ledger.wallet(anna.account)) == OPENING
    assert now(room.ledger.seats()) == []


def test_the_same_key_of_another_player_is_another_request(room):
    """Keys are the account's own."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=5_000)

    for client in (anna, bert):
        assert isinstance(room.answer(client, wire.TopUp, amount=1_000, key=KEY), wire.Ok)
        assert now(room.ledger.wallet(client.account)) == OPENING - 6_000


@pytest.mark.parametrize("returns", [resumed, taken_over])
def test_a_repeated_sit_down_buys_in_once(room, returns):
    """The account has the seat already, and is told so; nothing moves."""
    anna = room.client("anna")
    room.ask(anna, wire.SitDown, buy_in=5_000)

    anna = returns(room, anna)

    assert code(room.answer(anna, wire.SitDown, buy_in=5_000)) == "already_seated"
    assert now(room.ledger.wallet(anna.account)) == OPENING - 5_000


def test_a_seat_is_told_to_be_free_after_its_money_is_in_the_wallet(room):
    """`seat_left` waits for the ledger: a client that asks for its account then sees the stack there."""
    anna = room.client("anna")
    room.sit(anna, buy_in=5_000)
    cash_out, held = room.ledger.cash_out, Deferred()
    asked = []

    def later(*what):
        asked.append(what)
        return held

    room.ledger.cash_out = later
    assert isinstance(room.answer(anna, wire.StandUp), wire.Ok)
    assert anna.all(wire.SeatLeft) == []

    cash_out(*asked[0]).chainDeferred(held)

    assert len(anna.all(wire.SeatLeft)) == 1
    assert now(room.ledger.wallet(anna.account)) == OPENING
