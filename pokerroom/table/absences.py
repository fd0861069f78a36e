"""How long a chair is kept for whom nobody sees, or who has no chips: one timer each (H6).

Knows the time; who is away, and what follows when he does not come back, is the chairs' business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from twisted.internet.interfaces import IDelayedCall, IReactorTime


class Held(Protocol):
    """A chair, or a place."""

    account: int
    """Whose it is."""


H = TypeVar("H", bound=Held)


class Absences(Generic[H]):
    """Whose holders are expected back within `limit_s` seconds; else `too_long` is called with the chair."""

    def __init__(self, clock: IReactorTime, limit_s: int, too_long: Callable[[H], None]) -> None:
        self._clock = clock
        self._limit_s = limit_s
        self._too_long = too_long
        self._timers: dict[int, IDelayedCall] = {}
        self._stopped = False

    def expects(self, seat: H) -> bool:
        """Whether his time runs."""
        return seat.account in self._timers

    def expect(self, seat: H) -> None:
        """His time runs from now on."""
        self.end(seat)
        if not self._stopped:
            self._timers[seat.account] = self._clock.callLater(self._limit_s, self._over, seat)

    def end(self, seat: H) -> None:
        """He is back, or has lost his seat."""
        timer = self._timers.pop(seat.account, None)
        if timer is not None:
            timer.cancel()

    def stop(self) -> None:
        """Cancels the timers; none is set again."""
        self._stopped = True
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _over(self, seat: H) -> None:
        del self._timers[seat.account]
        self._too_long(seat)
