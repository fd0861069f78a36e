"""L7: a table with three players less than the largest deals no hand until a player has come.

Follows the hands that are settled. A table may deal one hand before it is told to wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

MISSING: Final = 3
"""So many players less than at the largest table make a table short."""

GRACE_S: Final = 5.0
"""So long may what a table has reported be on its way, through a fault of the network or another node's takeover."""


@dataclass(slots=True)
class ShortTables:
    """One tournament."""

    _since_s: dict[int, float] = field(default_factory=dict)
    """By table: since when it is short."""

    def noted(self, sizes: Mapping[int, int], now_s: float) -> None:
        """Note the players that are left at each table."""
        largest = max(sizes.values(), default=0)
        short = {table for table, size in sizes.items() if largest - size >= MISSING}
        self._since_s = {table: self._since_s.get(table, now_s) for table in short}

    def dealt(self, table: int, started_s: float) -> str | None:
        """Return what is wrong with a hand. To be told before its result is noted."""
        since = self._since_s.get(table)
        if since is None or started_s <= since + GRACE_S:
            return None
        return f"table {table} has dealt, {started_s - since:.0f} s after it was short of three players"
