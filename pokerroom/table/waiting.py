"""A table whose node may not act: it waits where it is, says so, and goes on.

The lease of the node is over as far as it can know, or the ledger does not answer (`world.Licence`). Nothing is lost by
that: hands keep their journal, decisions get their whole clock again. Runs inside the table's mailbox; why the node may
not act is its own business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the table makes it
    from pokerroom.table.base import BaseTable

WAITS = "The table waits for a service of the room; no chip is lost."


class Waiting:
    """The waiting of `table` for its node."""

    def __init__(self, table: BaseTable) -> None:
        self._table = table
        self._told = False

    def suspended(self) -> None:
        """The node may not act: nobody need try. A table that is frozen has said more than that."""
        self._table.hold_clocks()
        if not self._told and not self._table.frozen:
            self._told = True
            self._table.notice("frozen", WAITS)

    def licensed(self, *, clocks_anew: bool) -> None:
        """It may again, or the ledger answers. `clocks_anew`: nobody could act meanwhile."""
        told, self._told = self._told, False
        if told and not self._table.frozen:
            self._table.notice("running", "The table goes on.")
        if clocks_anew:
            self._table.restart_clocks()
        self._table.consider_next()
