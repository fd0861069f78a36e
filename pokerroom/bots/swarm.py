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
    NoFreeSeats,
    SwarmFailed,
    SwarmLoad,
    SwarmProgress,
    look_at_room,
    play_swarm,
    rate_of,
)
from pokerroom.bots.plan import (
    ANY,
    TablePlan,
    choose_tables,
    group_sizes,
    groups_with_seats,
    of_structure,
    split,
)
from pokerroom.bots.tally import SwarmTally
from pokerroom.bots.worker import LEAVE_S, CashWork, cash_work_in_process
from pokerroom.bots.worker_pool import WorkerPool
from pokerroom_protocol import Code, PokerClient
from pokerroom_protocol import messages as m

NO_PROGRESS_S: Final = 60.0
ASK_AGAIN_S: Final = 1.0

_NO_SEAT: Final = frozenset({Code.TABLE_FULL, Code.SEAT_TAKEN, Code.SEAT_HELD, Code.WAITING_LIST})


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmOptions(SwarmLoad):
    """The options. `structure` is one of `plan.STRUCTURES`; `wait_s` is how long the swarm waits for free seats."""

    bots: int = 60
    tables: int = 10
    hands: int = 2000
    buy_in_bb: int = 40
    structure: str = "no_limit"
    wait_s: int = 60


class SwarmReport(LoadReport):
    """The report of hands at cash tables."""

    @property
    def is_complete(self) -> bool:
        return self.measured.hands >= self.wanted

    def as_json(self) -> dict[str, Any]:
        played, final = self.measured, self.final
        return super().as_json() | {
            "hands": played.hands,
            "actions": played.actions,
            "hands_per_s": rate_of(played.hands, self.seconds),
            "actions_per_s": rate_of(played.actions, self.seconds),
            "latency_ms": played.latency.as_json(),
            "timeouts": final.timeouts,
            "hands_void": final.hands_void,
            "stuck_tables": self.stuck_tables,
        }


def run_swarm(options: SwarmOptions, progress: Callable[[SwarmProgress], None]) -> SwarmReport:
    """Play until enough hands have ended, and return the report. Raise `SwarmFailed` if it cannot start."""
    plans = _plans(options, progress)
    pool = WorkerPool(cash_work_in_process, _works(options, plans))

    measured, final = play_swarm(
        pool,
        progress,
        wanted=options.hands,
        doing=partial(activity, options.bots),
        enough=lambda tally: tally.hands >= options.hands,
        steps=lambda tally: (tally.hands, tally.registered, tally.seated),
        quiet_s_max=NO_PROGRESS_S,
        leave_s=LEAVE_S,
    )
    return SwarmReport(wanted=options.hands, measured=measured, final=final, problem=pool.problem)


def activity(bots: int, tally: SwarmTally, leaving: bool) -> str:
    """Return what so many bots do. Seats may be taken between the look at the lobby and the request for one."""
    if tally.first_hand_at is not None:
        return "leaving" if leaving else "playing"
    if tally.registered < bots:
        return "opening accounts"
    full = sorted(_NO_SEAT & tally.races.keys())
    return f"taking seats, refused with {', '.join(full)}" if full else "taking seats"


def _plans(options: SwarmOptions, progress: Callable[[SwarmProgress], None]) -> list[TablePlan]:
    """Wait until the lobby has enough free seats; raise `NoFreeSeats` after the time of the options."""
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
    give_up_at = monotonic() + options.wait_s
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
        found = f"{groups_with_seats(tables, sizes)} of {options.tables} tables with {max(sizes)} free seats"
        bots = sum(info.house_bots > 0 for info in tables)
        if monotonic() >= give_up_at:
            raise NoFreeSeats(
                f"{found} were found within {options.wait_s} s for {options.bots} bots. {_advice(bots)}"
            )
        waiting(f"waiting for free seats, {found}" + (f", house bots play at {bots}" if bots else ""))
        await asyncio.sleep(ASK_AGAIN_S)


def _advice(house_bots: int) -> str:
    """Return what to do where seats are missing; house bots play at so many of the tables."""
    if not house_bots:
        return "Use fewer --bots, or --wait longer."
    return (
        f"House bots play at {house_bots} tables, and leave one or two seats free at each. Use fewer --bots for each of"
        " the --tables, or tables without house_bots."
    )


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
