"""B2: blinds from the limits."""

import pytest

from pokerroom.rules.stakes import fixed_limit_stakes


@pytest.mark.parametrize(
    ("small_bet", "unit", "small_blind"), [(5, 1, 2), (500, 100, 200), (500, 1, 250), (10, 1, 5), (1, 1, 0)]
)
def test_b2_fixed_limit(small_bet, unit, small_blind):
    """B2: the big blind is the small bet, the small blind half of it, rounded down to the game's unit."""
    stakes = fixed_limit_stakes(small_bet, unit=unit)

    assert (stakes.small_blind, stakes.big_blind) == (small_blind, small_bet)


@pytest.mark.parametrize(("small_bet", "unit"), [(5, 0), (0, 1), (50, 100)])
def test_b2_no_game(small_bet, unit):
    """A bet below the game's unit, or a unit of nothing, is the caller's mistake."""
    with pytest.raises(ValueError, match="unit"):
        fixed_limit_stakes(small_bet, unit=unit)
