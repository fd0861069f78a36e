"""Run a swarm of any kind from the command line: progress goes to stderr, the report to stdout.

Each kind of swarm brings its own texts: see `ConsoleTexts`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final, Generic, NoReturn, TypeVar

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table

from pokerroom.bots.load import LoadReport, SwarmFailed, SwarmProgress

PLAIN_LINE_S: Final = 5.0


R = TypeVar("R", bound=LoadReport)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleTexts(Generic[R]):
    """The texts of one kind of swarm: progress as a line or as rows of a panel, and the report as lines."""

    line: Callable[[SwarmProgress], str]
    rows: Callable[[SwarmProgress, Table], None]
    report: Callable[[R], list[str]]


def run_in_console(
    headline: str,
    run: Callable[[Callable[[SwarmProgress], None]], R],
    words: ConsoleTexts[R],
    *,
    as_json: bool,
) -> NoReturn:
    """Run the swarm, show its progress and its report, and exit: with 0 if all went well, else with 1.

    A swarm that found no free seats ends with 3.
    """
    console = Console(stderr=True)
    console.print(headline, highlight=False)
    try:
        if console.is_terminal:
            with Live(console=console, refresh_per_second=4, transient=True) as live:
                report = run(lambda progress: live.update(_panel(progress, words)))
        else:
            report = run(_PlainLines(console, words.line))
    except SwarmFailed as failure:
        click.echo(f"Error: {failure}", err=True)
        sys.exit(failure.exit_code)
    if as_json:
        click.echo(json.dumps(report.as_json()))
    else:
        click.echo("\n".join(words.report(report)))
    sys.exit(0 if report.is_good else 1)


def listed(counts: Mapping[str, int]) -> str:
    """Return the counts as `name=count`, separated by spaces."""
    return " ".join(f"{name}={count}" for name, count in counts.items())


class _PlainLines:
    """Progress without a terminal: a line at each new activity, and one every few seconds."""

    def __init__(self, console: Console, line: Callable[[SwarmProgress], str]) -> None:
        self._console = console
        self._line = line
        self._doing = ""
        self._said_at = 0.0

    def __call__(self, progress: SwarmProgress) -> None:
        """Print a line if one is due."""
        now = monotonic()
        if progress.doing == self._doing and now - self._said_at < PLAIN_LINE_S:
            return
        self._doing, self._said_at = progress.doing, now
        line = f"{progress.seconds:6.1f} s  {self._line(progress)}"
        self._console.print(line, highlight=False, soft_wrap=True)


def _panel(progress: SwarmProgress, words: ConsoleTexts[Any]) -> Table:
    tally = progress.tally
    table = Table(title=progress.doing, show_header=False)
    table.add_row("time", f"{progress.seconds:.0f} s")
    table.add_row("bots", f"{tally.registered} accounts, {tally.seated} seated")
    words.rows(progress, table)
    return table


def errors_row(progress: SwarmProgress, table: Table) -> None:
    """Add the number of errors, in red if there are any."""
    errors = progress.tally.errors
    table.add_row("errors", str(errors.total()), style="red" if errors else "")
