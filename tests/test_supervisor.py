"""Several processes below one parent: they start, die, are started again, and end together. Real processes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pokerroom import supervisor
from pokerroom.parent_process import ChildReport, ParentProcess

_SCRIPT = Path(__file__).with_name("supervised_nodes.py")
_LIMIT_S = 60


class Nodes:
    """A parent with children that do as their words say."""

    def __init__(self, directory: Path, *words: str) -> None:
        self.directory = directory
        for number, word in enumerate(words, 1):
            (directory / str(number)).write_text(word)
        (directory / "pids").touch()
        self.process = subprocess.Popen(
            [sys.executable, str(_SCRIPT), "parent", str(directory), str(len(words))],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": str(_SCRIPT.parents[1])},
            start_new_session=True,
        )

    def line(self) -> list[str]:
        """The next thing that the parent says."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n").split("|")

    def started(self) -> list[tuple[int, int]]:
        """Number and process of every child ever, in order."""
        lines = (self.directory / "pids").read_text().splitlines()
        return [(int(number), int(pid)) for number, pid in map(str.split, lines)]

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def code(self) -> int:
        return self.process.wait(_LIMIT_S)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        until(lambda: not any(alive(pid) for _, pid in self.started()))


def alive(pid: int) -> bool:
    """Return whether the process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + _LIMIT_S
    while not holds():
        assert time.monotonic() < limit, "it has not come about"
        time.sleep(0.02)


@pytest.fixture
def nodes(tmp_path):
    """Makes `Nodes`; whatever happens, none of their processes stays."""
    made = []

    def make(*words: str) -> Nodes:
        made.append(Nodes(tmp_path, *words))
        return made[-1]

    yield make
    for one in made:
        one.end()


pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")


def test_where_the_room_listens_is_told_once_when_all_are_ready(nodes):
    """The first node's lines, and the operations ports of the others."""
    three = nodes("serves", "serves", "serves")
    assert three.line() == ["ready", "game of 1", "operations of 1", "operations of 2", "operations of 3"]
    assert sorted(number for number, _ in three.started()) == [1, 2, 3]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_parent_ends_all_and_then_the_parent(nodes, number):
    """In order, with code 0."""
    two = nodes("serves", "serves")
    two.line()
    two.signal(number)
    assert two.code() == 0
    assert not any(alive(pid) for _, pid in two.started())


def test_ctrl_c_in_a_terminal_reaches_children_once(nodes):
    """The terminal signals the parent's group: children are in groups of their own, and hear of it from the parent."""
    one = nodes("patient", "serves")
    one.line()
    os.killpg(one.process.pid, signal.SIGINT)
    until(lambda: not alive(one.started()[-1][1]) or not alive(one.started()[0][1]))
    assert one.process.poll() is None  # the patient one has heard it once
    os.killpg(one.process.pid, signal.SIGINT)
    assert one.code() == 0


def test_a_second_signal_is_passed_on(nodes):
    """A node that waits for its hands is in a hurry then."""
    two = nodes("patient", "patient")
    two.line()
    two.signal(signal.SIGTERM)
    time.sleep(0.2)  # signals of one number that come at once are one
    assert two.process.poll() is None
    two.signal(signal.SIGTERM)
    assert two.code() == 0


def test_a_child_that_does_not_end_is_killed(nodes):
    """After the second signal's limit; the exit code says that it was not in order."""
    two = nodes("deaf", "serves")
    two.line()
    two.signal(signal.SIGTERM)
    until(lambda: sum(alive(pid) for _, pid in two.started()) == 1)
    two.signal(signal.SIGTERM)
    assert two.code() == 1
    assert not any(alive(pid) for _, pid in two.started())


def test_a_node_that_ends_badly_is_told_by_the_exit_code(nodes):
    """Though it was asked to end."""
    two = nodes("serves", "ends-badly")
    two.line()
    two.signal(signal.SIGTERM)
    assert two.code() == 1


def test_a_node_that_dies_is_started_again(nodes):
    """The others go on; the ready lines are not printed again."""
    two = nodes("serves", "dies-later serves")
    two.line()
    before = two.started()
    (two.directory / "die").touch()
    until(lambda: len(two.started()) == 3)
    assert two.started()[2][0] == 2
    first = next(pid for number, pid in before if number == 1)
    assert alive(first)
    until(lambda: alive(two.started()[2][1]))
    two.signal(signal.SIGTERM)
    assert two.code() == 0
    assert two.line() == [""]


def test_kill_9_of_a_node_is_a_death_as_any(nodes):
    """It is started again."""
    two = nodes("serves", "serves")
    two.line()
    os.kill(two.started()[0][1], signal.SIGKILL)
    until(lambda: len(two.started()) == 3)
    assert two.process.poll() is None


def test_a_node_that_the_operator_ends_is_started_again(nodes):
    """SIGTERM to one of them ends that one, in order; the room goes on with as many as before."""
    two = nodes("serves", "serves")
    two.line()
    ended, other = two.started()
    os.kill(ended[1], signal.SIGTERM)
    until(lambda: len(two.started()) == 3)
    assert two.started()[2][0] == ended[0]
    assert alive(other[1])
    two.signal(signal.SIGTERM)
    assert two.code() == 0


def test_a_node_that_hangs_is_killed_and_started_again(nodes):
    """It would go on to take its part of the new connections; the others are left alone."""
    two = nodes("serves", "serves")
    two.line()
    hung, other = two.started()
    os.kill(hung[1], signal.SIGSTOP)
    until(lambda: len(two.started()) == 3)
    assert two.started()[2][0] == hung[0]
    assert not alive(hung[1])
    assert alive(other[1])
    two.signal(signal.SIGTERM)
    assert two.code() == 0


