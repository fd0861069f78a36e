"""`pokerroom swarm --ultimate`: around `run_ultimate_swarm`. Progress goes to stderr, the report to stdout."""

from __future__ import annotations

import json
import sys
from time import monotonic
from typing import Final

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table

from pokerroom.bots.swarm import SwarmFailed
from pokerroom.bots.ultimate_swarm import (
    UltimateOptions,
    UltimateProgress,
    UltimateReport,
    run_ultimate_swarm,
)

PLAIN_LINE_S: Final = 5.0


def ultimate_played(options: UltimateOptions, *, as_json: bool) -> None:
    """Plays, tells how it goes and what came of it, and ends the process: with 1 unless all was well."""
    console = Console(stderr=True)
    console.print(
        f"{options.rounds} rounds against the house, {options.bots} bots, seed {options.seed}",
        highlight=False,
    )
    try:
        if console.is_terminal:
            with Live(console=console, refresh_per_second=4, transient=True) as live:
                report = run_ultimate_swarm(options, lambda progress: live.update(_panel(progress)))
        else:
            report = run_ultimate_swarm(options, _PlainLines(console))
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

    def __call__(self, progress: UltimateProgress) -> None:
        """Prints a line, or not."""
        now = monotonic()
        if self._said_at is not None and now - self._said_at < PLAIN_LINE_S:
            return
        self._said_at = now
        tally = progress.tally
        self._console.print(
            f"{progress.seconds:6.1f} s  {tally.hands}/{progress.wanted} rounds, {tally.seated} seated, "
            f"{tally.actions} decisions, p99 {tally.latency.percentile_ms(99):.1f} ms, "
            f"{tally.errors.total()} errors, {tally.timeouts} by the clock, {tally.vanished} vanished",
            highlight=False,
            soft_wrap=True,
        )


def _panel(progress: UltimateProgress) -> Table:
    tally = progress.tally
    table = Table(title="against the house", show_header=False)
    table.add_row("time", f"{progress.seconds:.0f} s")
    table.add_row("bots", f"{tally.registered} accounts, {tally.seated} seated")
    table.add_row("rounds", f"{tally.hands:,} of {progress.wanted:,}")
    table.add_row("decisions", f"{tally.actions:,}, {tally.timeouts:,} by the clock")
    latency = tally.latency
    table.add_row(
        "answers", f"p50 {latency.percentile_ms(50):.1f} ms   p99 {latency.percentile_ms(99):.1f} ms"
    )
    table.add_row("errors", str(tally.errors.total()), style="red" if tally.errors else "")
    table.add_row("vanished", f"{tally.vanished:,}")
    return table


def _print_report(report: UltimateReport) -> None:
    figures, answers = report.as_json(), report.answer_ms
    lines = [
        f"rounds       {report.rounds}  ({figures['rounds_per_s']}/s)",
        f"decisions    {report.decisions}  ({figures['decisions_per_s']}/s), {report.decided_by_clock} by the clock",
        f"bets         {report.bets}, refused at the close: {_listed(report.bets_refused) or 'none'}",
        f"seconds      {figures['seconds']}",
        f"answers      p50 {answers['p50']} ms  p99 {answers['p99']} ms  max {answers['max']} ms",
        f"errors       {report.errors}  {_listed(report.errors_by_code)}".rstrip(),
        f"races        {sum(report.races_by_code.values())}  {_listed(report.races_by_code)}".rstrip(),
        f"vanished     {report.vanished}",
        f"disconnects  {report.disconnects}",
        f"stuck tables {', '.join(report.stuck_tables) or 'none'}",
    ]
    if report.problem is not None:
        lines.append(f"stopped      {report.problem}")
    click.echo("\n".join(lines))


def _listed(counts: dict[str, int]) -> str:
    return " ".join(f"{name}={count}" for name, count in counts.items())
