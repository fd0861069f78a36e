"""The journal in memory, for the seeded simulation and fast tests; it keeps the contract of `api`."""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IReactorTime


class MemoryJournal:
    """Stores at the end of the reactor turn, as the real one does at the earliest."""

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._queue: list[Callable[[], None]] = []
        self._entries: dict[str, list[bytes]] = {}

    def append(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        """See `api.Journal`."""

        def store() -> None:
            self._entries.setdefault(table, []).append(entry)
            durable()

        self._put(store)

    def begin(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        """See `api.Journal`."""

        def store() -> None:
            self._entries[table] = [entry]
            durable()

        self._put(store)

    def forget(self, table: str) -> None:
        """See `api.Journal`."""

        def drop() -> None:
            self._entries.pop(table, None)

        self._put(drop)

    def entries(self, table: str) -> Deferred[list[bytes]]:
        """See `api.Journal`."""
        found: Deferred[list[bytes]] = Deferred()
        self._put(lambda: found.callback(list(self._entries.get(table, ()))))
        return found

    def unfinished(self) -> Deferred[dict[str, list[bytes]]]:
        """See `api.Journal`."""
        return succeed({table: list(entries) for table, entries in self._entries.items()})

    def healthy(self) -> bool:
        """See `api.Journal`."""
        return True

    def _put(self, work: Callable[[], None]) -> None:
        if not self._queue:
            self._clock.callLater(0, self._flush)
        self._queue.append(work)

    def _flush(self) -> None:
        queue, self._queue = self._queue, []
        for work in queue:
            work()
