"""What a node counted in each minute of a day, in the ring and in the steps of a chart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.ops.metrics import Metrics
from pokerroom.ops.minute_series import (
    ANSWERS_KEPT,
    COUNTS,
    LEVELS,
    MINUTES_KEPT,
    PEAKS,
    MinuteSeries,
    Reading,
)
from tests.effort import EFFORT

MINUTE_MS = 60_000
START_MS = 1_700_000_040_000  # a minute of the clock begins
EMPTY = Reading(
    at_ms=0,
    processor_ms=0,
    levels=dict.fromkeys(LEVELS, 0),
    counts=dict.fromkeys(COUNTS, 0),
    times={"action_us": [0] * 12, "settlement_us": [0] * 12},
)


class Node:
    """A node with a clock that the test sets; its series looks at every move of it."""

    def __init__(self, at_ms: int = START_MS) -> None:
        self.now_ms, self.reading = at_ms, EMPTY
        self.series = MinuteSeries("n1", lambda: self.reading, lambda: self.now_ms)
        self.series.look()

    def count(self, **changes: int) -> None:
        self.reading = replace(
            self.reading,
            counts={name: count + changes.get(name, 0) for name, count in self.reading.counts.items()},
        )

    def take(self, name: str, bucket: int, times: int = 1) -> None:
        counted = list(self.reading.times[name])
        counted[bucket] += times
        self.reading = replace(self.reading, times={**self.reading.times, name: counted})

    def pass_minutes(self, minutes: float = 1, *, processor_ms: int = 0) -> None:
        passed = int(minutes * MINUTE_MS)
        self.now_ms += passed
        self.reading = replace(
            self.reading,
            at_ms=self.reading.at_ms + passed,
            processor_ms=self.reading.processor_ms + processor_ms,
        )
        self.series.look()

    def charts(self, minutes: int, step: int = 1):
        return self.series.charts(minutes, step)


def test_a_minute_is_counted_when_it_is_over():
    """Not the first one, of which a part is missing, and not the one in progress."""
    node = Node(START_MS + 30_000)
    node.count(hands=100)
    node.pass_minutes(0.5)
    assert node.charts(3).hands == (None, None, None)
    node.count(hands=7, faults=1)
    node.pass_minutes(0.75)
    assert node.charts(1).hands == (None,)
    node.pass_minutes(0.25)
    node.count(hands=2)
    found = node.charts(3)
    assert (found.hands, found.faults, found.rounds) == ((None, None, 7), (None, None, 1), (None, None, 0))
    assert found.minutes == (0, 0, 1)
    assert (found.node, found.step, found.first_ms) == ("n1", 1, START_MS - MINUTE_MS)


def test_levels_are_those_at_the_end():
    """Of a minute, and of a step."""
    node = Node()
    for seats in (9, 4, 6):
        node.reading = replace(node.reading, levels={"connections": seats + 1, "seats": seats})
        node.pass_minutes()
    assert (node.charts(2).seats, node.charts(2).connections) == ((4, 6), (5, 7))
    assert node.charts(2, 60).seats == (6,)


def test_the_load_is_a_share_of_one_processor():
    """In thousandths; of a step that of the busiest minute."""
    node = Node()
    for used in (0, 15_000, 66_000, 600):
        node.pass_minutes(processor_ms=used)
    assert node.charts(3).processor == (250, 1_100, 10)
    assert max(each or 0 for each in node.charts(3, 60).processor) == 1_100


@pytest.mark.parametrize(
    ("counted", "expected"),
    [
        ({}, None),
        ({0: 1}, 500),
        ({0: 99, 6: 1}, 500),
        ({0: 98, 6: 2}, 50_000),
        ({0: 1, 11: 1}, 1_000_000),
    ],
    ids=["none", "one", "one in a hundred", "two in a hundred", "longer than every bound"],
)
def test_a_time_is_the_bound_that_99_in_100_did_not_exceed(counted, expected):
    """Of the actions of that minute alone."""
    node = Node()
    node.take("action_us", 8, 1_000)
    node.pass_minutes()
    for bucket, times in counted.items():
        node.take("action_us", bucket, times)
    node.pass_minutes()
    found = node.charts(1)
    assert (found.action_us, found.settlement_us) == ((expected,), (None,))


def test_a_node_that_stood_still_leaves_a_gap():
    """What it counted belongs to the minute in which that began."""
    node = Node()
    node.pass_minutes()
    node.count(hands=3)
    node.pass_minutes(5)
    node.count(hands=4)
    node.pass_minutes()
    assert node.charts(6).hands == (3, None, None, None, None, 4)


def test_a_clock_that_is_set_back_counts_on():
    """Its minutes are written again; those ahead of it are not told, and not taken for others later."""
    node = Node()
    node.pass_minutes()
    for hands in (1, 2, 3):
        node.count(hands=hands)
        node.pass_minutes()
    node.now_ms -= 3 * MINUTE_MS
    node.pass_minutes(0)
    assert node.charts(2).hands == (None, None)
    node.count(hands=9)
    node.pass_minutes()
    assert node.charts(1).hands == (9,)


def test_a_day_is_kept_and_no_more():
    """Each minute takes the place of the one a day before, in the same memory."""
    node = Node()
    size = node.series.size_bytes
    node.pass_minutes()
    for hands in range(MINUTES_KEPT + 3):
        node.count(hands=hands)
        node.pass_minutes()
    found = node.charts(MINUTES_KEPT)
    assert found.hands == tuple(range(3, MINUTES_KEPT + 3))
    assert found.minutes == (1,) * MINUTES_KEPT
    assert node.series.size_bytes == size == 69_120


def test_an_answer_is_kept_until_a_minute_is_over():
    """Asking again costs nothing. What was counted late, or with a clock that was set, is told at once."""
    node = Node()
    node.pass_minutes()
    node.pass_minutes()
    first = node.charts(MINUTES_KEPT)
    assert node.charts(MINUTES_KEPT) is first
    node.count(hands=3)
    node.now_ms += MINUTE_MS
    late = node.charts(MINUTES_KEPT)
    assert late.hands[-2:] == (0, None)
    node.pass_minutes(0)
    assert node.charts(MINUTES_KEPT).hands[-2:] == (0, 3)
    node.now_ms -= MINUTE_MS
    assert node.charts(MINUTES_KEPT).until_ms == first.until_ms


def test_only_a_few_answers_are_kept():
    """The one that was made first goes."""
    node = Node()
    first = node.charts(1)
    others = [node.charts(minutes) for minutes in range(2, ANSWERS_KEPT + 2)]
    assert all(node.charts(len(each.minutes)) is each for each in others)
    assert node.charts(1) is not first


def test_a_node_that_starts_again_knows_nothing_of_before():
    """Also where its clock says the same minute."""
    node = Node()
    for _ in range(3):
        node.pass_minutes()
    assert node.charts(2).hands == (0, 0)
    again = Node(node.now_ms)
    again.pass_minutes()
    assert again.charts(3).hands == (None, None, None)


@settings(max_examples=60 * EFFORT, deadline=None)
@given(
    moves=st.lists(
        st.tuples(st.sampled_from([1, 1, 1, 1, 2, 7, 700, 1_500]), st.integers(0, 50)), max_size=40
    ),
    minutes=st.integers(1, MINUTES_KEPT),
    step=st.integers(1, 60),
)
def test_the_steps_hold_what_the_minutes_held(moves, minutes, step):
    """However long a node stands still: the same sums as a plain record of all minutes."""
    node, counted = Node(), {}
    node.pass_minutes()
    for passed, hands in moves:
        over = node.now_ms // MINUTE_MS
        node.count(hands=hands)
        node.pass_minutes(passed)
        counted[over] = hands
    found, now = node.charts(minutes, step), node.now_ms // MINUTE_MS
    first = found.first_ms // MINUTE_MS
    assert first % step == 0
    assert first <= now - minutes < first + step
    assert first + len(found.hands) * step >= now > first + (len(found.hands) - 1) * step
    for place, (known, hands) in enumerate(zip(found.minutes, found.hands, strict=True)):
        begin = first + place * step
        held = [
            counted[each]
            for each in range(begin, begin + step)
            if each in counted and now - each <= MINUTES_KEPT
        ]
        older = [each for each in range(begin, begin + step) if each in counted and now - each > MINUTES_KEPT]
        if not older:  # those may be overwritten by now
            assert (known, hands) == (len(held), sum(held) if held else None)
    for name in (*LEVELS, *COUNTS, *PEAKS):
        assert len(getattr(found, name)) == len(found.minutes)


def test_the_metrics_give_what_is_charted():
    """Connections of all transports, refusals of all codes, faults of tables, and times by bucket."""
    metrics = Metrics()
    for transport in ("tcp", "websocket"):
        metrics.connection_opened(transport)
    for code in ("not_your_turn", "hand_over"):
        metrics.refusal(code)
    metrics.crash()
    metrics.hand()
    metrics.round()
    metrics.action()
    metrics.action_latency(0.02)
    metrics.settlement(3, 9.0)
    found = metrics.reading(5_000, seats=4)
    assert (found.at_ms, found.levels) == (5_000, {"connections": 2, "seats": 4})
    assert found.counts == {"hands": 1, "rounds": 1, "actions": 1, "refusals": 2, "faults": 1}
    assert found.times["action_us"].index(1) == 5
    assert found.times["settlement_us"] == [0] * 11 + [1]
    assert found.processor_ms > 0
