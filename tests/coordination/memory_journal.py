"""A journal in memory: what the Redis journal does for tables, without a server."""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import partial

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IReactorTime

from pokerroom.coordination.api import Sealed
from pokerroom.coordination.memory import MemoryJournalStore


class MemoryJournal:
    """See `api.Journal`. It stores in the next reactor turn, the earliest time at which Redis does."""

    def __init__(
        self, store: MemoryJournalStore, clock: IReactorTime, *, sealed: Callable[[str], None]
    ) -> None:
        self._store = store
        self._clock = clock
        self._sealed = sealed
        self._queue: list[Callable[[], None]] = []
        self._epochs: dict[str, int] = {}
        self._lost: set[str] = set()

    def take(self, table: str, epoch: int) -> Deferred[list[bytes]]:
        taken: Deferred[list[bytes]] = Deferred()
        self._epochs.pop(table, None)

        def take() -> None:
            try:
                entries = self._store.take(table, epoch)
            except Sealed as sealed:
                taken.errback(sealed)
                return
            self._epochs[table] = epoch
            self._lost.discard(table)
            taken.callback(entries)

        self._put(take)
        return taken

    def append(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        epoch = self._epochs[table]
        self._put(partial(self._store_it, table, partial(self._store.append, table, epoch, entry), durable))

    def begin(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        epoch = self._epochs[table]
        self._put(partial(self._store_it, table, partial(self._store.begin, table, epoch, entry), durable))

    def forget(self, table: str) -> None:
        epoch = self._epochs[table]
        self._put(partial(self._store_it, table, partial(self._store.forget, table, epoch), lambda: None))

    def entries(self, table: str) -> Deferred[list[bytes]]:
        return self._flushed(table).addCallback(lambda _: self._store.entries(table))

    def release(self, table: str) -> Deferred[None]:
        """See `api.Journal`. Fails with `Sealed` if the table was lost before."""
        epoch = self._epochs[table]

        def released(result: object) -> object:
            if self._epochs.get(table) == epoch:
                del self._epochs[table]
            return result

        return self._flushed(table).addBoth(released)

    def tables(self, but: Container[str] = ()) -> Deferred[list[str]]:
        return succeed(self._store.tables(but))

    def peek(self, table: str) -> Deferred[list[bytes]]:
        return succeed(self._store.entries(table))

    def _flushed(self, table: str) -> Deferred[None]:
        done: Deferred[None] = Deferred()

        def answer() -> None:
            if table in self._lost:
                done.errback(Sealed(table))
            else:
                done.callback(None)

        self._put(answer)
        return done

    def _store_it(self, table: str, store: Callable[[], None], durable: Callable[[], None]) -> None:
        if table in self._lost:
            return
        try:
            store()
        except Sealed:
            self._lost.add(table)
            self._clock.callLater(0, self._sealed, table)
            return
        durable()

    def _put(self, work: Callable[[], None]) -> None:
        if not self._queue:
            self._clock.callLater(0, self._flush)
        self._queue.append(work)

    def _flush(self) -> None:
        queue, self._queue = self._queue, []
        for work in queue:
            work()
