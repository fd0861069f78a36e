"""A swarm of bots at the tables of Ultimate Texas Hold'em of a running room: rounds, decisions, answer times.

This process reads the lobby, starts the worker processes, adds up their tallies, and stops them when enough rounds have
been played. `ultimate_bot` and `ultimate_player` say what a bot does.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import Any, Final

from pokerroom.bots.load import (
    LoadReport,
    SwarmFailed,
    SwarmLoad,
    SwarmProgress,
    look_at_room,
    play_swarm,
    rate_of,
)
from pokerroom.bots.table_bot import StartBarrier
from pokerroom.bots.tally import TableWatch
from pokerroom.bots.ultimate_bot import UltimateBot
from pokerroom.bots.ultimate_habits import HabitShares
from pokerroom.bots.ultimate_player import UltimateAssignment
from pokerroom.bots.worker import WorkerTask, in_process, live, room_of
from pokerroom.bots.worker_pool import WorkerPool
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


class UltimateReport(LoadReport):
    """The report of rounds against the house."""

    @property
    def is_complete(self) -> bool:
        return self.measured.hands >= self.wanted

    def as_json(self) -> dict[str, Any]:
        played, final = self.measured, self.final
        return super().as_json() | {
            "rounds": played.hands,
            "decisions": played.actions,
            "rounds_per_s": rate_of(played.hands, self.seconds),
            "decisions_per_s": rate_of(played.actions, self.seconds),
            "answer_ms": played.latency.as_json(),
            "decided_by_clock": final.timeouts,
            "vanished": final.vanished,
            "bets": played.bets,
            "bets_refused": dict(sorted(final.refused.items())),
            "rounds_void": final.hands_void,
            "stuck_tables": self.stuck_tables,
        }


def run_ultimate_swarm(options: UltimateOptions, progress: Callable[[SwarmProgress], None]) -> UltimateReport:
    """Play until enough rounds have ended, and return the report. Raise `SwarmFailed` if it cannot start."""
    plans = plan(look_at_room(options, _tables), options.bots, options.tables)
    pool = WorkerPool(ultimate_work_in_process, _works(options, plans))
    measured, final = play_swarm(
        pool,
        progress,
        wanted=options.rounds,
        doing=lambda *_: "against the house",
        enough=lambda tally: tally.hands >= options.rounds,
        steps=lambda tally: (tally.hands, tally.registered, tally.seated),
        quiet_s_max=NO_PROGRESS_S,
        leave_s=LEAVE_S,
        unit="round",
    )
    return UltimateReport(wanted=options.rounds, measured=measured, final=final, problem=pool.problem)


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
