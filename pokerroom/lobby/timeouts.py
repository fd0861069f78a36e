"""How often each account was all-in by the clock today, in the whole room (H2).

A day is one of UTC. The ledger has the same count for ever, of the hands that are settled; a room that starts asks it
for today's. Knows no tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

_DAY_MS = 86_400_000


class TimeoutDay:
    """The count of the day that it is; `now_ms` is the wall clock."""

    def __init__(self, now_ms: Callable[[], int], noted: Callable[[], None] = lambda: None) -> None:
        self._now_ms = now_ms
        self._noted = noted
        self._day = now_ms() // _DAY_MS
        self._uses: Counter[int] = Counter()

    @property
    def began_ms(self) -> int:
        """When the day that is counted began, in milliseconds since the epoch."""
        self._turn()
        return self._day * _DAY_MS

    def restore(self, uses: Mapping[int, int]) -> None:
        """What the ledger has counted since `began_ms`, before this room started."""
        self._uses.update(uses)

    def today(self, account: int) -> int:
        """See `world.TimeoutCount`."""
        self._turn()
        return self._uses[account]

    def note(self, account: int) -> None:
        """See `world.TimeoutCount`."""
        self._turn()
        self._uses[account] += 1
        self._noted()

    def all(self) -> dict[int, int]:
        """Every account that was protected today, for the operator."""
        self._turn()
        return dict(self._uses)

    def _turn(self) -> None:
        day = self._now_ms() // _DAY_MS
        if day != self._day:
            self._day = day
            self._uses.clear()
