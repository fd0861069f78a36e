"""Work that is done again and again, whatever happens: a fault is logged, and it goes on, for money waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import structlog
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.python.failure import Failure

_log = structlog.get_logger()


class Often:
    """Does `work`, which may return a Deferred, every so many seconds; never twice at a time."""

    def __init__(self, clock: IReactorTime, seconds: float, work: Callable[[], Any]) -> None:
        self._seconds = seconds
        self._loop = LoopingCall(work)
        self._loop.clock = clock

    def start(self) -> None:
        """From now on, the first time after `seconds`."""
        self._loop.start(self._seconds, now=False).addErrback(self._again)

    def stop(self) -> None:
        """What is under way comes to its end."""
        if self._loop.running:
            self._loop.stop()

    def _again(self, failure: Failure) -> None:
        fault(failure)
        self.start()


def fault(failure: Failure) -> None:
    """A fault of ours that nobody else will hear of."""
    _log.critical("sit_and_go.fault", exc_info=failure.value)
