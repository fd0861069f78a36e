"""H6: how long a connected player may sit out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room, now

LIMIT_S = 900


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room(sit_out_limit_s=LIMIT_S)
    yield room
    room.stop()


def seated(room: Room, name: str, seat: int) -> Client:
    client = room.client(name)
    room.ask(client, wire.SitDown, buy_in=5_000, seat=seat)
    return client


def seats(room: Room) -> list[int]:
    return [seat.number for seat in room.table.game.seats.seats]


def test_a_player_who_sits_out_too_long_is_cashed_out(room):
    """The seat is free after the limit, the stack is in the wallet, and everybody is told."""
    anna, bert = seated(room, "anna", 1), room.client("bert")
    room.ask(bert, wire.Observe)
    room.ask(anna, wire.SitOut)
    room.clock.advance(LIMIT_S - 1)
    assert seats(room) == [1]
    room.clock.advance(1)
    assert seats(room) == []
    assert bert.last(wire.SeatLeft).seat == 1
    assert now(room.ledger.wallet(anna.account)) == 100_000


def test_sitting_in_begins_a_new_time(room):
    """The limit is for one absence: who plays in between has all of it again."""
    anna = seated(room, "anna", 1)
    for _ in range(3):
        room.ask(anna, wire.SitOut)
        room.clock.advance(LIMIT_S - 1)
        room.ask(anna, wire.SitIn)
        room.clock.advance(5)
    assert seats(room) == [1]
    room.ask(anna, wire.SitOut)
    room.clock.advance(LIMIT_S)
    assert seats(room) == []


def test_options_and_reconnections_do_not_lengthen_it(room):
    """Nothing but playing does."""
    anna = seated(room, "anna", 1)
    room.ask(anna, wire.SitOut)
    room.clock.advance(LIMIT_S / 2)
    room.ask(anna, wire.SeatOptions, muck_losing=False)
    anna.connected = False
    room.table.viewer_gone(anna)
    again = Client("anna", anna.account)
    room.ask(again, wire.Observe)
    room.clock.advance(LIMIT_S / 2)
    assert seats(room) == []


def test_without_a_limit_the_seat_is_kept():
    """0 is no limit, which the operator may set."""
    room = Room(sit_out_limit_s=0)
    anna = seated(room, "anna", 1)
    room.ask(anna, wire.SitOut)
    room.clock.advance(86_400)
    assert seats(room) == [1]
    room.stop()


def test_a_hand_in_progress_is_played_first(room):
    """A player who sits out in mid-hand keeps the seat at least until the hand has ended."""
    anna, bert = seated(room, "anna", 1), seated(room, "bert", 2)
    room.clock.advance(0)
    hand_began = anna.all(wire.HandStarted)
    assert hand_began
    room.ask(anna, wire.SitOut)
    room.ask(bert, wire.SitOut)
    room.clock.pump([10] * 8)  # the clocks end the hand
    assert seats(room) == [1, 2]
    room.clock.advance(LIMIT_S)
    assert seats(room) == []
    total = sum(now(room.ledger.wallet(each.account)) for each in (anna, bert))
    assert total == 200_000


def test_a_hand_that_is_longer_than_the_limit_gives_it_once_more():
    """No player loses the seat in mid-hand; the limit begins again, so the seat becomes free later."""
    room = Room(sit_out_limit_s=5)  # less than one decision
    anna, bert = seated(room, "anna", 1), seated(room, "bert", 2)
    room.clock.advance(0)
    room.ask(anna, wire.SitOut)
    room.clock.advance(5)
    assert room.table.state_name == "playing"
    assert seats(room) == [1, 2]
    room.act("fold")
    assert room.table.state_name == "pausing"
    room.clock.advance(4)
    assert seats(room) == [1, 2]
    room.clock.advance(1)
    assert seats(room) == [2]
    assert bert.last(wire.SeatLeft).seat == 1
    room.stop()


def test_after_a_restart_the_time_begins_again(room):
    """The journal knows that a player sits out, and not since when."""
    anna = seated(room, "anna", 1)
    room.ask(anna, wire.SitOut)
    room.clock.advance(LIMIT_S - 1)
    room.table.stop()
    room.table = room.open()
    room.table.restore(now(room.ledger.seats()), list(room.journal.kept), frozenset({anna.account}))
    room.ask(anna, wire.Observe)
    room.clock.advance(LIMIT_S - 1)
    assert seats(room) == [1]
    room.clock.advance(1)
    assert seats(room) == []
