"""What the room asks of Redis: here, the journal of hands in progress.

A table writes each accepted step of a hand to its journal before any client hears of it. Losing the journal may void
the hands in progress; it never loses or doubles money. Two adapters keep this contract: `redis` and `memory`; both
pass `tests/coordination/contract.py`. Entries are opaque bytes to it (whoever writes them encrypts the cards).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from twisted.internet.defer import Deferred


class Journal(Protocol):
    """An append-only list of entries per table, holding at most the hand in progress."""

    def append(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        """Queues an entry; `durable` is called, in the order of the appends, once it is stored.

        All tables' entries of one reactor turn go in one flush. While the store is away entries wait and are tried
        again; after an unknown outcome an entry may be stored twice, so entries carry their own number.
        """

    def begin(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        """As `append`, but all earlier entries of the table go at the same moment: a new hand, or the end of one."""

    def forget(self, table: str) -> None:
        """Queues the removal of the table's entries: it is closed."""

    def entries(self, table: str) -> Deferred[list[bytes]]:
        """The table's entries, oldest first, with everything that was appended before this call."""

    def unfinished(self) -> Deferred[dict[str, list[bytes]]]:
        """The entries of every table that has any, oldest first: what a crash left behind."""

    def healthy(self) -> bool:
        """False while entries wait for a store that does not answer."""
