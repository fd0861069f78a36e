"""The reactor of a node: Twisted's on asyncio, without the log context that Twisted enters around each read.

No line of the log has it, because logs go by structlog, and entering it costs more than the read itself.
"""

from __future__ import annotations

import asyncio
from typing import Any

from twisted.internet.asyncioreactor import AsyncioSelectorReactor
from twisted.internet.main import installReactor


class _PlainReactor(AsyncioSelectorReactor):
    def addReader(self, reader: Any) -> None:  # noqa: N802 -- Twisted's name
        """Watch a socket or a pipe. Ordinary files cannot be watched, and no node reads one by its reactor."""
        if reader not in self._readers:
            descriptor = reader.fileno()
            self._asyncioEventloop.add_reader(descriptor, self._readOrWrite, reader, True)
            self._readers[reader] = descriptor


def install(loop: asyncio.AbstractEventLoop) -> Any:
    """Make the reactor of this process and return it. Call it before `twisted.internet.reactor` is imported."""
    reactor = _PlainReactor(loop)
    installReactor(reactor)
    return reactor
