"""A swarm of bots at the cash tables of a running room: the load of real clients, and a report.

This process reads the lobby, starts the worker processes, adds up their tallies, and stops them when enough hands
have been played. Processes are in `pool`, what a bot does is in `cash_bot` and `cash_player`.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
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
from pokerroom.bots.plan import ANY, TablePlan, choose_tables, group_sizes, of_structure, split
from pokerroom.bots.tally import SwarmTally
from pokerroom.bots.worker import LEAVE_S, CashWork, cash_work_in_process
from pokerroom.bots.worker_pool import GIVEN_UP, WorkerPool
from pokerroom_protocol import PokerClient
from pokerroom_protocol import messages as m

NO_PROGRESS_S: Final = 60.0
ASK_AGAIN_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmOptions(SwarmLoad):
    """The options. `structure` is one of `plan.STRUCTURES`."""

    bots: int = 60
    tables: int = 10
    hands: int = 2000
    buy_in_bb: int = 40
    structure: str = "no_limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmReport(LoadReport):
    """The report. Rates and latencies count from the first deal to the last counted hand."""

    hands: int
    hands_wanted: int
    actions: int
    latency_ms: dict[str, float]
    timeouts: int
    hands_void: int
    stuck_tables: list[str]

    @property
    def is_complete(self) -> bool:
        return self.hands >= self.hands_wanted

    def as_json(self) -> dict[str, Any]:
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


def run_swarm(options: SwarmOptions, progress: Callable[[SwarmProgress], None]) -> SwarmReport:
    """Play until enough hands have ended, and return the report. Raise `SwarmFailed` if it cannot start."""
    plans = _plans(options, progress)
    began = monotonic()
    pool = WorkerPool(cash_work_in_process, _works(options, plans))

    def told(doing: str) -> SwarmTally:
        tally = pool.total()
        if tally.first_hand_at is None:
            doing = "taking seats" if tally.registered >= options.bots else "opening accounts"
        progress(SwarmProgress(doing=doing, seconds=monotonic() - began, tally=tally, wanted=options.hands))
        return tally

    try:
        enough = pool.play(
            lambda: told("playing"),
            enough=lambda tally: tally.hands >= options.hands,
            steps=lambda tally: (tally.hands, tally.registered, tally.seated),
            quiet_s_max=NO_PROGRESS_S,
        )
        if not enough and pool.problem is None:
            pool.problem = GIVEN_UP
        measured = pool.total()
        pool.leave(LEAVE_S + 5, lambda: told("leaving"))
        return _report(options, measured, pool.total(), pool.problem)
    finally:
        pool.end()


def _plans(options: SwarmOptions, progress: Callable[[SwarmProgress], None]) -> list[TablePlan]:
    """Wait until the lobby has enough free seats; raise `SwarmFailed` after `NO_PROGRESS_S`."""
    began = monotonic()

    def waiting(doing: str) -> None:
        seconds = monotonic() - began
        progress(SwarmProgress(doing=doing, seconds=seconds, tally=SwarmTally(), wanted=options.hands))

    try:
        sizes = group_sizes(options.bots, options.tables)
        return look_at_room(options, partial(_find_tables, options, sizes, waiting))
    except ValueError as failure:
        raise SwarmFailed(str(failure)) from failure


async def _find_tables(
    options: SwarmOptions, sizes: list[int], waiting: Callable[[str], None], client: PokerClient
) -> list[TablePlan]:
    give_up_at = monotonic() + NO_PROGRESS_S
    while True:
        lobby = await client.request(m.ListTables(id=0), m.Tables)
        tables = of_structure(lobby.tables, options.structure)
        plans = choose_tables(tables, sizes, options.buy_in_bb)
        if plans is not None:
            return plans
        if len(tables) < len(sizes):
            raise SwarmFailed(
                f"The room has {len(tables)} {_kind(options)}tables, fewer than {len(sizes)}. Use fewer --tables."
            )
        if monotonic() > give_up_at:
            raise SwarmFailed(
                f"The room has no free seats for {options.bots} bots at {options.tables} tables. Use fewer."
            )
        waiting(f"waiting for {options.tables} tables with {max(sizes)} free seats")
        await asyncio.sleep(ASK_AGAIN_S)


def _kind(options: SwarmOptions) -> str:
    return "" if options.structure == ANY else f"{options.structure} "


def _works(options: SwarmOptions, plans: list[TablePlan]) -> list[CashWork]:
    run = secrets.token_hex(3)
    groups = split(plans, options.processes)
    return [
        CashWork(
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


def _report(
    options: SwarmOptions, measured: SwarmTally, final: SwarmTally, problem: str | None
) -> SwarmReport:
    """Report hands, actions and latencies of the measured play, and errors until the very end."""
    return SwarmReport(
        hands=measured.hands,
        hands_wanted=options.hands,
        actions=measured.actions,
        seconds=played_s(measured),
        latency_ms=measured.latency.as_json(),
        errors_by_code=dict(sorted(final.errors.items())),
        races_by_code=dict(sorted(final.races.items())),
        disconnects=final.disconnects,
        timeouts=final.timeouts,
        gaps=final.gaps,
        hands_void=final.hands_void,
        stuck_tables=sorted({*measured.stuck_tables, *final.stuck_tables}),
        problem=problem,
    )
