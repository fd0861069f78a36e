"""The charts of `pokerroom charts`: a line of blocks for each series, of all nodes together or of each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pokerroom.ops.reports import NodeCharts
from pokerroom.ops.times import utc_minute

_BLOCKS: Final = "▁▂▃▄▅▆▇█"
_UNKNOWN: Final = "·"
_MINUTE_MS: Final = 60_000

Row = tuple[str | int, ...]

_TOGETHER: Final = {
    "connections": "connections",
    "seats": "seats taken",
    "hands": "hands a minute",
    "rounds": "rounds a minute",
    "actions": "actions a minute",
    "refusals": "refusals a minute",
    "faults": "faults of tables",
}
_RATES: Final = frozenset({"hands", "rounds", "actions", "refusals"})
_OF_EACH: Final = {
    "processor": ("processor %", 10),
    "action_us": ("action ms", 1_000),
    "settlement_us": ("settlement ms", 1_000),
}
"""The title of a series, and how many of its units are one that is shown."""


def chart_time(found: Sequence[NodeCharts]) -> str:
    """Return a line that says which time the charts show. `found` has at least the node that answers."""
    times, step = _times(found), found[0].step
    until = utc_minute(times[-1] + step * _MINUTE_MS)
    return f"{utc_minute(times[0])} to {until} UTC, {step} min a column; {_UNKNOWN} is not known"


def chart_rows(found: Sequence[NodeCharts]) -> list[Row]:
    """Return name, node, least, greatest and last number, and the course of each series."""
    times = _times(found)
    rows = []
    for name, title in _TOGETHER.items():
        courses = [_course(node, name) for node in found]
        known = [[course[time] for course in courses if time in course] for time in times]
        rows.append(_row(title, "all", [sum(each) if each else None for each in known]))
    for name, (title, units) in _OF_EACH.items():
        for node in found:
            course = _course(node, name, units)
            rows.append(_row(title, node.node, [course.get(time) for time in times]))
    return rows


def _times(found: Sequence[NodeCharts]) -> range:
    """Return the beginnings of the steps of all nodes; their clocks may differ by a step."""
    step_ms = found[0].step * _MINUTE_MS
    ends = [node.first_ms + len(node.minutes) * step_ms for node in found]
    return range(min(node.first_ms for node in found), max(ends), step_ms)


def _course(node: NodeCharts, name: str, units: int = 1) -> Mapping[int, float]:
    """Return the known numbers of a series by the beginning of their step."""
    values: tuple[int | None, ...] = getattr(node, name)
    return {
        node.first_ms + place * node.step * _MINUTE_MS: value / (minutes if name in _RATES else units)
        for place, (value, minutes) in enumerate(zip(values, node.minutes, strict=True))
        if value is not None
    }


def _row(title: str, node: str, course: Sequence[float | None]) -> Row:
    known = [value for value in course if value is not None]
    if not known:
        return (title, node, "", "", "", _UNKNOWN * len(course))
    most = max(known)
    blocks = (_UNKNOWN if value is None else _block(value, most) for value in course)
    return (title, node, *(f"{value:,.4g}" for value in (min(known), most, known[-1])), "".join(blocks))


def _block(value: float, most: float) -> str:
    return _BLOCKS[0] if most == 0 else _BLOCKS[round(value / most * (len(_BLOCKS) - 1))]
