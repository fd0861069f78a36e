"""The end of hands at a table, and who waits for it: the room goes down, or the table is to live elsewhere.

Runs inside the table's mailbox. A restart after a fault changes nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from twisted.internet.defer import Deferred

from pokerroom_protocol.errors import Code

if TYPE_CHECKING:  # the table makes it
    from pokerroom.table.actor import TableShell


class Drain:
    """Who waits until no hand is in progress at `table`, and why there will be no other one."""

    def __init__(self, table: TableShell) -> None:
        self._table = table
        self._waiting: list[Deferred[None]] = []
        self.draining = False
        """The room goes down."""
        self._handing_over = False
        """As draining, but for another owner: newcomers may still sit down."""

    @property
    def no_more_hands(self) -> bool:
        """Whether no new hand is to be dealt here."""
        return self.draining or self._handing_over

    def drain(self, done: Deferred[None]) -> None:
        """No new hand from now on; `done` fires when none is in progress that anybody could finish."""
        if not self.draining:
            self.draining = True
            self._table.notice("closing", Code.TABLE_CLOSING.sentence)
        self._wait(done)

    def hand_over(self, done: Deferred[None]) -> None:
        """As `drain`, but for another owner: nobody is told, and what was journalled is told before `done` fires."""
        self._handing_over = True
        self._wait(done)

    def consider(self) -> None:
        """Called whenever a hand, or a wish at the ledger, has ended."""
        if not self._waiting:
            return
        table = self._table
        busy = (table.asking or (self._handing_over and table.storing)) and not table.frozen
        if not busy and not self._to_be_finished():
            self.release()

    def release(self) -> None:
        """Nothing is played here that anybody had to wait for."""
        waiting, self._waiting = self._waiting, []
        for done in waiting:
            done.callback(None)

    def _wait(self, done: Deferred[None]) -> None:
        self._waiting.append(done)
        self._table.rest_no_more()
        self.consider()

    def _to_be_finished(self) -> bool:
        if self._table.frozen:
            return self._table.playing and self._table.restarts.pending
        return self._table.unfinished()
