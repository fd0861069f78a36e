"""A table made again of what its journal and the ledger say: when it comes to its owner, and after a fault.

The hand in progress is played on where that is possible, else it is void. Runs inside the table's mailbox; what an
entry means is `recovery`'s business, when a table begins anew is that of `restarts`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import structlog

from pokerroom.ledger.retry import until_known
from pokerroom.poker import recovery, views
from pokerroom.poker.play import HandPlay
from pokerroom.table.journal import UnreadableJournal

if TYPE_CHECKING:  # the table makes it
    from pokerroom.poker.game import PokerTable


PokerStanding = tuple[Any, list[bytes], frozenset[str]]
"""What ledger and journal say of a table: who sits there, its entries, and whether their hand is settled."""


async def standing(table: PokerTable) -> PokerStanding:
    """Asks both, and waits for them as long as it takes. Call it as a Twisted coroutine."""
    world = table.world
    entries = await world.journal.entries(table.settings.table)
    hand_id = recovery.hand_in_progress(entries)
    hands = [] if hand_id is None else [hand_id]
    settled = await until_known(world.clock, partial(world.ledger.settled_hands, hands))
    return await table.rows(), entries, settled


class HandRebuild:
    """Makes the chairs and hands of `table` as they were."""

    def __init__(self, table: PokerTable) -> None:
        self._table = table
        self._world = table.world
        self._log = structlog.get_logger().bind(table=table.settings.table)

    def restore(self, rows: Any, entries: list[bytes], settled: frozenset[str]) -> None:
        """The table has come here: nobody has been told anything by this object."""
        if not (rows or entries):
            return  # nobody ever sat here
        table, found = self._table, self.read(entries)
        self._rebuild(rows, found, settled)
        table.snapshots.restored()
        play = table.hands.play()
        if play is not None:
            for account in play.timeout_all_ins:  # the ledger has those of settled hands alone
                self._world.timeouts.note(account, play.hand_id)
        table.hands.go_on()
        if found.frozen:
            table.operating.restored()
        elif play is None:
            table.gather()

    def begin_anew(
        self,
        rows: Any,
        entries: list[bytes],
        settled: frozenset[str],
        at_its_end: Callable[[Any, recovery.JournalledPoker], None] | None = None,
    ) -> None:
        """After a fault: other objects in place of those whose state may be wrong; what was said stays said.

        `at_its_end` makes a table at which nothing is played any more.
        """
        table = self._table
        assert table.hands.course.state == "frozen"
        broken_off = table.hands.play()
        table.renew(rows)
        table.hands = table.hands.successor()
        if at_its_end is None:
            self._rebuild(rows, self.read(entries), settled)
        else:
            at_its_end(rows, self.read(entries))
        table.frozen_by = None
        if broken_off is not None and self._is_void(broken_off, entries, settled):
            table.tell(views.hand_ended(broken_off, table.next_seq(), void=True))
        table.notice("running", "The table goes on." if at_its_end is None else "The table is at its end.")
        table.snapshots.begun_anew()
        table.hands.go_on()
        table.hands.consider_dealing()
        table.ending.consider()

    def read(self, entries: list[bytes]) -> recovery.JournalledPoker:
        """What the entries say; nothing where they cannot be read."""
        try:
            return recovery.read(entries)
        except UnreadableJournal as unreadable:
            self._log.error("journal.unreadable", reason=str(unreadable))
            return recovery.NOTHING

    def _is_void(self, play: HandPlay, entries: list[bytes], settled: frozenset[str]) -> bool:
        """Whether a hand that was told of is not played on; one whose deal was not journalled nobody knows."""
        goes_on = self._table.hands.play()
        if play.hand_id in settled or (goes_on is not None and goes_on.hand_id == play.hand_id):
            return False
        try:
            return recovery.read(entries).hand_id == play.hand_id
        except UnreadableJournal:
            return True

    def _rebuild(self, rows: Any, found: recovery.JournalledPoker, settled: frozenset[str]) -> None:
        self._table.sit_again(rows, found)
        hand = self._in_progress(found, settled)
        self._table.plays_on(None if hand is None else hand.play, settled=found.hand_id in settled)
        self._table.hands.resume(found, hand)

    def _in_progress(
        self, found: recovery.JournalledPoker, settled: frozenset[str]
    ) -> recovery.RecoveredHand | None:
        if found.hand_id is None or found.hand_id in settled:
            return None
        seats = {seat.account: seat for seat in self._table.chairs.seats}
        try:
            return recovery.rebuild(found, self._table.settings_of(found), seats, self._world.seal)
        except UnreadableJournal as unreadable:
            self._log.error("hand.void", hand_id=found.hand_id, reason=str(unreadable))
            return None
