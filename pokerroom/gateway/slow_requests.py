"""The requests that a store has to answer: one at a time for each connection, and a few at a time for the node.

Without the bound a client that asks for its history a thousand times fills the pool of database connections, and hands
wait to be settled. The requests of a connection that closes meanwhile are not asked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from twisted.internet.defer import Deferred, fail
from twisted.python.failure import Failure

from pokerroom.ops.slots import Slots, TooManyWaiting

AT_ONCE: Final = 4
"""[D] Requests of a node that are asked at the same time."""

SLOW_REQUESTS_MAX: Final = 128
"""[D] Requests of a connection that wait, so that a slow store does not fill the node's memory with them. More than its
rate allows at once (`limits`): a client hears of it only where the store is slower than the client.
"""

_T = TypeVar("_T")


class ConnectionClosed(Exception):  # noqa: N818 -- ends a request that no client waits for
    """The client has gone before its request was asked."""


class SlowRequests:
    """The waiting requests of one connection; `slots` are those of the node."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._waiting: deque[tuple[Callable[[], Coroutine[Any, Any, Any]], Deferred[Any]]] = deque()
        self._has_turn = False
        """Whether a request is asked, or waits for a slot."""
        self._closed = False

    def ask(self, work: Callable[[], Coroutine[Any, Any, _T]]) -> Deferred[_T]:
        """Ask once this connection and the node have room.

        Fails as `work` does, with `ConnectionClosed`, or with `TooManyWaiting`.
        """
        if self._closed:
            return fail(ConnectionClosed())
        if len(self._waiting) >= SLOW_REQUESTS_MAX:
            return fail(TooManyWaiting())
        answer: Deferred[_T] = Deferred()
        self._waiting.append((work, answer))
        self._consider()
        return answer

    def close(self) -> None:
        """Ask nothing more: what waits fails now."""
        self._closed = True
        waiting, self._waiting = self._waiting, deque()
        for _, answer in waiting:
            answer.errback(ConnectionClosed())

    def _consider(self) -> None:
        if self._waiting and not self._has_turn:
            self._has_turn = True
            self._slots.enter(self._start)

    def _start(self) -> None:
        if not self._waiting:  # it was closed meanwhile
            self._leave()
            return
        work, answer = self._waiting.popleft()

        def answered(result: object) -> None:
            if isinstance(result, Failure):
                answer.errback(result)
            else:
                answer.callback(result)
            self._leave()

        Deferred.fromCoroutine(work()).addBoth(answered)

    def _leave(self) -> None:
        self._has_turn = False
        self._slots.leave()
        self._consider()
