"""`pokerroom swarm`: the command, and what it says of hands at cash tables."""

from __future__ import annotations

import secrets
from functools import partial
from typing import Any

import click
from click.core import ParameterSource
from rich.table import Table

from pokerroom.bots.load import Progress
from pokerroom.bots.plan import STRUCTURES
from pokerroom.bots.sng_cli import sng_played
from pokerroom.bots.sng_swarm import SngOptions
from pokerroom.bots.swarm import SwarmOptions, SwarmReport, run_swarm
from pokerroom.bots.telling import Words, errors_row, listed, played
from pokerroom.bots.ultimate_cli import ultimate_played
from pokerroom.bots.ultimate_habits import Shares
from pokerroom.bots.ultimate_swarm import UltimateOptions


@click.command()
@click.option("--bots", default=60, show_default=True, type=click.IntRange(2, 10_000), help="Players.")
@click.option("--tables", default=10, show_default=True, type=click.IntRange(1, 5_000), help="Tables used.")
@click.option(
    "--hands", default=2000, show_default=True, type=click.IntRange(1), help="Hands to play in all."
)
@click.option(
    "--sng",
    type=click.IntRange(1, 100_000),
    metavar="N",
    help="Play so many sit-and-gos to their ends instead of hands at cash tables.",
)
@click.option(
    "--offer",
    "offers",
    multiple=True,
    metavar="ID",
    help="With --sng: this offer; again for more. [default: all]",
)
@click.option(
    "--ultimate",
    is_flag=True,
    help="Play rounds against the house, --hands of them, at all such tables or at --tables of each seating.",
)
@click.option(
    "--vanish",
    default=5,
    show_default=True,
    type=click.IntRange(0, 1000),
    metavar="N",
    help="With --ultimate: of 1000 rounds of a bot, those in which it loses its connection and comes back.",
)
@click.option(
    "--sleep",
    default=20,
    show_default=True,
    type=click.IntRange(0, 1000),
    metavar="N",
    help="With --ultimate: of 1000 decisions those that are left to the clock.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where the room is.")
@click.option(
    "--port",
    default=4190,
    show_default=True,
    envvar="POKERROOM_GAME_PORT",
    show_envvar=True,
    type=click.IntRange(1, 65_535),
    help="Its TCP port.",
)
@click.option(
    "--think", "think_ms", default=0, type=click.IntRange(0), metavar="MS", help="Wait before deciding."
)
@click.option(
    "--rate", default=0, type=click.IntRange(0), metavar="N", help="Decisions/s of all bots; 0: no limit."
)
@click.option(
    "--buy-in-bb", default=40, show_default=True, type=click.IntRange(1), help="Buy-in, in big blinds."
)
@click.option(
    "--structure",
    default="no_limit",
    show_default=True,
    type=click.Choice(STRUCTURES),
    help="Of the tables used; any: a mixture of what the room has.",
)
@click.option("--seed", type=click.IntRange(0), help="Repeats the bots' choices. [default: random]")
@click.option("--processes", type=click.IntRange(1, 256), help="Of the swarm. [default: 2 on four cores]")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def swarm(
    *,
    bots: int,
    tables: int,
    hands: int,
    sng: int | None,
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
    seed: int | None,
    processes: int | None,
    as_json: bool,
) -> None:
    """Plays many hands against a running room, as ordinary clients do, and measures it.

    Or sit-and-gos, from registration to the last prize, by players some of whom leave and return, let the clock decide,
    or lose their connections. How long that takes is in the levels and clocks that the room offers.

    Exits with 1 when anything was refused that should not have been, or not all hands or sit-and-gos were played, or a
    prize was not paid.
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
    if ultimate:
        given = click.get_current_context().get_parameter_source("tables") is not ParameterSource.DEFAULT
        shares = Shares(sleeps=sleep, vanishes=vanish)
        ultimate_options = UltimateOptions(
            rounds=hands, tables=tables if given else None, shares=shares, **load
        )
        ultimate_played(ultimate_options, as_json=as_json)
    if offers:
        raise click.UsageError("--offer is for --sng")
    options = SwarmOptions(tables=tables, hands=hands, buy_in_bb=buy_in_bb, structure=structure, **load)
    headline = f"{bots} bots, {tables} tables, {hands} hands, seed {options.seed}"
    words = Words(line=_line, rows=_rows, report=_report)
    played(headline, partial(run_swarm, options), words, as_json=as_json)


def _line(progress: Progress) -> str:
    tally = progress.tally
    return (
        f"{progress.doing}: {tally.seated} seated, "
        f"{tally.hands}/{progress.wanted} hands ({progress.hands_per_s}/s), "
        f"{tally.actions} actions ({progress.actions_per_s}/s), "
        f"p99 {tally.latency.percentile_ms(99):.1f} ms, "
        f"{tally.errors.total()} errors, {tally.disconnects} disconnects"
    )


def _rows(progress: Progress, table: Table) -> None:
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
    figures = report.as_json()
    latency = report.latency_ms
    lines = [
        f"hands        {report.hands}  ({figures['hands_per_s']}/s)",
        f"actions      {report.actions}  ({figures['actions_per_s']}/s)",
        f"seconds      {figures['seconds']}",
        f"latency      p50 {latency['p50']} ms  p99 {latency['p99']} ms  max {latency['max']} ms",
        f"errors       {report.errors}  {listed(report.errors_by_code)}".rstrip(),
        f"races        {sum(report.races_by_code.values())}  {listed(report.races_by_code)}".rstrip(),
        f"timeouts     {report.timeouts}",
        f"disconnects  {report.disconnects}",
        f"stuck tables {', '.join(report.stuck_tables) or 'none'}",
    ]
    if report.problem is not None:
        lines.append(f"stopped      {report.problem}")
    return lines
