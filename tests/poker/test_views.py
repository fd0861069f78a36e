"""The contents of a snapshot by viewer, and that nothing on the way shows a card.

That no byte depends on a card that its reader may not know is `test_views_permutation`'s matter.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from pokerroom.poker import views
from pokerroom.poker.seats import Seat, Seats, SeatState
from pokerroom.table.deadline import Deadline
from pokerroom_protocol import messages as wire
from tests.poker.support import SETTINGS, Room


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def seats() -> Seats:
    seats = Seats(6)
    seats.add(
        Seat(
            number=2,
            account=7,
            name="anna",
            stack=5_000,
            state=SeatState.SITTING_OUT,
            auto_top_up_to=4_000,
            straddles=True,
            muck_losing=False,
            sits_out_next_big_blind=True,
        )
    )
    seats.add(Seat(number=4, account=8, name="bert", stack=3_000, state=SeatState.RESERVED))
    return seats


def snapshot(account: int | None, **more: object) -> wire.Snapshot:
    return views.snapshot(
        settings=SETTINGS,
        seats=seats(),
        seq=3,
        play=None,
        turn_view=None,
        shown=(),
        account=account,
        re=None,
        **{
            "reserved": [6, 4],
            "pre_act": wire.PreActView(action="fold_to_any_bet"),
            "waiting": 5,
            "closing": True,
            **more,
        },
    )


def test_only_the_owner_sees_their_options_and_what_they_have_decided_in_advance():
    """Options and pre-action of a seat are in its owner's snapshot, and in no other."""
    own, stranger, observer = (snapshot(account) for account in (7, 9, None))

    assert own.your_seat == 2
    assert own.your_options == wire.SeatOptionsView(
        auto_top_up_to=4_000, straddle=True, muck_losing=False, sits_out_next_big_blind=True
    )
    assert own.your_pre_act == wire.PreActView(action="fold_to_any_bet")
    for other in (stranger, observer):
        assert (other.your_seat, other.your_options, other.your_pre_act) == (None, None, None)


def test_held_seats_are_numbers_and_one_being_bought_is_no_players():
    """No viewer is told which account holds a seat, nor the account itself before its buy-in is booked."""
    buyer = snapshot(8)

    assert buyer.reserved == [4, 6]
    assert [seat.seat for seat in buyer.seats] == [2]
    assert (buyer.your_seat, buyer.your_options, buyer.your_pre_act) == (None, None, None)


def test_the_line_of_the_table_tells_who_waits_and_that_it_closes():
    """The lobby's line in a snapshot has the waiting players, the seats that are taken, and the closing."""
    info = snapshot(None).info

    assert (info.occupied, info.players, info.waiting, info.closing) == (1, 0, 5, True)


def test_event_and_snapshot_say_the_same_of_a_turn(room):
    """The times, the time bank and the limits of a decision are the same for all, also those who come late."""
    room.sit(room.client("anna"), room.client("bert"))
    play = room.table.game.hand.play
    deadline = Deadline(countdown_ms=11, deadline_ms=22, time_bank_ms=33, in_time_bank=True)

    broadcast = views.turn(play, play.legal(), deadline, 9, "fold")
    told = broadcast.private[play.seat_to_act().account].message
    view = views.turn_view(play, play.legal(), deadline, 9, "fold")

    assert isinstance(told, wire.Turn)
    assert broadcast.public.message == replace(told, on_timeout=None)
    assert (view.countdown_ms, view.deadline_ms, view.time_bank_ms, view.in_time_bank) == (11, 22, 33, True)
    for name in wire.TurnView.__struct_fields__:
        assert getattr(told, name) == getattr(view, name), name


def test_no_repr_on_the_way_shows_a_card(room):
    """What a traceback or a log could print of a table, a hand or a message shows no hidden card."""
    room.sit(room.client("anna"), room.client("bert"))
    play = room.table.game.hand.play
    assert play is not None
    cards = {card for client in room.viewers() for card in client.last(wire.HoleCards).cards or ()}

    texts = [repr(play), repr(play.state), repr(play.state.setup), repr(views.hole_cards(play, 1))]

    assert cards
    assert not any(card in text for card in cards for text in texts)
