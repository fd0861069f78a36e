"""I3, L16: what the players left get when an operator ends a tournament of many tables."""

import pytest

from pokerroom.rules.tournament.early_payout import rolled_forward, with_refunds

LEFT = [37_500, *[2_652] * 98, 2_604]


def test_l16_before_the_money_with_fee_and_head():
    """L16, I3: 9,000.00 and 100 left: 45.00 for each, 562.50 for 37,500 of 300,000 chips; fee and own head as well."""
    parts = rolled_forward(LEFT, (900_000,))

    assert (len(LEFT), sum(LEFT)) == (100, 300_000)
    assert parts[0] == 4_500 + 56_250
    assert sum(parts) == 900_000
    heads = [750, *[500] * 99]
    assert with_refunds(parts, heads, fee=100)[:2] == (60_750 + 750 + 100, parts[1] + 600)


def test_l16_in_the_money_each_has_the_lowest_prize():
    """I3, L16: with the prizes fixed and three left of five paid places, each gets the third prize at least."""
    prizes = (3_600, 2_500, 1_800, 1_200, 900)
    parts = rolled_forward([6_000, 3_000, 1_000], prizes)

    assert sum(parts) == 3_600 + 2_500 + 1_800
    assert min(parts) >= 1_800


def test_i3_odd_units_go_to_the_largest_stacks():
    """I3 [D]: 10 units and stacks of 5, 3 and 3: one each, then 3, 1 and 1 by chips; the two odd ones go to 5 and 3."""
    assert rolled_forward([5, 3, 3], (10,)) == (5, 3, 2)


@pytest.mark.parametrize("chips", [[], [5, 0]])
def test_i3_only_players_with_chips_are_left(chips):
    """I3: a player without chips has a place already."""
    with pytest.raises(ValueError, match="at least one chip"):
        rolled_forward(chips, (10,))


def test_l16_each_player_left_has_a_head():
    """L16: a head for each part."""
    with pytest.raises(ValueError, match="shorter"):
        with_refunds((1, 2), (1,), fee=0)
