"""What swarms of every kind share: their options, their progress, and their report.

`swarm` plays at cash tables, `sng_swarm` in sit-and-gos, `ultimate_swarm` at tables of Ultimate Texas Hold'em.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pokerroom.bots.swarm_client import CLIENT
from pokerroom.bots.tally import SwarmTally
from pokerroom_protocol import ConnectionEnded, PokerClient, RequestRefused

T = TypeVar("T")


class SwarmFailed(Exception):  # noqa: N818 - the run failed
    """Raised when a swarm cannot start: no room answers, or it has too few tables or free seats."""


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
    """The report of a swarm."""

    seconds: float
    errors_by_code: dict[str, int]
    races_by_code: dict[str, int]
    disconnects: int
    gaps: int
    problem: str | None

    @property
    def errors(self) -> int:
        """Return the number of errors: refusals that no race explains, and other faults."""
        return sum(self.errors_by_code.values())

    @property
    def is_complete(self) -> bool:
        """Tell whether the swarm played all that it was asked for."""
        raise NotImplementedError

    @property
    def is_good(self) -> bool:
        """Tell whether the swarm played everything without an error."""
        return self.errors == 0 and self.problem is None and self.is_complete

    def as_json(self) -> dict[str, Any]:
        """Return the report for `--json`."""
        raise NotImplementedError


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
