"""The requests that a store has to answer: one at a time for each connection, and a few at a time for the node.

Without the bound a client that asks for its history a thousand times fills the pool of database connections, and hands
wait to be settled. The requests of a connection that closes meanwhile are not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from twisted.internet.defer import Deferred, DeferredLock, DeferredSemaphore

AT_ONCE: Final = 4
"""[D] Requests of a node that are asked at the same time."""

_T = TypeVar("_T")


class ConnectionClosed(Exception):  # noqa: N818 -- ends a request that no client waits for
    """The client has gone before its request was asked."""


class SlowRequests:
    """The waiting requests of one connection; `slots` are those of the node."""

    def __init__(self, slots: DeferredSemaphore) -> None:
        self._slots = slots
        self._turn = DeferredLock()
        self._closed = False

    def ask(self, work: Callable[[], Coroutine[Any, Any, _T]]) -> Deferred[_T]:
        """Ask once this connection and the node have room. Fails as `work` does, or with `ConnectionClosed`."""
        return self._turn.run(self._slots.run, self._start, work)

    def close(self) -> None:
        """Ask nothing more."""
        self._closed = True

    def _start(self, work: Callable[[], Coroutine[Any, Any, _T]]) -> Deferred[_T]:
        if self._closed:
            raise ConnectionClosed
        return Deferred.fromCoroutine(work())
