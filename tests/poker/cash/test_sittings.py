"""What the journal knows of a seat is of one sitting: a later one of the same account begins without it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from pokerroom.poker import recovery
from pokerroom.poker.seat_facts import decode_seat_facts
from pokerroom.poker.seats import SeatState
from pokerroom.rules.button import Owes
from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room, now


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def crash(room: Room) -> None:
    """The process is gone: a new table on what the journal and the ledger have."""
    room.table.stop()
    room.table = room.open()
    room.table.restore(now(room.ledger.seats()), list(room.journal.kept), frozenset())
    room.journal.hold = False
    room.journal.store()


def known(room: Room) -> list[tuple[int, int]]:
    """Account and seat of the players that the journal knows."""
    facts = recovery.read(room.journal.kept).facts
    return [(fact.account, fact.seat) for fact in decode_seat_facts(facts.seats)]


def sit_out_and_leave(room: Room) -> Client:
    """A player has had a seat, with other requests than those of a newcomer."""
    anna = room.client("anna")
    room.ask(anna, wire.SitDown, buy_in=5_000, seat=1)
    room.ask(anna, wire.SeatOptions, auto_top_up_to=4_000, muck_losing=False)
    room.ask(anna, wire.SitOut)
    room.ask(anna, wire.StandUp)
    return anna


def test_a_player_who_has_left_leaves_the_journal(room):
    """As soon as the stack is in the wallet, also where no hand is dealt any more."""
    bert = room.client("bert")
    room.ask(bert, wire.SitDown, buy_in=5_000, seat=2)
    room.ask(bert, wire.SitOut)

    sit_out_and_leave(room)

    assert known(room) == [(bert.account, 2)]


@pytest.mark.parametrize("seat", [1, 3])
def test_the_wishes_of_an_earlier_sitting_are_not_those_of_a_later_one(room, seat):
    """If the journal does not know of the return when the process dies, the player is a newcomer, not cashed out."""
    anna = sit_out_and_leave(room)
    room.journal.hold = True
    room.ask(anna, wire.SitDown, buy_in=6_000, seat=seat)

    crash(room)

    restored = room.table.game.seats.held_by(anna.account)
    assert (restored.number, restored.stack, restored.state) == (seat, 6_000, SeatState.SITTING_OUT)
    assert (restored.owes, restored.returns_playing) == (Owes.newcomer, True)
    assert (restored.auto_top_up_to, restored.muck_losing) == (0, True)


def test_facts_of_another_chair_are_of_another_sitting(room):
    """If the journal ends before the player left, and the ledger has them in another seat, they have just sat down."""
    anna = room.client("anna")
    room.ask(anna, wire.SitDown, buy_in=5_000, seat=1)
    room.ask(anna, wire.SitOut)
    room.journal.hold = True
    room.ask(anna, wire.StandUp)
    room.ask(anna, wire.SitDown, buy_in=6_000, seat=4)
    assert known(room) == [(anna.account, 1)]

    crash(room)

    restored = room.table.game.seats.held_by(anna.account)
    assert (restored.number, restored.owes, restored.returns_playing) == (4, Owes.newcomer, True)


def test_a_buy_in_is_in_the_journal_before_the_ledger_is_asked(room):
    """If the process dies before the answer, the options of `sit_down` still hold: the player posts at once (B7)."""
    anna = room.client("anna")
    booked = room.ledger.buy_in

    def unanswered(*what: Any) -> Deferred[None]:
        assert known(room) == [(anna.account, 2)]
        now(booked(*what))
        return Deferred()

    room.ledger.buy_in = unanswered
    room.ask(anna, wire.SitDown, buy_in=5_000, seat=2, post=True)

    crash(room)

    restored = room.table.game.seats.held_by(anna.account)
    assert (restored.posts_now, restored.owes, restored.returns_playing) == (True, Owes.newcomer, True)


def test_a_buy_in_that_the_ledger_never_had_leaves_no_seat(room):
    """The journal's facts about it belong to no player."""
    anna = room.client("anna")
    room.ledger.buy_in = lambda *_: Deferred()
    room.ask(anna, wire.SitDown, buy_in=5_000)

    crash(room)

    assert known(room) == []
    assert len(room.table.game.seats.seats) == 0
