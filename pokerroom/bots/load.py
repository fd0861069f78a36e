"""What swarms of every kind share: their options, their progress, and their report.

`swarm` plays at cash tables, `sng_swarm` in sit-and-gos, `ultimate_swarm` at tables of Ultimate Texas Hold'em.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, TypeVar

from pokerroom.bots.swarm_client import CLIENT
from pokerroom.bots.tally import SwarmTally
from pokerroom.bots.worker_pool import GIVEN_UP, WorkerPool
from pokerroom_protocol import ConnectionEnded, PokerClient, RequestRefused

T = TypeVar("T")


class SwarmFailed(Exception):  # noqa: N818 - the run failed
    """Raised when a swarm cannot start: no room answers, or it has too few tables."""

    exit_code = 1
    """That of the command."""


class NoFreeSeats(SwarmFailed):
    """Raised when the tables have too few free seats for so long as the swarm waits."""

    exit_code = 3


def default_processes() -> int:
    """Return the default number of processes: 2 on four cores, so that a room on the same machine has cores left."""
    return max(1, min(2, (os.cpu_count() or 1) - 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmLoad:
    """The options of a swarm. `rate` is decisions per second, all bots together; 0: no limit."""

    bots: int
    host: str = "127.0.0.1"
    port: int = 4190
    think_ms: int = 0
    rate: int = 0
    seed: int = 1
    processes: int = field(default_factory=default_processes)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """The report of a swarm. `measured` counts from the first deal to the last counted hand, `final` until the end."""

    wanted: int
    measured: SwarmTally
    final: SwarmTally
    problem: str | None

    @property
    def seconds(self) -> float:
        """Return the seconds of the measured play."""
        return played_s(self.measured)

    @property
    def errors_by_code(self) -> dict[str, int]:
        """Return refusals that no race explains, and other faults."""
        return dict(sorted(self.final.errors.items()))

    @property
    def races_by_code(self) -> dict[str, int]:
        """Return refusals that a race explains."""
        return dict(sorted(self.final.races.items()))

    @property
    def stuck_tables(self) -> list[str]:
        """Return the tables where nothing happened for too long."""
        return sorted({*self.measured.stuck_tables, *self.final.stuck_tables})

    @property
    def errors(self) -> int:
        """Return the number of errors."""
        return self.final.errors.total()

    @property
    def is_complete(self) -> bool:
        """Tell whether the swarm played all that it was asked for."""
        raise NotImplementedError

    @property
    def is_good(self) -> bool:
        """Tell whether the swarm played everything without an error."""
        return self.errors == 0 and self.problem is None and self.is_complete

    def as_json(self) -> dict[str, Any]:
        """Return the report for `--json`; a subclass adds what was played."""
        return {
            "seconds": round(self.seconds, 3),
            "errors": self.errors,
            "errors_by_code": self.errors_by_code,
            "races_by_code": self.races_by_code,
            "disconnects": self.final.disconnects,
            "gaps": self.final.gaps,
            "problem": self.problem,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmProgress:
    """The progress of a swarm. `seconds` count from its start; rates count from the first deal."""

    doing: str
    seconds: float
    tally: SwarmTally
    wanted: int

    @property
    def hands_per_s(self) -> float:
        """Return the hands per second since the first deal."""
        return rate_of(self.tally.hands, played_s(self.tally))

    @property
    def actions_per_s(self) -> float:
        """Return the decisions per second since the first deal."""
        return rate_of(self.tally.actions, played_s(self.tally))


def play_swarm(
    pool: WorkerPool,
    progress: Callable[[SwarmProgress], None],
    *,
    wanted: int,
    doing: Callable[[SwarmTally, bool], str],
    enough: Callable[[SwarmTally], bool],
    steps: Callable[[SwarmTally], object],
    quiet_s_max: float,
    leave_s: float,
    unit: str = "hand",
) -> tuple[SwarmTally, SwarmTally]:
    """Play until it is `enough`, then leave. Return the tally of the play, and that until the very end.

    For `enough`, `steps`, `quiet_s_max` and `unit` see `WorkerPool.play`. `doing` names the activity; its flag is True
    while the bots leave.
    """
    began = monotonic()

    def told(*, leaving: bool = False) -> SwarmTally:
        tally = pool.total()
        seconds = monotonic() - began
        progress(SwarmProgress(doing=doing(tally, leaving), seconds=seconds, tally=tally, wanted=wanted))
        return tally

    try:
        played = pool.play(told, enough=enough, steps=steps, quiet_s_max=quiet_s_max, unit=unit)
        if not played and pool.problem is None:
            pool.problem = GIVEN_UP
        measured = pool.total()
        pool.leave(leave_s + 5, lambda: told(leaving=True))
        return measured, pool.total()
    finally:
        pool.end()


def look_at_room(load: SwarmLoad, look: Callable[[PokerClient], Awaitable[T]]) -> T:
    """Connect to the room, return what `look` finds, and disconnect. Block; raise `SwarmFailed` if no room answers."""

    async def looked() -> T:
        client = await PokerClient.connect(load.host, load.port, client=CLIENT, pause=False)
        try:
            return await look(client)
        finally:
            client.close()

    try:
        return asyncio.run(looked())
    except (OSError, ConnectionEnded, RequestRefused) as failure:
        raise SwarmFailed(
            f"No room answers at {load.host}:{load.port} ({failure}). Start one with `pokerroom serve`."
        ) from failure


def played_s(tally: SwarmTally) -> float:
    """Return the seconds since the first deal."""
    return 0.0 if tally.first_hand_at is None else max(0.0, tally.at - tally.first_hand_at)


def rate_of(count: int, seconds: float) -> float:
    """Return `count` per second; 0 if no time has passed."""
    return round(count / seconds, 1) if seconds > 0 else 0.0
