"""What the operator may do to the play at one table: freeze it where it is, and let it go on.

A table that the operator has frozen stands as after a fault: no clock runs, no chip moves, and it goes on by beginning
anew from its journal and the ledger. The journal knows that it is frozen, so that it stays so at its next owner. Runs
inside the table's mailbox; when a frozen table may go on is `restarts`' business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from twisted.internet.defer import Deferred

from pokerroom.ops.reports import OrderRefused

if TYPE_CHECKING:  # the table makes it
    from pokerroom.table.actor import TableShell

BY_OPERATOR = "operator"
"""Stands where a fault's kind would."""

FINISH_IT = (
    "resume the table to finish it. If the ledger refuses it even so, `table void --complete` gives it up."
)
"""What is decided is finished and not void (I4), unless the operator says so expressly."""

NOT_TAKEN = "the operator has said so, though nothing was left to decide"
"""Stands in the log, loudly, where he has."""

FROZEN = "The operator has stopped the table; no chip is lost."


class OperatorOrders:
    """The operator's hand on `table`."""

    def __init__(self, table: TableShell) -> None:
        self._table = table

    def freeze(self, done: Deferred[None]) -> None:
        """The table stops where it is. One that is frozen by a fault stays frozen. Doing it again is no error."""
        self._answer(done, self._freeze)

    def restored(self) -> None:
        """The table was frozen at its last owner, or when the room stopped."""
        self._table.freeze_here(BY_OPERATOR, FROZEN)
        self._table.restarts.hold()

    def resume(self, done: Deferred[None]) -> None:
        """A frozen table goes on from journal and ledger, as soon as both have answered what is under way.

        Refused with `not_frozen`; a table that begins anew by itself in a moment needs nobody, either.
        """
        self._answer(done, self._resume)

    # --- inside ---------------------------------------------------------------------------------------------------

    @staticmethod
    def _answer(done: Deferred[None], work: Callable[[], None]) -> None:
        try:
            work()
        except OrderRefused as refused:
            done.errback(refused)
        else:
            done.callback(None)

    def _freeze(self) -> None:
        table = self._table
        if table.restarts.over:
            raise OrderRefused("table_stopped", "The table is about to leave this node.")
        if not table.frozen:
            table.freeze_here(BY_OPERATOR, FROZEN)
        table.restarts.hold()
        self._table.note_frozen(frozen=True)

    def _resume(self) -> None:
        self.check_held()
        self._table.note_frozen(frozen=False)
        self._table.restarts.resume()

    def check_held(self) -> None:
        """Raises `OrderRefused` unless the table is frozen until the operator says otherwise."""
        if not self._table.restarts.held:
            detail = (
                "It begins anew by itself in a moment." if self._table.frozen else "The table is not frozen."
            )
            raise OrderRefused("not_frozen", detail)
