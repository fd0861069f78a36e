"""Who has held seats and not bought in, again and again: he holds none for a while [D].

Counted at one table and since it began, per account, which may still sit down without holding a seat. Knows the time,
and nothing of chairs.
"""

from __future__ import annotations

from collections import deque

from twisted.internet.interfaces import IReactorTime

UNUSED_MAX = 3
"""So many unused holds within `WINDOW_S` seconds are enough [D]."""
WINDOW_S = 600


class ReservationCooldown:
    """The unused holds of each account."""

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._unused: dict[int, deque[float]] = {}

    def unused(self, account: int) -> None:
        """A hold of his has ended, and he did not buy in."""
        now = self._clock.seconds()
        for other in [other for other, ends in self._unused.items() if ends[-1] <= now - WINDOW_S]:
            del self._unused[other]
        self._unused.setdefault(account, deque(maxlen=UNUSED_MAX)).append(now)

    def forget(self, account: int) -> None:
        """He has bought in."""
        self._unused.pop(account, None)

    def runs(self, account: int) -> bool:
        """Whether he must do without; it ends `WINDOW_S` after the first of his last `UNUSED_MAX` unused holds."""
        ends = self._unused.get(account)
        return ends is not None and len(ends) == UNUSED_MAX and ends[0] > self._clock.seconds() - WINDOW_S
