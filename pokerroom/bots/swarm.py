"""A swarm of bots against a running room: load that is offered as real clients offer it, and what came of it.

This process reads the lobby, starts the worker processes, adds up their tallies, and says stop when enough
hands have been played. Processes are in `crew`, what a bot does is in `bot` and `player`.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

from pokerroom.bots.crew import Crew
from pokerroom.bots.plan import ANY, TablePlan, choose_tables, group_sizes, of_structure, split
from pokerroom.bots.tally import Tally
from pokerroom.bots.worker import LEAVE_S, Work, work_in_process
from pokerroom_protocol import ConnectionEnded, PokerClient, Refused
from pokerroom_protocol import messages as m

NO_PROGRESS_S: Final = 60.0
ASK_AGAIN_S: Final = 1.0


class SwarmFailed(Exception):  # noqa: N818 - the run failed
    """Raised when a swarm cannot even start: no room, no such number of tables, no free seats."""


def default_processes() -> int:
    """Of a swarm, so that a room on the same machine has cores left: 2 on four."""
    return max(1, min(2, (os.cpu_count() or 1) - 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmOptions:
    """What is asked of a swarm. `rate` is decisions per second of all bots, 0 for as fast as can be.

    `structure` is one of `plan.STRUCTURES`.
    """

    bots: int = 60
    tables: int = 10
    hands: int = 2000
    host: str = "127.0.0.1"
    port: int = 4190
    think_ms: int = 0
    rate: int = 0
    seed: int = 1
    buy_in_bb: int = 40
    structure: str = "no_limit"
    processes: int = field(default_factory=default_processes)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmReport:
    """What came of it. Rates and latencies are of the time from the first deal to the last counted hand."""

    hands: int
    hands_wanted: int
    actions: int
    seconds: float
    latency_ms: dict[str, float]
    errors_by_code: dict[str, int]
    races_by_code: dict[str, int]
    disconnects: int
    timeouts: int
    gaps: int
    hands_void: int
    stuck_tables: list[str]
    problem: str | None

    @property
    def errors(self) -> int:
        """Refusals that no race explains, and whatever else should not have happened."""
        return sum(self.errors_by_code.values())

    @property
    def is_good(self) -> bool:
        """Whether all hands were played without an error."""
        return self.errors == 0 and self.problem is None and self.hands >= self.hands_wanted

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "hands": self.hands,
            "actions": self.actions,
            "seconds": round(self.seconds, 3),
            "hands_per_s": rate_of(self.hands, self.seconds),
            "actions_per_s": rate_of(self.actions, self.seconds),
            "latency_ms": self.latency_ms,
            "errors": self.errors,
            "errors_by_code": self.errors_by_code,
            "disconnects": self.disconnects,
            "races_by_code": self.races_by_code,
            "timeouts": self.timeouts,
            "gaps": self.gaps,
            "hands_void": self.hands_void,
            "stuck_tables": self.stuck_tables,
            "problem": self.problem,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a swarm has come. `seconds` since its start; rates are of the play so far."""

    doing: str
    seconds: float
    tally: Tally
    hands_wanted: int
    hands_per_s: float = 0.0
    actions_per_s: float = 0.0


def run_swarm(options: SwarmOptions, progress: Callable[[Progress], None]) -> SwarmReport:
    """Plays until enough hands have ended, and reports. Raises `SwarmFailed` when it cannot start."""
    began = monotonic()

    def waiting(doing: str) -> None:
        seconds = monotonic() - began
        progress(Progress(doing=doing, seconds=seconds, tally=Tally(), hands_wanted=options.hands))

    try:
        sizes = group_sizes(options.bots, options.tables)
        plans = asyncio.run(_find_tables(options, sizes, waiting))
    except ValueError as failure:
        raise SwarmFailed(str(failure)) from failure
    except (OSError, ConnectionEnded, Refused) as failure:
        raise SwarmFailed(f"no room answers at {options.host}:{options.port}: {failure}") from failure
    swarm = _Swarm(options, plans)
    try:
        return swarm.run(progress)
    finally:
        swarm.end()


