"""A swarm of bots at the tables of Ultimate Texas Hold'em of a running room: rounds, decisions, answer times.

This process reads the lobby, starts the worker processes, adds up their tallies, and stops them when enough rounds have
been played. `ultimate_bot` and `ultimate_player` say what a bot does.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any, Final

from pokerroom.bots.load import (
    LoadReport,
    SwarmFailed,
    SwarmLoad,
    SwarmProgress,
    look_at_room,
    played_s,
    rate_of,
)
from pokerroom.bots.table_bot import StartBarrier
from pokerroom.bots.tally import SwarmTally, TableWatch
from pokerroom.bots.ultimate_bot import UltimateBot
from pokerroom.bots.ultimate_habits import HabitShares
from pokerroom.bots.ultimate_player import UltimateAssignment
from pokerroom.bots.worker import WorkerTask, in_process, live, room_of
from pokerroom.bots.worker_pool import GIVEN_UP, WorkerPool
from pokerroom_protocol import PokerClient
from pokerroom_protocol import messages as m

NO_PROGRESS_S: Final = 120.0
LEAVE_S: Final = 90.0
"""Longer than a round in which the clock decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UltimateOptions(SwarmLoad):
    """The options: the number of rounds, at all tables of the room or at the first `tables` of each seating.

    `think_ms` is the longest delay of a decision or a bet. `rate` is decisions and bets per second, all bots together;
    0: no limit.
    """

    rounds: int
    tables: int | None = None
    shares: HabitShares = field(default_factory=HabitShares)


@dataclass(frozen=True, slots=True, kw_only=True)
class UltimatePlan:
    """The number of bots at one table. `counts`: among several processes at a table, this one counts its rounds."""

    table: str
    bots: int
    ante_min: int
    counts: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class UltimateWork(WorkerTask):
    """The task of one worker process."""

    plans: tuple[UltimatePlan, ...]
    shares: HabitShares


@dataclass(frozen=True, slots=True, kw_only=True)
class UltimateReport(LoadReport):
    """The report. Rates and answer times count from the first deal to the last counted round."""

    rounds: int
    rounds_wanted: int
    rounds_void: int
    decisions: int
    decided_by_clock: int
    bets: int
    bets_refused: dict[str, int]
    answer_ms: dict[str, float]
    vanished: int
    stuck_tables: list[str]

    @property
    def is_complete(self) -> bool:
        return self.rounds >= self.rounds_wanted

    def as_json(self) -> dict[str, Any]:
        return {
            "rounds": self.rounds,
            "decisions": self.decisions,
            "seconds": round(self.seconds, 3),
            "rounds_per_s": rate_of(self.rounds, self.seconds),
            "decisions_per_s": rate_of(self.decisions, self.seconds),
            "answer_ms": self.answer_ms,
            "errors": self.errors,
            "errors_by_code": self.errors_by_code,
            "races_by_code": self.races_by_code,
            "decided_by_clock": self.decided_by_clock,
            "vanished": self.vanished,
            "bets": self.bets,
            "bets_refused": self.bets_refused,
            "rounds_void": self.rounds_void,
            "disconnects": self.disconnects,
            "gaps": self.gaps,
            "stuck_tables": self.stuck_tables,
            "problem": self.problem,
        }


def run_ultimate_swarm(options: UltimateOptions, progress: Callable[[SwarmProgress], None]) -> UltimateReport:
    """Play until enough rounds have ended, and return the report. Raise `SwarmFailed` if it cannot start."""
    plans = plan(look_at_room(options, _tables), options.bots, options.tables)
    pool, began = WorkerPool(ultimate_work_in_process, _works(options, plans)), monotonic()

    def told() -> SwarmTally:
        tally = pool.total()
        progress(
            SwarmProgress(
                doing="against the house", seconds=monotonic() - began, tally=tally, wanted=options.rounds
            )
        )
        return tally

    try:
        enough = pool.play(
            told,
            enough=lambda tally: tally.hands >= options.rounds,
            steps=lambda tally: (tally.hands, tally.registered, tally.seated),
            quiet_s_max=NO_PROGRESS_S,
            unit="round",
        )
        if not enough and pool.problem is None:
            pool.problem = GIVEN_UP
        measured = pool.total()
        pool.leave(LEAVE_S + 5, told)
        return _report(options, measured, pool.total(), pool.problem)
    finally:
        pool.end()


