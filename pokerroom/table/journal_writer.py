"""Writes a table's journal, and counts what journal and ledger have not answered yet.

What an entry brings about is told to clients only when the entry is stored (commit before you speak). A restart of the
table, its drain and its handoff wait until nothing is in flight. Knows no game's entries.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pokerroom.coordination.api import Journal
from pokerroom.table.mailbox import Mailbox
from pokerroom.table.outbox import Batch, Outbox


class JournalWriter:
    """The journal of `table`. `answered` is called in the mailbox whenever something in flight has been answered."""

    def __init__(
        self, table: str, journal: Journal, outbox: Outbox, mailbox: Mailbox, answered: Callable[[], None]
    ) -> None:
        self._table = table
        self._journal = journal
        self._outbox = outbox
        self._mailbox = mailbox
        self.answered = answered
        """To be called behind `release`: a restart, a drain or a handoff may have waited for what was in flight."""
        self.in_flight = 0
        """Entries at the journal and results at the ledger that are not answered yet."""
        self.appended = 0
        """Entries given to the journal so far."""

    def write(
        self, entry: bytes, batch: Batch, *, first: bool, then: Callable[[], None] | None = None
    ) -> None:
        """Queue `entry`; `batch` leaves when it is stored, and then `then` is called.

        `first`: the entry takes the place of all before it, as the first of a hand or round does.
        """
        batch.ready = False
        self._outbox.put(batch)
        self.append(entry, batch, partial(self._mailbox.post, self._stored, batch, then), first=first)

    def note(self, entry: bytes, *, first: bool) -> None:
        """Queue an entry that no client is told of."""
        self.write(entry, Batch(), first=first)

    def append(self, entry: bytes, batch: Batch, durable: Callable[[], None], *, first: bool) -> None:
        """Queue an entry that the queued `batch` waits for; `durable` is called when it is stored."""
        self.in_flight += 1
        try:
            (self._journal.begin if first else self._journal.append)(self._table, entry, durable)
        except BaseException:
            self.in_flight -= 1
            self._outbox.drop(batch)
            raise
        self.appended += 1

    def replace(self, entry: bytes) -> None:
        """Put `entry` in place of all entries; nothing waits for it."""
        self._journal.begin(self._table, entry, lambda: None)

    def forget(self) -> None:
        """Drop the journal: nothing more is played at the table."""
        self._journal.forget(self._table)

    def hold(self) -> None:
        """Count something else that is in flight, such as a result at the ledger."""
        self.in_flight += 1

    def release(self) -> None:
        """Count it off; call `answered` when what follows from it is done."""
        self.in_flight -= 1

    def _stored(self, batch: Batch, then: Callable[[], None] | None) -> None:
        self.in_flight -= 1
        self._outbox.release(batch)
        if then is not None:
            then()
        self.answered()
