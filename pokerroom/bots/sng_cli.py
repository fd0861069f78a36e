"""`pokerroom swarm --sng`: progress and report of sit-and-gos."""

from __future__ import annotations

from functools import partial
from typing import NoReturn

from rich.table import Table

from pokerroom.bots.console import ConsoleTexts, errors_row, listed, run_in_console
from pokerroom.bots.load import SwarmProgress
from pokerroom.bots.sng_swarm import (
    MttOptions,
    MttReport,
    SngOptions,
    SngReport,
    run_mtt_swarm,
    run_sng_swarm,
)
from pokerroom.bots.tally import SwarmTally


def sng_played(options: SngOptions, *, as_json: bool) -> NoReturn:
    """See `console.run_in_console`."""
    headline = f"{options.tournaments} sit-and-gos, {options.bots} bots, seed {options.seed}"
    words = ConsoleTexts(line=_line, rows=_rows, report=_report)
    run_in_console(headline, partial(run_sng_swarm, options), words, as_json=as_json)


def mtt_played(options: MttOptions, *, as_json: bool) -> NoReturn:
    """See `console.run_in_console`."""
    headline = f"a tournament of several tables, {options.bots} bots, seed {options.seed}"
    words = ConsoleTexts(line=_line, rows=_rows, report=_mtt_report)
    run_in_console(headline, partial(run_mtt_swarm, options), words, as_json=as_json)


def _mtt_report(report: MttReport) -> list[str]:
    final, (paid, expected) = report.final, report.bounties
    return [
        *([f"bounties      {_credits(paid)} paid of {_credits(expected)}"] if expected else []),
        f"entries       {final.entries} in {report.registration_s:.1f} s",
        f"moves         {final.moves}",
        f"bought        {final.rebuys} rebuys, {final.add_ons} add-ons",
        f"deals         {final.deals}",
        f"tickets used  {final.tickets}",
        f"act p99       {final.latency.percentile_ms(99):.0f} ms",
        *_report(report),
    ]


def _line(progress: SwarmProgress) -> str:
    tally = progress.tally
    return (
        f"{len(tally.results)}/{progress.wanted} sit-and-gos, {tally.registered} accounts, {tally.seated} seated, "
        f"{tally.hands} hands, {tally.actions} actions, {tally.errors.total()} errors, {_away(tally)}"
    )


def _rows(progress: SwarmProgress, table: Table) -> None:
    tally = progress.tally
    table.add_row("finished", f"{len(tally.results):,} of {progress.wanted:,}")
    table.add_row("hands", f"{tally.hands:,}, {tally.actions:,} actions")
    errors_row(progress, table)
    table.add_row("away", _away(tally))


def _away(tally: SwarmTally) -> str:
    return (
        f"{tally.left} left and returned, {tally.dropped} dropped, {tally.timeouts} timed out,"
        f" {tally.unregistered} unregistered"
    )


def _report(report: SngReport) -> list[str]:
    final, (paid, expected) = report.final, report.prizes
    lines = [
        f"tournaments   {report.wanted}",
        f"finished      {len(final.results)}  {listed(report.phases)}".rstrip(),
        f"prizes        {_credits(paid)} paid of {_credits(expected)}",
        f"hands         {final.hands}",
        f"actions       {final.actions}",
        f"seconds       {report.seconds:.1f}",
        f"errors        {report.errors}  {listed(report.errors_by_code)}".rstrip(),
        f"races         {sum(report.races_by_code.values())}  {listed(report.races_by_code)}".rstrip(),
        f"away          {final.left} left and returned, {final.dropped} dropped, {final.timeouts} timed out",
        f"unregistered  {final.unregistered}",
        f"disconnects   {final.disconnects}",
    ]
    if report.running:
        lines.append(f"running       {report.running}: all bots are out, other players play on")
    if report.problem is not None:
        lines.append(f"stopped       {report.problem}")
    return lines


def _credits(amount: int) -> str:
    return f"{amount // 100:,}.{amount % 100:02d}"