async def _tables(client: PokerClient) -> list[m.UltimateInfo]:
    return (await client.request(m.ListTables(id=0), m.Tables)).ultimate


def plan(lobby: Sequence[m.UltimateInfo], bots: int, tables: int | None) -> list[UltimatePlan]:
    """Divide the bots among the tables. Tables with boxes are filled but for one box; the other tables share the rest.

    Without a table with a common hand, all boxes are filled. `tables` limits the tables of each seating. Raise
    `SwarmFailed` if there are too few places.
    """
    open_ones = [info for info in lobby if not info.closing]
    boxed = [info for info in open_ones if info.boxes is not None][:tables]
    common = [info for info in open_ones if info.boxes is None][:tables]
    if not boxed and not common:
        raise SwarmFailed("The room has no tables of Ultimate Texas Hold'em.")
    plans: list[UltimatePlan] = []
    left = bots
    for info in boxed:
        assert info.boxes is not None
        free = info.boxes - info.occupied
        count = min(left, free - 1 if common and free > 1 else free)
        if count > 0:
            plans.append(UltimatePlan(table=info.table, bots=count, ante_min=info.ante_min))
            left -= count
    if left and not common:
        raise SwarmFailed(f"The tables have {bots - left} free boxes for {bots} bots. Use fewer bots.")
    each, more = divmod(left, len(common)) if common else (0, 0)
    for number, info in enumerate(common):
        count = each + (number < more)
        if count:
            plans.append(UltimatePlan(table=info.table, bots=count, ante_min=info.ante_min))
    return plans


def _works(options: UltimateOptions, plans: Sequence[UltimatePlan]) -> list[UltimateWork]:
    """Divide tables among the processes, with about as many bots each; a very large table is shared."""
    processes = max(1, min(options.processes, options.bots))
    groups: list[list[UltimatePlan]] = [[] for _ in range(processes)]
    most = -(-options.bots // processes)
    pieces = [
        replace(one, bots=min(most, one.bots - at), counts=at == 0)
        for one in plans
        for at in range(0, one.bots, most)
    ]
    for piece in sorted(pieces, key=lambda piece: -piece.bots):
        min(groups, key=lambda group: sum(each.bots for each in group)).append(piece)
    run = secrets.token_hex(3)
    return [
        UltimateWork(
            host=options.host,
            port=options.port,
            plans=tuple(group),
            name_prefix=f"uth-{run}-{number}-",
            seed=options.seed * 1_000_003 + number * 100_003,
            think_s=options.think_ms / 1000,
            rate=options.rate / processes,
            shares=options.shares,
        )
        for number, group in enumerate(groups)
        if group
    ]


def ultimate_work_in_process(work: UltimateWork, pipe: Connection) -> None:
    """Run a worker process."""
    in_process(_work(work, pipe))


async def _work(work: UltimateWork, pipe: Connection) -> None:
    room = room_of(work)
    watches = [TableWatch(one.table) for one in work.plans]
    gate = StartBarrier(sum(one.bots for one in work.plans))
    bots: list[UltimateBot] = []
    for one, watch in zip(work.plans, watches, strict=True):
        table = UltimateAssignment(name=one.table, watch=watch, counts=one.counts)
        bots += [
            UltimateBot(
                room, gate, table, ante_min=one.ante_min, seed=work.seed + len(bots) + n, shares=work.shares
            )
            for n in range(one.bots)
        ]
    await live(bots, pipe, room.tally, lambda: watches, LEAVE_S)


def _report(
    options: UltimateOptions, measured: SwarmTally, final: SwarmTally, problem: str | None
) -> UltimateReport:
    """Report rounds and answer times of the measured play, and errors until the very end."""
    return UltimateReport(
        rounds=measured.hands,
        rounds_wanted=options.rounds,
        rounds_void=final.hands_void,
        decisions=measured.actions,
        decided_by_clock=final.timeouts,
        bets=measured.bets,
        bets_refused=dict(sorted(final.refused.items())),
        seconds=played_s(measured),
        answer_ms=measured.latency.as_json(),
        errors_by_code=dict(sorted(final.errors.items())),
        races_by_code=dict(sorted(final.races.items())),
        vanished=final.vanished,
        disconnects=final.disconnects,
        gaps=final.gaps,
        stuck_tables=sorted({*measured.stuck_tables, *final.stuck_tables}),
        problem=problem,
    )