async def _find_tables(
    options: SwarmOptions, sizes: list[int], waiting: Callable[[str], None]
) -> list[TablePlan]:
    """Waits until the lobby has the seats; raises `SwarmFailed` when it never does."""
    client = await PokerClient.connect(options.host, options.port, client="pokerroom swarm", pause=False)
    try:
        give_up_at = monotonic() + NO_PROGRESS_S
        while True:
            lobby = await client.request(m.ListTables(id=0), m.Tables)
            tables = of_structure(lobby.tables, options.structure)
            plans = choose_tables(tables, sizes, options.buy_in_bb)
            if plans is not None:
                return plans
            if len(tables) < len(sizes):
                raise SwarmFailed(f"the room has {len(tables)} {_kind(options)}tables, not {len(sizes)}")
            if monotonic() > give_up_at:
                raise SwarmFailed(f"no free seats for {options.bots} bots at {options.tables} tables")
            waiting(f"waiting for {options.tables} tables with {max(sizes)} free seats")
            await asyncio.sleep(ASK_AGAIN_S)
    finally:
        client.close()


def _kind(options: SwarmOptions) -> str:
    return "" if options.structure == ANY else f"{options.structure} "


class _Swarm:
    """The worker processes of one run, and their latest tallies."""

    def __init__(self, options: SwarmOptions, plans: list[TablePlan]) -> None:
        self._options = options
        self._began = monotonic()
        run = secrets.token_hex(3)
        groups = split(plans, options.processes)
        works = [
            Work(
                host=options.host,
                port=options.port,
                plans=tuple(group),
                name_prefix=f"bot-{run}-{number}-",
                seed=options.seed * 1_000_003 + number * 10_007,
                think_s=options.think_ms / 1000,
                rate=options.rate / len(groups),
            )
            for number, group in enumerate(groups)
        ]
        self._crew = Crew(work_in_process, works)
        self.end = self._crew.end

    def run(self, progress: Callable[[Progress], None]) -> SwarmReport:
        """Until enough hands have ended, nothing moves any more, or somebody interrupts."""
        crew = self._crew
        try:
            self._play(progress)
        except KeyboardInterrupt:
            crew.problem = "interrupted"
        measured = crew.total()
        crew.leave(LEAVE_S + 5, lambda: self._tell(progress, "leaving"))
        return self._report(measured, crew.total())

    def _play(self, progress: Callable[[Progress], None]) -> None:
        crew = self._crew
        moved_at, before = monotonic(), (0, 0, 0)
        while crew.at_work and crew.problem is None:
            crew.listen()
            tally = self._tell(progress, "playing")
            if tally.hands >= self._options.hands:
                return
            now = (tally.hands, tally.registered, tally.seated)
            if now != before:
                moved_at, before = monotonic(), now
            elif monotonic() - moved_at > NO_PROGRESS_S:
                crew.problem = f"no hand has ended for {NO_PROGRESS_S:.0f} s"
        if crew.problem is None:
            crew.problem = "all bots have given up"

    def _tell(self, progress: Callable[[Progress], None], doing: str) -> Tally:
        tally = self._crew.total()
        if tally.first_hand_at is None:
            doing = "taking seats" if tally.registered >= self._options.bots else "opening accounts"
        seconds = played_s(tally)
        progress(
            Progress(
                doing=doing,
                seconds=monotonic() - self._began,
                tally=tally,
                hands_wanted=self._options.hands,
                hands_per_s=rate_of(tally.hands, seconds),
                actions_per_s=rate_of(tally.actions, seconds),
            )
        )
        return tally

    def _report(self, measured: Tally, final: Tally) -> SwarmReport:
        """Hands, actions, latencies and stuck tables of the play; whatever went wrong until the very end."""
        return SwarmReport(
            hands=measured.hands,
            hands_wanted=self._options.hands,
            actions=measured.actions,
            seconds=played_s(measured),
            latency_ms={
                "p50": round(measured.latency.percentile_ms(50), 3),
                "p99": round(measured.latency.percentile_ms(99), 3),
                "max": round(measured.latency.max_ms, 3),
            },
            errors_by_code=dict(sorted(final.errors.items())),
            races_by_code=dict(sorted(final.races.items())),
            disconnects=final.disconnects,
            timeouts=final.timeouts,
            gaps=final.gaps,
            hands_void=final.hands_void,
            stuck_tables=sorted({*measured.stuck_tables, *final.stuck_tables}),
            problem=self._crew.problem,
        )


def played_s(tally: Tally) -> float:
    """Since the first deal, in seconds."""
    return 0.0 if tally.first_hand_at is None else max(0.0, tally.at - tally.first_hand_at)


def rate_of(count: int, seconds: float) -> float:
    """Per second; 0 where no time has passed."""
    return round(count / seconds, 1) if seconds > 0 else 0.0
