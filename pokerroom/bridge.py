"""The bridges between asyncio and Twisted: `deferred` to a Deferred, `as_future` back to asyncio.

Twisted runs on `asyncioreactor`, so the libraries share its loop. Awaiting an asyncio object directly inside a Twisted
coroutine fails. Code that uses asyncio is written as a coroutine and passed through `deferred`. This module does not
know what the coroutines do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from twisted.internet.defer import Deferred

P = ParamSpec("P")
T = TypeVar("T")


def deferred(coro: Coroutine[Any, Any, T]) -> Deferred[T]:
    """Start `coro` on the reactor's loop; the Deferred fires with its result or its exception.

    Cancelling the Deferred cancels the coroutine. Call it in the reactor's thread only.
    """
    return Deferred.fromFuture(asyncio.ensure_future(coro))


def as_future(work: Awaitable[T]) -> asyncio.Future[T]:
    """Let asyncio wait for a Deferred, or for a coroutine that awaits Deferreds, as the commands do."""

    async def waited() -> T:
        return await work

    return Deferred.fromCoroutine(waited()).asFuture(asyncio.get_running_loop())


def as_deferred(work: Callable[P, Coroutine[Deferred[Any], Any, T]]) -> Callable[P, Deferred[T]]:
    """Let a coroutine function return a Deferred, which fires with its result or its exception."""

    @wraps(work)
    def begun(*args: P.args, **kwargs: P.kwargs) -> Deferred[T]:
        return Deferred.fromCoroutine(work(*args, **kwargs))

    return begun
