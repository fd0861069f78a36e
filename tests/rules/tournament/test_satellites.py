"""L14: satellites and tickets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.tournament.refusal import TournamentRefusal
from pokerroom.rules.tournament.satellites import Ticket, last_seats, satellite_prizes
from pokerroom.rules.tournament.seat_draw import RandomNumbers
from tests.effort import times

SEAT = 21_500


def zeros():
    return RandomNumbers(bytes)


@pytest.mark.parametrize(("guaranteed", "seats", "rest", "overlay"), [(0, 4, 17_400, 0), (5, 5, 0, 4_100)])
def test_l14_seats_of_a_pool(guaranteed, seats, rest, overlay):
    """L14: 47 entries of 22.00 for seats of 215.00: four and 174.00 left, or five guaranteed and 41.00 missing."""
    found = satellite_prizes(47 * 2_200, seat_value=SEAT, players=47, guaranteed=guaranteed)

    assert (found.seats, found.rest, found.overlay) == (seats, rest, overlay)
    assert found.money(47) == (*[0] * seats, rest)


def test_l14_where_every_player_has_a_seat_they_share_the_rest():
    """L14: three players left for a pool of four seats and 11 units: a seat each, and 1/3 of what is left."""
    found = satellite_prizes(4 * SEAT + 11, seat_value=SEAT, players=3)

    assert (found.seats, found.overlay) == (3, 0)
    assert found.money(3) == (7_171, 7_170, 7_170)


def test_l14_without_a_seat_the_winner_has_the_pool():
    """L14: a pool that buys no seat is money for the first place."""
    assert satellite_prizes(9_000, seat_value=SEAT, players=9).money(9) == (9_000,)


@pytest.mark.parametrize(
    ("pool", "value", "players", "guaranteed"), [(1, 0, 2, 0), (-1, 1, 2, 0), (1, 1, 0, 0), (1, 1, 2, -1)]
)
def test_l14_a_satellite_that_cannot_be_is_refused(pool, value, players, guaranteed):
    """L14: a seat has a value, and players are left."""
    with pytest.raises(ValueError, match="worth at least 1"):
        satellite_prizes(pool, seat_value=value, players=players, guaranteed=guaranteed)


@settings(max_examples=times(30), deadline=None)
@given(
    pool=st.integers(0, 10**7), value=st.integers(1, 10**6), players=st.integers(1, 500), guaranteed=st.integers(0, 20)
)  # fmt: skip
def test_l14_seats_and_money_are_pool_and_overlay(pool, value, players, guaranteed):
    """L14: nothing is lost, and the house adds nothing beyond a guaranteed seat."""
    found = satellite_prizes(pool, seat_value=value, players=players, guaranteed=guaranteed)

    assert found.seats * value + sum(found.money(players)) == pool + found.overlay
    assert found.seats <= players
    assert not found.overlay or found.seats <= guaranteed


def test_l14_the_larger_stack_has_the_last_seat():
    """L14: 11 had more chips than 12 and 13, who tie behind: two seats are 11's and one of theirs, by a draw."""
    order = [(11,), (12, 13), (14,)]

    assert last_seats(order, 1, zeros()) == ((11,), [(12, 13), (14,)])
    assert last_seats(order, 3, zeros()) == ((11, 12, 13), [(14,)])
    won, without = last_seats(order, 2, zeros())
    assert won == (11, 13)
    assert without == [(12,), (14,)]
    assert last_seats(order, 2, RandomNumbers(lambda count: b"\x01" * count))[0] == (11, 12)
    assert last_seats(order, 0, zeros()) == ((), order)


def test_l14_a_ticket_pays_one_entry_of_its_value():
    """L14: of its offer, of exactly its value, before it expires."""
    ticket = Ticket(offer="sunday", value=SEAT, expires_ms=1_000)

    ticket.check("sunday", SEAT, 999)
    for offer, buy_in, now, code in (
        ("monday", SEAT, 0, "ticket_of_another_offer"),
        ("sunday", SEAT + 1, 0, "ticket_of_another_value"),
        ("sunday", SEAT, 1_000, "ticket_expired"),
    ):
        with pytest.raises(TournamentRefusal) as refused:
            ticket.check(offer, buy_in, now)
        assert refused.value.code == code
