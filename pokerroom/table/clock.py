"""The action clock of one decision (H1, H4): a quiet time, a visible countdown, then the decision is taken.

Knows one timer. What expiry means is the table's business.
"""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.interfaces import IDelayedCall, IReactorTime

from pokerroom.table.views import Deadline


class ActionClock:
    """Runs from its making until `cancel` or expiry. Times in whole seconds, deadlines in epoch milliseconds."""

    def __init__(
        self,
        clock: IReactorTime,
        now_ms: Callable[[], int],
        action_clock_s: int,
        countdown_s: int,
        expired: Callable[[], None],
    ) -> None:
        self._clock = clock
        self._now_ms = now_ms
        self._countdown_s = countdown_s
        self._expired = expired
        now = now_ms()
        countdown_ms = now + action_clock_s * 1000
        self.deadline = Deadline(countdown_ms=countdown_ms, deadline_ms=countdown_ms + countdown_s * 1000)
        self._graced = False
        self._timer: IDelayedCall = clock.callLater(action_clock_s + countdown_s, expired)

    def grace(self) -> bool:
        """The player has reconnected: once per decision the countdown starts anew (H4). True if it did."""
        now = self._now_ms()
        deadline_ms = now + self._countdown_s * 1000
        if self._graced or deadline_ms <= self.deadline.deadline_ms:
            return False
        self._graced = True
        self.cancel()
        self._timer = self._clock.callLater(self._countdown_s, self._expired)
        self.deadline = Deadline(countdown_ms=min(self.deadline.countdown_ms, now), deadline_ms=deadline_ms)
        return True

    def cancel(self) -> None:
        """The decision is taken."""
        if self._timer.active():
            self._timer.cancel()
