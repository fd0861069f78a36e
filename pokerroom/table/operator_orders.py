"""The operator's orders to one table: freeze it where it is, let it go on, and declare what is in progress void.

A table that the operator has frozen stands as after a fault: no clock runs and no chip moves. It goes on by a restart
from its journal and the ledger. The journal keeps the order, so that the table stays frozen at its next owner. Runs
inside the table's mailbox.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.ledger.api import NotOwner
from pokerroom.ops.reports import OrderRefused
from pokerroom.table.game_parts import GameRecovery
from pokerroom.table.journal_writer import JournalWriter
from pokerroom.table.ledger_requests import LedgerRequests
from pokerroom.table.mailbox import Mailbox
from pokerroom.table.outbox import Batch
from pokerroom.table.restarts import TableRestarts

BY_OPERATOR = "operator"
"""Why a table is frozen, in place of a fault's name."""

FINISH_IT = (
    "resume the table to finish it. If the ledger refuses it even so, `table void --complete` gives it up."
)
"""A hand whose outcome is decided is finished and not void (I4), unless the operator gives it up expressly."""

NOT_TAKEN = "the operator has given it up, though nothing was left to decide"
"""Logged as an error where the operator has."""

FROZEN = "The operator has stopped the table; no chip is lost."


class Ordered(Protocol):
    """What orders ask of the table."""

    @property
    def frozen(self) -> bool:
        """Whether nothing moves, by a fault or by the operator."""

    def freeze_here(self, why: str, message: str) -> None:
        """Stop where the table is."""

    def lost_ownership(self) -> None:
        """The ledger says that the table has another owner: stop here."""


class OperatorOrders:
    """Carries out the orders for one table; `recovery` returns the present game's."""

    def __init__(
        self,
        table: Ordered,
        recovery: Callable[[], GameRecovery],
        mailbox: Mailbox,
        writer: JournalWriter,
        *,
        requests: LedgerRequests,
        restarts: TableRestarts,
        name: str,
    ) -> None:
        self._table = table
        self._recovery = recovery
        self._mailbox = mailbox
        self._writer = writer
        self._requests = requests
        self._restarts = restarts
        self._log = structlog.get_logger().bind(table=name)
        self._void_pending = False
        self._void_waits: Callable[[], None] | None = None
        self.voided: str | None = None
        """The last hand or round that was declared void here."""

    def freeze(self, done: Deferred[None]) -> None:
        """Stop the table where it is; repeating it is no error. A table frozen by a fault stays frozen."""
        self._answer(done, self._freeze)

    def restored(self) -> None:
        """The journal says that the table was frozen at its last owner, or before the room's restart."""
        self._table.freeze_here(BY_OPERATOR, FROZEN)
        self._restarts.hold()

    def resume(self, done: Deferred[None]) -> None:
        """Let a frozen table restart, as soon as journal and ledger have answered what is in flight.

        Refused with `not_frozen`, also where the table is about to restart by itself.
        """
        self._answer(done, self._resume)

    def void(self, done: Deferred[str], *, complete: bool) -> None:
        """Declare the hand or round of a frozen table void; fires with its id once that is stored.

        The table stays frozen. Refused with `not_frozen`, `no_hand`, `void_pending` or, where its outcome is decided
        and `complete` does not ask for that, `hand_complete`.
        """
        try:
            self._check_void()
        except OrderRefused as refused:
            done.errback(refused)
            return
        self._void_pending = True
        self._void_waits = lambda: self._void(done, complete=complete)
        self.consider_void()

    def consider_void(self) -> None:
        """Go on with a void that waits for the ledger; call it whenever the ledger has answered a request."""
        if self._void_waits is not None and not self._requests.waits():
            waits, self._void_waits = self._void_waits, None
            waits()

    def check_held(self) -> None:
        """Raise `OrderRefused` unless the table is frozen until the operator says otherwise."""
        if not self._restarts.held:
            detail = (
                "The table restarts by itself in a moment."
                if self._table.frozen
                else "The table is not frozen."
            )
            raise OrderRefused("not_frozen", detail)

    def _check_void(self) -> None:
        self.check_held()
        if self._void_pending:
            raise OrderRefused("void_pending", "It is already being declared void. Wait for that order.")

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
        if self._restarts.over:
            raise OrderRefused("table_stopped", "The table is about to leave this node. Try again.")
        if not self._table.frozen:
            self._table.freeze_here(BY_OPERATOR, FROZEN)
        self._restarts.hold()
        self._writer.note(self._recovery().frozen_entry(frozen=True), first=False)

    def _resume(self) -> None:
        self.check_held()
        if self._recovery().ledger_voids:
            # a hand that goes on meanwhile would have another end
            raise OrderRefused("void_pending", "What is in progress is being declared void. Ask again.")
        self._writer.note(self._recovery().frozen_entry(frozen=False), first=False)
        self._restarts.resume()

    def _void(self, done: Deferred[str], *, complete: bool) -> None:
        asked = Deferred.fromCoroutine(self._recovery().prepare_void(complete=complete))
        asked.addBoth(lambda prepared: self._mailbox.post(self._declare, done, prepared, complete=complete))

    def _declare(self, done: Deferred[str], prepared: Any, *, complete: bool) -> None:
        self._void_pending = False
        if isinstance(prepared, Failure):
            if isinstance(prepared.value, NotOwner):
                self._table.lost_ownership()
            done.errback(prepared)
            return
        try:
            self.check_held()
            voided = self._recovery().declare_void(prepared, complete=complete)
        except OrderRefused as refused:
            done.errback(refused)
            return

        def left() -> None:
            self.voided = voided.hand_id
            self._log.warning("hand.void", hand_id=voided.hand_id, reason="the operator has declared it void")
            done.callback(voided.hand_id)

        # told, and answered, when the journal has it: what stood there before is gone then
        self._writer.write(voided.entry, Batch(broadcasts=[voided.ended], left=left), first=True)
        self._writer.note(self._recovery().frozen_entry(frozen=True), first=False)
