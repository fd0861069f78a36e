"""Gives tables up: a table of this node has no owner any more once all its journal entries are stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from pokerroom.cluster.node_facts import HandoverTarget
from pokerroom.coordination.api import Journal, Sealed
from pokerroom.ledger.api import Ledger, LedgerUnavailable

GIVEN_S: Final = 2.0
"""The node that shall have a released table is named in the directory for this long."""

_RETRY_S = 0.5


class Releaser:
    """Releases tables of one node; `released` is called after each."""

    def __init__(
        self, *, clock: IReactorTime, ledger: Ledger, journal: Journal, released: Callable[[], None]
    ) -> None:
        self._clock = clock
        self._ledger = ledger
        self._journal = journal
        self._released = released
        self._given: dict[str, tuple[HandoverTarget, float]] = {}
        self._stopped = False
        self.leaving: set[str] = set()
        """Tables that live here no longer, and still belong to this node in the ledger."""

    async def release(self, table: str, epoch: int, to: HandoverTarget | None = None) -> None:
        """Wait for journal and ledger, until `stop`. `to` is the node that shall have the table."""
        self.leaving.add(table)
        try:
            await self._journal.release(table)
            if await self._is_released(table, epoch) and to is not None:
                self._given[table] = to, self._clock.seconds() + GIVEN_S
        except Sealed:
            pass  # it has another owner already
        finally:
            self.leaving.discard(table)
        self._released()

    def given(self) -> dict[str, HandoverTarget]:
        """See `NodeFacts.given`."""
        now = self._clock.seconds()
        self._given = {table: told for table, told in self._given.items() if told[1] > now}
        return {table: to for table, (to, _) in self._given.items()}

    def stop(self) -> None:
        """Ask the ledger once more for what is not released; other nodes wait for what fails until this node counts as
        gone.
        """
        self._stopped = True

    async def _is_released(self, table: str, epoch: int) -> bool:
        while True:
            try:
                await self._ledger.release_table(table, epoch)
            except LedgerUnavailable:
                if self._stopped:
                    return False
                await deferLater(self._clock, _RETRY_S)
            else:
                return True
