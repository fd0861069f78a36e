"""Bets, limits and pay tables, which are data."""

import pytest

from pokerroom.rules.ranking import HandCategory
from pokerroom.rules.ultimate.bets import Bet, BetLimits, BoxBets
from pokerroom.rules.ultimate.terms import (
    BLIND,
    TRIPS,
    PayTable,
    ProgressiveTerms,
    Qualification,
    Seating,
)
from tests.rules.ultimate.support import PROGRESSIVE, common_terms, terms

KIND = HandCategory
USUAL = {
    "stake": 100,
    "feed_bps": 2_000,
    "seed": 50_000,
    "prizes": ((KIND.full_house, 100),),
    "envy_prize": 1,
}


def test_blind_pay_table():
    """U7: 500, 50, 10, 3, 3:2 and 1 to 1; nothing for less than a straight."""
    wins = {kind: BLIND.winnings(kind, 10) for kind in HandCategory}

    assert wins == {
        KIND.royal_flush: 5_000,
        KIND.straight_flush: 500,
        KIND.four_of_a_kind: 100,
        KIND.full_house: 30,
        KIND.flush: 15,
        KIND.straight: 10,
        KIND.three_of_a_kind: 0,
        KIND.two_pair: 0,
        KIND.pair: 0,
        KIND.high_card: 0,
    }


def test_trips_pay_table():
    """U8: 50, 40, 30, 8, 7, 4 and 3 to 1 down to three of a kind; less has no row."""
    wins = {kind: TRIPS.winnings(kind, 10) for kind in HandCategory if TRIPS.pays(kind)}

    assert wins == {
        KIND.royal_flush: 500,
        KIND.straight_flush: 400,
        KIND.four_of_a_kind: 300,
        KIND.full_house: 80,
        KIND.flush: 70,
        KIND.straight: 40,
        KIND.three_of_a_kind: 30,
    }


@pytest.mark.parametrize("ante", range(2, 50, 2))
def test_halves_an_even_ante_is_paid_three_to_two(ante):
    """U9: 3:2 of an even Ante is whole."""
    assert BLIND.winnings(KIND.flush, ante) * 2 == ante * 3


@pytest.mark.parametrize("ante", [1, 3, 25])
def test_halves_an_odd_ante_is_never_rounded(ante):
    """U9: 3:2 of an odd amount is an error, and no amount."""
    with pytest.raises(ValueError, match="whole"):
        BLIND.winnings(KIND.flush, ante)


def test_halves_the_step_follows_from_the_odds():
    """U9: Antes are multiples of 2 for 3:2, and of 4 where a casino pays 5:4 and 1:2."""
    assert BLIND.step == 2
    assert TRIPS.step == 1
    assert PayTable(((KIND.flush, 5, 4), (KIND.straight, 1, 2))).step == 4
    assert PayTable(()).step == 1


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        (((KIND.straight, 1, 1), (KIND.flush, 3, 2)), ValueError),
        (((KIND.flush, 3, 2), (KIND.flush, 3, 2)), ValueError),
        (((KIND.flush, 0, 1),), ValueError),
        (((KIND.flush, 3, 0),), ValueError),
        (((KIND.flush, 1.5, 1),), TypeError),
    ],
)
def test_a_pay_table_that_is_none_is_refused(rows, error):
    """A pay table names each kind once, the highest first, with odds of whole numbers."""
    with pytest.raises(error):
        PayTable(rows)


@pytest.mark.parametrize("name", ["box", "player", "ante", "trips", "progressive", "play"])
@pytest.mark.parametrize("amount", [10.0, "10", None, True])
def test_a1_bets_are_ints(name, amount):
    """A1: no bet is anything but an int."""
    with pytest.raises(TypeError):
        BoxBets(**({"box": 1, "player": 1, "ante": 10} | {name: amount}))


