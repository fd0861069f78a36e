"""The action clock of one decision (H1, H4): a quiet time, a visible countdown, then the decision is taken.

If the table has a time bank, its rest runs between the countdown and the expiry.

Runs one timer. The table decides what expiry means.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from pokerroom.table.deadline import Deadline

LATE_MS = 500
"""A turn leaves when the journal has the step before it. Only an unavailable journal delays it for longer than this."""


class Alarm:
    """One timer that is set again for every decision and seldom expires.

    Making and cancelling a delayed call per action costs a tenth of the action. So a later time is only noted, and a
    call that comes too early waits for the rest.
    """

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._due = 0.0
        self._ring: Callable[[], None] | None = None
        self._call: IDelayedCall | None = None
        self._call_due = 0.0
        """When that call comes."""

    def set(self, seconds: float, ring: Callable[[], None]) -> None:
        """Call `ring` once, this many seconds from now, unless the timer is set again or cleared before."""
        self._due = self._clock.seconds() + seconds
        self._ring = ring
        if self._call is not None and self._call_due > self._due:
            self._call.cancel()
            self._call = None
        if self._call is None:
            self._call_in(seconds)

    def clear(self) -> None:
        """Clear the timer; the delayed call stays for the next one."""
        self._ring = None

    def stop(self) -> None:
        """Clear the timer, and cancel the delayed call."""
        self._ring = None
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _call_in(self, seconds: float) -> None:
        self._call_due = self._due
        self._call = self._clock.callLater(seconds, self._called)

    def _called(self) -> None:
        self._call = None
        if self._ring is None:
            return
        left = self._due - self._clock.seconds()
        if left > 0:
            self._call_in(left)
            return
        ring, self._ring = self._ring, None
        ring()


class ActionClock:
    """The clock from `start` until `cancel` or expiry: the quiet time, the countdown, and then the time bank, if any.

    Times in whole seconds, deadlines in epoch milliseconds. `expired` and `asked_again` are called with this clock; the
    latter when the time bank begins, because the decision then has another deadline.
    """

    def __init__(
        self,
        alarm: Alarm,
        now_ms: Callable[[], int],
        *,
        action_clock_s: int,
        countdown_s: int,
        time_bank_ms: int,
        asked_again: Callable[[ActionClock], None],
        expired: Callable[[ActionClock], None],
    ) -> None:
        self._alarm = alarm
        self._now_ms = now_ms
        self._action_clock_s = action_clock_s
        self._countdown_s = countdown_s
        self._bank_ms = time_bank_ms
        self._asked_again = asked_again
        self._expired = expired
        self._started = False
        self._graced = False
        self._made_ms = now_ms()
        self.deadline = self._deadline_from(self._made_ms)

    def _deadline_from(self, now: int) -> Deadline:
        countdown_ms = now + self._action_clock_s * 1000
        return Deadline(
            countdown_ms=countdown_ms,
            deadline_ms=countdown_ms + self._countdown_s * 1000,
            time_bank_ms=self._bank_ms,
        )

    def start(self) -> bool:
        """Start the clock: the turn has left for the clients.

        Return True if that was so late that the deadline has changed.
        """
        now = self._now_ms()
        self._started = True
        self._alarm.set(self._action_clock_s + self._countdown_s, self._rang)
        late = now - self._made_ms > LATE_MS
        if late:
            self.deadline = self._deadline_from(now)
        return late

    def hold(self) -> None:
        """Stop the clock until `restart`, and keep the rest of the time bank."""
        self._alarm.clear()
        self._bank_ms = self.time_bank_left_ms()
        self.deadline = replace(self.deadline, time_bank_ms=self._bank_ms, in_time_bank=False)

    def restart(self) -> bool:
        """Start the whole clock again, with the rest of the time bank. Return False if it has not started at all."""
        if not self._started:
            return False
        self._made_ms = now = self._now_ms()
        self.deadline = self._deadline_from(now)
        self.start()
        return True

    def grace(self) -> bool:
        """Restart the countdown for a player that reconnected, once per decision (H4). Return whether it did.

        A running time bank stops; its rest comes after the countdown. A turn that has not left yet has its whole clock
        still to come.
        """
        now = self._now_ms()
        deadline_ms = now + self._countdown_s * 1000
        later = self.deadline.in_time_bank or deadline_ms > self.deadline.deadline_ms
        if not self._started or self._graced or not later:
            return False
        self._graced = True
        self._bank_ms = self.time_bank_left_ms()
        self._alarm.set(self._countdown_s, self._rang)
        self.deadline = Deadline(
            countdown_ms=min(self.deadline.countdown_ms, now),
            deadline_ms=deadline_ms,
            time_bank_ms=self._bank_ms,
        )
        return True

    def time_bank_left_ms(self) -> int:
        """Return what a decision taken now leaves of the time bank."""
        if not self.deadline.in_time_bank:
            return self._bank_ms
        return max(0, self.deadline.deadline_ms - self._now_ms())

    def cancel(self) -> None:
        """Cancel the clock: the decision is taken."""
        self._alarm.clear()

    def _rang(self) -> None:
        if self.deadline.in_time_bank or not self._bank_ms:
            self._expired(self)
            return
        now = self._now_ms()
        self._alarm.set(self._bank_ms / 1000, self._rang)
        self.deadline = Deadline(countdown_ms=now, deadline_ms=now + self._bank_ms, in_time_bank=True)
        self._asked_again(self)
