"""Actions that are due at times of their own, whatever the room does, and how long each takes from its time on.

A driver that waits for an answer before it acts again asks less of a room that stalls, and hardly sees the stall. Here
the times are drawn beforehand (a Poisson stream), and an action that cannot leave at its time waits, which counts. It
is done by the player that has been to move longest.

Knows no sockets and no clock: who calls it says what time it is, in seconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from random import Random

DRAIN_S = 10.0
"""So long after the last intended time actions may still end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A stream of `rate` actions a second from `begin_s` to `end_s`; those from `measure_s` on are measured."""

    rate: float
    begin_s: float
    measure_s: float
    end_s: float


class Arrivals:
    """One stream: its times, the players that are to move, and the actions on their way.

    `latency` gets the seconds from the intended time to the player's own event, `answer` those from the sending of
    the action, which is what a driver without intended times would find.
    """

    def __init__(
        self,
        stream: Random,
        schedule: Schedule,
        latency: Callable[[float], None],
        answer: Callable[[float], None],
    ) -> None:
        self._stream = stream
        self._schedule = schedule
        self._latency = latency
        self._answer = answer
        self._next_s = schedule.begin_s
        self._due: deque[float] = deque()
        self._to_move: deque[tuple[Hashable, Callable[[], None]]] = deque()
        self._under_way: dict[Hashable, tuple[float, float]] = {}
        self.offered = self.done = self.refused = self.unfinished = 0
        """Of the measured time. Unfinished ones have not ended by the end of the drain."""
        self._draw()

    def _draw(self) -> None:
        self._next_s += self._stream.expovariate(self._schedule.rate)

    def is_to_move(self, player: Hashable, act: Callable[[], None], now_s: float) -> None:
        """The player acts, by `act`, when an action is due for it."""
        self._to_move.append((player, act))
        self.advance(now_s)

    def advance(self, now_s: float) -> None:
        """Lets what is due by now happen, as far as players are to move."""
        while self._next_s <= min(now_s, self._schedule.end_s):
            self._due.append(self._next_s)
            self.offered += self._next_s >= self._schedule.measure_s
            self._draw()
        while self._due and self._to_move:
            player, act = self._to_move.popleft()
            self._under_way[player] = self._due.popleft(), now_s
            act()

    def ended(self, player: Hashable, now_s: float, *, refused: bool = False) -> None:
        """The player has seen its action happen, or been refused it."""
        found = self._under_way.pop(player, None)
        if found is None:
            return  # an action from before this stream
        intended_s, sent_s = found
        if intended_s < self._schedule.measure_s:
            return
        if refused:
            self.refused += 1
            return
        self.done += 1
        self._latency(now_s - intended_s)
        self._answer(now_s - sent_s)

    def wakes_s(self) -> float:
        """When `advance` or `is_over` has something new to say, if nothing else happens before."""
        return self._next_s if self._next_s <= self._schedule.end_s else self._schedule.end_s + DRAIN_S

    def is_over(self, now_s: float) -> bool:
        """Whether the stream has ended and all its actions with it, or the drain is over."""
        if self._next_s <= self._schedule.end_s:
            return False
        return not (self._due or self._under_way) or now_s >= self._schedule.end_s + DRAIN_S

    def close(self, now_s: float) -> list[tuple[Hashable, Callable[[], None]]]:
        """Counts what has not ended, with the time that it has taken until now; those that are still to move."""
        for intended_s in (*self._due, *(intended_s for intended_s, _ in self._under_way.values())):
            if intended_s >= self._schedule.measure_s:
                self.unfinished += 1
                self._latency(now_s - intended_s)
        self._due.clear()
        self._under_way.clear()
        return list(self._to_move)
