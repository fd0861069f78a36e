"""The harness's own tools: proxies that cut, a guard that ends what was left, the picture."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.faults import FAULTS, kinds
from tests.chaos.guard import Guard, started
from tests.chaos.proxy import Proxies
from tests.chaos.run import SERVICES
from tests.chaos.supervised_nodes import Caused, _Child
from tests.chaos.timeline import Band, draw, per_second

LIMIT_S = 20


@pytest.fixture
def echo(tmp_path: Path) -> Iterator[Path]:
    """A server on a Unix socket that sends back what it gets."""
    path = tmp_path / "echo"
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    def answer(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            while data := connection.recv(1000):
                connection.sendall(data)

    threading.Thread(target=serve, daemon=True).start()
    yield path
    server.shutdown(socket.SHUT_RDWR)
    server.close()


@pytest.fixture
def proxies() -> Iterator[Proxies]:
    proxies = Proxies()
    yield proxies
    proxies.end()


def connected(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S)
    connection.settimeout(LIMIT_S)
    return connection


def ask(connection: socket.socket, text: bytes) -> bytes:
    connection.sendall(text)
    return connection.recv(100)


def silent(connection: socket.socket) -> bool:
    """Nothing comes for a moment."""
    connection.settimeout(0.3)
    try:
        connection.recv(100)
    except TimeoutError:
        return True
    finally:
        connection.settimeout(LIMIT_S)
    return False


def test_a_silent_line_goes_on_where_it_was(proxies, echo):
    """What was sent while it was cut arrives after the cut, on an old connection and on one made meanwhile."""
    port = proxies.open("line", echo)
    with connected(port) as old:
        assert ask(old, b"one") == b"one"
        proxies.cut("line", "silent")
        old.sendall(b"two")
        with connected(port) as new:
            new.sendall(b"three")
            assert silent(old)
            assert silent(new)
            proxies.mend("line")
            assert old.recv(100) == b"two"
            assert new.recv(100) == b"three"


def test_a_reset_line_loses_its_connections(proxies, echo):
    """Old ones end, new ones end at once, and after the cut new ones are served; another line is not touched."""
    port, other = proxies.open("line", echo), proxies.open("other", echo)
    with connected(port) as old, connected(other) as untouched:
        assert ask(old, b"one") == b"one"
        proxies.cut("line", "reset")
        with pytest.raises(ConnectionResetError):
            old.recv(100)
        with contextlib.suppress(ConnectionResetError), connected(port) as refused:
            assert refused.recv(100) == b""
        assert ask(untouched, b"two") == b"two"
        proxies.mend("line")
        with connected(port) as new:
            assert ask(new, b"three") == b"three"


def sleeping() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])


def test_the_guard_ends_what_was_left(tmp_path):
    """Processes and directories that it was told of are gone when it has ended; others are not touched."""
    directory = tmp_path / "data"
    directory.mkdir()
    (directory / "file").write_text("x")
    with sleeping() as ours, sleeping() as other:
        try:
            with Guard() as guard:
                guard.watch(ours.pid)
                guard.remove(directory)
            assert ours.wait(LIMIT_S) == -9
            assert other.poll() is None
            assert not directory.exists()
        finally:
            ours.kill()
            other.kill()


def test_the_guard_outlives_a_killed_harness(tmp_path):
    """Kill -9 of whoever made it: what it was told of ends."""
    program = (
        "import os, signal, subprocess, sys; sys.path.insert(0, os.getcwd())\n"
        "from tests.chaos.guard import Guard\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "Guard().watch(child.pid); print(child.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, check=False, cwd=Path(__file__).parents[2]
    )
    pid = int(done.stdout)
    deadline = time.monotonic() + LIMIT_S
    while _runs(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    """Whether it is there and no zombie that waits for its parent."""
    if not started(pid):
        return False
    stat = Path(f"/proc/{pid}/stat")
    with contextlib.suppress(OSError):
        return stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def test_a_process_is_known_by_its_start():
    """The same number at another time is another process; no process has no start."""
    assert started(os.getpid()) == started(os.getpid())
    assert started(os.getpid())
    with sleeping() as child:
        child.kill()
    assert started(child.pid) == ""


def test_a_child_of_another_parent_is_followed_by_its_start():
    """It runs until it has ended, whoever its parent is; a signal to one that has ended goes nowhere."""
    with sleeping() as process:
        child = _Child(process.pid)
        assert child.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.05)
        child.send_signal(signal.SIGKILL)
        process.wait(LIMIT_S)
        assert child.wait(LIMIT_S) != 0
        child.send_signal(signal.SIGKILL)


def test_deaths_that_the_run_has_not_caused_are_counted():
    """By the parent's log, without those that the harness has brought about; what hung and was not stopped, too."""
    died, hangs = '{"event": "node.died"}', '{"event": "node.hangs"}'
    assert Caused(kills=1, pauses=1).not_by_harness([died, hangs, died]) == 0
    assert Caused(kills=1).not_by_harness([died, died]) == 1
    assert Caused(pauses=1).not_by_harness([died]) == 1
    found = {"node.hangs": 1}
    Caused().excuse(found)
    assert found == {"node.hangs": 1}
    Caused(pauses=1).excuse(found)
    assert found == {}


def test_every_fault_can_be_brought_about_somewhere():
    """With nodes of their own, below a parent, or of two versions; with one Redis, behind Sentinels, or a Cluster."""
    apart = kinds(supervised=False, versions=2)
    assert {"change_version"} == set(apart) - set(kinds(supervised=False))
    found = {redis: set(kinds(supervised=False, versions=2, redis=redis)) for redis in SERVICES}
    assert found["one"] | set(kinds(supervised=True)) == set(FAULTS) - {"redis_failover", "redis_reshard"}
    assert found["sentinel"] == found["one"] - {"cut_from_redis"} | {"redis_failover"}
    assert found["cluster"] == found["one"] - {"cut_from_redis"} | {"redis_reshard", "redis_failover"}
    assert "hang" not in kinds(supervised=False)


def test_the_picture_shows_every_fault():
    """Valid XML with a mark for each fault, whether or not it was recovered from."""
    bands = [
        Band(kind="kill", began_s=3, healed_s=3, recovered_s=5, took_s=2),
        Band(kind="cut & mend", began_s=6, healed_s=8, recovered_s=None, took_s=None),
    ]
    root = ET.fromstring(draw([0.5, 1.5, 1.6], [2.0], bands, 10))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"cut & mend: 1, not always recovered", "kill: 1, at most 2.0 s"} <= set(texts)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == 2


def test_counts_per_second():
    """What lies outside the run is left out."""
    assert per_second([-1.0, 0.2, 0.9, 2.0, 99.0], 3) == [2, 0, 1, 0]
