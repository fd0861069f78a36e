"""What a seat's holder may say about it, and a table that the operator closes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from pokerroom.poker.seats import SeatState
from pokerroom.rules.stakes import Stakes
from pokerroom_protocol import messages as wire
from tests.poker.support import OPENING, Client, Room, now


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def code(answer: wire.Answer) -> str:
    assert isinstance(answer, wire.Error)
    return answer.code


def options(room: Room, seat: int) -> tuple[Any, ...]:
    held = room.table.game.seats.seats[seat]
    return held.auto_top_up_to, held.straddles, held.muck_losing


def test_options_left_out_stay_as_they_are(room):
    """Each field of `seat_options` changes its own option and no other."""
    room = Room(stakes=Stakes(small_blind=50, big_blind=100, straddle=200))
    anna = room.client("anna")
    room.sit(anna)
    assert options(room, 1) == (0, False, True)

    for fields, expected in (
        ({"straddle": True}, (0, True, True)),
        ({"muck_losing": False}, (0, True, False)),
        ({"auto_top_up_to": 9_000}, (9_000, True, False)),
        ({"straddle": False, "auto_top_up_to": 0}, (0, False, False)),
        ({}, (0, False, False)),
    ):
        assert isinstance(room.answer(anna, wire.SeatOptions, **fields), wire.Ok)
        assert options(room, 1) == expected
    room.stop()


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"auto_top_up_to": 10_001, "muck_losing": False}, "buy_in_too_large"),
        ({"straddle": True, "muck_losing": False}, "no_straddle"),
    ],
)
def test_options_that_cannot_be_change_nothing(room, fields, expected):
    """A refused message leaves all options alone, also those that would have been possible."""
    anna = room.client("anna")
    room.sit(anna)

    assert code(room.answer(anna, wire.SeatOptions, **fields)) == expected
    assert options(room, 1) == (0, False, True)


def test_without_a_seat_there_are_no_options(room):
    """A player without a seat, or with only a held one, cannot request anything about it."""
    anna = room.client("anna")
    room.ask(anna, wire.ReserveSeat)

    assert code(room.answer(anna, wire.SeatOptions, muck_losing=False)) == "not_seated"


def test_sitting_out_at_the_next_big_blind_can_be_taken_back(room):
    """`sit_in` before the big blind comes cancels the request; a repeated one is refused: the player plays already."""
    anna = room.client("anna")
    room.sit(anna)
    assert isinstance(room.answer(anna, wire.SitOut, when="next_big_blind"), wire.Ok)
    assert isinstance(room.answer(anna, wire.SitOut, when="next_big_blind"), wire.Ok)
    assert room.table.game.seats.seats[1].sits_out_next_big_blind

    assert isinstance(room.answer(anna, wire.SitIn), wire.Ok)

    assert not room.table.game.seats.seats[1].sits_out_next_big_blind
    assert code(room.answer(anna, wire.SitIn)) == "already_playing"


def test_sitting_out_now_overrides_the_next_big_blind(room):
    """A player who cannot wait sits out at once, and the old request is gone when they are back."""
    anna = room.client("anna")
    room.sit(anna)
    room.ask(anna, wire.SitOut, when="next_big_blind")

    assert isinstance(room.answer(anna, wire.SitOut), wire.Ok)

    assert anna.last(wire.SeatChanged).status == "sitting_out"
    assert code(room.answer(anna, wire.SitOut, when="next_big_blind")) == "not_playing"
    room.ask(anna, wire.SitIn)
    assert not room.table.game.seats.seats[1].sits_out_next_big_blind


def test_sitting_in_clears_the_wish_for_the_next_big_blind(room):
    """A player whom the clock sat out before the big blind (H6) plays on when back, and through the big blind."""
    anna = room.client("anna")
    room.sit(anna)
    room.ask(anna, wire.SitOut, when="next_big_blind")
    room.table.game.seats.seats[1].state = SeatState.SITTING_OUT  # as the clock does

    assert isinstance(room.answer(anna, wire.SitIn), wire.Ok)

    assert not room.table.game.seats.seats[1].sits_out_next_big_blind


def test_a_seat_begins_with_its_time_bank():
    """What the table gives, in milliseconds."""
    room = Room(time_bank_s=30)
    room.sit(room.client("anna"))

    assert room.table.game.seats.seats[1].time_bank_ms == 30_000
    room.stop()


# --- closing --------------------------------------------------------------------------------------------------------


def close(room: Room) -> None:
    room.table.mailbox.post(room.table.game.seats.close_doors)


def test_a_closing_table_lets_its_hand_be_played_and_then_all_leave(room):
    """No player is folded for it; when the hand is settled every stack goes to its wallet."""
    anna, bert, carl = (room.client(name) for name in ("anna", "bert", "carl"))
    room.sit(anna, bert)
    room.sit(carl)
    close(room)

    assert anna.last(wire.SeatLeft).name == "carl"  # carl is in no hand
    assert room.table.state_name == "playing"
    assert not room.table.game.seats.empty()
    room.act("raise", 300)
    room.act("fold")

    assert room.table.game.seats.empty()
    assert now(room.ledger.wallet(anna.account)) == OPENING + 100
    assert now(room.ledger.wallet(bert.account)) == OPENING - 100
    assert now(room.ledger.wallet(carl.account)) == OPENING
    room.clock.advance(1)
    assert room.table.state_name == "waiting"


def test_a_closing_table_takes_no_newcomers_and_holds_no_seats(room):
    """Held seats are free, and sitting down or reserving is refused until the table is open again."""
    anna, bert = room.client("anna"), room.client("bert")
    room.ask(anna, wire.Observe)
    room.ask(anna, wire.ReserveSeat)

    close(room)

    assert anna.last(wire.SeatReleased).seat == 1
    assert room.seats.tables_of(anna.account) == []
    assert code(room.answer(bert, wire.ReserveSeat)) == "table_closing"
    assert code(room.answer(bert, wire.SitDown, buy_in=5_000)) == "table_closing"
    room.table.mailbox.post(room.table.game.seats.open_doors)
    assert isinstance(room.answer(bert, wire.SitDown, buy_in=5_000), wire.Snapshot)


@pytest.mark.parametrize("held", [False, True])
def test_a_buy_in_under_way_when_the_table_closes_is_cashed_out(room, held):
    """Money that the ledger has booked comes back by itself; until then the table is not empty."""
    anna = room.client("anna")
    if held:
        room.ask(anna, wire.ReserveSeat)
    answer: Deferred[None] = Deferred()
    original, room.ledger.buy_in = room.ledger.buy_in, lambda *_: answer
    room.ask(anna, wire.SitDown, buy_in=5_000)
    olga = room.client("olga")
    room.ask(olga, wire.Observe)
    close(room)
    assert not room.table.game.seats.empty()
    assert not olga.all(wire.SeatChanged)  # a seat that the ledger does not know is not told

    original("buyin:" + 32 * "1", "t1", 1, 1, anna.account, 5_000, 4).chainDeferred(answer)

    assert room.table.game.seats.empty()
    assert now(room.ledger.wallet(anna.account)) == OPENING
    assert room.seats.tables_of(anna.account) == []


def test_a_top_up_under_way_when_the_table_closes_is_cashed_out_too(room):
    """The seat is left when the ledger has answered, with everything."""
    anna = room.client("anna")
    room.sit(anna, buy_in=5_000)
    answer: Deferred[None] = Deferred()
    original, room.ledger.top_up = room.ledger.top_up, lambda *_: answer
    room.ask(anna, wire.TopUp, amount=1_000)
    close(room)
    assert not room.table.game.seats.empty()

    original("topup:" + 32 * "1", "t1", 1, anna.account, 1_000).chainDeferred(answer)

    assert room.table.game.seats.empty()
    assert now(room.ledger.wallet(anna.account)) == OPENING


def test_a_player_who_vanishes_while_their_seat_is_held_elsewhere_loses_only_the_hold(room):
    """A lost connection ends the hold at one table and keeps the booked seat of another account."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna)
    room.ask(bert, wire.ReserveSeat)
    bert.connected = False

    room.table.viewer_gone(bert)

    assert room.table.game.seats.reserved() == []
    assert room.table.game.seats.held_by(anna.account).connected


def test_nothing_is_told_of_a_seat_after_its_end(room):
    """A player who leaves while others' result is on its way to the ledger is gone at once: `seat_left` comes last."""
    anna, bert, carl = (room.client(name) for name in ("anna", "bert", "carl"))
    room.sit(anna, bert)
    room.sit(carl)  # carl waits for the next hand
    room.settler.hold = True
    room.act("fold")

    room.ask(carl, wire.StandUp)
    room.settler.commit()

    left = anna.last(wire.SeatLeft)
    assert left.seat == 3
    assert [
        event.seat for event in anna.all(wire.SeatChanged) if event.seq > left.seq and event.seat == 3
    ] == []


def test_a_lost_connection_says_since_when(room):
    """Presence is a fact beside the seat's status: all viewers are told when the player was last here, and is back."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    since_ms = int(room.clock.seconds() * 1000)
    anna.connected = False

    room.table.viewer_gone(anna)

    told = bert.last(wire.SeatChanged)
    assert (told.seat, told.status, told.connected, told.gone_since_ms) == (1, "playing", False, since_ms)
    room.ask(Client("anna", anna.account), wire.Observe)
    told = bert.last(wire.SeatChanged)
    assert (told.seat, told.connected, told.gone_since_ms) == (1, True, None)
