"""Work that is repeated until it is stopped. A fault is logged and does not end it: money may wait for the work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import structlog
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.python.failure import Failure

_log = structlog.get_logger()


class PeriodicTask:
    """Calls `work`, which may return a Deferred, every so many seconds; never twice at a time."""

    def __init__(self, clock: IReactorTime, seconds: float, work: Callable[[], Any]) -> None:
        self._seconds = seconds
        self._stopped = True
        self._loop = LoopingCall(work)
        self._loop.clock = clock

    def start(self) -> None:
        """Begin; the first call follows after `seconds`."""
        self._stopped = False
        self._loop.start(self._seconds, now=False).addErrback(self._continue)

    def stop(self) -> None:
        """Begin no further call; one that is under way is not interrupted."""
        self._stopped = True
        if self._loop.running:
            self._loop.stop()

    def _continue(self, failure: Failure) -> None:
        log_fault(failure)
        if not self._stopped:
            self.start()


def log_fault(failure: Failure) -> None:
    """Log a fault of the room, which no caller is told."""
    _log.critical("task.fault", exc_info=failure.value)
