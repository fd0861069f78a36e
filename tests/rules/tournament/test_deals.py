"""L15: deals at the final table, by the independent chip model and by chips."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.tournament.deals import (
    DealError,
    DealKind,
    deal_amounts,
    icm,
    least_for_the_winner,
    whole_units,
)
from tests.effort import times

FIVE = (123_457, 81_234, 60_001, 44_443, 30_007)
FIVE_STACKS = (41_250, 33_000, 12_500, 9_750, 3_500)


@pytest.mark.parametrize(
    ("stacks", "prizes", "by_icm", "by_chips"),
    [
        ((5_000, 3_000, 2_000), (5_000, 3_000, 2_000), (3_839, 3_275, 2_886), (4_000, 3_200, 2_800)),
        ((8_000, 4_000, 2_000, 1_000), (5_000, 3_000, 2_000), (3_864, 2_968, 2_056, 1_112), None),
        ((7_000, 3_000), (6_500, 3_500), (5_600, 4_400), (5_600, 4_400)),
        (FIVE_STACKS, FIVE, (91_571, 85_706, 62_815, 57_805, 41_245), (108_014, 92_412, 53_645, 48_445, 36_626)),
        ((9_000, 500, 500), (5_000, 3_000, 2_000), (4_795, 2_603, 2_602), None),
    ],
)  # fmt: skip
def test_l15_amounts(stacks, prizes, by_icm, by_chips):
    """L15: three left, the bubble of three places, heads-up, uneven prizes, and one stack above all others."""
    assert deal_amounts(DealKind.icm, stacks, prizes) == by_icm
    if by_chips is not None:
        assert deal_amounts(DealKind.chips, stacks, prizes) == by_chips


def test_l15_the_model_is_exact():
    """L15: 5,000 of 10,000 chips for 50.00, 30.00 and 20.00 are worth 268.75 / 7."""
    assert icm((5_000, 3_000, 2_000), (5_000, 3_000, 2_000)) == (
        Fraction(26_875, 7),
        Fraction(3_275),
        Fraction(20_200, 7),
    )


def test_l15_a_chip_chop_above_the_first_prize_is_refused():
    """L15 [D]: 9,000 of 10,000 chips would get 56.00 where the first prize is 50.00."""
    with pytest.raises(DealError, match="more than the first prize"):
        deal_amounts(DealKind.chips, (9_000, 500, 500), (5_000, 3_000, 2_000))


def test_l15_a_part_for_the_winner_comes_off_the_first_prize():
    """L15: 100.00 set aside, and the five share the rest."""
    amounts = deal_amounts(DealKind.icm, FIVE_STACKS, FIVE, for_the_winner=10_000)

    assert amounts == (87_446, 82_406, 61_565, 56_830, 40_895)
    assert sum(amounts) + 10_000 == sum(FIVE)


def test_l15_what_is_set_aside_keeps_the_prizes_in_order():
    """L15: at most the difference of the first two prizes, and at least the share that the tournament asks for."""
    assert least_for_the_winner(FIVE, 5, 500) == 16_957
    assert least_for_the_winner(FIVE, 5, 9_000) == FIVE[0] - FIVE[1]
    assert least_for_the_winner((100,), 2, 500) == 5
    with pytest.raises(DealError, match="at most what the first prize is above the second, 42223, not 42224"):
        deal_amounts(DealKind.icm, FIVE_STACKS, FIVE, for_the_winner=FIVE[0] - FIVE[1] + 1)


@pytest.mark.parametrize("stacks", [(), (100,), (100, 0), tuple(range(1, 12))])
def test_l15_a_deal_is_between_two_and_ten_players_with_chips(stacks):
    """L15: others are refused, because the model has no answer or takes too long."""
    with pytest.raises(DealError, match="between 2 and 10"):
        deal_amounts(DealKind.icm, stacks, (5_000, 3_000))


def test_l15_units_left_go_to_the_larger_remainder_then_to_the_larger_stack():
    """L15: of equal remainders and stacks, to the first left of the button."""
    half, third = Fraction(1, 2), Fraction(1, 3)

    assert whole_units([1 + third, 2 + 2 * third], [9, 1]) == (1, 3)
    assert whole_units([1 + half, 1 + half], [4, 5]) == (1, 2)
    assert whole_units([1 + half, 1 + half], [5, 5]) == (2, 1)


def by_definition(stacks, prizes):
    """Every order in which the players can finish, with its probability."""
    expected = [Fraction(0)] * len(stacks)
    for order in permutations(range(len(stacks))):
        probability, left = Fraction(1), sum(stacks)
        for player in order:
            probability *= Fraction(stacks[player], left)
            left -= stacks[player]
        for player, prize in zip(order, prizes, strict=False):
            expected[player] += probability * prize
    return tuple(expected)


STACKS = st.lists(st.integers(1, 100_000), min_size=2, max_size=5)


@settings(max_examples=times(20), deadline=None)
@given(stacks=STACKS, data=st.data())
def test_l15_the_model_is_its_definition(stacks, data):
    """L15: the sum over sets of players is that over all orders; the parts add up to the prizes."""
    paid = data.draw(st.lists(st.integers(1, 10**6), min_size=1, max_size=len(stacks)))
    prizes = sorted(paid, reverse=True)
    found = icm(stacks, prizes)

    assert found == by_definition(stacks, prizes)
    assert sum(found) == sum(prizes)


@settings(max_examples=times(30), deadline=None)
@given(stacks=STACKS, kind=st.sampled_from(DealKind), data=st.data())
def test_l15_a_deal_pays_the_unpaid_prizes_exactly(stacks, kind, data):
    """L15: no unit is lost, each gets the lowest prize at least, and fewer chips never get more."""
    prizes = sorted(data.draw(st.lists(st.integers(1, 10**6), min_size=1, max_size=9)), reverse=True)
    unpaid = [*prizes, *[0] * len(stacks)][: len(stacks)]
    aside = data.draw(st.integers(0, unpaid[0] - unpaid[1]))
    try:
        amounts = deal_amounts(kind, stacks, prizes, for_the_winner=aside)
    except DealError:
        assert kind is DealKind.chips
        return
    assert sum(amounts) + aside == sum(unpaid)
    assert unpaid[-1] <= min(amounts) <= max(amounts) <= unpaid[0]
    richest_first = sorted(range(len(stacks)), key=lambda player: -stacks[player])
    in_order = [amounts[player] for player in richest_first]
    distinct = len(set(stacks)) == len(stacks)
    assert not distinct or in_order == sorted(in_order, reverse=True)