def test_a_node_that_hangs_does_not_hold_up_the_end(nodes):
    """It is killed as at any other time, not after the limit for all; the exit code says so."""
    two = nodes("serves", "serves")
    two.line()
    began = time.monotonic()
    os.kill(two.started()[1][1], signal.SIGSTOP)
    two.signal(signal.SIGTERM)
    assert two.code() == 1
    assert time.monotonic() - began < supervisor.END_S / 2


class SupervisorOfNothing(supervisor.Supervisor):
    """One child that is no process: the test sets its times."""

    def __init__(self) -> None:
        super().__init__(1, lambda *_: ([], {}), ready=lambda _: None, refused=lambda _: None)
        (self.child,) = self._children

    def look_for_hanging(self) -> None:
        self._look_for_hanging()

    def died(self) -> None:
        self._died(self.child, 1)

    def close(self) -> None:
        self._selector.close()


def test_a_parent_that_was_stopped_holds_nothing_against_its_nodes(monkeypatch):
    """What it has not heard meanwhile may not have been said because the whole machine slept."""
    now = [1000.0]
    monkeypatch.setattr("pokerroom.supervisor.time.monotonic", lambda: now[0])
    killed = []

    class Process:
        pid = 1

        def kill(self) -> None:
            killed.append(now[0])

    one = SupervisorOfNothing()
    one.child.process, one.child.beat_s = Process(), now[0]
    now[0] += 60
    one.look_for_hanging()
    assert killed == []
    for _ in range(10):
        now[0] += supervisor.LOOK_S
        one.look_for_hanging()
    assert killed == [1060 + supervisor.HANG_S]
    one.close()


def test_signs_of_life_wait_for_no_parent():
    """One that reads nothing for hours does not stop its nodes."""

    class ParentThatMayEnd(ParentProcess):
        def _watch(self) -> None:
            """Else this process would end with the socket."""

        def close(self) -> None:
            self._socket.close()

    ours, theirs = socket.socketpair()
    with theirs:
        node = ParentThatMayEnd(1, ours.detach())
        for _ in range(100_000):
            node.beat()
        assert set(theirs.recv(1000)) == set(b"\n")
        node.close()


def test_a_node_that_dies_again_and_again_ends_the_room(nodes):
    """Loudly, with code 1, after five quick deaths; no process stays behind."""
    two = nodes("serves", "dies")
    assert two.line() == ["refused", "node 2 has died 5 times in a row. Read the log"]
    assert two.code() == 1
    assert [number for number, _ in two.started()].count(2) == supervisor.DEATHS_MAX
    assert not any(alive(pid) for _, pid in two.started())


def test_a_node_that_cannot_start_ends_the_room_with_its_reason(nodes):
    """At the first start: what an operator has to mend is told at once, as by a room of one node."""
    two = nodes("serves", "refuses")
    assert two.line() == ["refused", "the moon is full"]
    assert two.code() == 1
    assert [number for number, _ in two.started()].count(2) <= 1


def test_a_refusal_of_a_node_that_was_ready_before_is_a_death(nodes):
    """Its services may be away for a moment: it is tried again."""
    two = nodes("serves", "dies-later refuses serves")
    two.line()
    (two.directory / "die").touch()
    until(lambda: [number for number, _ in two.started()].count(2) == 3)
    assert two.process.poll() is None


def test_a_room_may_be_ended_before_it_is_ready(nodes):
    """Nothing is told then."""
    two = nodes("serves", "silent")
    until(lambda: len(two.started()) == 2)
    two.signal(signal.SIGTERM)
    assert two.code() == 0
    assert two.line() == [""]


@pytest.mark.parametrize("words", ["serves", "patient", "deaf"])
def test_no_child_outlives_its_parent(nodes, words):
    """Not after kill -9 of the parent either, and not if it does not listen."""
    two = nodes(words, "serves")
    two.line()
    two.signal(signal.SIGKILL)
    assert two.code() == -signal.SIGKILL
    until(lambda: not any(alive(pid) for _, pid in two.started()))


def test_deaths_of_long_ago_do_not_count(monkeypatch):
    """A node that has lived is started again at once; one that has not waits twice as long each time."""
    now = [1000.0]
    monkeypatch.setattr("pokerroom.supervisor.time.monotonic", lambda: now[0])
    one = SupervisorOfNothing()
    waits = []
    for lived_s in (1.0, 1.0, 1.0, 60.0, 1.0, 1.0):
        one.child.started_s = now[0]
        now[0] += lived_s
        one.died()
        waits.append(one.child.start_at_s - now[0])
    assert waits == [0.5, 1.0, 2.0, 0.0, 0.5, 1.0]
    one.close()


def test_what_a_child_says_is_read_as_it_was_written():
    """Lines with anything in them but an end of line."""
    for said in (ChildReport(ready=("game ü", 'a "b"')), ChildReport(refused="no: \\n")):
        assert ChildReport.of_line(said.to_line()) == said


def test_what_is_looked_after_is_looked_at_until_the_end():
    """Also after it has failed."""
    looks = []

    def look() -> None:
        looks.append(1)
        if len(looks) == 1:
            raise OSError("away")

    with supervisor.looked_after(look, 0.01):
        until(lambda: len(looks) >= 3)
    after = len(looks)
    time.sleep(0.05)
    assert len(looks) == after


def test_a_room_whose_services_are_not_its_own_looks_after_none():
    """No thread is started."""
    import threading

    before = threading.active_count()
    with supervisor.looked_after(None):
        assert threading.active_count() == before
