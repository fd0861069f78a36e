"""The cooldown of accounts that hold seats again and again without buying in: they hold none for a while [D].

Counted per account, at one table and since its start. The account may still sit down without holding a seat. Knows the
time, and no seats.
"""

from __future__ import annotations

from collections import deque
from math import ceil

from twisted.internet.interfaces import IReactorTime

UNUSED_MAX = 3
"""Number of unused holds within `WINDOW_S` seconds that begin a cooldown [D]."""
WINDOW_S = 600


class ReservationCooldown:
    """The unused holds of each account."""

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._unused: dict[int, deque[float]] = {}

    def unused(self, account: int) -> None:
        """Note that a hold of the account has ended without a buy-in."""
        now = self._clock.seconds()
        for other in [other for other, ends in self._unused.items() if ends[-1] <= now - WINDOW_S]:
            del self._unused[other]
        self._unused.setdefault(account, deque(maxlen=UNUSED_MAX)).append(now)

    def forget(self, account: int) -> None:
        """Forget the account's unused holds: it has bought in."""
        self._unused.pop(account, None)

    def left_ms(self, account: int) -> int:
        """Return how long the cooldown still runs: until `WINDOW_S` after the first of the last `UNUSED_MAX` unused
        holds; 0 if it does not run.
        """
        ends = self._unused.get(account)
        if ends is None or len(ends) < UNUSED_MAX:
            return 0
        return max(0, ceil((ends[0] + WINDOW_S - self._clock.seconds()) * 1000))
