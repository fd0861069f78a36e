"""`pokerroom swarm`: the command, and its report for cash tables."""

from __future__ import annotations

import secrets
from functools import partial
from typing import Any

import click
from click.core import ParameterSource
from rich.table import Table

from pokerroom.bots.console import ConsoleTexts, errors_row, listed, run_in_console
from pokerroom.bots.load import SwarmProgress
from pokerroom.bots.plan import STRUCTURES
from pokerroom.bots.sng_cli import mtt_played, sng_played
from pokerroom.bots.sng_swarm import MttOptions, SngOptions
from pokerroom.bots.swarm import SwarmOptions, SwarmReport, run_swarm
from pokerroom.bots.ultimate_cli import ultimate_played
from pokerroom.bots.ultimate_habits import HabitShares
from pokerroom.bots.ultimate_swarm import UltimateOptions


@click.command()
@click.option("--bots", default=60, show_default=True, type=click.IntRange(2, 10_000), help="Number of bots.")
@click.option(
    "--tables", default=10, show_default=True, type=click.IntRange(1, 5_000), help="Number of tables."
)
@click.option(
    "--hands",
    default=2000,
    show_default=True,
    type=click.IntRange(1),
    help="Number of hands, all tables together.",
)
@click.option(
    "--sng",
    type=click.IntRange(1, 100_000),
    metavar="N",
    help="Play N sit-and-gos to the end instead of hands at cash tables.",
)
@click.option(
    "--mtt",
    is_flag=True,
    help="Play one tournament of several tables to its end: the next one that starts within 10 minutes, or the "
    "largest sit-and-go that the bots can fill.",
)
@click.option(
    "--offer",
    "offers",
    multiple=True,
    metavar="ID",
    help="With --sng or --mtt: play this offer. Repeat the option for more. [default: all]",
)
@click.option(
    "--ultimate",
    is_flag=True,
    help="Play --hands rounds of Ultimate Texas Hold'em, at all its tables or at --tables of each seating.",
)
@click.option(
    "--vanish",
    default=5,
    show_default=True,
    type=click.IntRange(0, 1000),
    metavar="N",
    help="With --ultimate: in N of 1000 rounds a bot loses its connection and reconnects.",
)
@click.option(
    "--sleep",
    default=20,
    show_default=True,
    type=click.IntRange(0, 1000),
    metavar="N",
    help="With --ultimate: leave N of 1000 decisions to the clock.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Host of the room; tls://HOST for TLS.")
