"""The claim of one room to one database, until a room may have several nodes.

Two rooms on one database could not make or lose chips, the constraints see to that; but each would seat
players the other does not know. The claim is a session-level advisory lock on a connection of its own.
PostgreSQL drops it when that connection is lost: the claim watches its connection and takes the lock again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection

ROOM_LOCK: Final = 0x706F_6B65_7201
"""The advisory lock of the one room ("poker" in ASCII, 1)."""

PREDECESSOR_MS: Final = 2000
"""How long a new claim waits for the server to notice that a killed room is gone."""

RETAKE_DELAY_S: Final = 0.5


class RoomClaim:
    """Held from `take()` until `release()`. `on_lost` is called once if another room got in between."""

    def __init__(self, parameters: Mapping[str, Any], on_lost: Callable[[], None]) -> None:
        self._parameters = parameters
        self._on_lost = on_lost
        self._connection: AsyncConnection[Any] | None = None
        self._watch: asyncio.Task[None] | None = None

    async def take(self) -> bool:
        """Whether this process has the claim now. Raises psycopg.OperationalError."""
        if self._watch is not None and not self._watch.done():
            return True
        if not await self._lock():
            return False
        self._watch = asyncio.create_task(self._keep())
        return True

    async def release(self) -> None:
        """Gives the claim back; without one it does nothing."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
            self._watch = None
        await self._drop()

    async def _lock(self) -> bool:
        connection = await AsyncConnection.connect(**self._parameters)
        self._connection = connection
        try:
            await connection.execute("SELECT set_config('lock_timeout', %s, false)", (str(PREDECESSOR_MS),))
            await connection.execute("SELECT pg_advisory_lock(%s)", (ROOM_LOCK,))
        except psycopg.errors.LockNotAvailable:
            await self._drop()
            return False
        except BaseException:
            await self._drop()
            raise
        return True

    async def _keep(self) -> None:
        while True:
            await self._until_lost()
            try:
                if not await self._lock():
                    self._on_lost()
                    return
            except psycopg.OperationalError:
                await asyncio.sleep(RETAKE_DELAY_S)

    async def _until_lost(self) -> None:
        if self._connection is None:
            return
        try:
            async for _ in self._connection.notifies():
                pass  # nobody notifies; the wait ends with the connection
        except psycopg.OperationalError:
            await self._drop()

    async def _drop(self) -> None:
        if self._connection is not None:
            await self._connection.close()
            self._connection = None
