"""The journal of one table against the house: what is told waits until what led to it is stored.

Counts what is not stored yet: a restart of the table and its next owner wait for that. Outlives what is played: after
a fault the table has other rounds, and the same journal. Knows no rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from pokerroom.table.outbox import Batch

if TYPE_CHECKING:  # the table makes it
    from pokerroom.ultimate.actor import UltimateTable


class Writing:
    """What `table` gives to its journal."""

    def __init__(self, table: UltimateTable) -> None:
        self._table = table
        self.in_flight = 0
        """Entries that are not stored yet."""
        self.appended = 0
        """Entries so far."""

    def tell(
        self, entry: bytes, batch: Batch, *, first: bool, then: Callable[[], None] | None = None
    ) -> None:
        """Queues an entry, and `batch`, which leaves when it is stored; then `then` is called, in the mailbox.

        `first`: the entry takes the place of all before it.
        """
        batch.ready = False
        self._table.outbox.put(batch)
        journal, table = self._table.world.journal, self._table.settings.table
        stored = partial(self._table.mailbox.post, self._stored, batch, then)
        self.in_flight += 1
        try:
            (journal.begin if first else journal.append)(table, entry, stored)
        except BaseException:
            self.in_flight -= 1
            self._table.outbox.drop(batch)
            raise
        self.appended += 1

    def note(self, entry: bytes, *, first: bool) -> None:
        """Queues an entry that nobody is told of."""
        self.tell(entry, Batch(), first=first)

    def _stored(self, batch: Batch, then: Callable[[], None] | None) -> None:
        self.in_flight -= 1
        self._table.outbox.release(batch)
        if then is not None:
            then()
        self._table.answered()
