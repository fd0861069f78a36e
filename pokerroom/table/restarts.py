"""Beginning anew after a fault: a table that crashed is built again from its journal and the ledger.

It waits until the journal and the ledger have answered whatever was under way, so that both tell the whole truth. After
`RESTARTS_MAX` restarts within `WINDOW_S` the table stays frozen: what fails again and again is for a person to look at.
Knows when and how often; what a table is made of is the table's business.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.python.failure import Failure

from pokerroom.ledger.retry import until_known
from pokerroom.table import recovery

if TYPE_CHECKING:  # the table makes its restarts
    from pokerroom.table.actor import Table

RESTARTS_MAX = 3
WINDOW_S = 600
DELAY_S = 1


class Restarts:
    """The faults of `table`, and what follows from them."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._world = table.world
        self._log = structlog.get_logger().bind(table=table.settings.table)
        self._crashes: deque[float] = deque()
        self._timer: IDelayedCall | None = None
        self._waiting = False
        """Due, as soon as nothing is under way."""
        self._afterwards: list[Callable[[], Any]] = []
        self.count = 0
        """Faults since the room started, for the operator."""

    @property
    def for_good(self) -> bool:
        """Whether the table stays frozen."""
        return len(self._crashes) > RESTARTS_MAX

    def crashed(self) -> None:
        """A fault: the table begins anew soon, unless that was tried too often."""
        now = self._world.clock.seconds()
        self.count += 1
        self._world.observer.crash()
        while self._crashes and self._crashes[0] < now - WINDOW_S:
            self._crashes.popleft()
        self._crashes.append(now)
        if self.for_good:
            self.stop()
            self._log.critical("table.stays_frozen", crashes=len(self._crashes), within_s=WINDOW_S)
            self._run_afterwards()
        elif self._timer is None and not self._waiting:
            self._timer = self._world.clock.callLater(DELAY_S, self._table.mailbox.post, self._due)

    def afterwards(self, then: Callable[[], Any]) -> None:
        """Does it once the table goes on; at once if it does, or never will."""
        if self._timer is None and not self._waiting:
            then()
        else:
            self._afterwards.append(then)

    def consider(self) -> None:
        """The journal or the ledger has answered: goes on if a restart has waited for that."""
        if self._waiting and not self._table.hands.in_flight and not self._table.chairs.waits_for_ledger():
            Deferred.fromCoroutine(self._read()).addErrback(self._not_read)

    def stop(self) -> None:
        """No restart any more."""
        self._waiting = False
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def _due(self) -> None:
        self._timer = None
        self._waiting = True
        self.consider()

    async def _read(self) -> None:
        self._waiting = False
        name = self._table.settings.table
        entries = await self._world.journal.entries(name)
        rows = await until_known(self._world.clock, self._world.ledger.seats)
        hand_id = recovery.hand_in_progress(entries)
        hands = [] if hand_id is None else [hand_id]
        settled = await until_known(self._world.clock, partial(self._world.ledger.settled_hands, hands))
        own = [row for row in rows if row.table == name]
        self._table.mailbox.post(self._begin, own, entries, settled)

    def _begin(self, *what: Any) -> None:
        self._table.begin_anew(*what)
        self._log.warning("table.restarted", crashes=len(self._crashes))
        self._run_afterwards()

    def _not_read(self, failure: Failure) -> None:
        self._log.error("table.restart_failed", exc_info=failure.value)
        self._timer = self._world.clock.callLater(DELAY_S, self._table.mailbox.post, self._due)

    def _run_afterwards(self) -> None:
        waiting, self._afterwards = self._afterwards, []
        for then in waiting:
            then()
