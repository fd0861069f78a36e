"""A table that faults while it is asked for a seat: no account waits for an answer that does not come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from pokerroom.table.restarts import DELAY_S, RESTARTS_MAX
from tests.lobby.support import TWO_SEATS, Cardroom, offers

Told = Callable[[int | None, int], None]


@pytest.fixture
def room() -> Iterator[Cardroom]:
    room = Cardroom(TWO_SEATS, replace(TWO_SEATS, table="t2"))
    yield room
    room.stop()


def break_offers(room: Cardroom) -> None:
    """The next offer of a seat at t1 is a fault of ours, before anything is held."""

    def broken(account: int, told: Told) -> None:
        raise ZeroDivisionError

    room.table().game.seats.reservations.offer = broken


def test_an_account_that_was_called_by_a_table_that_faults_is_called_again(room):
    """In order, when the table goes on; accounts that join meanwhile come later."""
    anna, bert = room.client("anna"), room.client("bert")
    break_offers(room)
    room.join(anna)
    room.join(bert)
    assert (offers(anna), room.table().state_name) == ([], "frozen")

    room.clock.advance(DELAY_S)

    assert room.table().state_name == "waiting"
    assert (offers(anna), offers(bert)) == ([("t1", 1)], [("t1", 2)])


def test_an_account_that_waits_for_any_table_is_called_by_another_meanwhile(room):
    """The call is forgotten with the fault, not with the restart, of which there may be none."""
    anna, bert = room.client("anna"), room.client("bert")
    for _ in range(RESTARTS_MAX):
        room.table().mailbox.post(lambda: 1 / 0)
        room.clock.advance(DELAY_S)
    break_offers(room)

    room.join(anna, any_table=True)

    assert room.table().restarts.for_good
    assert offers(anna) == [("t2", 1)]
    room.join(bert)
    assert offers(bert) == []


def test_a_call_that_earlier_seats_still_have_is_forgotten(room):
    """It came while the table restarted; the new seats are asked, and an answer of the old ones changes nothing."""
    anna = room.client("anna")
    table, asked = room.table(), []
    table.mailbox.post(lambda: 1 / 0)
    original, table.offer_seat = table.offer_seat, lambda *call: asked.append(call)
    room.join(anna)
    [(_, old)] = asked
    table.offer_seat = original

    room.clock.advance(DELAY_S)
    assert offers(anna) == [("t1", 1)]
    old(None, 0)

    room.quit(anna)
    assert table.game.seats.reserved() == []
