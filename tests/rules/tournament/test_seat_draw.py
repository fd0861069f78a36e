"""Seats drawn from random bytes."""

import itertools
from collections import Counter

import pytest

from pokerroom.rules.tournament.seat_draw import DRAW_BYTES, drawn_seats


def padded(*first):
    return bytes(first) + bytes(DRAW_BYTES - len(first))


def test_every_order_is_equally_likely():
    """All first bytes of a draw of three that are not refused lead to each of the six orders as often."""
    orders = Counter(
        tuple(drawn_seats((7, 8, 9), padded(first, second)).values())
        for first, second in itertools.product(range(255), range(6))
    )
    assert len(orders) == 6
    assert len(set(orders.values())) == 1


def test_a_byte_that_would_favour_a_player_is_passed_over():
    """255 is one too many for three: the next byte counts."""
    assert drawn_seats((7, 8, 9), padded(255, 1, 0)) == drawn_seats((7, 8, 9), padded(1, 0))


def test_seats_are_counted_from_1_and_every_player_has_one():
    """Ten accounts in seats 1 to 10, the same from the same bytes."""
    accounts = tuple(range(50, 60))
    drawn = drawn_seats(accounts, bytes(range(DRAW_BYTES)))
    assert list(drawn) == list(range(1, 11))
    assert sorted(drawn.values()) == list(accounts)
    assert drawn == drawn_seats(accounts, bytes(range(DRAW_BYTES)))


@pytest.mark.parametrize(
    ("accounts", "random_bytes"),
    [
        ((1, 2), bytes(DRAW_BYTES - 1)),
        ((1, 1), bytes(DRAW_BYTES)),
        (tuple(range(11)), bytes(DRAW_BYTES)),
        ((1, 2, 3), b"\xff" * DRAW_BYTES),
    ],
)
def test_a_draw_that_cannot_be_fair_is_refused(accounts, random_bytes):
    """Too few bytes, an account twice, too many accounts, or bytes that are all refused."""
    with pytest.raises(ValueError, match=r"draw takes|not random"):
        drawn_seats(accounts, random_bytes)
