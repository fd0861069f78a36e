"""What a run of the tests costs: its processor seconds, the dearest files, and tests that should be marked `slow`.

Processor seconds are those of the test's process and of the commands that it ran to their end. For a file those of the
servers that run on, PostgreSQL above all, are added where the system tells them (`/proc`). How long a test waits is not
in it. What else the machine does is: other programs empty the caches, and the same test has taken up to three times the
processor seconds. So a test above the limit is named, and fails nothing.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import process_time
from typing import Any, TypedDict

import pytest

LIMIT_S = 8.0
"""For one test, with the setup of its fixtures. More takes the marker `slow`, or `dear` with a reason."""

TOLD_FROM_S = 60.0
"""Smaller runs print nothing."""

FILES_TOLD = 10

_PROC = Path("/proc")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Spent(TypedDict):
    """Processor seconds of one process of a test run, and of all that it started."""

    all: float
    files: dict[str, float]
    dear: dict[str, float]


def own_s() -> float:
    """Of this process, and of its children that have ended."""
    used = (getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def servers_s() -> float:
    """Of the processes below this one that run, with their children that have ended; 0 where there is no `/proc`."""
    ticks, waiting = 0, [os.getpid()]
    while waiting:
        pid = waiting.pop()
        try:
            for thread in (_PROC / str(pid) / "task").iterdir():
                waiting += map(int, (thread / "children").read_text().split())
            if pid != os.getpid():
                after_name = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
                ticks += sum(map(int, after_name[11:15]))
        except OSError:  # it has ended, or there is no such directory
            continue
    return ticks / _TICKS_PER_S


def told(spent: list[Spent]) -> Iterator[str]:
    """The lines at the end of a run."""
    files: Counter[str] = Counter()
    for one in spent:
        files.update(one["files"])
    total, of_files = sum(one["all"] for one in spent), sum(files.values())
    yield f"{total:.0f} s: {of_files:.0f} s in tests, and {total - of_files:.0f} s to start and to read them"
    for name, seconds in files.most_common(FILES_TOLD):
        yield f"{seconds:7.1f} s  {name}"
    for one in spent:
        for name, seconds in one["dear"].items():
            yield (
                f"{name} took {seconds:.1f} s, more than {LIMIT_S:.0f} s. Make it cheaper, mark it `slow` if a cheaper"
                " test finds the same faults, or mark it `dear` with the reason."
            )


class ProcessorTime:
    """The plugin: it counts in each process that runs tests, and tells in the one that prints."""

    def __init__(self, own: Callable[[], float] = own_s) -> None:
        self._own = own
        self._spent = Spent(all=0.0, files={}, dear={})
        self._workers: list[Spent] = []
        self._file = ""
        self._mark = self._begun = 0.0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        name = item.nodeid.partition("::")[0]
        if name != self._file:
            self._close_file()
            self._file = name
        self._begun = self._own()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        # without what ends with the test: of the last one those are servers, with the time of the whole run
        seconds = self._own() - self._begun
        if seconds > LIMIT_S and not any(map(item.get_closest_marker, ("slow", "dear"))):
            self._spent["dear"][item.nodeid] = round(seconds, 1)

    def _close_file(self) -> None:
        """What was spent since the last file began is that one's."""
        now = self._own() + servers_s()
        seconds = max(0.0, now - self._mark)  # some servers take their time along when they end
        self._mark = now
        if self._file:
            files = self._spent["files"]
            files[self._file] = files.get(self._file, 0.0) + seconds
        self._spent["all"] += seconds

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.config.pluginmanager.hasplugin(
            "dsession"
        ):  # its children are workers, which tell themselves
            self._spent["all"] = process_time()
            return
        self._close_file()
        output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["processor_time"] = self._spent

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of pytest-xdist has ended; one that crashed tells nothing."""
        spent = getattr(node, "workeroutput", {}).get("processor_time")
        if spent is not None:
            self._workers.append(spent)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        spent = [self._spent, *self._workers]
        if sum(one["all"] for one in spent) >= TOLD_FROM_S:
            terminalreporter.section("processor time")
            for line in told(spent):
                terminalreporter.write_line(line)
