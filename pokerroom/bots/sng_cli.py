"""`pokerroom swarm --sng`: around `run_sng_swarm`. Progress goes to stderr, the report to stdout."""

from __future__ import annotations

import json
import sys
from time import monotonic
from typing import Final

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table

from pokerroom.bots.sng_swarm import SngOptions, SngProgress, SngReport, run_sng_swarm
from pokerroom.bots.swarm import SwarmFailed
from pokerroom.bots.tally import Tally

PLAIN_LINE_S: Final = 5.0


def played(options: SngOptions, *, as_json: bool) -> None:
    """Plays, tells how it goes and what came of it, and ends the process: with 1 unless all was well."""
    console = Console(stderr=True)
    console.print(
        f"{options.tournaments} sit-and-gos, {options.bots} bots, seed {options.seed}", highlight=False
    )
    try:
        if console.is_terminal:
            with Live(console=console, refresh_per_second=4, transient=True) as live:
                report = run_sng_swarm(options, lambda progress: live.update(_panel(progress)))
        else:
            report = run_sng_swarm(options, _PlainLines(console))
    except SwarmFailed as failure:
        raise click.ClickException(str(failure)) from failure
    if as_json:
        click.echo(json.dumps(report.as_json()))
    else:
        _print_report(report)
    sys.exit(0 if report.is_good else 1)


class _PlainLines:
    """Progress where there is no terminal: a line every few seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._said_at: float | None = None

    def __call__(self, progress: SngProgress) -> None:
        """Prints a line, or not."""
        now = monotonic()
        if self._said_at is not None and now - self._said_at < PLAIN_LINE_S:
            return
        self._said_at = now
        tally = progress.tally
        self._console.print(
            f"{progress.seconds:6.1f} s  {len(tally.results)}/{progress.wanted} sit-and-gos, {tally.seated} seated, "
            f"{tally.hands} hands, {tally.actions} actions, {tally.errors.total()} errors, {_away(tally)}",
            highlight=False,
            soft_wrap=True,
        )


def _panel(progress: SngProgress) -> Table:
    tally = progress.tally
    table = Table(title="sit-and-gos", show_header=False)
    table.add_row("time", f"{progress.seconds:.0f} s")
    table.add_row("bots", f"{tally.registered} accounts, {tally.seated} seated")
    table.add_row("finished", f"{len(tally.results):,} of {progress.wanted:,}")
    table.add_row("hands", f"{tally.hands:,}, {tally.actions:,} actions")
    table.add_row("errors", str(tally.errors.total()), style="red" if tally.errors else "")
    table.add_row("away", _away(tally))
    return table


def _away(tally: Tally) -> str:
    return (
        f"{tally.left} left and returned, {tally.dropped} dropped, {tally.timeouts} timed out,"
        f" {tally.unregistered} unregistered"
    )


def _print_report(report: SngReport) -> None:
    lines = [
        f"tournaments   {report.wanted}",
        f"finished      {report.finished}  {_listed(report.phases)}".rstrip(),
        f"prizes        {_credits(report.prizes_paid)} paid of {_credits(report.prizes_expected)}",
        f"hands         {report.hands}",
        f"actions       {report.actions}",
        f"seconds       {report.seconds:.1f}",
        f"errors        {report.errors}  {_listed(report.errors_by_code)}".rstrip(),
        f"races         {sum(report.races_by_code.values())}  {_listed(report.races_by_code)}".rstrip(),
        f"away          {report.left} left and returned, {report.dropped} dropped, {report.timeouts} timed out",
        f"unregistered  {report.unregistered}",
        f"disconnects   {report.disconnects}",
    ]
    if report.problem is not None:
        lines.append(f"stopped       {report.problem}")
    click.echo("\n".join(lines))


def _credits(amount: int) -> str:
    return f"{amount // 100:,}.{amount % 100:02d}"


def _listed(counts: dict[str, int]) -> str:
    return " ".join(f"{name}={count}" for name, count in counts.items())
