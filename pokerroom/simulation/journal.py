"""The journal of a simulated process: a memory journal that outlives it, behind a way that takes time and can fail.

What a process has appended and the store does not have yet dies with it. One flush is on its way at a time; a flush
that fails is made again whole, so that what was stored before the failure is stored twice. Knows nothing of entries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from twisted.internet.defer import Deferred

from pokerroom.coordination.api import Journal
from pokerroom.simulation.clock import ProcessClock
from pokerroom.simulation.faults import Dice, Fault, InjectedFault
from pokerroom.simulation.streams import Stream

_RETRY_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Command:
    """One of the journal's operations, and who hears that it is stored."""

    table: str
    apply: Callable[[], None]
    durable: Callable[[], None]


def _nobody() -> None:
    """Hears nothing."""


class FaultyJournal:
    """See `coordination.api.Journal`. `outage(until_s)` hears of one, `struck(table)` of an injected exception."""

    def __init__(
        self,
        store: Journal,
        clock: ProcessClock,
        dice: Dice,
        stream: Stream,
        *,
        outage: Callable[[float], None],
        struck: Callable[[str], None],
        crash: Callable[[], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._dice = dice
        self._stream = stream
        self._outage = outage
        self._struck = struck
        self._crash = crash
        self._queue: list[_Command] = []
        self._in_flight = False
        self._failures = 0
        self._away_until_s = 0.0

    def append(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        """See `api.Journal`."""
        self._fault(table)
        self._put(table, partial(self._store.append, table, entry, _nobody), durable)

    def begin(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        """See `api.Journal`."""
        self._fault(table)
        self._put(table, partial(self._store.begin, table, entry, _nobody), durable)

    def forget(self, table: str) -> None:
        """See `api.Journal`."""
        self._put(table, partial(self._store.forget, table), _nobody)

    def entries(self, table: str) -> Deferred[list[bytes]]:
        """See `api.Journal`."""
        found: Deferred[list[bytes]] = Deferred()

        def read() -> None:
            self._store.entries(table).addCallback(self._read, found)

        self._put(table, read, _nobody)
        return found

    def _read(self, entries: list[bytes], found: Deferred[list[bytes]]) -> None:
        if self._clock.alive and not found.called:  # a flush that was made twice has read twice
            found.callback(entries)

    def unfinished(self) -> Deferred[dict[str, list[bytes]]]:
        """See `api.Journal`."""
        return self._store.unfinished()

    def healthy(self) -> bool:
        """See `api.Journal`."""
        return self._failures == 0

    # --- inside -----------------------------------------------------------------------------------------------

    def _fault(self, table: str) -> None:
        if self._dice.strikes(Fault.ACTOR, 2500):
            self._struck(table)
            raise InjectedFault("journal")

    def _put(self, table: str, apply: Callable[[], None], durable: Callable[[], None]) -> None:
        if not self._queue and not self._in_flight:
            self._clock.callLater(0, self._flush)
        self._queue.append(_Command(table=table, apply=apply, durable=durable))

    def _flush(self) -> None:
        if self._in_flight or not self._queue:
            return
        self._in_flight = True
        batch, self._queue = self._queue, []
        self._clock.callLater(self._stream.uniform(0.0002, 0.004), self._write, batch)

    def _write(self, batch: list[_Command]) -> None:
        now = self._clock.seconds()
        if now >= self._away_until_s and self._dice.strikes(Fault.JOURNAL, 150):
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
                self._failures = 0
                self._clock.callLater(self._stream.uniform(0.0002, 0.004), self._stored, batch)

    def _failed(self, batch: list[_Command], until_s: float) -> None:
        self._failures += 1
        self._outage(until_s + 2 * _RETRY_S)
        if self._clock.alive:
            self._clock.callLater(_RETRY_S, self._write, batch)

    def _apply(self, batch: list[_Command]) -> None:
        for command in batch:
            if self._dice.strikes(Fault.CRASH, 4000):  # in the middle: a part of the flush is stored
                self._crash()
                return
            command.apply()

    def _stored(self, batch: list[_Command]) -> None:
        self._in_flight = False
        if self._queue:
            self._clock.callLater(0, self._flush)
        for command in batch:
            if self._clock.alive:
                command.durable()
