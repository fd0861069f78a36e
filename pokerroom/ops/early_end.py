"""SIGTERM to a room that still starts: it ends by an exception, which stops what has been started, as after Ctrl-C."""

from __future__ import annotations

import signal
import sys
from typing import Final

EXIT_CODE: Final = 128 + signal.SIGTERM


class EarlyEnd:
    """Ends the process at SIGTERM, until the room itself handles that signal. For the main thread."""

    def __init__(self) -> None:
        self._asked = False
        signal.signal(signal.SIGTERM, self._end)
        # its terminal is closed; nohup has it ignored
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._hang_up)

    def heed(self) -> None:
        """End if that was asked: an exception is lost where a library written in C calls Python, as psycopg does.

        Raises `SystemExit`.
        """
        if self._asked:
            sys.exit(EXIT_CODE)

    @staticmethod
    def _hang_up(*_: object) -> None:
        # bash tells its jobs, and then the kernel does, too: the second one is no wish to hurry
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.raise_signal(signal.SIGTERM)

    def _end(self, *_: object) -> None:
        self._asked = True
        self.heed()
