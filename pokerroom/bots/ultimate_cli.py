"""`pokerroom swarm --ultimate`: progress and report of rounds of Ultimate Texas Hold'em."""

from __future__ import annotations

from functools import partial
from typing import NoReturn

from rich.table import Table

from pokerroom.bots.console import ConsoleTexts, errors_row, listed, run_in_console
from pokerroom.bots.load import SwarmProgress
from pokerroom.bots.ultimate_swarm import UltimateOptions, UltimateReport, run_ultimate_swarm


def ultimate_played(options: UltimateOptions, *, as_json: bool) -> NoReturn:
    """See `console.run_in_console`."""
    headline = f"{options.rounds} rounds against the house, {options.bots} bots, seed {options.seed}"
    words = ConsoleTexts(line=_line, rows=_rows, report=_report)
    run_in_console(headline, partial(run_ultimate_swarm, options), words, as_json=as_json)


def _line(progress: SwarmProgress) -> str:
    tally = progress.tally
    return (
        f"{tally.hands}/{progress.wanted} rounds, {tally.seated} seated, "
        f"{tally.actions} decisions, p99 {tally.latency.percentile_ms(99):.1f} ms, "
        f"{tally.errors.total()} errors, {tally.timeouts} by the clock, {tally.vanished} vanished"
    )


def _rows(progress: SwarmProgress, table: Table) -> None:
    tally, latency = progress.tally, progress.tally.latency
    table.add_row("rounds", f"{tally.hands:,} of {progress.wanted:,}")
    table.add_row("decisions", f"{tally.actions:,}, {tally.timeouts:,} by the clock")
    table.add_row(
        "answers", f"p50 {latency.percentile_ms(50):.1f} ms   p99 {latency.percentile_ms(99):.1f} ms"
    )
    errors_row(progress, table)
    table.add_row("vanished", f"{tally.vanished:,}")


def _report(report: UltimateReport) -> list[str]:
    figures, played, final = report.as_json(), report.measured, report.final
    answers = figures["answer_ms"]
    lines = [
        f"rounds       {played.hands}  ({figures['rounds_per_s']}/s)",
        f"decisions    {played.actions}  ({figures['decisions_per_s']}/s), {final.timeouts} by the clock",
        f"bets         {played.bets}, refused at the close: {listed(figures['bets_refused']) or 'none'}",
        f"seconds      {figures['seconds']}",
        f"answers      p50 {answers['p50']} ms  p99 {answers['p99']} ms  max {answers['max']} ms",
        f"errors       {report.errors}  {listed(report.errors_by_code)}".rstrip(),
        f"races        {sum(report.races_by_code.values())}  {listed(report.races_by_code)}".rstrip(),
        f"vanished     {final.vanished}",
        f"disconnects  {final.disconnects}",
        f"stuck tables {', '.join(report.stuck_tables) or 'none'}",
    ]
    if report.problem is not None:
        lines.append(f"stopped      {report.problem}")
    return lines
