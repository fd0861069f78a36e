"""The journal in memory, for the seeded simulation and fast tests; it keeps the contract of `api`."""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IReactorTime


class MemoryJournal:
    """Stores at the end of the reactor turn, as the real one does at the earliest."""

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._queue: list[tuple[str, bytes | None, Callable[[], None] | None]] = []
        self._entries: dict[str, list[bytes]] = {}

    def append(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        """See `api.Journal`."""
        self._put(table, entry, durable)

    def forget(self, table: str) -> None:
        """See `api.Journal`."""
        self._put(table, None, None)

    def unfinished(self) -> Deferred[dict[str, list[bytes]]]:
        """See `api.Journal`."""
        return succeed({table: list(entries) for table, entries in self._entries.items()})

    def healthy(self) -> bool:
        """See `api.Journal`."""
        return True

    def _put(self, table: str, entry: bytes | None, durable: Callable[[], None] | None) -> None:
        if not self._queue:
            self._clock.callLater(0, self._flush)
        self._queue.append((table, entry, durable))

    def _flush(self) -> None:
        queue, self._queue = self._queue, []
        for table, entry, durable in queue:
            if entry is None:
                self._entries.pop(table, None)
            else:
                self._entries.setdefault(table, []).append(entry)
            if durable is not None:
                durable()