@pytest.mark.parametrize(
    ("least", "most", "error"),
    [(0, 10, ValueError), (20, 10, ValueError), (10, 10.0, TypeError), (True, 10, TypeError)],
)
def test_limits_are_amounts(least, most, error):
    """BetLimits are amounts above nothing, the smaller one first."""
    with pytest.raises(error):
        BetLimits(least=least, most=most)


def test_limits_may_be_one_amount():
    """BetLimits may leave no choice, and begin at one unit."""
    assert BetLimits(least=1, most=1).most == 1


def test_u1_the_blind_is_the_ante():
    """U1: a box holds the Ante twice, and with a Play before the deal that many Antes more."""
    assert BoxBets(box=1, player=1, ante=10).blind == 10
    assert BoxBets(box=1, player=1, ante=10, trips=5, progressive=100).total == 125
    assert BoxBets(box=2, player=1, ante=10, trips=5, play=4).total == 65


@pytest.mark.parametrize(
    "changed",
    [
        {"boxes": 0},
        {"boxes": 7},
        {"ante": BetLimits(least=5, most=100)},
        {"ante": BetLimits(least=10, most=101)},
        {"trips_pays": PayTable(((KIND.straight, 3, 2),))},
    ],
)
def test_a_table_that_cannot_be_is_refused(changed):
    """U10: a table has 1 to 6 boxes and limits that its odds can pay (U9)."""
    with pytest.raises(ValueError, match=r"boxes|units"):
        terms(**changed)


def test_the_limits_of_a_bet():
    """U1: Ante and Trips have the table's limits, the progressive bet its stake; Blind and Play follow."""
    at = terms()

    assert at.limits(Bet.ante) == BetLimits(least=10, most=1_000)
    assert at.limits(Bet.trips) == BetLimits(least=10, most=500)
    assert at.limits(Bet.progressive) == BetLimits(least=100, most=100)
    assert at.limits(Bet.blind) is None
    assert at.limits(Bet.play) is None
    assert common_terms().limits(Bet.progressive) is None
    assert terms(trips=None).limits(Bet.trips) is None


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"stake": 0}, ValueError),
        ({"feed_bps": 10_001}, ValueError),
        ({"feed_bps": -1}, ValueError),
        ({"seed": -1}, ValueError),
        ({"envy_prize": -1}, ValueError),
        ({"prizes": ((KIND.full_house, -1),)}, ValueError),
        ({"stake": 100.0}, TypeError),
        ({"feed_bps": "2000"}, TypeError),
        ({"seed": 1.5}, TypeError),
        ({"envy_prize": True}, TypeError),
        ({"prizes": ((KIND.full_house, 1.5),)}, TypeError),
        ({"meter_bps": ((KIND.royal_flush, "10000"),)}, TypeError),
        ({"meter_bps": ((KIND.royal_flush, 10_001),)}, ValueError),
        ({"prizes": ((KIND.straight_flush, 100),)}, ValueError),
        ({"prizes": ((KIND.full_house, 100), (KIND.four_of_a_kind, 200))}, ValueError),
    ],
)
def test_progressive_terms_that_cannot_be_are_refused(changed, error):
    """U12: shares are parts of a whole, and each kind of hand has one prize, the highest first."""
    with pytest.raises(error):
        ProgressiveTerms(**(USUAL | changed))


@pytest.mark.parametrize("feed_bps", [0, 10_000])
def test_progressive_terms_may_be_as_small_as_they_can_be(feed_bps):
    """U12: a stake of one unit, nothing or everything for the meter, and prizes of nothing."""
    least = {"stake": 1, "feed_bps": feed_bps, "seed": 0, "prizes": ((KIND.flush, 0),), "envy_prize": 0}

    assert ProgressiveTerms(**least).feed_bps == feed_bps


def test_both_tables_of_the_documents_can_be_had():
    """U10, U6: boxes or a common hand, any pair or a pair of fours: all four are tables."""
    for seating in Seating:
        for qualification in Qualification:
            table = terms(seating=seating, qualification=qualification, progressive=PROGRESSIVE)
            assert (table.seating, table.qualification) == (seating, qualification)
