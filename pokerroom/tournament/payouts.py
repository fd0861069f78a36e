"""Payout of prizes: each node takes jobs from a shared stream, pays them, and acknowledges them.

The stream makes a prize arrive at once, from any node that is free. Correctness does not depend on it. A place is in
the ledger before it is published, the ledger pays it once however often it is asked, and every node periodically asks
the ledger for unpaid places. So a job that is lost, or delivered ten times, changes nothing.

It does not know the tournament's state, nor which clients are told of a prize.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import structlog
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.interfaces import IReactorTime

from pokerroom.bridge import as_deferred
from pokerroom.coordination.api import PayoutStream
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.tournaments import PrizePaid, TournamentLedger
from pokerroom.ops.periodic_task import PeriodicTask, log_fault

LOOK_S: Final = 0.5
"""[D] Seconds between two requests of a node for jobs."""

SWEEP_S: Final = 5.0
"""[D] Seconds between two requests for unpaid places. A place that was unpaid the last time, too, is paid."""

Paid = Callable[[str, int, PrizePaid], None]
"""Called with a tournament, a number and its prize, once that is paid; sometimes more than once."""

_log = structlog.get_logger()


class PayoutWorker:
    """Pays prizes (`coordination.api.Payouts`). `paid` is called for each prize that this `node` has paid."""

    def __init__(
        self, *, node: str, ledger: TournamentLedger, stream: PayoutStream, clock: IReactorTime, paid: Paid
    ) -> None:
        self._node = node
        self._ledger = ledger
        self._stream = stream
        self._paid = paid
        self._unpaid: frozenset[tuple[str, int]] = frozenset()
        self._looking = PeriodicTask(clock, LOOK_S, self.look)
        self._sweeping = PeriodicTask(clock, SWEEP_S, self.sweep)
        self._in_reach = True

    def start(self) -> None:
        """Start to pay."""
        self._looking.start()
        self._sweeping.start()

    def stop(self) -> None:
        """Take no more jobs. A payment in progress may be completed or not; another node completes it."""
        self._looking.stop()
        self._sweeping.stop()

    def publish(self, tournament: str, number: int) -> None:
        async def publish() -> None:
            try:
                await self._stream.publish(tournament, [number])
            except (ConnectionError, TimeoutError) as error:
                self._away(error)  # the sweep finds them
            else:
                await self.look()

        Deferred.fromCoroutine(publish()).addErrback(log_fault)

    @as_deferred
    async def look(self) -> None:
        """Pay the jobs that are in the stream for this node."""
        try:
            jobs = await self._stream.take(self._node)
            if not jobs:
                self._in_reach = True
                return
            outcomes = await self._pay_all([(job.tournament, job.number) for job in jobs])
            done = [job for job, paid in zip(jobs, outcomes, strict=True) if paid]
            if done:
                await self._stream.done(done)
        except (ConnectionError, TimeoutError) as error:
            self._away(error)
        else:
            self._in_reach = True

    @as_deferred
    async def sweep(self) -> None:
        """Pay the places that were unpaid in the ledger twice in a row."""
        try:
            unpaid = frozenset(await self._ledger.unpaid_places())
        except LedgerUnavailable:
            return  # the next sweep asks again
        left = sorted(unpaid & self._unpaid)
        self._unpaid = unpaid
        if left:
            _log.warning("payouts.swept", places=len(left))
            await self._pay_all(left)

    # --- inside -----------------------------------------------------------------------------------------------

    async def _pay_all(self, places: Sequence[tuple[str, int]]) -> list[bool]:
        """Pay concurrently; return for each place whether its job is done."""
        paying = [Deferred.fromCoroutine(self._pay(*place)) for place in places]
        return await gatherResults(paying, consumeErrors=True)

    async def _pay(self, tournament: str, number: int) -> bool:
        """Return whether the job is done."""
        try:
            prize = await self._ledger.pay_place(tournament, number)
        except LedgerUnavailable:
            return False  # the job stays with this node for a while, then another node takes it
        except LookupError:
            _log.error("payouts.no_such_place", tournament=tournament, number=number)
            return True  # the place was never given, or in a ledger that no longer exists
        self._paid(tournament, number, prize)
        return True

    def _away(self, error: Exception) -> None:
        if self._in_reach:
            _log.warning("payouts.unavailable", error=type(error).__name__)
        self._in_reach = False
