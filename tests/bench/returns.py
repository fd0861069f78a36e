"""How soon clients are back: 2,000 that were logged in lose their connections at once, or their node is killed.

Each opens a connection, greets, and resumes its session by its token; all begin in the same moment, and try again
until they are logged in. Their accounts are put into the ledger by SQL. One node, its own PostgreSQL and Redis; the
clients are one process on the same machine.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any, Final

from pokerroom.ops.embedded import running
from pokerroom_protocol import messages as m
from tests.bench.printing import note, row
from tests.chaos.crowd import open_accounts
from tests.chaos.reading import Reader
from tests.chaos.wire import Lost, Wire
from tests.integration.support import RunningRoom, running_room

CLIENTS: Final = 2_000
ROUNDS: Final = 3
GOAL_S: Final = 10.0
AGAIN_S: Final = 0.2
QUIET_S: Final = 1.0
GIVE_UP_S: Final = 120.0
ROOM: Final = f"""
[limits]
connections_per_address = {CLIENTS}
[[tables]]
id = "six"
seats = 6
small_blind = 50
"""


async def _comes(reader: Reader, port: int, token: str) -> Wire:
    while True:
        wire = Wire(reader, lambda _: None, lambda: None)
        with suppress(Lost, OSError):
            await wire.open(port)
            if not isinstance(await wire.ask(m.Resume(id=wire.number(), token=token)), m.Error):
                return wire
        wire.abort()
        await asyncio.sleep(AGAIN_S)


class _Crowd:
    """All clients, and their connections. Raises TimeoutError if not all can log in."""

    def __init__(self, room: RunningRoom, tokens: Sequence[str]) -> None:
        self._room = room
        self._tokens = tokens
        self._reader = Reader()
        self._there: Sequence[Wire] = ()

    async def come(self) -> float:
        """All log in; the node's processor time for each in milliseconds."""
        cpu_s = self._room.cpu_s()
        async with asyncio.timeout(GIVE_UP_S):
            self._there = await asyncio.gather(
                *(_comes(self._reader, self._room.game_port, token) for token in self._tokens)
            )
        return (self._room.cpu_s() - cpu_s) / len(self._tokens) * 1000

    async def dropped(self) -> tuple[float, float]:
        """All connections are cut at once; seconds until all are back, and as `come`."""
        await asyncio.sleep(QUIET_S)
        began_s = time.monotonic()
        for wire in self._there:
            wire.abort()
        node_ms = await self.come()
        return time.monotonic() - began_s, node_ms

    async def killed(self) -> tuple[float, float]:
        """The node is killed and started; as `dropped`, with the time of the start, without its processor time."""
        await asyncio.sleep(QUIET_S)
        began_s = time.monotonic()
        await asyncio.to_thread(self._room.kill)
        await asyncio.to_thread(self._room.start)
        node_ms = await self.come()
        return time.monotonic() - began_s, node_ms


async def _rounds(crowd: _Crowd) -> dict[str, list[tuple[float, float]]]:
    note(f"{CLIENTS} clients come for the first time")
    await crowd.come()
    found: dict[str, list[tuple[float, float]]] = {"dropped": [], "killed": []}
    for number in range(1, ROUNDS + 1):
        note(f"round {number} of {ROUNDS}")
        found["dropped"].append(await crowd.dropped())
        found["killed"].append(await crowd.killed())
    return found


def measure() -> dict[str, Any]:
    """Medians and ends of so many rounds of each kind."""
    with tempfile.TemporaryDirectory() as folder, running_room(Path(folder) / "data", ROOM) as room:
        services = running(room.data_dir)
        assert services is not None
        url = services.owner_database_url or services.database_url
        tokens = [token for _, token in open_accounts(url, CLIENTS, "back")]
        found = asyncio.run(_rounds(_Crowd(room, tokens)))
    return {
        "clients": CLIENTS,
        "goal_s": GOAL_S,
        **{kind: _summary(rounds) for kind, rounds in found.items()},
    }


def _summary(rounds: Sequence[tuple[float, float]]) -> dict[str, float]:
    seconds = sorted(seconds for seconds, _ in rounds)
    return {
        "back_s": round(median(seconds), 2),
        "back_s_min": round(seconds[0], 2),
        "back_s_max": round(seconds[-1], 2),
        "node_ms": round(median(cost for _, cost in rounds), 3),
    }


def tell(measured: dict[str, Any]) -> None:
    """Prints the table and what became of the goal."""
    print(f"\n{measured['clients']} clients that come back at once")
    for kind, what in (("dropped", "connections cut"), ("killed", "node killed and started")):
        found = measured[kind]
        row(f"{what}: all back, s", f"{found['back_s']} ({found['back_s_min']} to {found['back_s_max']})")
        row(f"{what}: node's processor time each, ms", found["node_ms"])
    reached = max(measured[kind]["back_s_max"] for kind in ("dropped", "killed")) <= GOAL_S
    row(f"all back within {GOAL_S:.0f} s", "yes" if reached else "NO")
