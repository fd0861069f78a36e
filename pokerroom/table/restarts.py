"""Restarts after faults: a table that crashed is rebuilt from its journal and the ledger.

A restart waits until journal and ledger have answered all requests in flight, so that both are complete. After
`RESTARTS_MAX` restarts within `WINDOW_S` seconds the table stays frozen: a person must find the repeated fault, and
resume the table. The operator's own freeze is held in the same way. This module knows when and how often to restart;
the game knows what a table is made of.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from enum import Enum, auto
from typing import Any, Final

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.python.failure import Failure

from pokerroom.table.context import TableContext
from pokerroom.table.game_parts import GameRecovery
from pokerroom.table.journal_writer import JournalWriter
from pokerroom.table.ledger_requests import LedgerRequests
from pokerroom.table.mailbox import Mailbox

RESTARTS_MAX = 3
WINDOW_S = 600
DELAY_S = 1


class RestartPhase(Enum):
    """The phase of a table between a fault and its restart."""

    RUNNING = auto()
    RESTING = auto()
    """A timer runs; requests in flight may be answered."""
    WAITING = auto()
    """Due, as soon as nothing is in flight."""
    READING = auto()
    """The journal and the ledger are asked; a fault meanwhile voids their answers."""
    HELD = auto()
    """Frozen until the operator resumes it: by the operator's order, or after too many faults."""
    OVER = auto()
    """The room shuts down."""


# Reading an enum's member takes several times as long as reading a name.
_WAITING: Final = RestartPhase.WAITING


class TableRestarts:
    """The faults of one table, and the restarts after them.

    `restart` makes a new game of what `standing` has found, in place of one with a state that may be wrong.
    """

    def __init__(
        self,
        name: str,
        mailbox: Mailbox,
        context: TableContext,
        writer: JournalWriter,
        requests: LedgerRequests,
        *,
        recovery: Callable[[], GameRecovery],
        restart: Callable[[Any], None],
    ) -> None:
        self._mailbox = mailbox
        self._context = context
        self._writer = writer
        self._requests = requests
        self._recovery = recovery
        self._restart = restart
        self._log = structlog.get_logger().bind(table=name)
        self._phase = RestartPhase.RUNNING
        self._timer: IDelayedCall | None = None
        """Set only in `RESTING`."""
        self._reading: object = None
        """Identifies the present reading; set only in `READING`."""
        self._crashes: deque[float] = deque()
        self._afterwards: list[Callable[[], Any]] = []
        self._when_quiet: list[Callable[[], None]] = []
        self.count = 0
        """Faults since the room started, for the operator."""

    @property
    def for_good(self) -> bool:
        """Whether the table stays frozen after faults."""
        return len(self._crashes) > RESTARTS_MAX

    @property
    def pending(self) -> bool:
        """Whether the table is frozen and is to restart."""
        return self._phase in {RestartPhase.RESTING, RestartPhase.WAITING, RestartPhase.READING}

    def crashed(self) -> None:
        """Note a fault. The table restarts soon, unless it has restarted too often."""
        now = self._context.clock.seconds()
        self.count += 1
        self._context.observer.crash()
        if self._phase in {RestartPhase.HELD, RestartPhase.OVER}:
            self.consider()  # as below
            return
        while self._crashes and self._crashes[0] < now - WINDOW_S:
            self._crashes.popleft()
        self._crashes.append(now)
        if self.for_good:
            self.hold()
            self._log.critical("table.stays_frozen", crashes=len(self._crashes), within_s=WINDOW_S)
        elif self._phase in {RestartPhase.RUNNING, RestartPhase.READING}:
            self._rest()
        else:
            self.consider()  # the awaited answer may be what has failed

    def afterwards(self, then: Callable[[], Any]) -> None:
        """Call `then` once the table goes on; at once if it runs, or if no restart is expected."""
        if self._phase in {RestartPhase.RUNNING, RestartPhase.HELD, RestartPhase.OVER}:
            then()
        else:
            self._afterwards.append(then)

    def consider(self) -> None:
        """Go on if a restart, or another callback, has waited for this answer of the journal or the ledger."""
        if self._writer.in_flight or self._requests.waits():
            return
        waiting, self._when_quiet = self._when_quiet, []
        for then in waiting:
            then()
        if self._phase is not _WAITING or self._requests.waits():
            return
        self._phase = RestartPhase.READING
        self._reading = reading = object()
        Deferred.fromCoroutine(self._read(reading)).addErrback(self._not_read, reading)

    def when_quiet(self, then: Callable[[], None]) -> None:
        """Call `then` once journal and ledger have answered all in flight, ahead of a restart that waits for it."""
        self._when_quiet.append(then)
        self.consider()

    @property
    def held(self) -> bool:
        """Whether the table is frozen until the operator resumes it."""
        return self._phase is RestartPhase.HELD

    @property
    def over(self) -> bool:
        """Whether the room shuts down."""
        return self._phase is RestartPhase.OVER

    def hold(self) -> None:
        """Hold the table: no restart until `resume`."""
        if self._phase is not RestartPhase.OVER:
            self._end(RestartPhase.HELD)

    def resume(self) -> None:
        """Let a held table go on: restart it without counting a fault."""
        assert self.held
        self._crashes.clear()
        self._phase = RestartPhase.WAITING
        self.consider()

    def stop(self) -> None:
        """Restart no more."""
        self._end(RestartPhase.OVER)

    def _end(self, phase: RestartPhase) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._phase, self._timer, self._reading = phase, None, None
        self._run_afterwards()

    def _rest(self) -> None:
        self._phase, self._reading = RestartPhase.RESTING, None
        self._timer = self._context.clock.callLater(DELAY_S, self._mailbox.post, self._rested)

    def _rested(self) -> None:
        if self._phase is RestartPhase.RESTING:
            self._phase, self._timer = RestartPhase.WAITING, None
            self.consider()

    async def _read(self, reading: object) -> None:
        self._mailbox.post(self._begin, reading, await self._recovery().standing())

    def _begin(self, reading: object, found: Any) -> None:
        if self._reading is not reading:
            return
        self._phase, self._reading = RestartPhase.RUNNING, None
        self._restart(found)
        self._log.warning("table.restarted", crashes=len(self._crashes))
        self._run_afterwards()

    def _not_read(self, failure: Failure, reading: object) -> None:
        self._log.error("table.restart_failed", exc_info=failure.value)
        if self._reading is reading:
            self._rest()

    def _run_afterwards(self) -> None:
        waiting, self._afterwards = self._afterwards, []
        for then in waiting:
            then()
