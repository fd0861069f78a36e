"""Runs several node processes behind one set of ports: starts them, restarts those that die, and ends them all.

The parent serves no client: it holds the port numbers, runs the embedded services, and passes signals on. Each child is
a whole node (`pokerroom serve`), which finds the others through Redis. A child that dies is restarted, after a longer
delay each time. A child that dies `DEATHS_MAX` times in a row, before it has lived for `QUICK_S`, ends the room: an
operator must correct what fails at every start. A child that hangs (it is stopped, or its reactor does not turn) would
still be given new connections: it is killed when its heartbeats cease. Knows nothing of what a node does.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import structlog

from pokerroom.parent_process import BEAT, ChildReport

QUICK_S: Final = 10.0
DEATHS_MAX: Final = 5
DELAY_S: Final = 0.5
"""Delay before a child is restarted after its first quick death; twice as long after each further one."""

HANG_S: Final = 4.0
"""A child without a heartbeat for this long is killed. The other nodes have taken its tables a second before."""

LOOK_S: Final = 1.0
"""Children are looked at this often; after three times as long without a look none of them counts as hanging."""

END_S: Final = 40.0
"""A child that was asked to end and has not by then is killed; it drains for at most 20 seconds."""

HURRY_S: Final = 10.0
"""The same after a second signal."""

_ENDED_AS_ASKED: Final = {0, -signal.SIGTERM, 128 + signal.SIGTERM}

_log = structlog.get_logger()

Command = Callable[[int, int], tuple[Sequence[str], Mapping[str, str]]]
"""Arguments and environment of a child, by its number from 1 and the descriptor of its end of the socket."""


@dataclass(slots=True, kw_only=True, eq=False)
class _Child:
    """One node, whichever process it is at the moment."""

    number: int
    process: subprocess.Popen[bytes] | None = None
    """None between a death and the next start."""
    channel: socket.socket | None = None
    heard: bytes = b""
    lines: tuple[str, ...] = ()
    """Where it listens; empty until it is ready."""
    started_s: float = 0.0
    beat_s: float | None = None
    """When its last heartbeat came; None before the first one, and once it is killed."""
    start_at_s: float = 0.0
    quick_deaths: int = 0


class Supervisor:
    """`count` children of `command`. `ready` is called once, with the lines of all, when all serve clients.

    `refused` is called if a child cannot start before all were ready once: then the room ends.
    """

    def __init__(
        self,
        count: int,
        command: Command,
        *,
        ready: Callable[[list[tuple[str, ...]]], None],
        refused: Callable[[str], None],
    ) -> None:
        self._command = command
        self._ready = ready
        self._refused = refused
        self._children = [_Child(number=number) for number in range(1, count + 1)]
        self._selector = selectors.DefaultSelector()
        self._all_ready = False
        self._asked_to_end = 0
        """How often."""
        self._kill_at_s = float("inf")
        self._code = 0
        self._looked_s = time.monotonic()

    def run(self) -> int:
        """Block until a signal has ended all children, or they cannot be kept alive; return the exit code.

        For the main thread of the process. SIGTERM and SIGINT end it, a second one in a hurry.
        """
        with _signals() as signalled:
            self._selector.register(signalled, selectors.EVENT_READ)
            try:
                while not self._asked_to_end or any(child.process for child in self._children):
                    self._turn(signalled)
            finally:
                self._kill()
                self._selector.close()
        return self._code

    def _turn(self, signalled: socket.socket) -> None:
        for child in self._children:
            if child.process is None and not self._asked_to_end and child.start_at_s <= time.monotonic():
                self._start(child)
        for key, _ in self._selector.select(self._wait_s()):
            if key.fileobj is signalled:
                self._take_signals(signalled)
            else:
                self._hear(key.data)
        for child in self._children:
            if child.process is not None and child.process.poll() is not None:
                self._died(child, child.process.returncode)
        self._look_for_hanging()
        if time.monotonic() >= self._kill_at_s:
            _log.error("nodes.killed", message="the nodes have not ended in time")
            self._code = 1
            self._kill()

    def _wait_s(self) -> float | None:
        """Return the time until the next thing that is due; None if only a child or a signal can bring one."""
        due = [self._kill_at_s]
        if any(child.beat_s is not None for child in self._children):
            due.append(self._looked_s + LOOK_S)
        if not self._asked_to_end:
            due += [child.start_at_s for child in self._children if child.process is None]
        next_s = min(due)
        return None if next_s == float("inf") else max(0.0, next_s - time.monotonic())

    def _look_for_hanging(self) -> None:
        """Kill children without heartbeats, after everything that they sent has been read."""
        now, looked_s = time.monotonic(), self._looked_s
        self._looked_s = now
        for child in self._children:
            if child.process is None or child.beat_s is None:
                continue
            if now - looked_s > 3 * LOOK_S:
                child.beat_s = now  # this process itself was stopped, perhaps with the whole machine
            elif now - child.beat_s >= HANG_S:
                _log.critical("node.hangs", number=child.number, pid=child.process.pid, silent_s=HANG_S)
                child.beat_s = None
                child.process.kill()

    # --- children -----------------------------------------------------------------------------------------------------

    def _start(self, child: _Child) -> None:
        own, theirs = socket.socketpair()
        with theirs:
            arguments, environment = self._command(child.number, theirs.fileno())
            # a group of its own: Ctrl-C reaches the parent alone, which passes it on once
            child.process = subprocess.Popen(  # noqa: S603 -- the command is ours
                arguments, env=environment, pass_fds=(theirs.fileno(),), process_group=0
            )
        own.setblocking(False)
        child.channel, child.heard, child.lines = own, b"", ()
        child.started_s, child.beat_s = time.monotonic(), None
        self._selector.register(own, selectors.EVENT_READ, child)
        _log.info("node.started", number=child.number, pid=child.process.pid)

    def _hear(self, child: _Child) -> None:
        """Read what a child sends, or its end."""
        try:
            said = b"" if child.channel is None else child.channel.recv(65_536)
        except BlockingIOError:
            return
        if not said:
            self._close(child)
            return
        *lines, child.heard = (child.heard + said).split(b"\n")
        for line in lines:
            child.beat_s = time.monotonic()  # every line is a sign of life
            if line != BEAT:
                self._take(child, ChildReport.of_line(line))

    def _take(self, child: _Child, said: ChildReport) -> None:
        if said.refused is None:
            child.lines = said.ready
            _log.info("node.ready", number=child.number)
            if not self._all_ready and all(child.lines for child in self._children):
                self._all_ready = True
                self._ready([child.lines for child in self._children])
        elif self._all_ready:
            _log.error("node.refused", number=child.number, reason=said.refused)
        elif not self._asked_to_end:
            self._refused(said.refused)
            self._give_up()

    def _died(self, child: _Child, code: int) -> None:
        self._hear(child)  # its last line may still be unread
        self._close(child)
        child.process, child.lines, child.beat_s = None, (), None
        if self._asked_to_end:
            if code not in _ENDED_AS_ASKED:
                self._code = 1
            return
        lived_s = time.monotonic() - child.started_s
        child.quick_deaths = child.quick_deaths + 1 if lived_s < QUICK_S else 0
        if code in _ENDED_AS_ASKED:  # the operator ended this node: it has handed its tables over
            _log.warning("node.ended", number=child.number, lived_s=round(lived_s, 1))
        else:
            _log.error("node.died", number=child.number, code=code, lived_s=round(lived_s, 1))
        if child.quick_deaths >= DEATHS_MAX:
            self._refused(f"node {child.number} has died {DEATHS_MAX} times in a row. Read the log")
            self._give_up()
            return
        delay_s = DELAY_S * 2 ** (child.quick_deaths - 1) if child.quick_deaths else 0.0
        child.start_at_s = time.monotonic() + delay_s

    def _close(self, child: _Child) -> None:
        if child.channel is not None:
            self._selector.unregister(child.channel)
            child.channel.close()
            child.channel = None

    # --- the end ------------------------------------------------------------------------------------------------------

    def _take_signals(self, signalled: socket.socket) -> None:
        for number in signalled.recv(64):
            if number in {signal.SIGTERM, signal.SIGINT}:
                self._end()

    def _give_up(self) -> None:
        _log.critical("room.gives_up")
        self._code = 1
        if not self._asked_to_end:
            self._end()

    def _end(self) -> None:
        self._asked_to_end += 1
        wait_s = END_S if self._asked_to_end == 1 else HURRY_S
        self._kill_at_s = min(self._kill_at_s, time.monotonic() + wait_s)
        for child in self._children:
            if child.process is not None:
                child.process.send_signal(signal.SIGTERM)

    def _kill(self) -> None:
        """Kill the remaining children; after an orderly end there are none."""
        for child in self._children:
            if child.process is not None:
                child.process.kill()
                child.process.wait()
                child.process = None
            self._close(child)
        self._kill_at_s = float("inf")


@contextmanager
def _signals() -> Iterator[socket.socket]:
    """Yield a socket to which the number of each signal is written, a byte each."""
    signalled, wakeup = socket.socketpair()
    with signalled, wakeup:
        wakeup.setblocking(False)
        before = {
            number: signal.signal(number, lambda *_: None)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)
        }
        wakeup_before = signal.set_wakeup_fd(wakeup.fileno(), warn_on_full_buffer=False)
        try:
            yield signalled
        finally:
            signal.set_wakeup_fd(wakeup_before)
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def looked_after(watch: Callable[[], None] | None, every_s: float = 1.0) -> Iterator[None]:
    """Call `watch` in a thread every `every_s` seconds; a failure is logged, and it is called again."""
    if watch is None:
        yield
        return
    over = threading.Event()

    def look() -> None:
        while not over.wait(every_s):
            try:
                watch()
            except Exception as error:  # noqa: BLE001 -- it is tried again, whatever it was
                _log.critical("services.not_revived", error=str(error))

    thread = threading.Thread(target=look, name="services")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def node_command(arguments: Sequence[str], variables: Callable[[int], Mapping[str, str]]) -> Command:
    """Return the command `pokerroom serve` with these arguments; `variables` are those of a node beside the parent's
    own.
    """

    def command(number: int, fd: int) -> tuple[Sequence[str], Mapping[str, str]]:
        own = [sys.executable, "-m", "pokerroom", "serve", "--supervised", f"{number}:{fd}"]
        return [*own, *arguments], {**os.environ, **variables(number)}

    return command


def as_lines(nodes: Sequence[Sequence[str]]) -> list[str]:
    """Return where the room listens: the lines of its first node, then the operations ports of the others."""
    return [*nodes[0], *(lines[-1] for lines in nodes[1:])]
