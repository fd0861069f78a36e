"""The charts of `pokerroom charts`: a line of blocks for each series, of all nodes together or of each node.

A line of blocks fits the terminal: where it is narrow, neighbouring steps are put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from pokerroom.ops.minute_series import ONE_OF
from pokerroom.ops.reports import NodeCharts
from pokerroom.ops.times import utc_minute

_BLOCKS: Final = "▁▂▃▄▅▆▇█"
_UNKNOWN: Final = "·"
_MINUTE_MS: Final = 60_000
_BETWEEN: Final = 2
"""The columns of the terminal between two columns of a table."""
_COURSE_MIN: Final = 8
"""[D] Where a line of blocks would be shorter than this, the least and the greatest number are left out."""

C = TypeVar("C")
Course = Sequence[float | None]
Row = tuple[str | int, ...]

_TOGETHER: Final = {
    "connections": ("connections", 1),
    "seats": ("seats taken", 1),
    "hands": ("hands a minute", 1),
    "rounds": ("rounds a minute", 1),
    "actions": ("actions a second", 60),
    "refusals": ("refusals a minute", 1),
    "faults": ("faults of tables", 1),
}
_RATES: Final = frozenset({"hands", "rounds", "actions", "refusals"})
_OF_EACH: Final = {
    "processor": ("processor %", 10),
    "action_us": ("action ms", 1_000),
    "settlement_us": ("settlement ms", 1_000),
}
"""The title of a series, and how many of its units are one that is shown."""

_COLUMNS: Final = ("", "node", "least", "most", "last", "course")


@dataclass(frozen=True, slots=True)
class ChartText:
    """The time that the charts show, and a row of cells below `columns` for each series."""

    time: str
    columns: tuple[str, ...]
    rows: list[Row]


def chart_text(found: Sequence[NodeCharts], width: int) -> ChartText:
    """Return the charts for a terminal of `width` columns. `found` has at least the node that answers.

    As many neighbouring steps are put together as it takes to show all of the time, the newest above all.
    """
    together, steps = 1, len(_times(found))
    while True:
        merged = [_merged(node, together) for node in found]
        rows = chart_rows(merged)
        left_out = {2, 3} if width - _used(rows, set()) < _COURSE_MIN else set()
        room, length = width - _used(rows, left_out), len(_times(merged))
        if length <= max(1, room):
            kept = [_without(left_out, row) for row in rows]
            return ChartText(chart_time(found, together), _without(left_out, _COLUMNS), kept)
        together = max(together + 1, -(-steps // max(1, room)))


def chart_time(found: Sequence[NodeCharts], together: int = 1) -> str:
    """Return a line that says which time the charts show, with so many steps of `found` together in a column.

    `found` has at least the node that answers.
    """
    until = utc_minute(max(node.until_ms for node in found))
    first, step = utc_minute(_times(found)[0]), found[0].step * together
    return f"{first} to {until} UTC, {step} min a column; {_UNKNOWN} is not known"


def chart_rows(found: Sequence[NodeCharts]) -> list[Row]:
    """Return name, node, least, greatest and last number, and the course of each series."""
    times = _times(found)
    rows = []
    for name, (title, _) in _TOGETHER.items():
        rows.append(_row(title, "all", sums([_course(node, name, times) for node in found])))
    for name, (title, _) in _OF_EACH.items():
        rows += [_row(title, node.node, _course(node, name, times)) for node in found]
    return rows


def sums(courses: Sequence[Course]) -> Course:
    """Return the sums of these courses, which are as long as each other.

    A sum is not known where a course has a gap. Before its first number and after its last one a course adds nothing.
    """
    known = [[place for place, value in enumerate(course) if value is not None] for course in courses]
    spans = [range(places[0], places[-1]) if places else range(0) for places in known]
    return [
        sum(value for value in values if value is not None)
        if any(value is not None for value in values)
        and not any(value is None and place in span for value, span in zip(values, spans, strict=True))
        else None
        for place, values in enumerate(zip(*courses, strict=True))
    ]


def _times(found: Sequence[NodeCharts]) -> range:
    """Return the beginnings of the steps of all nodes; their clocks may differ by two steps."""
    step_ms = found[0].step * _MINUTE_MS
    ends = [node.first_ms + len(node.minutes) * step_ms for node in found]
    return range(min(node.first_ms for node in found), max(ends), step_ms)


def _course(node: NodeCharts, name: str, times: range) -> Course:
    """Return the numbers of a series at these times, in the unit that is shown."""
    values: tuple[int | None, ...] = getattr(node, name)
    a_minute, units = name in _RATES, (_TOGETHER | _OF_EACH)[name][1]
    known = {
        node.first_ms + place * node.step * _MINUTE_MS: value / units / (minutes if a_minute else 1)
        for place, (value, minutes) in enumerate(zip(values, node.minutes, strict=True))
        if value is not None
    }
    return [known.get(time) for time in times]


def _merged(node: NodeCharts, together: int) -> NodeCharts:
    """Return what the node counted in steps that are so many times as long; they begin at whole multiples of that."""
    step_ms = node.step * _MINUTE_MS
    first = node.first_ms // step_ms
    groups: dict[int, list[int]] = {}
    for place in range(len(node.minutes)):
        groups.setdefault((first + place) // together, []).append(place)

    def each(name: str) -> tuple[int | None, ...]:
        values: tuple[int | None, ...] = getattr(node, name)
        known = (
            [value for place in group if (value := values[place]) is not None] for group in groups.values()
        )
        return tuple(ONE_OF[name](numbers) if numbers else None for numbers in known)

    series: dict[str, Any] = {name: each(name) for name in ONE_OF}
    return replace(
        node,
        first_ms=min(groups) * together * step_ms,
        step=node.step * together,
        minutes=tuple(sum(node.minutes[place] for place in group) for group in groups.values()),
        **series,
    )


def _used(rows: Sequence[Row], left_out: set[int]) -> int:
    """Return how many columns of the terminal a table takes without the courses."""
    cells = [_without(left_out, row)[:-1] for row in (_COLUMNS, *rows)]
    return sum(max(len(str(cell)) for cell in column) + _BETWEEN for column in zip(*cells, strict=True))


def _without(left_out: set[int], row: tuple[C, ...]) -> tuple[C, ...]:
    return tuple(cell for place, cell in enumerate(row) if place not in left_out)


def _row(title: str, node: str, course: Course) -> Row:
    known = [value for value in course if value is not None]
    if not known:
        return (title, node, "", "", "", _UNKNOWN * len(course))
    most = max(known)
    blocks = (_UNKNOWN if value is None else _block(value, most) for value in course)
    return (title, node, *(_number(value) for value in (min(known), most, known[-1])), "".join(blocks))


def _number(value: float) -> str:
    """Return a number as it is read: a whole one from 100 on, else with three digits after the point at most."""
    return f"{value:,.0f}" if value >= 100 else f"{round(value, 3):g}"


def _block(value: float, most: float) -> str:
    return _BLOCKS[0] if most == 0 else _BLOCKS[round(value / most * (len(_BLOCKS) - 1))]
