"""A node process and the parent that started it: what the child reports, and that it does not outlive its parent.

The two share a socket. The child writes lines of JSON: that it is ready, or why it cannot start. It also writes empty
lines as a heartbeat, by which the parent sees that it does not hang. The parent writes nothing; the end of the stream
tells each side that the other one is gone. Knows no room.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final, Self

from pokerroom.ops.lasting_stream import tell

BEAT_S: Final = 0.5
"""Between two heartbeats."""

BEAT: Final = b""
"""The line that is a heartbeat."""

HURRY_S: Final = 1.0
"""This long after its parent ended a child is told to end in a hurry."""

END_S: Final = 5.0
"""And this long after that it is ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildReport:
    """What a child reports: the lines that tell where it listens, the operations port last; or why it
    does not start.
    """

    ready: tuple[str, ...] = ()
    refused: str | None = None

    def to_line(self) -> bytes:
        """Encode as a line."""
        return json.dumps({"ready": self.ready, "refused": self.refused}).encode() + b"\n"

    @classmethod
    def of_line(cls, line: bytes) -> Self:
        """Decode a line."""
        said = json.loads(line)
        return cls(ready=tuple(said["ready"]), refused=said["refused"])


class ParentProcess:
    """The parent as its child sees it: `fd` is the child's end of the socket, `number` is the child's.

    `end` asks this process to end, as a signal does; called again, in a hurry.
    """

    def __init__(
        self, number: int, fd: int, end: Callable[[], None] = lambda: os.kill(os.getpid(), signal.SIGTERM)
    ) -> None:
        self.number = number
        self._socket = socket.socket(fileno=fd)
        self._socket.set_inheritable(False)  # no child of ours holds it open when we are gone
        self._end = end
        threading.Thread(target=self._watch, name="parent", daemon=True).start()

    @classmethod
    def of_option(cls, text: str) -> Self:
        """Read the option that the parent gives: `NUMBER:FD`. Raises `ValueError`, and `OSError` if it is no socket."""
        number, _, fd = text.partition(":")
        return cls(int(number), int(fd))

    def ready(self, lines: list[str]) -> None:
        """Report that the node serves clients."""
        self._say(ChildReport(ready=tuple(lines)))

    def refused(self, reason: str) -> None:
        """Report why the node cannot start; the operator can correct the reason."""
        self._say(ChildReport(refused=reason))

    def beat(self) -> None:
        """Send a heartbeat. Call it every `BEAT_S` from whatever must not hang. Never blocks."""
        with suppress(OSError):  # the parent reads nothing now (BlockingIOError is an OSError), or is gone
            self._socket.send(BEAT + b"\n", socket.MSG_DONTWAIT)

    def _say(self, said: ChildReport) -> None:
        with suppress(OSError):  # the parent is gone, and this process ends in a moment
            self._socket.sendall(said.to_line())

    def _watch(self) -> None:
        with suppress(OSError):  # the parent is gone, as at the end of the stream
            while self._socket.recv(64):
                pass
        self._end()
        time.sleep(HURRY_S)
        self._end()
        time.sleep(END_S)
        os._exit(1)


def tell_ready(lines: Iterable[str], how: str = "") -> None:
    """Tell the operator where the room listens, and `how` it runs."""
    tell("", f"pokerroom {version('pokerroom')} is ready{how}; Ctrl-C stops it", *lines, "")


class TerminalParent:
    """Reports as `ParentProcess` does to the operator's terminal, for a node without a parent."""

    def ready(self, lines: list[str]) -> None:
        tell_ready(lines)

    def refused(self, reason: str) -> None:
        tell(f"pokerroom: {reason}")
