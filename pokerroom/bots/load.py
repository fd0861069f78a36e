"""What swarms of every kind have in common: what is asked of one, how far it has come, and what came of it.

Cash tables are in `swarm`, sit-and-gos in `sng_swarm`, tables against the house in `ultimate_swarm`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pokerroom.bots.guest import CLIENT
from pokerroom.bots.tally import Tally
from pokerroom_protocol import ConnectionEnded, PokerClient, Refused

T = TypeVar("T")


class SwarmFailed(Exception):  # noqa: N818 - the run failed
    """Raised when a swarm cannot even start: no room, no such number of tables, no free seats."""


def default_processes() -> int:
    """Of a swarm, so that a room on the same machine has cores left: 2 on four."""
    return max(1, min(2, (os.cpu_count() or 1) - 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is asked of a swarm. `rate` is decisions per second of all bots, 0 for as fast as can be."""

    bots: int
    host: str = "127.0.0.1"
    port: int = 4190
    think_ms: int = 0
    rate: int = 0
    seed: int = 1
    processes: int = field(default_factory=default_processes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of it."""

    seconds: float
    errors_by_code: dict[str, int]
    races_by_code: dict[str, int]
    disconnects: int
    gaps: int
    problem: str | None

    @property
    def errors(self) -> int:
        """Refusals that no race explains, and whatever else should not have happened."""
        return sum(self.errors_by_code.values())

    @property
    def is_complete(self) -> bool:
        """Whether all that was asked for was played."""
        raise NotImplementedError

    @property
    def is_good(self) -> bool:
        """Whether all was played, without an error."""
        return self.errors == 0 and self.problem is None and self.is_complete

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far it has come. `seconds` since its start; rates are of the play so far."""

    doing: str
    seconds: float
    tally: Tally
    wanted: int

    @property
    def hands_per_s(self) -> float:
        """Since the first deal."""
        return rate_of(self.tally.hands, played_s(self.tally))

    @property
    def actions_per_s(self) -> float:
        """The same of decisions."""
        return rate_of(self.tally.actions, played_s(self.tally))


def found(load: Load, look: Callable[[PokerClient], Awaitable[T]]) -> T:
    """What a first look at the room finds. Blocks; raises `SwarmFailed` when no room answers."""

    async def looked() -> T:
        client = await PokerClient.connect(load.host, load.port, client=CLIENT, pause=False)
        try:
            return await look(client)
        finally:
            client.close()

    try:
        return asyncio.run(looked())
    except (OSError, ConnectionEnded, Refused) as failure:
        raise SwarmFailed(f"no room answers at {load.host}:{load.port}: {failure}") from failure


def played_s(tally: Tally) -> float:
    """Since the first deal, in seconds."""
    return 0.0 if tally.first_hand_at is None else max(0.0, tally.at - tally.first_hand_at)


def rate_of(count: int, seconds: float) -> float:
    """Per second; 0 where no time has passed."""
    return round(count / seconds, 1) if seconds > 0 else 0.0
