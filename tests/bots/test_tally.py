"""What a swarm counts: latencies, hands once per table, and sums over processes."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from pokerroom.bots import tally as tally_module
from pokerroom.bots.tally import STUCK_AFTER_S, LatencyHistogram, SwarmTally, TableWatch, total


@given(st.lists(st.integers(0, 10**8), min_size=1, max_size=200), st.integers(1, 100))
def test_percentiles_are_within_two_percent(durations_us, percent):
    """A percentile is at most 1.6 % below the one of the sorted list; the maximum is exact."""
    histogram = LatencyHistogram()
    for us in durations_us:
        histogram.add((us + 0.5) / 1e6)
    exact_us = sorted(durations_us)[-(-len(durations_us) * percent // 100) - 1]

    assert exact_us / 1.016 - 1 <= histogram.percentile_ms(percent) * 1000 <= exact_us + 1e-6
    assert max(durations_us) == round(histogram.max_ms * 1000)


def test_no_durations_no_latency():
    """An empty histogram answers zero."""
    assert (LatencyHistogram().percentile_ms(99), LatencyHistogram().max_ms) == (0.0, 0.0)


def test_a_hand_is_counted_once_however_many_tell_of_it():
    """Six bots see the same hand end; it is one hand."""
    watch = TableWatch("t")

    assert [watch.hand_ended(hand) for hand in ("a", "a", "a", "b", "b")] == [True, False, False, True, False]


def test_a_table_is_stuck_when_players_wait_too_long(monkeypatch):
    """With two players and no end of a hand for longer than any clock, the table is stuck; with one it only waits."""
    now = 1_000.0
    monkeypatch.setattr(tally_module, "monotonic", lambda: now)
    watch = TableWatch("t")
    watch.seat_changed(1)
    late = now + STUCK_AFTER_S + 1

    assert not watch.is_stuck(late)
    watch.seat_changed(1)
    assert not watch.is_stuck(now + STUCK_AFTER_S - 1)
    assert watch.is_stuck(late)
    now = late
    watch.hand_ended("a")
    assert not watch.is_stuck(late)


def test_tallies_add_up():
    """Two processes' tallies, having gone through a pipe, give the sums and the earliest start."""
    first = SwarmTally(at=5.0, first_hand_at=2.0, disconnects=1, stuck_tables=["a"])
    second = SwarmTally(at=6.0, first_hand_at=1.5, registered=3, seated=2, gaps=1, timeouts=4)
    for each, seconds in ((first, 0.001), (second, 0.003)):
        each.hand_ended(void=False)
        each.hand_ended(void=True)
        each.acted(seconds)
        each.errors["x"] += 1
        each.races["y"] += 2

    both = total([pickle.loads(pickle.dumps(each)) for each in (first, second, SwarmTally())])

    assert (both.hands, both.hands_void, both.actions) == (2, 2, 2)
    assert (both.at, both.first_hand_at) == (6.0, 1.5)
    assert (both.disconnects, both.registered, both.seated, both.gaps, both.timeouts) == (1, 3, 2, 1, 4)
    assert (dict(both.errors), dict(both.races), both.stuck_tables) == ({"x": 2}, {"y": 4}, ["a"])
    assert both.latency.max_ms == 3.0
