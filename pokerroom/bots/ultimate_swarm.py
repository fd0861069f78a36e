"""A swarm of bots at the tables against the house of a running room: rounds, decisions, and how fast they are answered.

This process reads the lobby, starts the worker processes, adds up what they tell, and says stop when enough rounds have
been played. What a bot does is in `ultimate_bot` and `ultimate_player`.
"""

from __future__ import annotations

import asyncio
import secrets
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any, Final

from pokerroom.bots.bot import Gate
from pokerroom.bots.crew import Crew
from pokerroom.bots.swarm import SwarmFailed, default_processes, played_s, rate_of
from pokerroom.bots.tally import TableWatch, Tally
from pokerroom.bots.ultimate_bot import UltimateBot
from pokerroom.bots.ultimate_habits import Shares
from pokerroom.bots.ultimate_player import Table
from pokerroom.bots.worker import live, room_of
from pokerroom_protocol import ConnectionEnded, PokerClient, Refused
from pokerroom_protocol import messages as m

NO_PROGRESS_S: Final = 120.0
LEAVE_S: Final = 90.0
"""A round whose players let the clock decide ends within."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UltimateOptions:
    """What is asked of it: so many rounds in all, at all tables of the room or at the first `tables` of each seating.

    `think_ms` is the longest that a bot thinks before a decision or its bets. `rate` is decisions and bets per second
    of all bots, 0 for as fast as can be.
    """

    rounds: int
    bots: int
    tables: int | None = None
    host: str = "127.0.0.1"
    port: int = 4190
    think_ms: int = 0
    rate: int = 0
    seed: int = 1
    shares: Shares = field(default_factory=Shares)
    processes: int = field(default_factory=default_processes)


@dataclass(frozen=True, slots=True, kw_only=True)
class UltimatePlan:
    """So many bots to this table. `counts`: of several processes at one table this one counts its rounds."""

    table: str
    bots: int
    ante_min: int
    counts: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class UltimateWork:
    """What one process is to do. `rate` is its own, as above."""

    host: str
    port: int
    plans: tuple[UltimatePlan, ...]
    name_prefix: str
    seed: int
    think_s: float
    rate: float
    shares: Shares


@dataclass(frozen=True, slots=True, kw_only=True)
class UltimateReport:
    """What came of it. Rates and answer times are of the time from the first deal to the last counted round."""

    rounds: int
    rounds_wanted: int
    rounds_void: int
    decisions: int
    decided_by_clock: int
    bets: int
    bets_refused: dict[str, int]
    seconds: float
    answer_ms: dict[str, float]
    errors_by_code: dict[str, int]
    races_by_code: dict[str, int]
    vanished: int
    disconnects: int
    gaps: int
    stuck_tables: list[str]
    problem: str | None

    @property
    def errors(self) -> int:
        """Refusals that no race explains, and whatever else should not have happened."""
        return sum(self.errors_by_code.values())

    @property
    def is_good(self) -> bool:
        """Whether all rounds were played without an error."""
        return self.errors == 0 and self.problem is None and self.rounds >= self.rounds_wanted

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class UltimateProgress:
    """How far it has come. `seconds` since its start."""

    seconds: float
    tally: Tally
    wanted: int


def run_ultimate_swarm(
    options: UltimateOptions, progress: Callable[[UltimateProgress], None]
) -> UltimateReport:
    """Plays until enough rounds have ended, and reports. Raises `SwarmFailed` when it cannot start."""
    try:
        plans = plan(asyncio.run(_tables(options)), options.bots, options.tables)
    except (OSError, ConnectionEnded, Refused) as failure:
        raise SwarmFailed(f"no room answers at {options.host}:{options.port}: {failure}") from failure
    crew, began = Crew(ultimate_work_in_process, _works(options, plans)), monotonic()

    def told() -> Tally:
        tally = crew.total()
        progress(UltimateProgress(seconds=monotonic() - began, tally=tally, wanted=options.rounds))
        return tally

    try:
        _play(crew, options.rounds, told)
        measured = crew.total()
        crew.leave(LEAVE_S + 5, told)
        return _report(options, measured, crew.total(), crew.problem)
    finally:
        crew.end()


async def _tables(options: UltimateOptions) -> list[m.UltimateInfo]:
    client = await PokerClient.connect(options.host, options.port, client="pokerroom swarm")
    try:
        return (await client.request(m.ListTables(id=0), m.Tables)).ultimate
    finally:
        client.close()


def plan(lobby: Sequence[m.UltimateInfo], bots: int, tables: int | None) -> list[UltimatePlan]:
    """Who goes where. Tables with boxes are filled but for one box, the others share the rest.

    Without a table where a common hand is dealt all boxes are used. `tables` counts those of each seating.
    Raises `SwarmFailed` where there are too few places.
    """
    open_ones = [info for info in lobby if not info.closing]
    boxed = [info for info in open_ones if info.boxes is not None][:tables]
    common = [info for info in open_ones if info.boxes is None][:tables]
    if not boxed and not common:
        raise SwarmFailed("the room has no tables against the house")
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
        raise SwarmFailed(f"the tables against the house have {bots - left} free boxes for {bots} bots")
    each, more = divmod(left, len(common)) if common else (0, 0)
    for number, info in enumerate(common):
        count = each + (number < more)
        if count:
            plans.append(UltimatePlan(table=info.table, bots=count, ante_min=info.ante_min))
    return plans


def _works(options: UltimateOptions, plans: Sequence[UltimatePlan]) -> list[UltimateWork]:
    """Whole tables to each process, about as many bots to all; a table with very many is shared."""
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
    """The whole life of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the counting process, which then says stop
    try:
        asyncio.run(_work(work, pipe))
    except (BrokenPipeError, EOFError):
        sys.exit(1)


