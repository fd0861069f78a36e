"""Group commit: the hands of all tables of a node are settled in batches, one batch at a time.

While a batch is in flight the next one collects. A busy room pays one commit for many hands; a quiet one has no delay.
A table is told after the commit of its hand, never before. The settler does not look into a settlement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import structlog
from twisted.internet.defer import CancelledError, Deferred, fail
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from pokerroom.ledger.api import HandSettlement, Ledger, LedgerUnavailable, NotOwner

BATCH_MAX: Final = 200
"""Hands in one transaction. A larger batch gains nothing, and its players wait longer."""

RETRY_S_FIRST: Final = 0.05
RETRY_S_MAX: Final = 2.0

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Waiting:
    """A settlement, and the Deferred that fires after its commit."""

    settlement: HandSettlement
    settled: Deferred[None] = field(default_factory=Deferred)


class Settler:
    """Settles through `ledger`, in the order of submission. `clock` counts the delays between attempts.

    `on_batch(hands, seconds)` is called after each commit, for the metrics.
    """

    def __init__(self, ledger: Ledger, clock: IReactorTime, on_batch: Callable[[int, float], None]) -> None:
        self._ledger = ledger
        self._clock = clock
        self._on_batch = on_batch
        self._queue: list[_Waiting] = []
        self._working = False
        self._stopped = False
        self._pause: Deferred[None] | None = None

    def submit(self, settlement: HandSettlement) -> Deferred[None]:
        """Fires after the commit, however long the ledger is unavailable.

        Fails with `NotOwner` if another node owns the table, with `LedgerConflict` if the ledger refuses this
        settlement, with any other error of the ledger (a bug of the room), or with `LedgerUnavailable` after `stop`:
        then the outcome is unknown.
        """
        if self._stopped:
            return fail(LedgerUnavailable("the settler is stopped"))
        waiting = _Waiting(settlement=settlement)
        self._queue.append(waiting)
        if not self._working:
            self._working = True
            Deferred.fromCoroutine(self._work())
        return waiting.settled

    def stop(self) -> None:
        """Makes no more attempts. A batch in flight still reports its outcome; all others fail."""
        self._stopped = True
        if self._pause is not None:
            self._pause.cancel()

    async def _work(self) -> None:
        while self._queue:
            batch, self._queue = self._queue[:BATCH_MAX], self._queue[BATCH_MAX:]
            await self._settle(batch)
        self._working = False

    async def _settle(self, batch: list[_Waiting]) -> None:
        try:
            await self._committed(batch)
        except LedgerUnavailable as stopped:
            for waiting in batch:
                waiting.settled.errback(stopped)
        except Exception as refused:  # noqa: BLE001 -- a lost table, a conflict or a bug: its caller receives it
            if len(batch) == 1:
                log = _log.warning if isinstance(refused, NotOwner) else _log.error
                log("settler.refused", hand_id=batch[0].settlement.hand_id, error=str(refused))
                batch[0].settled.errback(refused)
                return
            # One settlement is wrong, and the whole batch was refused. Settled one by one, only that one fails.
            for waiting in batch:
                await self._settle([waiting])
        else:
            for waiting in batch:
                waiting.settled.callback(None)

    async def _committed(self, batch: list[_Waiting]) -> None:
        """Returns after the commit. Raises LedgerUnavailable only when stopped."""
        settlements = [waiting.settlement for waiting in batch]
        delay_s = RETRY_S_FIRST
        started = self._clock.seconds()
        while True:
            if self._stopped:
                raise LedgerUnavailable("the settler is stopped")
            try:
                await self._ledger.settle(settlements)
            except LedgerUnavailable as unavailable:
                _log.warning("settler.unavailable", hands=len(batch), retry_s=delay_s, error=str(unavailable))
            else:
                self._on_batch(len(batch), self._clock.seconds() - started)
                return
            await self._wait(delay_s)
            delay_s = min(delay_s * 2, RETRY_S_MAX)

    async def _wait(self, delay_s: float) -> None:
        if self._stopped:
            return
        self._pause = deferLater(self._clock, delay_s)
        try:
            await self._pause
        except CancelledError:
            pass  # by `stop`; the caller checks `_stopped`
        finally:
            self._pause = None
