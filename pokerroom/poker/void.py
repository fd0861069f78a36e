"""Declaring the hand of a frozen hold'em table void, by the operator.

Every stack is then as at the hand's start. One whose betting is complete is finished, not voided (I4); where the ledger
will not take its result, which is a fault of ours, it cannot be, and is void if the operator says so expressly [D].
Runs inside the table's mailbox; freezing and going on is `operating`'s
business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.ops.reports import OrderRefused
from pokerroom.poker import recovery, views
from pokerroom.poker.play import HandPlay
from pokerroom.poker.rebuild import PokerStanding, standing
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.operator_orders import FINISH_IT, NOT_TAKEN
from pokerroom.table.outbox import Batch

if TYPE_CHECKING:  # the table makes it
    from pokerroom.poker.game import PokerTable
    from pokerroom.poker.hands import HandRunner


class HandVoid:
    """Makes hands of `table` void."""

    def __init__(self, table: PokerTable) -> None:
        self._table = table
        self._log = structlog.get_logger().bind(table=table.settings.table)
        self._voiding = False
        self.voided: str | None = None
        """The last hand that was declared void here."""

    def void_hand(self, done: Deferred[str], *, complete: bool) -> None:
        """The hand in progress of a frozen table is void: every stack as at its start. Fires with its id once stored.

        The table stays frozen. Refused with `not_frozen`, `no_hand`, `void_pending` or, where its betting is complete
        and `complete` does not ask for that, `hand_complete`.
        """
        try:
            self._begin_voiding()
        except OrderRefused as refused:
            done.errback(refused)
            return
        # a result that is on its way to the ledger may still come about, whatever the ledger says meanwhile
        quiet = None if self._table.storing else self._table.hands
        asked = Deferred.fromCoroutine(standing(self._table))
        asked.addCallbacks(
            lambda found: self._table.mailbox.post(
                self._declare, done, found, complete=complete, quiet=quiet
            ),
            lambda failure: self._table.mailbox.post(self._not_declared, done, failure),
        )

    # --- inside ---------------------------------------------------------------------------------------------------

    def _begin_voiding(self) -> None:
        self._table.operating.check_held()
        if self._voiding:
            raise OrderRefused("void_pending", "Its hand is being declared void already.")
        self._voiding = True

    def _declare(
        self, done: Deferred[str], found: PokerStanding, *, complete: bool, quiet: HandRunner | None
    ) -> None:
        """Journal and ledger have said how the hand stands; `quiet` are the hands of which all was stored before."""
        self._voiding = False
        try:
            self._table.operating.check_held()
            journalled, play = self._hand(found, complete=complete, quiet=quiet)
        except OrderRefused as refused:
            done.errback(refused)
            return
        table = self._table
        ended = views.hand_ended(play, table.next_seq(), void=True)

        def left() -> None:
            self.voided = play.hand_id
            self._log.warning("hand.void", hand_id=play.hand_id, reason="the operator has said so")
            done.callback(play.hand_id)

        # told, and answered, when the journal knows it: what stood there before is gone then
        entry = recovery.table_entry(journalled.positions, journalled.facts)
        table.hands.note(entry, Batch(broadcasts=[ended], ready=False, left=left), first=True)
        table.note_frozen(frozen=True)

    def _not_declared(self, done: Deferred[str], failure: Failure) -> None:
        self._voiding = False
        done.errback(failure)

    def _hand(
        self, found: PokerStanding, *, complete: bool, quiet: HandRunner | None
    ) -> tuple[recovery.JournalledPoker, HandPlay]:
        """The hand in progress, and what else the journal says. Raises `OrderRefused`."""
        rows, entries, settled = found
        present = self._table.hands.play()
        try:
            journalled = recovery.read(entries)
        except UnreadableJournal:
            if present is None or present.hand_id in settled:
                raise _no_hand() from None
            return recovery.NOTHING, present
        if journalled.hand_id is None or journalled.hand_id in settled:
            raise _no_hand()
        table = self._table
        settings, seats = table.settings_of(journalled), table.standing_of(rows)
        try:
            rebuilt = recovery.rebuild(journalled, settings, seats, table.world.seal).play
        except UnreadableJournal:  # then it would be void at the next start, too
            if present is None or present.hand_id != journalled.hand_id:
                raise _no_hand() from None
            return journalled, present
        if rebuilt.state.finished:
            self._check_given_up(rebuilt, complete=complete, quiet=quiet)
        return journalled, rebuilt

    def _check_given_up(self, play: HandPlay, *, complete: bool, quiet: HandRunner | None) -> None:
        """Raises `OrderRefused`, unless the operator gives a result up that nobody can pay."""
        told = f"The betting of hand {play.hand_id} is complete: "
        if not complete:
            raise OrderRefused("hand_complete", told + FINISH_IT)
        if self._table.storing or self._table.hands is not quiet:
            raise OrderRefused("hand_complete", told + "something of it is still on its way. Ask again.")
        self._log.error("hand.result_dropped", hand_id=play.hand_id, reason=NOT_TAKEN)


def _no_hand() -> OrderRefused:
    return OrderRefused("no_hand", "No hand is in progress.")
