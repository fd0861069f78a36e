"""How often each account was all-in by the clock today, in the whole room (H2).

A day is one of UTC. The ledger has the same count for ever, of the hands that are settled; a node that starts asks it
for today's, and hears from then on of every use at a table of any node. Knows no tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeoutUse:
    """One account was all-in by the clock in one hand, which happens once in a hand at most (H3)."""

    account: int
    hand_id: str
    at_ms: int
    """Milliseconds since the epoch, by the clock of the node where it happened."""


class TimeoutDay:
    """The count of the day that it is; `now_ms` is the wall clock, `noted` is told of each use here."""

    def __init__(self, now_ms: Callable[[], int], noted: Callable[[], None] = lambda: None) -> None:
        self._now_ms = now_ms
        self._noted = noted
        self._day = now_ms() // _DAY_MS
        self._settled: Counter[int] = Counter()
        self._restored_ms = 0
        self._uses: dict[tuple[int, str], TimeoutUse] = {}
        self._counts: Counter[int] = Counter()

    @property
    def began_ms(self) -> int:
        """When the day that is counted began, in milliseconds since the epoch."""
        self._turn()
        return self._day * _DAY_MS

    def restore(self, uses: Mapping[int, int]) -> None:
        """What the ledger has counted since `began_ms`, before this node started."""
        self._settled.update(uses)
        self._restored_ms = self._now_ms()

    def today(self, account: int) -> int:
        """See `world.TimeoutCount`."""
        self._turn()
        return self._settled[account] + self._counts[account]

    def note(self, account: int, hand_id: str) -> None:
        """See `world.TimeoutCount`."""
        self.happened(account, hand_id)

    def happened(self, account: int, hand_id: str) -> TimeoutUse | None:
        """Notes a use at a table of this node. None if it is known; else what other nodes are to be told."""
        self._turn()
        use = TimeoutUse(account=account, hand_id=hand_id, at_ms=self._now_ms())
        if not self._add(use):
            return None
        self._noted()
        return use

    def heard(self, use: TimeoutUse) -> None:
        """It happened at another node. What is of another day, or from before the ledger was asked, changes nothing."""
        self._turn()
        if use.at_ms // _DAY_MS == self._day and use.at_ms >= self._restored_ms:
            self._add(use)

    def uses(self) -> Iterator[TimeoutUse]:
        """All of today that this node has heard of, for who may have missed some."""
        self._turn()
        return iter(self._uses.values())

    def all(self) -> dict[int, int]:
        """Every account that was protected today, for the operator."""
        self._turn()
        return dict(self._settled + self._counts)

    def _add(self, use: TimeoutUse) -> bool:
        key = use.account, use.hand_id
        if key in self._uses:
            return False
        self._uses[key] = use
        self._counts[use.account] += 1
        return True

    def _turn(self) -> None:
        day = self._now_ms() // _DAY_MS
        if day != self._day:
            self._day = day
            self._settled.clear()
            self._uses.clear()
            self._counts.clear()
