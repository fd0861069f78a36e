"""Which table an injected exception has hit: its journal names it, other collaborators do not.

A table that is hit says so with a notice. Each strike explains one such notice, and the requests that were handled in
that moment; it excuses nothing at another table.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable

WINDOW_S = 600.0
NOTICE_S = 1.0
"""A table that was hit says so within this, once the journal has what was said before."""


class InjectedFaults:
    """The strikes of one process after the other; `seconds` is virtual time."""

    def __init__(self, seconds: Callable[[], float]) -> None:
        self._seconds = seconds
        self._unexplained: Counter[str] = Counter()
        """Table, or "" where it is not known -> strikes without a notice yet."""
        self._moments: set[float] = set()
        self._hits: dict[str, deque[float]] = {}
        self._loose: deque[float] = deque()
        self._gaps: dict[str, float] = {}
        """Tables whose events have a gap and that have not said that they are frozen: since when."""

    def crashed(self) -> None:
        """The process is gone, and with it what was hit."""
        self._unexplained.clear()
        self._moments.clear()
        self._hits.clear()
        self._loose.clear()
        self._gaps.clear()

    def struck(self, table: str) -> None:
        """An exception is about to be raised."""
        now = self._seconds()
        self._unexplained[table] += 1
        self._moments.add(now)
        (self._hits.setdefault(table, deque()) if table else self._loose).append(now)

    def explains(self, table: str) -> bool:
        """The table says that it is frozen: whether a strike may be why."""
        self._gaps.pop(table, None)
        for where in (table, ""):
            if self._unexplained[where]:
                self._unexplained[where] -= 1
                if not where and self._loose:
                    self._hits.setdefault(table, deque()).append(self._loose.popleft())
                return True
        return False

    def pending(self, table: str) -> bool:
        """Whether the table may have been hit and has not said so yet, since that waits for the journal."""
        return self._unexplained[table] > 0 or self._unexplained[""] > 0

    def has_gap(self, table: str) -> None:
        """Events of the table are missing: if it was hit it has to say so."""
        self._gaps.setdefault(table, self._seconds())

    def silent(self, outage_until_s: float) -> list[str]:
        """Tables with a gap that have not said why for too long; each is named once."""
        now = self._seconds()
        found = [table for table, at in self._gaps.items() if now > max(at, outage_until_s) + NOTICE_S]
        for table in found:
            del self._gaps[table]
        return found

    def at(self, moment_s: float) -> bool:
        """Whether something was hit in this very moment."""
        return moment_s in self._moments

    def recent(self, table: str) -> int:
        """How often the table may have been hit within `WINDOW_S`."""
        since_s = self._seconds() - WINDOW_S
        return sum(at > since_s for at in (*self._hits.get(table, ()), *self._loose))
