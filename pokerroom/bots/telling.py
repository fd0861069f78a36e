"""How a swarm of any kind is played at a terminal: progress goes to stderr, the report to stdout.

What is said in either is the kind's own: see `Words`.
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

from pokerroom.bots.load import Progress, Report, SwarmFailed

PLAIN_LINE_S: Final = 5.0


R = TypeVar("R", bound=Report)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words(Generic[R]):
    """What is said of a kind of swarm: its progress as one line or as rows of a panel, its report as lines."""

    line: Callable[[Progress], str]
    rows: Callable[[Progress, Table], None]
    report: Callable[[R], list[str]]


def played(
    headline: str, run: Callable[[Callable[[Progress], None]], R], words: Words[R], *, as_json: bool
) -> NoReturn:
    """Plays, tells how it goes and what came of it, and ends the process: with 1 unless all was well."""
    console = Console(stderr=True)
    console.print(headline, highlight=False)
    try:
        if console.is_terminal:
            with Live(console=console, refresh_per_second=4, transient=True) as live:
                report = run(lambda progress: live.update(_panel(progress, words)))
        else:
            report = run(_PlainLines(console, words.line))
    except SwarmFailed as failure:
        raise click.ClickException(str(failure)) from failure
    if as_json:
        click.echo(json.dumps(report.as_json()))
    else:
        click.echo("\n".join(words.report(report)))
    sys.exit(0 if report.is_good else 1)


def listed(counts: Mapping[str, int]) -> str:
    """Each with its name."""
    return " ".join(f"{name}={count}" for name, count in counts.items())


class _PlainLines:
    """Progress where there is no terminal: a line when what is done changes, and one every few seconds."""

    def __init__(self, console: Console, line: Callable[[Progress], str]) -> None:
        self._console = console
        self._line = line
        self._doing = ""
        self._said_at = 0.0

    def __call__(self, progress: Progress) -> None:
        """Prints a line, or not."""
        now = monotonic()
        if progress.doing == self._doing and now - self._said_at < PLAIN_LINE_S:
            return
        self._doing, self._said_at = progress.doing, now
        line = f"{progress.seconds:6.1f} s  {self._line(progress)}"
        self._console.print(line, highlight=False, soft_wrap=True)


def _panel(progress: Progress, words: Words[Any]) -> Table:
    tally = progress.tally
    table = Table(title=progress.doing, show_header=False)
    table.add_row("time", f"{progress.seconds:.0f} s")
    table.add_row("bots", f"{tally.registered} accounts, {tally.seated} seated")
    words.rows(progress, table)
    return table


def errors_row(progress: Progress, table: Table) -> None:
    """How many there are, in red if any."""
    errors = progress.tally.errors
    table.add_row("errors", str(errors.total()), style="red" if errors else "")
