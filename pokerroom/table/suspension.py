"""The pause of a table while its node may not act: the table waits where it is, says so, and goes on.

The node may not act when its lease has run out or the ledger does not answer (`context.NodeLease`). Nothing is lost: a
hand keeps its journal, and each decision gets its whole clock again. Runs inside the table's mailbox. It does not know
why the node may not act.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the table makes it
    from pokerroom.table.actor import TableShell

WAITS = "The table waits for a service of the room; no chip is lost."


class Suspension:
    """The waiting of `table` for its node."""

    def __init__(self, table: TableShell) -> None:
        self._table = table
        self._told = False

    def suspended(self) -> None:
        """The node may not act: nobody need try. A table that is frozen has said more than that."""
        self._table.hold_clocks()
        if not self._told and not self._table.frozen:
            self._told = True
            self._table.notice("frozen", WAITS)

    def lease_renewed(self, *, clocks_anew: bool) -> None:
        """It may again, or the ledger answers. `clocks_anew`: nobody could act meanwhile."""
        told, self._told = self._told, False
        if told and not self._table.frozen:
            self._table.notice("running", "The table goes on.")
        if clocks_anew:
            self._table.restart_clocks()
        self._table.consider_next()
