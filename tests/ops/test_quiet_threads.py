"""Long work leaves the reactor's thread, and gives way to it."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from pokerroom.ops.quiet_threads import NICENESS, QuietThreads


def _where() -> tuple[int, int]:
    return threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread has no priority of its own")
def test_work_gives_way(run):
    """It runs in another thread of lower priority; the priority of the caller stays."""
    threads = QuietThreads(1)
    own = os.getpriority(os.PRIO_PROCESS, 0)
    thread, niceness = run(threads.run(_where))
    assert thread != threading.get_native_id()
    assert niceness == min(19, max(own, NICENESS))
    assert os.getpriority(os.PRIO_PROCESS, 0) == own
    threads.stop()


def test_an_exception_is_the_outcome(run):
    threads = QuietThreads(1)
    with pytest.raises(ZeroDivisionError):
        run(threads.run(lambda: 1 // 0))
    threads.stop()
