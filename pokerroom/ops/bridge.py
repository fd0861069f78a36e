"""The one bridge from asyncio to Twisted: a coroutine of an asyncio library becomes a Deferred.

Twisted runs on `asyncioreactor`, so the libraries share its loop. Awaiting an asyncio object directly inside a Twisted
coroutine fails. Code that uses asyncio is written as a coroutine and passed through here. This module does not know
what the coroutine does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from twisted.internet.defer import Deferred

T = TypeVar("T")


def deferred(coro: Coroutine[Any, Any, T]) -> Deferred[T]:
    """Start `coro` on the reactor's loop; the Deferred fires with its result or its exception.

    Cancelling the Deferred cancels the coroutine. Call it in the reactor's thread only.
    """
    return Deferred.fromFuture(asyncio.ensure_future(coro))
