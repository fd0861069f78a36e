"""The mailbox of a table: messages are handled one at a time, in order, and never from within another.

A Deferred that fires at once, or a collaborator that calls back, only queues. If a handler raises, that is a fault of
this table alone: the table is told, and the caller of `post` goes on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import ParamSpec

import structlog

P = ParamSpec("P")

_log = structlog.get_logger()


class Mailbox:
    """The queue of one actor. `fault` is called with the exception of a handler that raised."""

    def __init__(self, fault: Callable[[Exception], None]) -> None:
        self._queue: deque[Callable[[], None]] = deque()
        self._busy = False
        self._closed = False
        self._fault = fault
        self.posted = 0
        """How many messages have been posted: while it is the same nothing happens at the actor."""

    def post(self, handler: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Handle a message now, or after those before it; drop it once the mailbox is closed."""
        if self._closed:
            return
        self.posted += 1
        if self._busy:
            self._queue.append(partial(handler, *args, **kwargs))
            return
        self._busy = True
        try:
            handler(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 -- whatever a handler raises is a fault of this table alone
            self._failed(error)
        finally:
            self._busy = False
        if self._queue:
            self._work()

    def close(self, last: Callable[[], None]) -> None:
        """Handle no message any more except `last`: now, or when the present message is done."""
        self._closed = True
        self._queue.clear()
        self._queue.append(last)
        if not self._busy:
            self._work()

    def _work(self) -> None:
        queue = self._queue
        self._busy = True
        try:
            while queue:
                try:
                    queue.popleft()()
                except Exception as error:  # noqa: BLE001 -- as above
                    self._failed(error)
        finally:
            self._busy = False

    def _failed(self, error: Exception) -> None:
        try:
            self._fault(error)
        except Exception as again:  # noqa: BLE001 -- other callers post from here, and must not fail for this table
            _log.critical("table.fault_handling_failed", exc_info=again)
