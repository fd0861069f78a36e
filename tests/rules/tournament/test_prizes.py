"""I1: prize tables, and that a wrong one is told with its difference."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom.rules.tournament.prizes import (
    SHARES_BPS,
    PrizeTableError,
    fixed_prizes,
    prize_of,
    prize_pool,
    shared_prizes_of,
)


@pytest.mark.parametrize(("seats", "prizes", "fees"), [(6, (1000, 440), 360), (10, (1200, 700, 500), 600)])
def test_i1_the_tables_of_the_seed_are_exactly_their_pools(seats, prizes, fees):
    """I1: six pay 10.00 and 4.40, ten 12.00, 7.00 and 5.00 of a buy-in of 3.00: 80 %, the rest is the house's."""
    pool = prize_pool(seats, 300, 60)
    assert fixed_prizes(prizes, pool=pool, seats=seats) == prizes
    assert (sum(prizes), seats * 300 - pool) == (pool, fees)
    assert pool * 100 == seats * 300 * 80


@pytest.mark.parametrize(
    ("amounts", "difference", "words"),
    [
        ((1000, 441), 1, "add up to 1441, the pool is 1440: 1 too much"),
        ((1000,), -440, "add up to 1000, the pool is 1440: 440 too little"),
        ((), -1440, "1440 too little"),
        ((440, 1000), 0, "not larger than the prize of a better place"),
        ((1440, 0), 0, "each prize must be at least 1"),
        ((240,) * 6 + (0,), 0, "7 places; with 6 seats"),
    ],
)
def test_i1_a_table_that_is_not_the_pool_is_refused(amounts, difference, words):
    """I1: the error says how much is too much or too little, or what else is wrong."""
    with pytest.raises(PrizeTableError, match=words) as refused:
        fixed_prizes(amounts, pool=1440, seats=6)
    assert refused.value.difference == difference


@pytest.mark.parametrize(
    ("shares", "difference", "words"),
    [
        ((6_500, 3_400), -100, "add up to 9900 basis points, the pool is 10000: 100 too little"),
        ((6_500, 3_501), 1, "1 too much"),
        ((9_999, 1), 0, "at least 1"),
    ],
)
def test_i1_shares_are_all_of_the_pool(shares, difference, words):
    """I1: shares add up to the whole, and each is a prize, also of a small pool."""
    with pytest.raises(PrizeTableError, match=words) as refused:
        shared_prizes_of(shares, pool=40, seats=6)
    assert refused.value.difference == difference


def test_i1_a_share_that_is_larger_than_a_better_one_is_refused():
    """I1: also where the pool is so small that the prizes would not show it."""
    with pytest.raises(PrizeTableError, match="not larger"):
        shared_prizes_of((4_999, 5_001), pool=3, seats=2)
    assert shared_prizes_of((5_001, 4_999), pool=3, seats=2) == (2, 1)


def test_i1_odd_units_of_shares_go_to_the_best_places():
    """I1 [D]: each share is rounded down, and the best places get one unit each of what is left."""
    assert shared_prizes_of((5_000, 3_000, 2_000), pool=101, seats=6) == (51, 30, 20)
    assert shared_prizes_of((3_334, 3_333, 3_333), pool=200, seats=6) == (67, 67, 66)


@given(
    weights=st.lists(st.integers(1, 50), min_size=1, max_size=10),
    pool=st.integers(10_000, 10**12),
    data=st.data(),
)
def test_i1_any_shares_are_exactly_the_pool(weights, pool, data):
    """I1: whatever the shares, the prizes add up to the pool, and a better place never gets less."""
    shares = sorted((weight * SHARES_BPS // sum(weights) for weight in weights), reverse=True)
    shares[0] += SHARES_BPS - sum(shares)
    prizes = shared_prizes_of(shares, pool=pool, seats=10)
    assert sum(prizes) == pool
    assert list(prizes) == sorted(prizes, reverse=True)


def test_a_place_that_is_not_paid_has_no_prize():
    """Places are counted from 1."""
    assert [prize_of((10, 4), place) for place in (1, 2, 3, 9)] == [10, 4, 0, 0]


@pytest.mark.parametrize(("seats", "buy_in", "fee"), [(1, 10, 0), (6, 10, 10), (6, 10, -1), (6, 0, 0)])
def test_a_pool_that_cannot_be_is_refused(seats, buy_in, fee):
    """A tournament has at least two players and a prize pool."""
    with pytest.raises(ValueError, match="two seats"):
        prize_pool(seats, buy_in, fee)
