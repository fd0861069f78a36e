"""Nodes below a parent: one `pokerroom serve --nodes N`, whose children are killed and stopped one by one.

They share their ports for players, and their lines to PostgreSQL and Redis, so that none can be cut off alone, nor told
from the others there. The parent starts again what dies, and kills what hangs: the harness waits for that.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.chaos.guard import started
from tests.chaos.nodes import READY_S, Node, Nodes, NotReady, terminated


class _Child:
    """A process of which we are not the parent: a `nodes.Process`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._started = started(pid)

    def poll(self) -> int | None:
        if self.returncode is None and (not self._started or started(self.pid) != self._started):
            self.returncode = 1  # what it was its parent knows
        return self.returncode

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sig)

    def wait(self, timeout: float | None = None) -> int:
        until = None if timeout is None else time.monotonic() + timeout
        while self.poll() is None:
            if until is not None and time.monotonic() > until:
                raise subprocess.TimeoutExpired([str(self.pid)], timeout or 0.0)
            time.sleep(0.01)
        assert self.returncode is not None
        return self.returncode


@dataclass(slots=True)
class Caused:
    """How often the harness has killed and stopped nodes."""

    kills: int = 0
    pauses: int = 0

    def not_by_harness(self, lines: Sequence[str]) -> int:
        """How many deaths in the parent's log the harness did not cause."""
        deaths = sum('"node.died"' in line or '"node.ended"' in line for line in lines)
        hung = min(self.pauses, sum('"node.hangs"' in line for line in lines))
        return max(0, deaths - self.kills - hung)

    def excuse(self, criticals: dict[str, int]) -> None:
        """Remove the nodes that hung because the harness stopped them."""
        if criticals.get("node.hangs", 0) <= self.pauses:
            criticals.pop("node.hangs", None)


class SupervisedNodes(Nodes):
    """See the module."""

    def __init__(self, count: int, **given: Any) -> None:
        super().__init__(count, **given)
        first, *others = self.all
        first.ops_port = _free_row(count)
        for node in others:
            node.game_port, node.http_port = first.game_port, first.http_port
            node.ops_port = first.ops_port + node.number - 1
        self._parent: subprocess.Popen[bytes] | None = None
        self._known: set[int] = set()
        self.caused = Caused()

    def start(self, node: Node) -> None:
        """Blocks until there is another process for the node than before, and it takes clients. Raises `NotReady`."""
        first = self.all[0]
        if self._parent is None:
            first.lives = 1
            self._parent = self._spawn(first, ["--nodes", str(len(self.all))])
            self._guard.watch(self._parent.pid)
        node.lives = 1  # they have one name
        give_up = time.monotonic() + READY_S
        while (pid := self._children().get(node.number, 0)) in self._known | {0}:
            if self._parent.poll() is not None or time.monotonic() > give_up:
                raise NotReady(f"node {node.number} is not started; see node-1.log")
            time.sleep(0.02)
        self._known.add(pid)
        process = _Child(pid)
        self._runs(node, process)
        first.pids.setdefault(first.name, set()).add(pid)
        self._wait_ready(node, process)

    def kill(self, node: Node) -> None:
        """See `Nodes`."""
        self.caused.kills += 1
        super().kill(node)

    def pause(self, node: Node) -> None:
        """See `Nodes`."""
        self.caused.pauses += 1
        super().pause(node)

    def terminate(self, node: Node) -> int:
        """All of them with the first; the exit code of their parent."""
        node.process = None
        parent, self._parent = self._parent, None
        return 0 if parent is None else terminated(parent)

    def ended(self) -> list[Node]:
        """None that would have to be started again: that is the parent's business."""
        return []

    def started_again(self, lines: Sequence[str]) -> int:
        """See `Nodes`."""
        return self.caused.not_by_harness(lines)

    def excuse(self, criticals: dict[str, int]) -> None:
        """Nodes that the harness has stopped are seen to hang."""
        self.caused.excuse(criticals)

    def _children(self) -> dict[int, int]:
        """Node -> the process that runs for it now."""
        assert self._parent is not None
        parent = self._parent.pid
        found = {}
        for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except FileNotFoundError:
                continue
            if b"--supervised" in words:
                number, _, _ = words[words.index(b"--supervised") + 1].partition(b":")
                found[int(number)] = int(pid)
        return found


_TRIES: Final = 100


def _free_row(count: int) -> int:
    """The first of so many free ports in a row."""
    for _ in range(_TRIES):
        with socket.socket() as first:
            first.bind(("127.0.0.1", 0))
            base: int = first.getsockname()[1]
            others = [socket.socket() for _ in range(1, count)]
            try:
                for number, other in enumerate(others, 1):
                    other.bind(("127.0.0.1", base + number))
            except (OSError, OverflowError):
                continue
            finally:
                for other in others:
                    other.close()
            return base
    raise NotReady("there are not so many free ports in a row")
