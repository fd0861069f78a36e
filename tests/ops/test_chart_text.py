"""The charts of the command line: sums of all nodes at the same time, and the load of each."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console
from rich.table import Table

from pokerroom.ops.chart_text import chart_rows, chart_text, chart_time, sums
from pokerroom.ops.minute_series import COUNTS, LEVELS, PEAKS
from pokerroom.ops.reports import NodeCharts

MINUTE_MS = 60_000


def charts(node: str, first: int, minutes: tuple[int, ...], step: int = 10, **series: tuple[int | None, ...]):
    """A node's answer; a series that is not named is 0 where any minute is known."""
    unnamed = {name: tuple(0 if known else None for known in minutes) for name in (*LEVELS, *COUNTS, *PEAKS)}
    return NodeCharts(
        node=node,
        first_ms=first * MINUTE_MS,
        until_ms=(first + len(minutes) * step) * MINUTE_MS,
        step=step,
        minutes=minutes,
        **{**unnamed, **series},
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


def test_the_time_ends_with_the_last_minute_that_is_over():
    """Not with the step that is in progress."""
    found = replace(charts("a", 0, (30, 13), step=30), until_ms=43 * MINUTE_MS)
    assert chart_time([found]).startswith("1970-01-01 00:00 to 1970-01-01 00:43 UTC, 30 min")


def test_numbers_are_printed_as_they_are_read():
    """Whole ones from 100 on; an action is a part of one in a second."""
    found = rows(
        charts("a", 0, (10, 10), hands=(123_450, 1_234), actions=(6_000, 300), processor=(999, 1_005))
    )
    assert found["hands a minute", "all"][:3] == ("123", "12,345", "123")
    assert found["actions a second", "all"][:3] == ("0.5", "10", "0.5")
    assert found["processor %", "a"][:3] == ("99.9", "100", "100")


def test_a_gap_of_one_node_is_a_gap_of_the_sum():
    """Before its first number and after its last one a node adds nothing."""
    assert sums([[100, 100, 100], [100, None, 100]]) == [200, None, 200]
    assert sums([[100, 100, 100], [None, 7, None]]) == [100, 107, 100]
    assert sums([[None, 1], [None, None]]) == [None, 1]


@pytest.mark.parametrize("width", [240, 100, 80, 60, 48, 40])
@pytest.mark.parametrize("step", [1, 30])
def test_the_newest_steps_are_shown_on_every_terminal(width, step):
    """Neighbouring steps are put together until they fit; a fault of the last minute is seen."""
    count = 1_440 // step
    last = (*(0,) * (count - 1), 12_345)
    found = [charts(node, 4, (step,) * count, step=step, faults=last, hands=last) for node in ("n1", "n2")]
    text = chart_text(found, width)
    (faults,) = [row for row in text.rows if row[0] == "faults of tables"]
    assert faults[-2] == "24,690"
    assert str(faults[-1]).endswith("▁█")
    console = Console(width=width, file=StringIO())
    table = Table(box=None, pad_edge=False)
    for column in text.columns:
        table.add_column(column)
    for row in text.rows:
        table.add_row(*map(str, row))
    console.print(table)
    printed = console.file.getvalue()
    assert "…" not in printed
    assert len(printed.splitlines()) == len(text.rows) + 1
    assert printed.count("█") >= 2


def test_steps_that_are_put_together_count_as_one():
    """Levels at the end, sums, and the greatest of loads; the time that is told is the one that was asked for."""
    found = charts(
        *("a", 10, (10, 10, 0, 3)),
        seats=(1, 2, None, 4),
        hands=(10, 30, None, 3),
        processor=(300, 500, None, 100),
    )
    text = chart_text([found], 34)
    shown = {row[0]: row[-2:] for row in text.rows}
    assert text.columns == ("", "node", "last", "course")
    assert text.time.startswith("1970-01-01 00:10 to 1970-01-01 00:50 UTC, 20 min")
    assert shown["seats taken"] == ("4", "▃▅█")
    assert shown["hands a minute"] == ("1", "▃█▃")
    assert shown["processor %"] == ("10", "▅█▂")
