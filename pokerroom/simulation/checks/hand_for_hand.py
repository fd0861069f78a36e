"""L8: before the money and before the final table all tables of a tournament deal hand for hand.

Follows the hands that are settled. A table deals again when the others have finished theirs, so no table is hands ahead
of another. A hand may be void, and is not settled then: so a table may be a few ahead here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Final

AHEAD_MAX: Final = 2
"""So many hands a table may be ahead of another: one is being played, one may have been void."""


@dataclass(slots=True)
class HandForHand:
    """One tournament."""

    paid: int = 0
    final_seats: int = 0
    """The seats of the final table."""
    _since_ms: float = inf
    _until_ms: float = -inf
    """When it was over last."""
    _hands: Counter[int] = field(default_factory=Counter)
    """By table, of those that were dealt since then."""

    def may_have(self, started_ms: int) -> bool:
        """Whether a hand may have been dealt hand for hand; another one of the round may have ended before."""
        return self._since_ms < inf or started_ms <= self._until_ms

    def dealt(self, table: int, started_ms: int, sizes: Mapping[int, int]) -> str | None:
        """Count a hand, and return what is wrong. `sizes` are the players at each table when it ended."""
        if started_ms <= self._since_ms:
            return None
        self._hands[table] += 1
        others = [self._hands[number] for number, size in sizes.items() if size > 1 and number != table]
        if others and self._hands[table] - min(others) > AHEAD_MAX:
            hands = f"{self._hands[table]} hands since it is hand for hand, another one {min(others)}"
            return f"table {table} has had {hands}"
        return None

    def left(self, sizes: Collection[int], now_ms: float, *, is_frozen: bool) -> None:
        """Note the players that are left at each table.

        While a table is frozen (`is_frozen`) nothing begins: the ledger may have a hand of it that it cannot tell of.
        """
        players = sum(sizes)
        if len(sizes) < 2 or not self.paid or players not in {self.paid + 1, self.final_seats + 1}:
            if self._since_ms < inf:
                self._until_ms = now_ms
            self._since_ms = inf
            self._hands.clear()
        elif self._since_ms == inf and not is_frozen:
            self._since_ms = now_ms
