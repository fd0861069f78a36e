"""A node process and the parent that has started it: what the child says, and that it does not outlive its parent.

The two share a socket. The child writes lines of JSON to it: that it is ready, or why it cannot start; and empty lines,
again and again, by which the parent sees that it does not hang. The parent writes nothing; the end of the stream tells
each side that the other one is gone. Knows no room.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final, Self

BEAT_S: Final = 0.5
"""Between two signs of life."""

BEAT: Final = b""
"""The line that is one."""

HURRY_S: Final = 1.0
"""So long after its parent a child is told to end in a hurry."""

END_S: Final = 5.0
"""And so long after that it is ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildReport:
    """What a child has said: the lines that tell where it listens, the operations port last; or why it does not."""

    ready: tuple[str, ...] = ()
    refused: str | None = None

    def to_line(self) -> bytes:
        """As it is written."""
        return json.dumps({"ready": self.ready, "refused": self.refused}).encode() + b"\n"

    @classmethod
    def of_line(cls, line: bytes) -> Self:
        """As it is read."""
        said = json.loads(line)
        return cls(ready=tuple(said["ready"]), refused=said["refused"])


class ParentProcess:
    """The parent, as its child sees it: `fd` is the child's end of the socket, `number` says which child it is.

    `end` asks this process to end, as a signal does; asked again, in a hurry.
    """

    def __init__(
        self, number: int, fd: int, end: Callable[[], None] = lambda: os.kill(os.getpid(), signal.SIGTERM)
    ) -> None:
        self.number = number
        self._socket = socket.socket(fileno=fd)
        self._socket.set_inheritable(False)  # no process of ours holds it open when we are gone
        self._end = end
        threading.Thread(target=self._watch, name="parent", daemon=True).start()

    @classmethod
    def of_option(cls, text: str) -> Self:
        """From the option that the parent gives: `NUMBER:FD`. Raises `ValueError`, and `OSError` if it is no socket."""
        number, _, fd = text.partition(":")
        return cls(int(number), int(fd))

    def ready(self, lines: list[str]) -> None:
        """The node serves clients."""
        self._say(ChildReport(ready=tuple(lines)))

    def refused(self, reason: str) -> None:
        """The node cannot start, for a reason that the operator can mend."""
        self._say(ChildReport(refused=reason))

    def beat(self) -> None:
        """A sign of life, to be given every `BEAT_S` by whatever must not hang. Waits for nobody."""
        with suppress(OSError):  # the parent reads nothing for now (a BlockingIOError is one), or is gone
            self._socket.send(BEAT + b"\n", socket.MSG_DONTWAIT)

    def _say(self, said: ChildReport) -> None:
        with suppress(OSError):  # it is gone, and so are we in a moment
            self._socket.sendall(said.to_line())

    def _watch(self) -> None:
        with suppress(OSError):  # as gone as at the end of the stream
            while self._socket.recv(64):
                pass
        self._end()
        time.sleep(HURRY_S)
        self._end()
        time.sleep(END_S)
        os._exit(1)


class TerminalParent:
    """Whom a node without a parent tells the same: the operator."""

    def ready(self, lines: list[str]) -> None:
        """See `ParentProcess`."""
        for line in ("", f"pokerroom {version('pokerroom')} is ready; Ctrl-C stops it", *lines, ""):
            print(line, flush=True)  # noqa: T201 -- it is meant for the terminal

    def refused(self, reason: str) -> None:
        """See `ParentProcess`."""
        print(f"pokerroom: {reason}", flush=True)  # noqa: T201 -- as above
