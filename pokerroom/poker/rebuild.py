"""A poker table rebuilt from its journal and the ledger: when it comes to its owner, and after a fault.

The hand in progress is played on where that is possible; else it is void, and every stack is as at its start. The
operator may declare it void, too. Runs inside the table's mailbox; `recovery` knows what an entry means, and
`table.restarts` when a table restarts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import structlog

from pokerroom.ledger.api import SeatRow
from pokerroom.ledger.retry import until_known
from pokerroom.ops.reports import OrderRefused
from pokerroom.poker import recovery, views
from pokerroom.poker.hand_state import HandInProgress
from pokerroom.poker.hands import HandRunner
from pokerroom.poker.journal import SeatingFacts, TableFrozen, encode
from pokerroom.poker.play import HandPlay
from pokerroom.poker.ports import PokerSeating
from pokerroom.poker.seat_journal import SeatJournal
from pokerroom.table.game import GamePorts
from pokerroom.table.game_parts import Voided
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.operator_orders import FINISH_IT, NOT_TAKEN

PokerStanding = tuple[Any, list[bytes], frozenset[str]]
"""The state of a table by ledger and journal: its players, its entries, and which of their hands are settled."""


PreparedVoid = tuple[PokerStanding, object]
"""What ledger and journal say, and the recovery of which all results were stored before they were asked, if any.

