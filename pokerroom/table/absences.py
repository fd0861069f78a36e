"""Timers for seats of players who are disconnected, or have no chips: one timer each (H6).

Knows the time. The seats decide which players are away, and what follows when they do not come back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from twisted.internet.interfaces import IDelayedCall, IReactorTime


class Held(Protocol):
    """A seat of an account."""

    account: int
    """The account that holds the seat."""


H = TypeVar("H", bound=Held)


class Absences(Generic[H]):
    """The seats of players expected back within `limit_s` seconds; else `too_long` is called with the seat."""

    def __init__(self, clock: IReactorTime, limit_s: int, too_long: Callable[[H], None]) -> None:
        self._clock = clock
        self._limit_s = limit_s
        self._too_long = too_long
        self._timers: dict[int, IDelayedCall] = {}
        self._stopped = False

    def expects(self, seat: H) -> bool:
        """Return whether the seat's timer runs."""
        return seat.account in self._timers

    def expect(self, seat: H) -> None:
        """Start the seat's timer."""
        self.end(seat)
        if not self._stopped:
            self._timers[seat.account] = self._clock.callLater(self._limit_s, self._over, seat)

    def end(self, seat: H) -> None:
        """Cancel the seat's timer: the player is back, or has lost the seat."""
        timer = self._timers.pop(seat.account, None)
        if timer is not None:
            timer.cancel()

    def stop(self) -> None:
        """Cancel all timers, and start none any more."""
        self._stopped = True
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _over(self, seat: H) -> None:
        del self._timers[seat.account]
        self._too_long(seat)
