"""Readings that many ask for at the same moment, and that are made once for all of them.

All tables of a field ask how their tournament stands when it starts, or when a node takes them over; all its players
look at the lobby. Each answer began to be read after it was asked for, so it is as fresh as one of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

T = TypeVar("T")


class SharedReads(Generic[T]):
    """Calls `read` for one caller at a time per key; those that ask meanwhile share the next reading."""

    def __init__(self, read: Callable[[str], Deferred[T]]) -> None:
        self._read = read
        self._waiting: dict[str, list[Deferred[T]]] = {}
        """By key of each reading in progress: the callers that have asked since it began."""

    def ask(self, key: str) -> Deferred[T]:
        """Fire with the answer of a reading that begins now, or after the one in progress."""
        answer: Deferred[T] = Deferred()
        if key in self._waiting:
            self._waiting[key].append(answer)
        else:
            self._begin(key, [answer])
        return answer

    def _begin(self, key: str, asked: list[Deferred[T]]) -> None:
        self._waiting[key] = []

        def told(found: T) -> None:
            self._go_on(key)
            for answer in asked:
                answer.callback(found)

        def failed(failure: Failure) -> None:
            self._go_on(key)
            for answer in asked:
                answer.errback(failure)

        self._read(key).addCallbacks(told, failed)

    def _go_on(self, key: str) -> None:
        waiting = self._waiting.pop(key)
        if waiting:
            self._begin(key, waiting)
