"""Trips exactly."""

import time

import pytest

from pokerroom.rules.ranking import HandCategory
from pokerroom.rules.ultimate.terms import TRIPS
from pokerroom.simulation.ultimate.reference import SEVEN_CARD_HANDS, TRIPS_NET, TRIPS_RETURN
from tests.simulation.ultimate.seven_card_hands import count_seven_card_hands


@pytest.mark.slow
def test_trips_by_all_seven_card_hands(capsys):
    """Trips: over all 133,784,560 hands of seven cards it returns 96.502063 %, with its pay table as it is."""
    began, told = time.perf_counter(), []
    counts = count_seven_card_hands(told.append)
    seconds = time.perf_counter() - began

    assert sum(told) == sum(counts.values()) == SEVEN_CARD_HANDS == 133_784_560
    assert counts == {
        HandCategory.royal_flush: 4_324,
        HandCategory.straight_flush: 37_260,
        HandCategory.four_of_a_kind: 224_848,
        HandCategory.full_house: 3_473_184,
        HandCategory.flush: 4_047_644,
        HandCategory.straight: 6_180_020,
        HandCategory.three_of_a_kind: 6_461_620,
        HandCategory.two_pair: 31_433_400,
        HandCategory.pair: 58_627_800,
        HandCategory.high_card: 23_294_460,
    }
    net = sum(count * (TRIPS.winnings(kind, 1) if TRIPS.pays(kind) else -1) for kind, count in counts.items())
    assert net == TRIPS_NET == -4_679_700
    assert f"{1 + net / SEVEN_CARD_HANDS:.6%}" == f"{TRIPS_RETURN:.6%}" == "96.502063%"
    with capsys.disabled():
        # the time is what it is run for
        print(f"\n{SEVEN_CARD_HANDS:,} hands in {seconds:.1f} s: Trips returns {TRIPS_RETURN:.6%}")  # noqa: T201 -- as said