@click.option(
    "--port",
    default=4190,
    show_default=True,
    envvar="POKERROOM_GAME_PORT",
    show_envvar=True,
    type=click.IntRange(1, 65_535),
    help="TCP port of the room.",
)
@click.option(
    "--think",
    "think_ms",
    default=0,
    type=click.IntRange(0),
    metavar="MS",
    help="Shortest delay before a decision.",
)
@click.option(
    "--rate",
    default=0,
    type=click.IntRange(0),
    metavar="N",
    help="Decisions per second, all bots together; 0: no limit.",
)
@click.option(
    "--buy-in-bb", default=40, show_default=True, type=click.IntRange(1), help="Buy-in, in big blinds."
)
@click.option(
    "--structure",
    default="no_limit",
    show_default=True,
    type=click.Choice(STRUCTURES),
    help="Betting structure of the tables; any: a mixture.",
)
@click.option(
    "--wait",
    "wait_s",
    default=60,
    show_default=True,
    type=click.IntRange(0, 86_400),
    metavar="S",
    help="Seconds to wait for free seats at cash tables.",
)
@click.option("--seed", type=click.IntRange(0), help="Seed of the bots' choices. [default: random]")
@click.option(
    "--processes", type=click.IntRange(1, 256), help="Number of worker processes. [default: 2 on four cores]"
)
@click.option("--json", "as_json", is_flag=True, help="Write the report as one JSON object to stdout.")
def swarm(
    *,
    bots: int,
    tables: int,
    hands: int,
    sng: int | None,
    mtt: bool,
    offers: tuple[str, ...],
    ultimate: bool,
    vanish: int,
    sleep: int,
    host: str,
    port: int,
    think_ms: int,
    rate: int,
    buy_in_bb: int,
    structure: str,
    wait_s: int,
    seed: int | None,
    processes: int | None,
    as_json: bool,
) -> None:
    """Let many bots play at a running room, and measure the room.

    The bots are ordinary clients and play at cash tables.
    With --sng the bots play sit-and-gos from registration to the last prize. Some bots leave and return, let the
    clock decide, or lose their connections. The duration depends on the room's levels and clocks.
    With --mtt they fill one tournament of several tables, also one that starts at a time, follow their seats, and play
    until one has all chips.

    The exit code is 1 if the room refused a legal request, did not finish all hands or sit-and-gos, or did not pay a
    prize. It is 3 if cash tables had too few free seats, as where house bots hold them.
    """
    load: dict[str, Any] = {
        "bots": bots,
        "host": host,
        "port": port,
        "think_ms": think_ms,
        "rate": rate,
        "seed": secrets.randbits(32) if seed is None else seed,
    }
    if processes is not None:
        load["processes"] = processes
    if sng is not None:
        sng_played(SngOptions(tournaments=sng, offers=offers, **load), as_json=as_json)
    if mtt:
        mtt_played(MttOptions(offers=offers, **load), as_json=as_json)
    if ultimate:
        given = click.get_current_context().get_parameter_source("tables") is not ParameterSource.DEFAULT
        shares = HabitShares(sleeps=sleep, vanishes=vanish)
        ultimate_options = UltimateOptions(
            rounds=hands, tables=tables if given else None, shares=shares, **load
        )
        ultimate_played(ultimate_options, as_json=as_json)
    if offers:
        raise click.UsageError("--offer needs --sng or --mtt")
    options = SwarmOptions(
        tables=tables, hands=hands, buy_in_bb=buy_in_bb, structure=structure, wait_s=wait_s, **load
    )
    headline = f"{bots} bots, {tables} tables, {hands} hands, seed {options.seed}"
    words = ConsoleTexts(line=_line, rows=_rows, report=_report)
    run_in_console(headline, partial(run_swarm, options), words, as_json=as_json)


def _line(progress: SwarmProgress) -> str:
    tally = progress.tally
    return (
        f"{progress.doing}: {tally.seated} seated, "
        f"{tally.hands}/{progress.wanted} hands ({progress.hands_per_s}/s), "
        f"{tally.actions} actions ({progress.actions_per_s}/s), "
        f"p99 {tally.latency.percentile_ms(99):.1f} ms, "
        f"{tally.errors.total()} errors, {tally.disconnects} disconnects"
    )


def _rows(progress: SwarmProgress, table: Table) -> None:
    tally, latency = progress.tally, progress.tally.latency
    table.add_row("hands", f"{tally.hands:,} of {progress.wanted:,}   {progress.hands_per_s:,}/s")
    table.add_row("actions", f"{tally.actions:,}   {progress.actions_per_s:,}/s")
    table.add_row(
        "latency", f"p50 {latency.percentile_ms(50):.1f} ms   p99 {latency.percentile_ms(99):.1f} ms"
    )
    errors_row(progress, table)
    table.add_row("disconnects", str(tally.disconnects))
    if tally.stuck_tables:
        table.add_row("stuck", ", ".join(tally.stuck_tables), style="red")


def _report(report: SwarmReport) -> list[str]:
    figures, played = report.as_json(), report.measured
    latency = figures["latency_ms"]
    lines = [
        f"hands        {played.hands}  ({figures['hands_per_s']}/s)",
        f"actions      {played.actions}  ({figures['actions_per_s']}/s)",
        f"seconds      {figures['seconds']}",
        f"latency      p50 {latency['p50']} ms  p99 {latency['p99']} ms  max {latency['max']} ms",
        f"errors       {report.errors}  {listed(report.errors_by_code)}".rstrip(),
        f"races        {sum(report.races_by_code.values())}  {listed(report.races_by_code)}".rstrip(),
        f"timeouts     {report.final.timeouts}",
        f"disconnects  {report.final.disconnects}",
        f"stuck tables {', '.join(report.stuck_tables) or 'none'}",
    ]
    if report.problem is not None:
        lines.append(f"stopped      {report.problem}")
    return lines
