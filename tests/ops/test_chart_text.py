"""The charts of the command line: sums of all nodes at the same time, and the load of each."""

from __future__ import annotations

from pokerroom.ops.chart_text import chart_rows, chart_time
from pokerroom.ops.minute_series import COUNTS, LEVELS, PEAKS
from pokerroom.ops.reports import NodeCharts

MINUTE_MS = 60_000


def charts(node: str, first: int, minutes: tuple[int, ...], step: int = 10, **series: tuple[int | None, ...]):
    """A node's answer; a series that is not named is 0 where any minute is known."""
    unnamed = {name: tuple(0 if known else None for known in minutes) for name in (*LEVELS, *COUNTS, *PEAKS)}
    return NodeCharts(
        node=node, first_ms=first * MINUTE_MS, step=step, minutes=minutes, **{**unnamed, **series}
    )


def rows(*found: NodeCharts) -> dict[tuple[str, str], tuple[str, ...]]:
    return {(str(title), str(node)): tuple(map(str, rest)) for title, node, *rest in chart_rows(found)}


def test_a_rate_is_that_of_the_known_minutes():
    """Of each node; a node that began in a step counts for its part of it."""
    found = rows(
        charts("a", 0, (10, 10), hands=(100, 50)), charts("b", 0, (0, 2), hands=(None, 8), faults=(None, 3))
    )
    assert found["hands a minute", "all"][:3] == ("9", "10", "9")
    assert found["faults of tables", "all"][:3] == ("0", "3", "3")


def test_nodes_with_different_clocks_are_put_together_by_time():
    """One that is a step ahead adds a column at the end."""
    found = (charts("a", 0, (10, 10), seats=(1, 2)), charts("b", 10, (10, 10), seats=(5, 6)))
    assert rows(*found)["seats taken", "all"] == ("1", "7", "6", "▂█▇")
    assert chart_time(found) == "1970-01-01 00:00 to 1970-01-01 00:30 UTC, 10 min a column; · is not known"


def test_loads_are_of_each_node():
    """A share in percent, times in milliseconds; where nothing was settled there is no time."""
    found = rows(
        charts("a", 0, (10, 10), processor=(255, 1_000), settlement_us=(None, 2_500)),
        charts("b", 0, (10, 0), settlement_us=(None, None)),
    )
    assert found["processor %", "a"] == ("25.5", "100", "100", "▃█")
    assert found["settlement ms", "a"] == ("2.5", "2.5", "2.5", "·█")
    assert found["settlement ms", "b"] == ("", "", "", "··")
    assert found["processor %", "b"] == ("0", "0", "0", "▁·")
