"""The end of play at a table: its room shuts down, or another node is to own the table.

Runs inside the table's mailbox. A restart after a fault does not change it.
"""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import Deferred

from pokerroom.table.announcer import Announcer
from pokerroom.table.game_parts import GamePlay
from pokerroom.table.journal_writer import JournalWriter
from pokerroom.table.ledger_requests import LedgerRequests
from pokerroom.table.restarts import TableRestarts
from pokerroom_protocol.errors import Code


class Drain:
    """Why no other hand is dealt at a table, and the Deferreds that wait until none is in progress."""

    def __init__(
        self,
        play: Callable[[], GamePlay],
        announcer: Announcer,
        writer: JournalWriter,
        requests: LedgerRequests,
        restarts: TableRestarts,
    ) -> None:
        self._play = play
        self._announcer = announcer
        self._writer = writer
        self._requests = requests
        self._restarts = restarts
        self._waiting: list[Deferred[None]] = []
        self.draining = False
        """The room shuts down."""
        self._handing_over = False
        """Another node is to own the table: newcomers may still sit down."""

    @property
    def no_more_hands(self) -> bool:
        """Whether no new hand may be dealt here."""
        return self.draining or self._handing_over

    def drain(self, done: Deferred[None]) -> None:
        """Deal no new hand; `done` fires when none is in progress that a player could finish."""
        if not self.draining:
            self.draining = True
            self._announcer.notice("closing", Code.TABLE_CLOSING.sentence)
        self._wait(done)

    def hand_over(self, done: Deferred[None]) -> None:
        """As `drain`, but for another owner: clients are not told, and all journalled events leave before `done`."""
        self._handing_over = True
        self._wait(done)

    def consider(self) -> None:
        """Release the waiting if nothing is left to wait for; call it whenever a hand or a request has ended."""
        if not self._waiting:
            return
        play = self._play()
        frozen = play.state_name == "frozen"
        if not frozen and (self._requests.waits() or (self._handing_over and self._writer.in_flight)):
            return
        broken_off = frozen and play.hand_id() is not None and self._restarts.pending
        if not (broken_off or (not frozen and play.unfinished())):
            self.release()

    def release(self) -> None:
        """Fire all Deferreds that wait."""
        waiting, self._waiting = self._waiting, []
        for done in waiting:
            done.callback(None)

    def _wait(self, done: Deferred[None]) -> None:
        self._waiting.append(done)
        self._play().rest_no_more()
        self.consider()
