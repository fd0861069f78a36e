"""What a node counted in each of the last 1,440 minutes, for the operator's charts.

`metrics` counts anyway. Here its sums are read when a minute of the clock (UTC) is over, so a chart costs the hot path
nothing. A minute that was not counted is told as unknown, never as 0: the node did not run, or stood still.

Everything is in memory and ends with the node. Knows no metric, no other node and no page.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter
from typing import Final

from pokerroom.ops.observer import ACTION_BUCKETS_S, SETTLEMENT_BUCKETS_S
from pokerroom.ops.reports import NodeCharts

MINUTES_KEPT: Final = 1_440
"""[D] The longest period of a chart: a day."""

LOOK_S: Final = 10.0
"""[D] The clock is looked at this often, so a minute is counted at most so much late."""

ANSWERS_KEPT: Final = 8
"""[D] So many answers are kept until a minute is over: the console has three periods, the terminal one."""

_MINUTE_MS: Final = 60_000
_UNKNOWN: Final = -1
"""Less than every number, so that it is the greatest only where there is no other."""

LEVELS: Final = ("connections", "seats")
"""What is so at the end of a minute."""

COUNTS: Final = ("hands", "rounds", "actions", "refusals", "faults")
"""What happened in a minute."""

_BOUNDS_US: Final[Mapping[str, Sequence[int]]] = {
    name: tuple(round(bound * 1_000_000) for bound in bounds)
    for name, bounds in (("action_us", ACTION_BUCKETS_S), ("settlement_us", SETTLEMENT_BUCKETS_S))
}

PEAKS: Final = ("processor", *_BOUNDS_US)
"""Of which a longer step tells the greatest: the load of the processor, and times of 99 in 100."""

ONE_OF: Final[Mapping[str, Callable[[Sequence[int]], int]]] = {
    **dict.fromkeys(LEVELS, itemgetter(-1)),
    **dict.fromkeys(COUNTS, sum),
    **dict.fromkeys(PEAKS, max),
}
"""What a longer step tells of the numbers of its parts, by name of the series."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a node has counted since its start, and what is so now.

    `levels` and `counts` are by name. `times` says how many were as long as each bucket of a histogram, those above the
    last bound at the end. `processor_ms` is the used time of a processor, `at_ms` a clock that only goes forward.
    """

    at_ms: int
    processor_ms: int
    levels: Mapping[str, int]
    counts: Mapping[str, int]
    times: Mapping[str, Sequence[int]]


class MinuteSeries:
    """See the module. `now_ms` is the wall clock. `look` is called every `LOOK_S` seconds."""

    def __init__(self, node: str, read: Callable[[], Reading], now_ms: Callable[[], int]) -> None:
        self._node = node
        self._read = read
        self._now_ms = now_ms
        self._minute: int | None = None
        """The minute in progress, since 1970."""
        self._since: Reading | None = None
        """The reading at its beginning; None if its beginning was missed."""
        self._minutes = array("q", [_UNKNOWN]) * MINUTES_KEPT
        """A ring: the minute that each place holds. An earlier one is overwritten after a day."""
        self._values = {name: array("i", [_UNKNOWN]) * MINUTES_KEPT for name in ONE_OF}
        self._answers: dict[tuple[int, int], NodeCharts] = {}
        """The last answers by what was asked for, each made at the minute `_answered`. Numbers change once a minute."""
        self._answered = 0

    @property
    def size_bytes(self) -> int:
        """The memory that the numbers take, without kept answers; it does not grow."""
        return sum(each.itemsize * len(each) for each in (self._minutes, *self._values.values()))

    def look(self) -> None:
        """Note the minute that is over, if one is.

        The first minute of a node is not noted, because a part of it is missing. If the node stood still, what it
        counted belongs to the minute in which that began, and the others are unknown.
        """
        minute = self._now_ms() // _MINUTE_MS
        over, self._minute = self._minute, minute
        if over is None or over == minute:
            return
        self._answers.clear()
        since, self._since = self._since, self._read()
        if since is not None:
            self._note(over, since, self._since)

    def _note(self, minute: int, since: Reading, until: Reading) -> None:
        place = minute % MINUTES_KEPT
        self._minutes[place] = minute
        for name in LEVELS:
            self._values[name][place] = until.levels[name]
        for name in COUNTS:
            self._values[name][place] = until.counts[name] - since.counts[name]
        elapsed_ms = max(1, until.at_ms - since.at_ms)
        self._values["processor"][place] = (until.processor_ms - since.processor_ms) * 1_000 // elapsed_ms
        for name, bounds in _BOUNDS_US.items():
            counted = [now - then for now, then in zip(until.times[name], since.times[name], strict=True)]
            self._values[name][place] = _of_99_in_100(counted, bounds)

    def charts(self, minutes: int, step: int) -> NodeCharts:
        """Return the last minutes that are over in steps; a step begins at a whole multiple of its minutes."""
        now, asked = self._now_ms() // _MINUTE_MS, (minutes, step)
        if now != self._answered:
            self._answers.clear()
            self._answered = now
        if asked not in self._answers:
            if len(self._answers) == ANSWERS_KEPT:
                self._answers.pop(next(iter(self._answers)))
            self._answers[asked] = self._charts(now, minutes, step)
        return self._answers[asked]

    def _charts(self, now: int, minutes: int, step: int) -> NodeCharts:
        begins = range((now - minutes) // step * step, now, step)
        places = [self._known(range(begin, min(begin + step, now))) for begin in begins]
        return NodeCharts(
            node=self._node,
            first_ms=begins[0] * _MINUTE_MS,
            until_ms=now * _MINUTE_MS,
            step=step,
            minutes=tuple(len(known) for known in places),
            **{name: self._stepped(name, places) for name in ONE_OF},
        )

    def _known(self, minutes: range) -> list[int]:
        """Return the places of those minutes that were counted."""
        places = ((minute, minute % MINUTES_KEPT) for minute in minutes)
        return [place for minute, place in places if self._minutes[place] == minute]

    def _stepped(self, name: str, places: list[list[int]]) -> tuple[int | None, ...]:
        values, one_of = self._values[name], ONE_OF[name]
        numbers = (one_of([values[place] for place in known]) if known else _UNKNOWN for known in places)
        return tuple(None if number == _UNKNOWN else number for number in numbers)


def fits(told: NodeCharts, own: NodeCharts) -> bool:
    """Return whether what a node told can be shown beside what this node counted.

    It has the same steps, of the same time but for two steps, and a number of 0 or more for each step that it knows.
    """
    step_ms = own.step * _MINUTE_MS
    times = ((told.first_ms, own.first_ms), (told.until_ms, own.until_ms))
    if told.step != own.step or any(abs(one - other) > 2 * step_ms for one, other in times):
        return False
    steps = -(-(told.until_ms - told.first_ms) // step_ms)
    if (told.first_ms - own.first_ms) % step_ms or steps != len(told.minutes):
        return False
    if not all(0 <= minutes <= own.step for minutes in told.minutes):
        return False
    series = {name: getattr(told, name) for name in ONE_OF}
    return all(
        len(values) == steps
        and all(
            (name in PEAKS or not minutes) if value is None else (minutes and value >= 0)
            for value, minutes in zip(values, told.minutes, strict=True)
        )
        for name, values in series.items()
    )


def _of_99_in_100(counted: Sequence[int], bounds: Sequence[int]) -> int:
    """Return the bound that 99 in 100 did not exceed; the last one stands for all that took longer."""
    sums = list(accumulate(counted))
    if sums[-1] == 0:
        return _UNKNOWN
    wanted = -(-sums[-1] * 99 // 100)
    return next(
        (bound for bound, reached in zip(bounds, sums, strict=False) if reached >= wanted), bounds[-1]
    )
