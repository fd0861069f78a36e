"""L11: paid places, and the regular prize table."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.chips import Money
from pokerroom.rules.tournament.prize_table import PayoutTerms, paid_places, prize_table
from pokerroom.rules.tournament.prizes import PrizeTableError
from tests.effort import times

HUNDRED = (22_486, 16_025, 12_148, 9_564, 7_718, 6_333, 5_256, 4_394, 3_689, *[2_629] * 3, *[1_500] * 3)
HUNDRED_IN_FIVES = (
    22_490,
    16_025,
    12_150,
    9_565,
    7_720,
    6_335,
    5_260,
    4_395,
    3_685,
    *[2_625] * 3,
    *[1_500] * 3,
)


def table(entries, part=1_000, unit=1):
    return prize_table(entries * part, places=paid_places(entries, entries), entries=entries, unit=unit)


@pytest.mark.parametrize(
    ("entries", "places"),
    [
        *((2, 1), (4, 1), (5, 2), (7, 2), (8, 3), (10, 3), (11, 4), (20, 4), (21, 5), (33, 5), (34, 6)),
        *((45, 7), (61, 10), (100, 15), (180, 27), (1_000, 150)),
    ],
)
def test_l11_paid_places(entries, places):
    """L11: steps up to 20 entries, then 15 % rounded up."""
    assert paid_places(entries, entries) == places


def test_l11_paid_places_of_another_share_and_of_few_players():
    """L11: 10 % or 20 %, and never more places than players, who may have several entries."""
    assert paid_places(100, 100, percent=10) == 10
    assert paid_places(100, 100, percent=20) == 20
    assert paid_places(100, 12) == 12
    assert paid_places(30, 2) == 2


@pytest.mark.parametrize(
    ("entries", "players", "percent"), [(1, 1, 15), (3, 4, 15), (30, 30, 0), (30, 30, 101)]
)
def test_l11_paid_places_that_cannot_be_are_refused(entries, players, percent):
    """L11: two players or more, an entry for each, and a share of the entries."""
    with pytest.raises(ValueError, match="two players"):
        paid_places(entries, players, percent=percent)


def test_l11_prizes_of_up_to_nine_places():
    """L11: 6 entries of 2.40, 18 and 45 of 10.00 have fixed shares."""
    assert table(6, 240) == (936, 504)
    assert table(18) == (7_200, 5_040, 3_420, 2_340)
    assert table(45) == (13_950, 9_675, 7_425, 5_625, 4_050, 2_700, 1_575)


def test_l11_each_number_of_places_up_to_nine_has_its_shares():
    """L11: in basis points; of a pool of as many units they are the prizes."""
    assert [prize_table(10_000, places=places, entries=40) for places in range(1, 10)] == [
        (10_000,),
        (6_500, 3_500),
        (5_000, 3_000, 2_000),
        (4_000, 2_800, 1_900, 1_300),
        (3_600, 2_500, 1_800, 1_200, 900),
        (3_300, 2_300, 1_700, 1_200, 900, 600),
        (3_100, 2_150, 1_650, 1_250, 900, 600, 350),
        (2_900, 2_000, 1_500, 1_150, 900, 700, 500, 350),
        (2_700, 1_900, 1_400, 1_100, 900, 750, 550, 400, 300),
    ]


def test_l11_prizes_of_a_hundred_entries():
    """L11: single places, then bands; in whole units of 0.05 the first place has what is left."""
    assert table(100) == HUNDRED
    assert table(100, unit=5) == HUNDRED_IN_FIVES


@pytest.mark.parametrize(
    ("entries", "places", "first", "last"), [(180, 27, 33_792, 1_500), (1_000, 150, 108_981, 1_500)]
)
def test_l11_prizes_of_large_fields(entries, places, first, last):
    """L11: the least prize is one and a half entries, and the first place's share falls with the field."""
    prizes = table(entries)
    assert (len(prizes), prizes[0], prizes[-1]) == (places, first, last)


def test_l11_bands_double():
    """L11: with 300 places, equal prizes come in ones, threes, nines, eighteens, thirty-sixes, seventy-twos."""
    prizes = prize_table(10**9, places=500, entries=3_333)
    steps = [better - worse > 1 for better, worse in pairwise(prizes)]  # one unit may be left over
    ends = [0, *[place for place, step in enumerate(steps, 1) if step], len(prizes)]
    sizes = [end - begin for begin, end in pairwise(ends)]

    assert sizes == [*[1] * 9, *[3] * 3, *[9] * 9, *[18] * 3, *[36] * 8, 59]


@settings(max_examples=times(75), deadline=None)
@given(
    entries=st.one_of(st.integers(2, 400), st.integers(400, 12_000)),
    part=st.sampled_from([1, 7, 100, 333, 2_150]),
    unit=st.sampled_from([1, 5, 25]),
    percent=st.sampled_from([10, 15, 20]),
)
def test_l11_any_table_is_exactly_the_pool_and_never_rises(entries, part, unit, percent):
    """L11: all prizes but the first are whole units; a table that cannot be paid is refused, and nothing else."""
    pool = entries * part
    places = paid_places(entries, entries, percent=percent)
    try:
        prizes = prize_table(pool, places=places, entries=entries, unit=unit)
    except PrizeTableError:
        assert part <= unit  # the least prize is no whole unit
        return
    assert sum(prizes) == pool
    assert list(prizes) == sorted(prizes, reverse=True)
    assert prizes[-1] >= 1
    assert all(prize % unit == 0 for prize in prizes[1:])


@pytest.mark.parametrize(
    ("pool", "places", "entries", "unit"),
    [(100, 3, 2, 1), (100, 0, 9, 1), (0, 1, 9, 1), (100, 1, 9, 0), (900, 80, 90, 1)],
)
def test_l11_a_table_that_cannot_be_paid_is_refused(pool, places, entries, unit):
    """L11: more places than entries, none, nothing to pay, or least prizes beyond the pool."""
    with pytest.raises(PrizeTableError):
        prize_table(pool, places=places, entries=entries, unit=unit)


@pytest.mark.parametrize("terms", [{}, {"shares_bps": (6_500, 3_500)}])
def test_i1_free_entries_have_no_prize(terms):
    """However many there are: one place is worth 0. A guarantee is paid all the same."""
    payout = PayoutTerms(**terms)
    for players in (2, 9, 40):
        assert payout.prizes(entries=players, players=players, bought=0) == (0,)
        assert payout.places(entries=players, players=players, bought=0) == 1
    guaranteed = replace(payout, guarantee=Money(1_000))
    assert sum(guaranteed.prizes(entries=9, players=9, bought=0)) == 1_000
