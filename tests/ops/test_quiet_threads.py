"""Long work leaves the reactor's thread, and gives way to it."""

from __future__ import annotations

import asyncio
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


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread has no priority of its own")
def test_work_of_a_process_that_gives_way_more_stays_behind_it():
    """Under `nice -n 15` the threads have 15 too, not 10."""
    threads = QuietThreads(1)
    found = []

    async def work():
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 15)
        loop = asyncio.get_running_loop()
        found.append(await threads.run(_where).asFuture(loop))

    gives_way = threading.Thread(target=asyncio.run, args=(work(),))
    gives_way.start()
    gives_way.join()
    threads.stop()
    [(_, niceness)] = found
    assert niceness == 15


def test_an_exception_is_the_outcome(run):
    threads = QuietThreads(1)
    with pytest.raises(ZeroDivisionError):
        run(threads.run(lambda: 1 // 0))
    threads.stop()
