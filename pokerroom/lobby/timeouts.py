"""How often the clock put each account all-in today, in the whole room (H2).

A day is one of UTC. The ledger counts the same for ever, over the settled hands. A node that starts asks the ledger for
today's uses, and hears of every later use at a table of any node. Knows no tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeoutUse:
    """The clock put an account all-in in one hand, which happens at most once in a hand (H3)."""

    account: int
    hand_id: str
    at_ms: int
    """Milliseconds since the epoch, by the clock of the node where it happened."""


class TimeoutDay:
    """The uses of the present day (`TimeoutCount`). `now_ms` is the wall clock, `noted` is called at each use here."""

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
        """The begin of the day that is counted, in milliseconds since the epoch."""
        self._turn()
        return self._day * _DAY_MS

    def restore(self, uses: Mapping[int, int]) -> None:
        """Take over what the ledger has counted since `began_ms`, before this node started."""
        self._settled.update(uses)
        self._restored_ms = self._now_ms()

    def today(self, account: int) -> int:
        self._turn()
        return self._settled.get(account, 0) + self._counts.get(account, 0)

    def note(self, account: int, hand_id: str) -> None:
        self.happened(account, hand_id)

    def happened(self, account: int, hand_id: str) -> TimeoutUse | None:
        """Note a use at a table of this node. Return None if it is known, otherwise what other nodes must be told."""
        self._turn()
        use = TimeoutUse(account=account, hand_id=hand_id, at_ms=self._now_ms())
        if not self._add(use):
            return None
        self._noted()
        return use

    def heard(self, use: TimeoutUse) -> None:
        """Note a use at another node. One of another day, or from before the ledger was asked, changes nothing."""
        self._turn()
        if use.at_ms // _DAY_MS == self._day and use.at_ms >= self._restored_ms:
            self._add(use)

    def uses(self) -> Iterator[TimeoutUse]:
        """Return all of today's uses that this node has heard of, for a node that may have missed some."""
        self._turn()
        return iter(self._uses.values())

    def all(self) -> dict[int, int]:
        """Return today's uses of every account, for the operator."""
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
