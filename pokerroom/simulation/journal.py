"""The journal of a simulated process: a store that outlives it, behind a way that takes time and can fail.

What a process has appended and the store does not have yet dies with it. One flush is on its way at a time; a flush
that fails is made again, and what it had stored before is not stored again. Knows nothing of entries.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from twisted.internet.defer import Deferred, succeed

from pokerroom.coordination.api import Sealed
from pokerroom.coordination.memory import MemoryJournalStore
from pokerroom.simulation.clock import ProcessClock
from pokerroom.simulation.faults import Dice, Fault, InjectedFault
from pokerroom.simulation.streams import Stream

_RETRY_S = 0.2

T = TypeVar("T")


def _nobody() -> None:
    """Hears nothing."""


@dataclass(slots=True, kw_only=True)
class _Command:
    """One of the journal's operations, and what is called when it is stored, or that the table is another owner's."""

    table: str
    apply: Callable[[], None]
    durable: Callable[[], None]
    refused: Callable[[], None] = _nobody
    applied: bool = False


class FaultyJournal:
    """See `coordination.api.Journal`. `outage(until_s)` hears of one, `struck(table)` of an injected exception."""

    def __init__(
        self,
        store: MemoryJournalStore,
        clock: ProcessClock,
        dice: Dice,
        stream: Stream,
        *,
        sealed: Callable[[str], None],
        outage: Callable[[float], None],
        struck: Callable[[str], None],
        crash: Callable[[], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._dice = dice
        self._stream = stream
        self._sealed = sealed
        self._outage = outage
        self._struck = struck
        self._crash = crash
        self._epochs: dict[str, int] = {}
        self._lost: set[str] = set()
        self._queue: list[_Command] = []
        self._in_flight = False
        self._away_until_s = 0.0

    def take(self, table: str, epoch: int) -> Deferred[list[bytes]]:
        self._epochs.pop(table, None)

        def taken(entries: list[bytes]) -> list[bytes]:
            self._epochs[table] = epoch
            self._lost.discard(table)
            return entries

        return self._asked(table, partial(self._store.take, table, epoch)).addCallback(taken)

    def append(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        self._fault(table)
        self._put(table, partial(self._store.append, table, self._epochs[table], entry), durable)

    def begin(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        self._fault(table)
        self._put(table, partial(self._store.begin, table, self._epochs[table], entry), durable)

    def forget(self, table: str) -> None:
        self._put(table, partial(self._store.forget, table, self._epochs[table]), _nobody)

    def entries(self, table: str) -> Deferred[list[bytes]]:
        epoch = self._epochs[table]

        def read() -> list[bytes]:
            self._store.check(table, epoch)
            return self._store.entries(table)

        return self._asked(table, read)

    def release(self, table: str) -> Deferred[None]:
        epoch = self._epochs[table]

        def released(result: T) -> T:
            if self._epochs.get(table) == epoch:
                del self._epochs[table]
            return result

        return self._asked(table, partial(self._store.check, table, epoch)).addBoth(released)

    def tables(self, but: Container[str] = ()) -> Deferred[list[str]]:
        return succeed(self._store.tables(but))

    def peek(self, table: str) -> Deferred[list[bytes]]:
        return succeed(self._store.entries(table))

    # --- inside -----------------------------------------------------------------------------------------------

    def _fault(self, table: str) -> None:
        if self._dice.strikes_room(Fault.ACTOR, 2500):
            self._struck(table)
            raise InjectedFault("journal")

    def _asked(self, table: str, ask: Callable[[], T]) -> Deferred[T]:
        """What the store answers, in its turn; fails with `Sealed`."""
        answered: Deferred[T] = Deferred()
        answers: list[T] = []
        self._put(
            table,
            lambda: answers.append(ask()),
            lambda: answered.callback(answers[0]),
            lambda: answered.errback(Sealed(table)),
        )
        return answered

    def _put(
        self,
        table: str,
        apply: Callable[[], None],
        durable: Callable[[], None],
        refused: Callable[[], None] = _nobody,
    ) -> None:
        if not self._queue and not self._in_flight:
            self._clock.callLater(0, self._flush)
        self._queue.append(_Command(table=table, apply=apply, durable=durable, refused=refused))

    def _flush(self) -> None:
        if self._in_flight or not self._queue:
            return
        self._in_flight = True
        batch, self._queue = self._queue, []
        self._clock.callLater(self._stream.uniform(0.0002, 0.004), self._write, batch)

    def _write(self, batch: list[_Command]) -> None:
        now = self._clock.seconds()
        if now >= self._away_until_s and self._dice.strikes_room(Fault.JOURNAL, 150):
            form = self._dice.one_of(Fault.JOURNAL, "refused", "unknown", "away")
            if form == "away":
                self._away_until_s = now + self._dice.number(Fault.JOURNAL, 0.2, 15.0)
            if form == "unknown":
                self._apply(batch)
            self._failed(batch, max(now, self._away_until_s))
        elif now < self._away_until_s:
            self._failed(batch, self._away_until_s)
        else:
            self._apply(batch)
            if self._clock.alive:
                self._clock.callLater(self._stream.uniform(0.0002, 0.004), self._stored, batch)

    def _failed(self, batch: list[_Command], until_s: float) -> None:
        self._outage(until_s + 2 * _RETRY_S)
        if self._clock.alive:
            self._clock.callLater(_RETRY_S, self._write, batch)

    def _apply(self, batch: list[_Command]) -> None:
        for command in batch:
            if self._dice.strikes_room(Fault.CRASH, 4000):  # in the middle: a part of the flush is stored
                self._crash()
                return
            if not command.applied:
                command.applied = True
                try:
                    command.apply()
                except Sealed:
                    self._lose(command)

    def _lose(self, command: _Command) -> None:
        """The table is not this process's: what it wanted with it is never called durable."""
        command.durable = command.refused
        if command.table in self._epochs and command.table not in self._lost:
            self._lost.add(command.table)
            self._clock.callLater(0, self._sealed, command.table)

    def _stored(self, batch: list[_Command]) -> None:
        self._in_flight = False
        if self._queue:
            self._clock.callLater(0, self._flush)
        for command in batch:
            if self._clock.alive:
                command.durable()
