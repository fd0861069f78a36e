"""Attempts that are counted in Redis for all nodes. While it is away nothing is counted, and nothing waits."""

from __future__ import annotations

import hashlib
from contextlib import suppress

from pokerroom.coordination.api import GuessCount, GuessLimit, LogInAttempts


class CountedAttempts:
    """`LogInAttempts` of a store that may be away. A failure that it could not take back is forgotten by itself."""

    def __init__(self, store: LogInAttempts) -> None:
        self._store = store

    async def begin(self, key: str, limit: GuessLimit) -> GuessCount:
        """Count an attempt as a failure, unless it has to wait."""
        try:
            return await self._store.begin(key, limit)
        except (ConnectionError, TimeoutError):
            return GuessCount()

    async def clear(self, key: str) -> None:
        """Forget all failures."""
        with suppress(ConnectionError, TimeoutError):
            await self._store.clear(key)

    async def take_back(self, *keys: str) -> None:
        """Forget one failure of each key, and any wait."""
        with suppress(ConnectionError, TimeoutError):
            for key in keys:
                await self._store.take_back(key)


def store_key(*parts: str) -> str:
    """Return a key from which a reader of Redis learns no name and no address."""
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()
