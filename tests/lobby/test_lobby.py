"""Who holds a seat at which tables, and the tables that can be joined."""

from __future__ import annotations

from dataclasses import replace

from pokerroom.chips import Money
from pokerroom.ledger.api import SeatRow
from pokerroom.lobby.lobby import Seats
from tests.lobby.support import TWO_SEATS, Cardroom


def test_an_account_claims_as_many_tables_as_it_may():
    """Past the maximum a claim is refused and changes nothing; the same table again is no further one."""
    seats = Seats(2)

    assert seats.claim(1, "a")
    assert seats.claim(1, "b")
    assert not seats.claim(1, "c")
    assert seats.claim(1, "b")
    assert seats.tables_of(1) == ["a", "b"]
    assert seats.claim(2, "c")


def test_a_freed_table_may_be_claimed_again():
    """Freeing what is not held is no fault."""
    seats = Seats(1)
    assert seats.claim(1, "a")

    seats.freed(1, "a")
    seats.freed(1, "a")

    assert seats.tables_of(1) == []
    assert seats.claim(1, "b")


def test_seats_held_before_a_restart_count_however_many_they_are():
    """A smaller maximum takes no seat away."""
    seats = Seats(1)

    seats.restore(
        [SeatRow(table=name, seat=1, account=1, name="anna", stack=Money(1)) for name in ("b", "a")]
    )

    assert seats.tables_of(1) == ["a", "b"]
    assert not seats.claim(1, "c")


def test_without_tables_nobody_waits():
    """Seats alone know of no lists: nothing is before a newcomer, and an opening is for nobody."""
    seats = Seats(4)

    seats.opening("t1")
    seats.held_seat_lapsed(1, "t1")
    seats.closed("t1")
    seats.seated(1, "t1")

    assert seats.waiting("t1") == 0


def test_tables_are_listed_in_the_order_of_the_configuration():
    """One line each, found again by its name."""
    room = Cardroom(replace(TWO_SEATS, table="b"), replace(TWO_SEATS, table="a"))

    assert [info.table for info in room.lobby.infos()] == ["b", "a"]
    assert room.lobby.table("a") is list(room.lobby)[1]
    assert room.lobby.table("c") is None
    room.stop()
