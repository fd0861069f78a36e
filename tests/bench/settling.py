"""A room that does nothing but settle hands: one process of `settle`, with the sources that its path names.

`python settling.py DATABASE_URL OWNER_URL HANDS` makes the tables of an empty database, seats the players and says
`ready`. For each line `BATCHES SIZE` it settles so many batches of so many hands, then writes checkpoints of them, and
prints what that cost as JSON. It imports only what earlier revisions have, too.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

from pokerroom.adapters import opened_ledger
from pokerroom.chips import Money
from pokerroom.ledger.api import HandSettlement
from pokerroom.ledger.postgres.ledger import PostgresLedger

TABLES = 10
SEATS = 9
STACK = 10**9  # never lost in a run
KEY = bytes(range(32))
CREATED_MS = 1_700_000_000_000


class Settling:
    """Tables with players, and what their hands cost."""

    def __init__(self, ledger: PostgresLedger, watcher: psycopg.Connection[Any], hands: list[Any]) -> None:
        self._ledger = ledger
        self._watcher = watcher
        self._hands = hands
        self._loop = asyncio.get_running_loop()
        self._numbers = count()
        self._players: list[list[int]] = []
        self._epochs: list[int] = []

    async def sit_down(self) -> None:
        """Opens the tables and seats all players."""
        for table in range(TABLES):
            epoch = await self._ledger.take_table(f"T{table}", "node", 0).asFuture(self._loop)
            assert epoch is not None
            self._epochs.append(epoch)
            self._players.append([await self._seated(table, epoch, seat) for seat in range(SEATS)])

    async def _seated(self, table: int, epoch: int, seat: int) -> int:
        name = f"player{table}x{seat}"
        row = await self._ledger.create_account(name, "-", Money(STACK)).asFuture(self._loop)
        key = f"buyin:{row.account:032x}"
        await self._ledger.buy_in(key, f"T{table}", epoch, seat, row.account, Money(STACK), 9).asFuture(
            self._loop
        )
        return row.account

    async def settle(self, batches: int, size: int) -> None:
        """Settles batches of hands, each at another table."""
        for _ in range(batches):
            await self._ledger.settle([self._next(n) for n in range(size)]).asFuture(self._loop)

    def _next(self, table: int) -> HandSettlement:
        number = next(self._numbers)
        record, deltas, rake = self._hands[number % len(self._hands)]
        return HandSettlement(
            hand_id=f"T{table}-{number}",
            table=f"T{table}",
            epoch=self._epochs[table],
            started_ms=CREATED_MS + 1000 * number,
            ended_ms=CREATED_MS + 1000 * number + 900,
            deltas=tuple(zip(self._players[table], deltas, strict=False)),
            record=record.encode(),
            rake=rake,
        )

    async def checkpoints(self) -> None:
        """Links and signs all of it; an early revision does not."""
        try:
            from pokerroom.ledger.checkpoints import BATCH, CheckpointKey
        except ImportError:
            return
        while made := await self._ledger.write_checkpoint(CheckpointKey(KEY), open_s=0).asFuture(self._loop):
            if made.links < BATCH:
                return

    async def cost(self, work: Callable[[], Awaitable[None]]) -> dict[str, float]:
        """Microseconds of processor time, of this process and of PostgreSQL."""
        own, backends = time.process_time(), backends_us(self._watcher)
        await work()
        return {
            "room_us": (time.process_time() - own) * 1e6,
            "postgres_us": backends_us(self._watcher) - backends,
        }


def backends_us(watcher: psycopg.Connection[Any]) -> float:
    """Microseconds of processor time that the other connections' backends have used."""
    rows = watcher.execute(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        " AND backend_type = 'client backend'"
    ).fetchall()
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for (pid,) in rows) / 1e3


async def main(url: str, owner_url: str, hands: list[Any]) -> None:
    """Serves until the end of standard input."""
    async with opened_ledger(url, owner_url) as ledger:
        with psycopg.connect(owner_url, autocommit=True) as watcher:
            settling = Settling(ledger, watcher, hands)
            await settling.sit_down()
            await settling.checkpoints()
            print("ready", flush=True)
            for line in sys.stdin:
                batches, size = map(int, line.split())
                settled = await settling.cost(partial(settling.settle, batches, size))
                signed = await settling.cost(settling.checkpoints)
                print(json.dumps({"settling": settled, "checkpoints": signed}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3], json.loads(Path(sys.argv[3]).read_text())))
