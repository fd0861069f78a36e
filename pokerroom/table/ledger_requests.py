"""Asking the ledger from inside a table's mailbox: until the outcome is known, which comes back as one more message.

Counts what is not answered yet: a restart of the table, its closing and the room's end wait for that. Knows nothing of
what is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.ledger.api import LedgerRefusal, NotOwner
from pokerroom.ledger.retry import until_known
from pokerroom_protocol.errors import Code

if TYPE_CHECKING:  # a table makes it
    from pokerroom.table.actor import TableShell

T = TypeVar("T")


class LedgerRequests:
    """What `table` asks of the ledger; `abandoned` says whether it has begun anew since, and asks with another."""

    def __init__(self, table: TableShell, abandoned: Callable[[], bool]) -> None:
        self._table = table
        self._abandoned = abandoned
        self._unanswered = 0
        self.asked = 0
        """Questions so far, answered or not."""

    def waits(self) -> bool:
        """Whether the ledger still owes an answer."""
        return self._unanswered > 0

    def ask(
        self,
        attempt: Callable[[], Deferred[T]],
        *,
        done: Callable[[T], None],
        refused: Callable[[Code], None],
        late: Callable[[T], None],
    ) -> None:
        """Asks until the outcome is known, then goes on inside the mailbox: `late` after a restart of the table."""

        def known(result: T) -> None:
            (late if self._abandoned() else done)(result)

        def failed(failure: Failure) -> None:
            if isinstance(failure.value, NotOwner):
                self._table.not_owner()
                return
            if not isinstance(failure.value, LedgerRefusal):
                failure.raiseException()
            refused(Code(failure.value.code))

        self._unanswered += 1
        self.asked += 1
        post = self._table.mailbox.post
        until_known(self._table.world.clock, attempt).addCallbacks(
            lambda result: post(self._answered, partial(known, result)),
            lambda failure: post(self._answered, partial(failed, failure)),
        )

    def _answered(self, then: Callable[[], None]) -> None:
        self._unanswered -= 1
        then()
        if not self._table.relinquished:
            self._table.ending.consider()
            self._table.ledger_answered()


def fault_of_ours(code: Code) -> None:
    """For `refused`, where the ledger has no reason to refuse what is asked. Raises AssertionError."""
    raise AssertionError(f"the ledger refuses what it cannot: {code}")
