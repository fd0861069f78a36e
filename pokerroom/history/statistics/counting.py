"""Follows the ledger's numbers, and counts each settled hand once. Settling does not wait for it.

A step is one transaction of the ledger with its mark, so a node that dies in between has counted nothing of it, and the
next leader goes on there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from pokerroom.bridge import as_deferred
from pokerroom.history.statistics.tally import tally_of
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.statistics import Counted, StatisticsLedger

EVERY_S: Final = 600
"""Seconds between two looks for new hands. The database writes a row for each pair of players that a step has seen
together: the more hands of theirs come at once, the fewer rows a hand costs."""

ADVICE: Final = "keep the hand, update the room, then run `pokerroom statistics rebuild`"
"""For a hand that cannot be read: a bug of this build."""

_log = structlog.get_logger()


_REST: Final = 4
"""After a step it rests so many times as long: a node with years of hands to count must still run its tables."""


class StatisticsCounter:
    """Counts while `counts` says that this node does."""

    def __init__(self, ledger: StatisticsLedger, clock: IReactorTime, counts: Callable[[], bool]) -> None:
        self._ledger = ledger
        self._clock = clock
        self._counts = counts

    @as_deferred
    async def run(self) -> None:
        """Count what was settled since the last run. A fault of the ledger is logged; the next run goes on."""
        try:
            while self._counts():
                begun_s = self._clock.seconds()
                step = await self._ledger.count_statistics(tally_of)
                for number in step.unread if step is not None else ():
                    _log.critical("statistics.unread_hand", number=number, advice=ADVICE)
                if step is None or not step.more:
                    break
                await deferLater(self._clock, _REST * (self._clock.seconds() - begun_s))
        except LedgerUnavailable as unavailable:
            _log.info("statistics.interrupted", reason=str(unavailable))


async def rebuild(
    ledger: StatisticsLedger, by: Acting, pause: Callable[[], Deferred[None]], told: Callable[[int], None]
) -> tuple[int, list[int]]:
    """Count everything again. Return how many hands, and the numbers of those that cannot be read.

    `told` gets the hands after each step. A running room may count, too: what it has counted is in neither. `pause`
    waits a moment for its step.
    """
    await ledger.reset_statistics(by=by)
    hands, unread, step = 0, list[int](), None
    while step is None or step.more:
        step = await _step(ledger, pause)
        hands += step.hands
        unread += step.unread
        told(hands)
    return hands, unread


async def _step(ledger: StatisticsLedger, pause: Callable[[], Deferred[None]]) -> Counted:
    while (step := await ledger.count_statistics(tally_of)) is None:
        await pause()
    return step
