"""Journal store, directory, bus, registrations and payouts in memory, for the simulation and fast tests.

They implement the contracts of `api`. Several nodes of one process share a `MemoryJournalStore`, dictionaries and a
`MemoryHub`, as real nodes share a Redis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from typing import TypeVar

from twisted.internet.defer import Deferred, execute, fail, succeed
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from pokerroom.coordination.api import GuessCount, GuessLimit, PayoutJob, Sealed, known
from pokerroom.coordination.batches import BEAT_S, IncomingBatches, OutgoingBatches
from pokerroom.coordination.registrations import RegistrationBook

T = TypeVar("T")


class MemoryJournalStore:
    """The entries and the epoch of each journal. Calls take effect at once."""

    def __init__(self) -> None:
        self._epochs: dict[str, int] = {}
        self._entries: dict[str, list[bytes]] = {}

    def take(self, table: str, epoch: int) -> list[bytes]:
        """See `api.Journal.take`. Raises `Sealed`."""
        if self._epochs.get(table, 0) > epoch:
            raise Sealed(table)
        self._epochs[table] = epoch
        return self.entries(table)

    def append(self, table: str, epoch: int, entry: bytes) -> None:
        """Adds an entry. Raises `Sealed` unless `epoch` is that of the last owner."""
        self.check(table, epoch)
        self._entries.setdefault(table, []).append(entry)

    def begin(self, table: str, epoch: int, entry: bytes) -> None:
        """Replaces all entries by this one. Raises `Sealed` as `append` does."""
        self.check(table, epoch)
        self._entries[table] = [entry]

    def forget(self, table: str, epoch: int) -> None:
        """Removes all entries. Raises `Sealed` as `append` does."""
        self.check(table, epoch)
        self._entries.pop(table, None)

    def check(self, table: str, epoch: int) -> None:
        """Raises `Sealed` unless `epoch` is that of the last owner."""
        if self._epochs.get(table) != epoch:
            raise Sealed(table)

    def entries(self, table: str) -> list[bytes]:
        """The entries of a table, oldest first."""
        return list(self._entries.get(table, ()))

    def tables(self, but: Container[str] = ()) -> list[str]:
        """The tables with entries, in order, without those of `but`."""
        return sorted(table for table in self._entries if table not in but)

    def lose(self) -> None:
        """Acts like a Redis that restarts without its data: all owners must take their tables again."""
        self._epochs.clear()
        self._entries.clear()


class MemoryDirectory:
    """See `api.Directory`. Nodes share `said`. While `away` is true, this node does not reach it."""

    def __init__(self, said: dict[str, bytes]) -> None:
        self._said = said
        self.away = False

    def tell(self, node: str, said: bytes) -> Deferred[Mapping[str, bytes]]:
        if not self.away:
            self._said[node] = said
        return self.read()

    def read(self) -> Deferred[Mapping[str, bytes]]:
        return fail(ConnectionError("away")) if self.away else succeed(dict(self._said))

    def forget(self, node: str) -> Deferred[None]:
        if self.away:
            return fail(ConnectionError("away"))
        self._said.pop(node, None)
        return succeed(None)


class MemoryHub:
    """Connects the buses of one process. A message is delivered in the next reactor turn."""

    def __init__(self, clock: IReactorTime) -> None:
        self.clock = clock
        self.losing: Callable[[str, str], bool] = lambda *_: False
        """Decides by (sender, receiver) whether a batch is lost."""
        self._buses: dict[str, MemoryBus] = {}

    def join(self, node: str, bus: MemoryBus) -> None:
        """Subscribes a node."""
        self._buses[node] = bus

    def leave(self, node: str) -> None:
        """Unsubscribes a node. Batches in flight are lost."""
        self._buses.pop(node, None)

    def publish(self, sender: str, receiver: str | None, batch: bytes) -> None:
        """Sends a batch to one node, or to all."""
        for node in self._buses if receiver is None else (receiver,):
            if not self.losing(sender, node):
                self.clock.callLater(0, self._deliver, node, batch)

    def cut(self, node: str) -> None:
        """Breaks the connection of a node for one turn. Batches in flight are lost."""
        bus = self._buses.pop(node)

        self.clock.callLater(0, bus.reconnected)

    def _deliver(self, node: str, batch: bytes) -> None:
        bus = self._buses.get(node)
        if bus is not None:
            bus.receive(batch)


class MemoryBus:
    """See `api.Bus`; over a `MemoryHub`."""

    def __init__(
        self,
        hub: MemoryHub,
        *,
        node: str,
        heard: Callable[[str, bytes], None],
        lost: Callable[[str], None],
        cut: Callable[[], None],
    ) -> None:
        self._hub = hub
        self._node = node
        self._cut = cut
        self._outgoing = OutgoingBatches(node)
        self._incoming = IncomingBatches(node, heard, lost)
        self._running = False
        self._flushing = False
        self._next_beat: IDelayedCall | None = None
        self.receive = self._incoming.receive

    def send(self, node: str, message: bytes) -> None:
        self._put(node, message)

    def send_all(self, message: bytes) -> None:
        self._put(None, message)

    def start(self) -> Deferred[None]:
        self._running = True
        self._hub.join(self._node, self)
        self._next_beat = self._hub.clock.callLater(BEAT_S, self._beat)
        return succeed(None)

    def stop(self) -> Deferred[None]:
        self._running = False
        if self._next_beat is not None:
            self._next_beat.cancel()
            self._next_beat = None
        self._hub.leave(self._node)
        return succeed(None)

    def reconnected(self) -> None:
        """Subscribes again after `MemoryHub.cut`."""
        if self._running:
            self._hub.join(self._node, self)
            self._incoming.cut()
            self._cut()

    def _put(self, node: str | None, message: bytes) -> None:
        if not self._running:
            return
        self._outgoing.put(node, message)
        if not self._flushing:
            self._flushing = True
            self._hub.clock.callLater(0, self._flush)

    def _flush(self) -> None:
        self._flushing = False
        if self._running:
            self._publish(self._outgoing.batches())

    def _beat(self) -> None:
        self._next_beat = self._hub.clock.callLater(BEAT_S, self._beat)
        self._publish(self._outgoing.batches() + self._outgoing.beats())

    def _publish(self, batches: list[tuple[str | None, bytes]]) -> None:
        for node, batch in batches:
            self._hub.publish(self._node, node, batch)


class MemoryRegistrations:
    """See `api.Registrations`. Nodes share `books`, and `permits`, which are never forgotten.

    While `away` is true, this node does not reach them.
    """

    def __init__(
        self,
        books: dict[str, RegistrationBook],
        permits: dict[tuple[str, str], dict[int, int]] | None = None,
    ) -> None:
        self._books = books
        self._permits = {} if permits is None else permits
        self.away = False

    def change(
        self, offer: str, decide: Callable[[RegistrationBook], tuple[RegistrationBook, T]]
    ) -> Deferred[T]:
        return self.make(offer, partial(known, decide))

    def make(
        self, offer: str, decide: Callable[[RegistrationBook | None], tuple[RegistrationBook, T]]
    ) -> Deferred[T]:
        return fail(ConnectionError("away")) if self.away else execute(self._make, offer, decide)

    def read(self, offer: str) -> Deferred[RegistrationBook | None]:
        return fail(ConnectionError("away")) if self.away else succeed(self._books.get(offer))

    def take_permit(
        self,
        tournament: str,
        address: str,
        account: int,
        *,
        permits: int,
        now_ms: int,
        kept_s: int,  # noqa: ARG002 -- nothing here lives so long
    ) -> Deferred[Mapping[int, int]]:
        if self.away:
            return fail(ConnectionError("away"))
        taken = self._permits.setdefault((tournament, address), {})
        if account in taken or len(taken) < permits:
            taken[account] = now_ms
        return succeed(dict(taken))

    def free_permits(self, tournament: str, address: str, taken: Mapping[int, int]) -> Deferred[None]:
        if self.away:
            return fail(ConnectionError("away"))
        found = self._permits.get((tournament, address), {})
        for account, at_ms in taken.items():
            if found.get(account) == at_ms:
                del found[account]
        return succeed(None)

    def _make(self, offer: str, decide: Callable[[RegistrationBook | None], tuple[RegistrationBook, T]]) -> T:
        self._books[offer], answer = decide(self._books.get(offer))
        return answer


class MemoryLogInAttempts:
    """See `api.LogInAttempts`. Nodes share `failures`: by key their number, when the next may begin, and the last."""

    def __init__(self, failures: dict[str, tuple[int, float, float]], clock: IReactorTime) -> None:
        self._failures = failures
        self._clock = clock
        self.away = False

    def begin(self, key: str, limit: GuessLimit) -> Deferred[GuessCount]:
        return fail(ConnectionError("away")) if self.away else execute(self._begin, key, limit)

    def clear(self, key: str) -> Deferred[None]:
        return fail(ConnectionError("away")) if self.away else execute(self._clear, key)

    def take_back(self, key: str) -> Deferred[None]:
        return fail(ConnectionError("away")) if self.away else execute(self._take_back, key)

    def _begin(self, key: str, limit: GuessLimit) -> GuessCount:
        now = self._clock.seconds()
        failures, until, forgotten = self._failures.get(key, (0, 0.0, 0.0))
        if now >= forgotten:
            failures, until = 0, 0.0
        if now < until:
            return GuessCount(wait_ms=math.ceil((until - now) * 1000))
        failures += 1
        self._failures[key] = (failures, now + limit.wait_ms(failures) / 1000, now + limit.kept_s)
        return GuessCount(failures=failures)

    def _clear(self, key: str) -> None:
        self._failures.pop(key, None)

    def _take_back(self, key: str) -> None:
        if key in self._failures:
            failures, _, forgotten = self._failures[key]
            self._failures[key] = (max(failures - 1, 0), 0.0, forgotten)


class MemoryPayoutStore:
    """The jobs in order, and the end of the time limit of each taken job."""

    def __init__(self) -> None:
        self.jobs: dict[int, PayoutJob] = {}
        self.taken: dict[int, float] = {}
        self._last = 0

    def add(self, tournament: str, number: int) -> None:
        """Adds a job."""
        self._last += 1
        self.jobs[self._last] = PayoutJob(entry=b"%d" % self._last, tournament=tournament, number=number)

    def lose(self) -> None:
        """Acts like a Redis that restarts without its data."""
        self.jobs.clear()
        self.taken.clear()


class MemoryPayouts:
    """See `api.PayoutStream`. Nodes share `store`. While `away` is true, this node does not reach it."""

    def __init__(self, store: MemoryPayoutStore, clock: IReactorTime, *, stale_ms: int = 5_000) -> None:
        self._store = store
        self._clock = clock
        self._stale_s = stale_ms / 1000
        self.away = False

    def publish(self, tournament: str, numbers: Sequence[int]) -> Deferred[None]:
        return fail(ConnectionError("away")) if self.away else execute(self._publish, tournament, numbers)

    def take(self, node: str) -> Deferred[list[PayoutJob]]:  # noqa: ARG002 -- any node gets free jobs
        return fail(ConnectionError("away")) if self.away else execute(self._take)

    def done(self, jobs: Sequence[PayoutJob]) -> Deferred[None]:
        return fail(ConnectionError("away")) if self.away else execute(self._done, jobs)

    def _publish(self, tournament: str, numbers: Sequence[int]) -> None:
        for number in numbers:
            self._store.add(tournament, number)

    def _take(self) -> list[PayoutJob]:
        now, taken = self._clock.seconds(), self._store.taken
        free = [n for n in self._store.jobs if taken.get(n, now) <= now]
        taken.update(dict.fromkeys(free, now + self._stale_s))
        return [self._store.jobs[n] for n in free]

    def _done(self, jobs: Sequence[PayoutJob]) -> None:
        for job in jobs:
            self._store.jobs.pop(int(job.entry), None)
            self._store.taken.pop(int(job.entry), None)