async def _work(work: UltimateWork, pipe: Connection) -> None:
    room = room_of(work)
    watches = [TableWatch(one.table) for one in work.plans]
    gate = Gate(sum(one.bots for one in work.plans))
    bots: list[UltimateBot] = []
    for one, watch in zip(work.plans, watches, strict=True):
        table = Table(name=one.table, watch=watch, counts=one.counts)
        bots += [
            UltimateBot(
                room, gate, table, ante_min=one.ante_min, seed=work.seed + len(bots) + n, shares=work.shares
            )
            for n in range(one.bots)
        ]
    await live(bots, pipe, room.tally, lambda: watches, LEAVE_S)


def _play(crew: Crew, wanted: int, told: Callable[[], Tally]) -> None:
    """Until enough rounds have ended, nothing moves any more, or somebody interrupts."""
    moved_at, before = monotonic(), (0, 0, 0)
    try:
        while crew.at_work and crew.problem is None:
            crew.listen()
            tally = told()
            if tally.hands >= wanted:
                return
            now = (tally.hands, tally.registered, tally.seated)
            if now != before:
                moved_at, before = monotonic(), now
            elif monotonic() - moved_at > NO_PROGRESS_S:
                crew.problem = f"no round has ended for {NO_PROGRESS_S:.0f} s"
    except KeyboardInterrupt:
        crew.problem = "interrupted"
    if crew.problem is None:
        crew.problem = "all bots have given up"


def _report(options: UltimateOptions, measured: Tally, final: Tally, problem: str | None) -> UltimateReport:
    """Rounds and answer times of the play; whatever went wrong until the very end."""
    answers = measured.latency
    return UltimateReport(
        rounds=measured.hands,
        rounds_wanted=options.rounds,
        rounds_void=final.hands_void,
        decisions=measured.actions,
        decided_by_clock=final.timeouts,
        bets=measured.bets,
        bets_refused=dict(sorted(final.refused.items())),
        seconds=played_s(measured),
        answer_ms={
            "p50": round(answers.percentile_ms(50), 3),
            "p99": round(answers.percentile_ms(99), 3),
            "max": round(answers.max_ms, 3),
        },
        errors_by_code=dict(sorted(final.errors.items())),
        races_by_code=dict(sorted(final.races.items())),
        vanished=final.vanished,
        disconnects=final.disconnects,
        gaps=final.gaps,
        stuck_tables=sorted({*measured.stuck_tables, *final.stuck_tables}),
        problem=problem,
    )
