"""What the room knows of a running sit-and-go beside what it knows of any table. Knows no rules and no money."""

from __future__ import annotations

from typing import Protocol

from twisted.internet.defer import Deferred

from pokerroom.table.api import TableActor


class TournamentActor(TableActor, Protocol):
    """A tournament that runs on this node: its table, and what its operator may ask of it.

    Each of the four fires when it is journalled, or booked, and fails with `table.operating.OrderRefused`. The ledger
    lets exactly one ending through, whichever node asks for it; asked again, the same ending is no error.
    """

    def pause(self) -> Deferred[None]:
        """After the hand in progress none is dealt, and the clock of the levels stands. Paused already: no error."""

    def unpause(self) -> Deferred[None]:
        """The next hand is dealt, and the clock goes on. Not paused: no error."""

    def roll_back(self) -> Deferred[None]:
        """Everybody gets all that he has paid (I3). Refused with `tournament_prizes_won`, `tournament_not_running`."""

    def roll_forward(self) -> Deferred[None]:
        """All who are left are placed, and share what is not won yet (I3). Refused with `tournament_not_running`."""
