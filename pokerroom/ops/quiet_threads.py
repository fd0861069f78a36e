"""Threads for work that takes long and may wait. They run behind the reactor and everything else on the machine.

On Linux a thread has a priority of its own. Elsewhere these threads run with the priority of the process.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred

NICENESS: Final = 10
"""[D] A tenth of the share of a processor that the reactor has."""


class QuietThreads:
    """Runs blocking work in at most `count` threads."""

    def __init__(self, count: int) -> None:
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="quiet", initializer=_lower_priority)

    def run(self, work: Callable[..., Any], *args: Any) -> Deferred[Any]:
        """Run it in a thread; the Deferred fires with its result or its exception."""
        return deferred(self._run(work, *args))

    async def _run(self, work: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *args)

    def stop(self) -> None:
        """Start nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _lower_priority() -> None:
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with suppress(OSError):  # a sandbox may forbid it
            inherited = os.getpriority(os.PRIO_PROCESS, thread)
            os.setpriority(os.PRIO_PROCESS, thread, max(inherited, NICENESS))
