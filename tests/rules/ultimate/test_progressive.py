"""U12, U13: the side bet, its meter, and what the others get for a top hand."""

import pytest

from pokerroom.rules.ranking import HandCategory
from pokerroom.rules.ultimate.bets import Bet
from pokerroom.rules.ultimate.decisions import Play
from pokerroom.rules.ultimate.terms import ProgressiveTerms, Seating
from tests.rules.ultimate.support import (
    PROGRESSIVE,
    act,
    begun,
    box,
    common_terms,
    paid,
    result,
    run_out,
    terms,
)

METER = 200_000
FED = 20
"""A fifth of a progressive bet of 100."""


def prize(state, number: int = 1) -> int:
    return paid(state, number).get(Bet.progressive, 0)


def settled(*boxes, holes, board, meter=METER, bank="2c7d", at=None):
    """The round with its meter, the clock deciding: every box folds."""
    state, _ = run_out(begun(boxes, holes, board=board, meter=meter, bank=bank, at=at))
    return state


@pytest.mark.parametrize(
    ("holes", "board", "wins"),
    [
        ("9s9d", "9h9c4s5dKh", 30_000),
        ("9s9d", "9h4c4s5dKh", 5_000),
        ("As9s", "Ks7s2s3d4c", 0),
        ("6h5d", "7s4c3dKhJs", 0),
        ("9s9d", "9h4c3s5dKh", 0),
        ("Ah9d", "8h4c3s5dKh", 0),
    ],
)
def test_progressive_fixed_prizes(holes, board, wins):
    """U12: it wins from a full house up; four of a kind and full house win the table's fixed amounts."""
    state = settled(box(progressive=100), holes=[holes], board=board)

    assert prize(state) == wins
    assert state.settlement.meter.after == METER + FED
    assert state.settlement.house == 20 + 80 - wins


def test_progressive_a_royal_flush_takes_the_meter():
    """U12: all of the meter, this round's bets in it, and the house fills it again in the same settlement."""
    state = settled(box(progressive=100), holes=["AsKs"], board="QsJsTs2d3c", bank="4c7d")

    meter = state.settlement.meter
    assert prize(state) == METER + FED
    assert (meter.before, meter.fed, meter.paid, meter.reseeded) == (METER, FED, METER + FED, 50_000)
    assert meter.after == 50_000
    assert state.settlement.house == 20 + 80 - 50_000


@pytest.mark.parametrize(("before", "reseeded"), [(METER, 0), (50_000, 4_982)])
def test_progressive_a_straight_flush_takes_a_tenth(before, reseeded):
    """U12: a tenth of the meter; the house fills it only where it is left below its seed."""
    state = settled(box(progressive=100), holes=["9s8s"], board="7s6s5s2d3c", meter=before, bank="4c7d")

    assert prize(state) == (before + FED) // 10
    assert state.settlement.meter.reseeded == reseeded


def test_progressive_a_tenth_is_rounded_down():
    """U12: what cannot be divided stays in the meter."""
    state = settled(box(progressive=100), holes=["9s8s"], board="7s6s5s2d3c", meter=60_009, bank="4c7d")

    assert prize(state) == 6_002
    assert state.settlement.meter.after == 60_009 + FED - 6_002


def test_progressive_two_top_hands_share():
    """U12: two royal flushes in one round share the meter, the odd unit to the first."""
    state = settled(
        box(1, progressive=100),
        box(2, progressive=100),
        holes=["2h3d", "4h5d"],
        board="AsKsQsJsTs",
        meter=50_001,
    )

    assert (prize(state, 1), prize(state, 2)) == (25_021, 25_020)
    assert state.settlement.meter.after == 50_000


def test_progressive_a_common_hand_shares():
    """U12: at a common hand all that bet it share, whoever folded; a player who did not bet it has nothing."""
    boxes = (box(1, progressive=100), box(2), box(3, progressive=100), box(4, progressive=100))
    at = terms(seating=Seating.common_hand)
    state = begun(boxes, ["9s8s"], board="7s6s5s2d3c", bank="4c7d", meter=METER, at=at)
    state, _ = run_out(act(state, 1, Play(multiple=4)))

    # a tenth of 200,060, the two odd units to the first two
    assert [prize(state, number) for number in (1, 2, 3, 4)] == [6_669, 0, 6_669, 6_668]
    assert state.settlement.meter.paid == 20_006


