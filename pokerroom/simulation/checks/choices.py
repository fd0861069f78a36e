"""What a player has chosen, as far as answers told it. While a request is open, the old choice and the new may hold.

A request holds from a moment between its arrival and its answer. One that is never answered, for its connection is
gone, may hold or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from pokerroom.simulation.checks.checker import Key

T = TypeVar("T")

_HAND_MS = 600_000
"""A hand is over within this: no older moment is asked about."""
_KEPT = 10


@dataclass(slots=True, kw_only=True)
class _Said(Generic[T]):
    key: Key
    value: T
    since_ms: int
    certain_ms: int | None = None


class PlayersChoice(Generic[T]):
    """One choice of one sitting. It begins with `first`."""

    __slots__ = ("_said",)

    def __init__(self, first: T) -> None:
        self._said: list[_Said[T]] = [_Said(key=(-1, -1), value=first, since_ms=0, certain_ms=0)]

    def asked(self, key: Key, value: T, now_ms: int) -> None:
        """A request has reached the room."""
        if len(self._said) > _KEPT:
            del self._said[: self._first_at(now_ms - _HAND_MS)]
        self._said.append(_Said(key=key, value=value, since_ms=now_ms))

    def may_be(self, value: T, now_ms: int) -> None:
        """The room may have chosen by itself."""
        self._said.append(_Said(key=(-1, -1), value=value, since_ms=now_ms))

    def answered(self, key: Key, now_ms: int, *, accepted: bool, certain: bool = True) -> None:
        """A request is answered; an accepted one may still have changed nothing, unless `certain`."""
        for place, one in enumerate(self._said):
            if one.key == key:
                if not accepted:
                    del self._said[place]
                elif certain:
                    one.certain_ms = now_ms
                return

    def possible(self, at_ms: int) -> set[T]:
        """What may have held at that moment or since."""
        return {one.value for one in self._said[self._first_at(at_ms) :]}

    def _first_at(self, at_ms: int) -> int:
        """The place of what was certain then; what came before it is of no use."""
        for place in range(len(self._said) - 1, -1, -1):
            known = self._said[place].certain_ms
            if known is not None and known <= at_ms:
                return place
        return 0
