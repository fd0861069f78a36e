"""Which accounts hold a seat at which tables, and the tables that can be joined."""

from __future__ import annotations

from dataclasses import replace

from pokerroom.chips import Money
from pokerroom.ledger.api import SeatRow
from pokerroom.lobby.lobby import AccountSeats
from tests.lobby.support import TWO_SEATS, Cardroom


def test_an_account_claims_as_many_tables_as_it_may():
    """Past the maximum a claim is refused and changes nothing; the same table again is no further one."""
    seats = AccountSeats(2)

    assert seats.claim(1, "a")
    assert seats.claim(1, "b")
    assert not seats.claim(1, "c")
    assert seats.claim(1, "b")
    assert seats.tables_of(1) == ["a", "b"]
    assert seats.claim(2, "c")


def test_a_freed_table_may_be_claimed_again():
    """Freeing what is not held is no fault."""
    seats = AccountSeats(1)
    assert seats.claim(1, "a")

    seats.freed(1, "a")
    seats.freed(1, "a")

    assert seats.tables_of(1) == []
    assert seats.claim(1, "b")


def test_seats_held_before_a_restart_count_however_many_they_are():
    """A smaller maximum takes no seat away."""
    seats = AccountSeats(1)

    seats.restore(
        [SeatRow(table=name, seat=1, account=1, name="anna", stack=Money(1)) for name in ("b", "a")]
    )

    assert seats.tables_of(1) == ["a", "b"]
    assert not seats.claim(1, "c")


def test_a_table_that_goes_takes_its_seats_along():
    """They count where it lives; the account's other seats stay."""
    seats = AccountSeats(2)
    for table in ("a", "b"):
        assert seats.claim(1, table)
    assert seats.claim(2, "a")
    assert seats.at("a") == [1, 2]

    seats.forget("a")

    assert seats.at("a") == []
    assert seats.tables_of(1) == ["b"]
    assert seats.may_sit(1, "c")


def test_tables_are_listed_in_the_order_of_the_configuration():
    """One line each, found again by its name."""
    room = Cardroom(replace(TWO_SEATS, table="b"), replace(TWO_SEATS, table="a"))

    assert [info.table for info in room.lobby.rows()] == ["b", "a"]
    assert list(room.lobby) == ["b", "a"]
    assert room.lobby.table("a") is room.local_tables["a"]
    assert room.lobby.table("c") is None
    room.stop()