def test_progressive_a_royal_and_a_straight_flush():
    """U12: the royal flush takes the meter, the straight flush its tenth of what the house filled it with."""
    boxes = (box(1, progressive=100), box(2, progressive=100))
    state = settled(*boxes, holes=["9s2h", "As3d"], board="KsQsJsTs4c")

    meter = state.settlement.meter
    assert [result(state, number).category for number in (1, 2)] == [
        HandCategory.straight_flush,
        HandCategory.royal_flush,
    ]
    assert (prize(state, 2), prize(state, 1)) == (METER + 2 * FED, 5_000)
    assert (meter.reseeded, meter.after) == (50_000 + 5_000, 50_000)


def test_progressive_without_the_bet_nothing():
    """U12: a royal flush without the side bet leaves the meter alone."""
    state = settled(box(1), holes=["AsKs"], board="QsJsTs2d3c", bank="4c7d")

    assert Bet.progressive not in paid(state)
    assert state.settlement.meter.after == METER


def test_progressive_the_feed_is_rounded_down():
    """U12: the fixed share of each bet feeds the meter in whole units, the rest is the house's."""
    odd = ProgressiveTerms(stake=7, feed_bps=3_333, seed=0, prizes=(), envy_prize=0)
    boxes = (box(1, progressive=7), box(2, progressive=7))
    state = settled(*boxes, holes=["Ah9d", "Kd8d"], board="8h4c3s5dKh", at=terms(progressive=odd), meter=0)

    assert state.settlement.meter.after == 2 * 2
    assert state.settlement.house == 2 * 20 + 2 * 5


def test_envy_every_other_player():
    """U13: when a player holds a top hand every other player with a progressive bet gets the prize, folded or not."""
    boxes = (box(1), box(2, progressive=100), box(3), box(4, progressive=100))
    holes = ["AsKs", "2h2d", "3h3d", "4h4d"]
    state = begun(boxes, holes, board="QsJsTs9d8c", bank="4c7d", meter=METER)
    state, _ = run_out(act(state, 1, Play(multiple=4)))

    assert [result(state, number).envy for number in (1, 2, 3, 4)] == [0, 10_000, 0, 10_000]
    assert result(state, 2).paid == 10_000
    assert state.settlement.meter.paid == 0


def test_envy_no_player_envies_themselves():
    """U13: a top hand on one's own box, or on one's extra box, brings others the prize and not oneself."""
    boxes = (box(1, progressive=100), box(2, player=1, play=4, progressive=100), box(3, progressive=100))
    state = settled(*boxes, holes=["2h2d", "AsKs", "3h3d"], board="QsJsTs9d8c")

    assert [result(state, number).envy for number in (1, 2, 3)] == [0, 0, 10_000]


def test_envy_once_a_player():
    """U13: one prize a player, however many boxes they bet on and however many hold the top hand; each their own."""
    boxes = (
        box(1, progressive=100),
        box(2, player=1, play=4, progressive=100),
        box(3, progressive=100),
        box(4, progressive=100),
    )
    state = settled(*boxes, holes=["2h2d", "3h3d", "4h4d", "5h5d"], board="AsKsQsJsTs")

    assert [result(state, number).envy for number in (1, 2, 3, 4)] == [10_000, 0, 10_000, 10_000]


def test_envy_at_a_common_hand():
    """U13, U10: all hold the one hand, so each may envy another; a player who plays alone envies no player."""
    at = common_terms(progressive=PROGRESSIVE)
    boxes = (box(1, progressive=100), box(2), box(3, progressive=100))
    state = settled(*boxes, holes=["AsKs"], board="QsJsTs9d8c", at=at)
    assert [result(state, number).envy for number in (1, 2, 3)] == [10_000, 0, 10_000]

    alone = settled(box(1, progressive=100), holes=["AsKs"], board="QsJsTs9d8c", at=at)
    assert result(alone).envy == 0


def test_envy_a_straight_flush_is_no_top_hand():
    """U13: only the royal flush is envied."""
    boxes = (box(1, progressive=100), box(2, progressive=100))
    state = settled(*boxes, holes=["9s8s", "2h2d"], board="7s6s5s2c3c", bank="4c7d")

    assert result(state, 2).envy == 0


def test_the_terms_of_these_tests():
    """The amounts above are those of the support module."""
    assert (PROGRESSIVE.feed_bps, PROGRESSIVE.seed, PROGRESSIVE.envy_prize) == (2_000, 50_000, 10_000)
