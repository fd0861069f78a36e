"""Repeats a ledger operation until its outcome is known.

Every operation that moves money has a permanent key: after a lost connection or an unknown commit the same call is
made again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from pokerroom.ledger.api import LedgerUnavailable

T = TypeVar("T")

_RETRY_S_FIRST = 0.1
_RETRY_S_MAX = 2.0

_log = structlog.get_logger()


def until_known(clock: IReactorTime, attempt: Callable[[], Deferred[T]]) -> Deferred[T]:
    """Fires with the result or refusal of `attempt`, which is repeated while the ledger is unavailable."""
    result: Deferred[T] = Deferred()
    delay_s = _RETRY_S_FIRST

    def failed(failure: Failure) -> None:
        nonlocal delay_s
        if not isinstance(failure.value, LedgerUnavailable):
            result.errback(failure)
            return
        _log.warning("ledger.unavailable", retry_s=delay_s)
        clock.callLater(delay_s, once)
        delay_s = min(_RETRY_S_MAX, delay_s * 2)

    def once() -> None:
        attempt().addCallbacks(result.callback, failed)

    once()
    return result
