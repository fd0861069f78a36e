"""Prizes are paid: each node takes jobs from the stream that all share, pays, and says when it is done.

The stream is there so that a prize is paid at once, by whichever node has time. Nothing depends on it: a place is in
the ledger before it is published, the ledger pays it once however often it is asked, and every node looks there now and
then for what is unpaid. So a job that was lost, or delivered ten times, changes nothing.

It knows no tournament's course, and does not know who is told of a prize.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import structlog
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.interfaces import IReactorTime

from pokerroom.chips import Money
from pokerroom.coordination.api import PayoutStream
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.tournaments import TournamentLedger
from pokerroom.ops.periodic_task import PeriodicTask, log_fault

LOOK_S: Final = 0.5
"""[D] So often each node asks for jobs."""

SWEEP_S: Final = 5.0
"""[D] So often each node asks the ledger for what is unpaid, and pays what was unpaid the last time, too."""

Paid = Callable[[str, int, Money], None]
"""Told of a tournament, a number and its prize, once it is paid: sometimes more than once."""

_log = structlog.get_logger()


class PayoutWorker:
    """See the module; it keeps `coordination.api.Payouts`. `paid` is told of what was paid by this `node`."""

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
        """Pays from now on."""
        self._looking.start()
        self._sweeping.start()

    def stop(self) -> None:
        """Takes no more jobs; what it is paying it may pay, or not: somebody else will."""
        self._looking.stop()
        self._sweeping.stop()

    def publish(self, tournament: str, number: int) -> None:
        """See `coordination.api.Payouts`."""

        async def publish() -> None:
            try:
                await self._stream.publish(tournament, [number])
            except (ConnectionError, TimeoutError) as error:
                self._away(error)  # the sweep finds them
            else:
                await self.look()

        Deferred.fromCoroutine(publish()).addErrback(log_fault)

    def look(self) -> Deferred[None]:
        """One look at the stream: pays what is there for this node."""
        return Deferred.fromCoroutine(self._look())

    def sweep(self) -> Deferred[None]:
        """One look at the ledger: pays what it has found unpaid twice."""
        return Deferred.fromCoroutine(self._sweep())

    # --- inside -----------------------------------------------------------------------------------------------

    async def _look(self) -> None:
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

    async def _sweep(self) -> None:
        try:
            unpaid = frozenset(await self._ledger.unpaid_places())
        except LedgerUnavailable:
            return  # it is asked again soon
        left = sorted(unpaid & self._unpaid)
        self._unpaid = unpaid
        if left:
            _log.warning("payouts.swept", places=len(left))
            await self._pay_all(left)

    async def _pay_all(self, places: Sequence[tuple[str, int]]) -> list[bool]:
        """Beside each other: whether each is at its end."""
        paying = [Deferred.fromCoroutine(self._pay(*place)) for place in places]
        return await gatherResults(paying, consumeErrors=True)

    async def _pay(self, tournament: str, number: int) -> bool:
        """Whether the job is at its end."""
        try:
            prize = await self._ledger.pay_place(tournament, number)
        except LedgerUnavailable:
            return False  # it stays ours for a while, then it is somebody's again
        except LookupError:
            _log.error("payouts.no_such_place", tournament=tournament, number=number)
            return True  # such a place was never given, or by a ledger that is no more
        self._paid(tournament, number, prize)
        return True

    def _away(self, error: Exception) -> None:
        if self._in_reach:
            _log.warning("payouts.unavailable", error=type(error).__name__)
        self._in_reach = False
