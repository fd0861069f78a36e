"""Writes lines for a reader that may go before the room does: what cannot be written is lost, and the room goes on."""

from __future__ import annotations

import os
import sys
from typing import TextIO, cast


class LastingStream:
    """Writes to a stream as long as that is possible: a pipe may have no reader any more, or a disk may be full."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """See `TextIO`. Raises no `OSError`."""
        try:
            self._stream.write(text)
        except OSError as error:
            self._lost(error)
        return len(text)

    def flush(self) -> None:
        """See `TextIO`. Raises no `OSError`."""
        try:
            self._stream.flush()
        except OSError as error:
            self._lost(error)

    def _lost(self, error: OSError) -> None:
        """Let what waits in the stream go nowhere, too: else it is an error when the process ends."""
        if isinstance(error, BrokenPipeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


def lasting(stream: TextIO) -> TextIO:
    """Return a stream that is only written to, line by line, as a `LastingStream`."""
    return cast("TextIO", LastingStream(stream))


def open_closed_streams() -> None:
    """Let standard streams that are closed, as by `>&-`, lead nowhere.

    Python has None for them, and their numbers would be those of the next files and connections: what a library writes
    to its error output would go there.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            # the lowest free number, which is its own
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r" if name == "stdin" else "w"))


def tell(*lines: str) -> None:
    """Print lines for the operator on standard output."""
    print(*lines, sep="\n", file=lasting(sys.stdout), flush=True)
