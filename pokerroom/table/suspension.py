"""The pause of a table while its node may not act: the table waits where it is, says so, and goes on.

The node may not act when its lease has run out or the ledger does not answer (`context.NodeLease`). Nothing is lost: a
hand keeps its journal, and each decision gets its whole clock again. Runs inside the table's mailbox. It does not know
why the node may not act.
"""

from __future__ import annotations

from collections.abc import Callable

from pokerroom.table.announcer import Announcer
from pokerroom.table.game_parts import GamePlay

WAITS = "The table waits for a service of the room; no chip is lost."


class Suspension:
    """Stops and resumes one table with its node."""

    def __init__(self, play: Callable[[], GamePlay], announcer: Announcer) -> None:
        self._play = play
        self._announcer = announcer
        self._told = False
        self._later: list[Callable[[], None]] = []

    def later(self, work: Callable[[], None]) -> None:
        """Do this when the table goes on."""
        self._later.append(work)

    def suspend(self) -> None:
        """Stop the clocks, and tell the players unless the table is frozen."""
        self._play().hold_clocks()
        if not self._told and self._play().state_name != "frozen":
            self._told = True
            self._announcer.notice("frozen", WAITS)

    def resume(self, *, whole_clocks: bool) -> None:
        """Go on. `whole_clocks`: clients could not act meanwhile, so decisions get their whole clock."""
        told, self._told = self._told, False
        if told and self._play().state_name != "frozen":
            self._announcer.notice("running", "The table goes on.")
        if whole_clocks:
            self._play().restart_clocks()
        later, self._later = self._later, []
        for work in later:
            work()
        self._play().consider_next()