A result on its way to the ledger may still come about, whatever the ledger has said meanwhile.
"""


class Predecessor(Protocol):
    """The game that a restart takes the place of."""

    @property
    def hand(self) -> HandInProgress:
        """Its hand, which is frozen."""

    @property
    def seating(self) -> PokerSeating:
        """Its seating, which is abandoned."""


class PokerRecovery:
    """Rebuilds the game of one table (`table.game_parts.GameRecovery`)."""

    def __init__(
        self,
        ports: GamePorts,
        hand: HandInProgress,
        runner: HandRunner,
        journal: SeatJournal,
        seating: PokerSeating,
    ) -> None:
        self._table = ports.announcer.table
        self._context = ports.context
        self._announcer = ports.announcer
        self._snapshots = ports.snapshots
        self._writer = ports.writer
        self._orders = ports.orders
        self._hand = hand
        self._runner = runner
        self._journal = journal
        self._seating = seating
        self._log = structlog.get_logger().bind(table=self._table)
        self.ledger_voids = False
        """See `GameRecovery`: the journal alone knows of a void hand."""

    # --- when the table comes to its owner ------------------------------------------------------------------------

    def restore(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:
        """See `GameRecovery`; the seating may have to ask the ledger first."""
        self._seating.recovery.restore(rows, entries, settled, self._begin)

    def _begin(self, rows: Any, entries: list[bytes], settled: frozenset[str]) -> None:
        """Begin with what ledger and journal have said; clients have been told nothing by this game."""
        found = self.read(entries)
        if self._seating.recovery.ended(rows):
            self._sit_again(rows, found)
            return
        self._rebuild(rows, found, settled)
        self._snapshots.restored()
        play = self._hand.play
        if play is not None:
            for account in play.timeout_all_ins:  # the ledger has those of settled hands alone
                self._context.timeouts.note(account, play.hand_id)
        self._runner.go_on()
        if found.frozen:
            self._orders.restored()
        elif play is None:
            self._runner.gather()
            self._seating.recovery.gathered()

    # --- after a fault --------------------------------------------------------------------------------------------

    async def standing(self) -> PokerStanding:
        context = self._context
        entries = await context.journal.entries(self._table)
        hand_id = recovery.hand_in_progress(entries)
        hands = [] if hand_id is None else [hand_id]
        settled = await until_known(context.clock, partial(context.ledger.settled_hands, hands))
        return await self._seating.recovery.rows(), entries, settled

    def restart(self, found: PokerStanding, before: Predecessor, goes_on: Callable[[str], None]) -> None:
        rows, entries, settled = found
        assert before.hand.lifecycle.frozen
        broken_off = before.hand.play
        self._seating.recovery.take_over(before.seating, rows)
        ended = self._seating.recovery.ended(rows)
        if ended:
            self._sit_again(rows, self.read(entries))
        else:
            self._rebuild(rows, self.read(entries), settled)
        if broken_off is not None and self._is_void(broken_off, entries, settled):
            self._announcer.tell(views.hand_ended(broken_off, self._announcer.next_seq(), void=True))
        goes_on("The table is at its end." if ended else "The table goes on.")

    def restarted(self) -> None:
        self._seating.recovery.restarted()

    def read(self, entries: list[bytes]) -> recovery.JournalledPoker:
        """Return what the entries say; nothing where they cannot be read."""
        try:
            return recovery.read(entries)
        except UnreadableJournal as unreadable:
            self._log.error("journal.unreadable", reason=str(unreadable))
            return recovery.NOTHING

    def _is_void(self, play: HandPlay, entries: list[bytes], settled: frozenset[str]) -> bool:
        """Return whether a hand that clients know is not played on; a deal that was not journalled they do not know."""
        goes_on = self._hand.play
        if play.hand_id in settled or (goes_on is not None and goes_on.hand_id == play.hand_id):
            return False
        try:
            return recovery.read(entries).hand_id == play.hand_id
        except UnreadableJournal:
            return True

    def _rebuild(self, rows: Any, found: recovery.JournalledPoker, settled: frozenset[str]) -> None:
        is_settled = found.hand_id in settled
        found = self._sit_again(rows, found)
        hand = self._in_progress(found, settled)
        self._seating.recovery.plays_on(None if hand is None else hand.play, settled=is_settled)
        self._runner.resume(found, hand)

    def _sit_again(self, rows: Any, found: recovery.JournalledPoker) -> recovery.JournalledPoker:
        """Seat the players; return what of the journal holds, which is no hand where its facts cannot be read."""
        try:
            self._seating.recovery.sit_again(rows, found)
        except UnreadableJournal as unreadable:
            self._log.error("journal.unreadable", hand_id=found.hand_id, reason=str(unreadable))
            closing = found.facts is not None and found.facts.closing
            holds = replace(found, facts=SeatingFacts(closing=closing), deal=None, steps=())
            self._seating.recovery.sit_again(rows, holds)
            return holds
        return found

    def _in_progress(
        self, found: recovery.JournalledPoker, settled: frozenset[str]
    ) -> recovery.RecoveredHand | None:
        if found.hand_id is None or found.hand_id in settled:
            return None
        seats = {seat.account: seat for seat in self._seating.seats.seats}
        try:
            settings = self._seating.recovery.settings_of(found)
            return recovery.rebuild(found, settings, seats, self._context.seal)
        except UnreadableJournal as unreadable:
            self._log.error("hand.void", hand_id=found.hand_id, reason=str(unreadable))
            return None

    # --- what it writes -------------------------------------------------------------------------------------------

    def handoff_entry(self) -> bytes:
        return self._journal.between_hands()

    def frozen_entry(self, *, frozen: bool) -> bytes:
        return encode(TableFrozen(frozen=frozen))

    # --- a hand that the operator declares void -------------------------------------------------------------------

    async def prepare_void(self, *, complete: bool) -> PreparedVoid:  # noqa: ARG002 -- told when declared
        quiet = None if self._writer.in_flight else self
        return await self.standing(), quiet

    def declare_void(self, prepared: PreparedVoid, *, complete: bool) -> Voided:
        """See `GameRecovery`.

        A hand whose betting is complete is finished, not void (I4). The ledger may refuse its result for ever, which
        is a defect: then it is void if the operator gives it up expressly [D].
        """
        found, quiet = prepared
        journalled, play = self._to_be_void(found, complete=complete, quiet=quiet)
        return Voided(
            hand_id=play.hand_id,
            ended=views.hand_ended(play, self._announcer.next_seq(), void=True),
            entry=recovery.table_entry(journalled.positions, journalled.facts or SeatingFacts()),
        )

    def _to_be_void(
        self, found: PokerStanding, *, complete: bool, quiet: object
    ) -> tuple[recovery.JournalledPoker, HandPlay]:
        """Return the hand in progress, and what else the journal says. Raises `OrderRefused`."""
        rows, entries, settled = found
        present = self._hand.play
        try:
            journalled = recovery.read(entries)
        except UnreadableJournal:
            if present is None or present.hand_id in settled:
                raise _no_hand() from None
            return recovery.NOTHING, present
        if journalled.hand_id is None or journalled.hand_id in settled:
            raise _no_hand()
        seating = self._seating.recovery
        try:
            settings, seats = seating.settings_of(journalled), seating.standing_of(rows)
            rebuilt = recovery.rebuild(journalled, settings, seats, self._context.seal).play
        except UnreadableJournal:  # then it would be void at the next start, too
            if present is None or present.hand_id != journalled.hand_id:
                raise _no_hand() from None
            return journalled, present
        if rebuilt.state.finished:
            self._check_given_up(rebuilt, complete=complete, quiet=quiet)
        return journalled, rebuilt

    def _check_given_up(self, play: HandPlay, *, complete: bool, quiet: object) -> None:
        """Raise `OrderRefused`, unless the operator gives up a result that the ledger refuses."""
        told = f"The betting of hand {play.hand_id} is complete: "
        if not complete:
            raise OrderRefused("hand_complete", told + FINISH_IT)
        if quiet is not self or self._writer.in_flight:
            raise OrderRefused(
                "hand_complete", told + "a part of it is still on its way to the ledger. Try again."
            )
        self._log.error("hand.result_dropped", hand_id=play.hand_id, reason=NOT_TAKEN)


def _no_hand() -> OrderRefused:
    return OrderRefused("no_hand", "No hand is in progress.")
