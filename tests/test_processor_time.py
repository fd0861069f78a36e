"""What a run of the tests tells of its processor time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.processor_time import LIMIT_S, ProcessorTime, Spent, own_s, servers_s, told

CHILDREN = Path(f"/proc/self/task/{os.getpid()}/children")
"""Not every system has it."""

WORK = "from time import process_time\nwhile process_time() < 0.3: pass\n"


def test_the_files_of_all_processes_are_added_and_the_dearest_are_told():
    """What is in no file is the start; a test above the limit is named with what to do."""
    lines = list(
        told(
            [
                Spent(all=10.0, files={f"tests/test_{n}.py": n / 10 for n in range(12)}, dear={}),
                Spent(all=30.0, files={"tests/test_3.py": 20.0}, dear={"tests/test_3.py::test_it": 19.0}),
            ]
        )
    )
    assert lines[0] == "40 s: 27 s in tests, and 13 s to start and to read them"
    assert lines[1:3] == ["   20.3 s  tests/test_3.py", "    1.1 s  tests/test_11.py"]
    assert len(lines) == 12
    assert lines[-1].startswith("tests/test_3.py::test_it took 19.0 s, more than 8 s.")


def test_a_command_counts_with_the_process_that_waited_for_it():
    """It is a child that has ended; what runs on is a server."""
    own, servers = own_s(), servers_s()
    subprocess.run([sys.executable, "-c", WORK], check=True)
    assert own_s() - own >= 0.3
    if not CHILDREN.exists():
        return
    with subprocess.Popen(
        [sys.executable, "-c", f"{WORK}print(flush=True)\ninput()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdout is not None
        server.stdout.readline()
        assert servers_s() - servers >= 0.25
        server.communicate(b"\n")


@pytest.mark.parametrize(("marker", "named"), [(None, True), ("slow", False), ("dear", False)])
def test_a_test_above_the_limit_is_named_unless_it_is_marked(marker, named):
    """By the processor: a test that waits is not."""
    seconds = iter([0.0, 0.0, LIMIT_S + 1, LIMIT_S + 1])

    class Item:
        nodeid = "tests/test_it.py::test_it"

        def get_closest_marker(self, name):
            return name if name == marker else None

    class Plugins:
        def hasplugin(self, _name):
            return False

    class Config:
        workeroutput: ClassVar[dict[str, Any]] = {}
        pluginmanager = Plugins()

    class Session:
        config = Config()

    plugin = ProcessorTime(lambda: next(seconds))
    plugin.pytest_runtest_setup(Item())
    plugin.pytest_runtest_teardown(Item())
    plugin.pytest_sessionfinish(Session())
    assert ("tests/test_it.py::test_it" in Config.workeroutput["processor_time"]["dear"]) is named
