"""A bound on the work that clients get from one reactor turn.

One read from a socket can hold thousands of messages. Handled at once they would stop every table of the node. So a
connection handles a few messages, is not read meanwhile, and goes on in a later turn, behind the others that wait.
What it sends stays in its own socket. Connections that are logged in have a share of each turn to themselves.

The work is counted in units: a message costs one, and one more for each KiB; a page costs `PAGE_UNITS`. A count, unlike
a time, is the same in every run.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, Protocol

import structlog

from pokerroom.gateway.outbound import Soon

QUANTUM: Final = 16
"""Units that a connection may use before others go first."""

ACCOUNT_UNITS: Final = 128
"""[D] Units of a turn for connections that are logged in, all of them together."""

STRANGER_UNITS: Final = 32
"""[D] Units of a turn for all other connections together, pages included."""

PAGE_UNITS: Final = 8
"""The units of a page: it costs as much time as so many messages."""


def units_of(body_bytes: int) -> int:
    """Return the units of a message with a body of so many bytes."""
    return 1 + (body_bytes >> 10)


class PausableTransport(Protocol):
    """The part of a connection's transport that is used (`twisted.internet.tcp.Connection`)."""

    def pauseProducing(self) -> None: ...  # noqa: N802 -- Twisted's name and contract
    def resumeProducing(self) -> None: ...  # noqa: N802 -- as above
    def abortConnection(self) -> None: ...  # noqa: N802 -- as above


class Source(Protocol):
    """A connection with bytes to handle."""

    @property
    def pausable(self) -> PausableTransport:
        """The connection's transport."""

    @property
    def is_account(self) -> bool:
        """Whether the client is logged in."""

    def handle(self, units: int) -> tuple[int, bool]:
        """Handle messages until `units` are used or none is left.

        Returns the units used, which large messages may make more than asked for, and whether messages may be left.
        A connection that is gone uses none.
        """


class _Share:
    """The part of each turn for one class of connections, and those of them that wait."""

    def __init__(self, units: int) -> None:
        self.units = units
        self.left = units
        self.waiting: OrderedDict[Source, None] = OrderedDict()

    def serve(self) -> None:
        """Serve those that wait, one after the other, as long as units are left."""
        while self.waiting and self.left > 0:
            source, _ = self.waiting.popitem(last=False)
            try:
                more = self.spend(source)
            except Exception as error:  # noqa: BLE001 -- a defect ends one connection, and the others are served
                structlog.get_logger().critical("gateway.fault", exc_info=error)
                source.pausable.abortConnection()
                continue
            if more:
                self.waiting[source] = None
            else:
                source.pausable.resumeProducing()

    def spend(self, source: Source) -> bool:
        """Let a connection use its quantum. Returns whether it has messages left."""
        used, more = source.handle(min(QUANTUM, self.left))
        self.left -= used
        return more


class FairTurns:
    """Serves the connections of a node; `soon` calls a function between this reactor turn and the next one."""

    def __init__(self, soon: Soon) -> None:
        self._soon = soon
        self._accounts = _Share(ACCOUNT_UNITS)
        self._strangers = _Share(STRANGER_UNITS)
        self._scheduled = False

    def arrived(self, source: Source) -> None:
        """Handle what a connection has received: now if this turn has units left, else behind those that wait."""
        self._schedule()
        share = self._accounts if source.is_account else self._strangers
        if source in share.waiting or (share.left > 0 and not share.spend(source)):
            return
        source.pausable.pauseProducing()
        share.waiting[source] = None

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            self._soon(self._next_turn)

    def _next_turn(self) -> None:
        self._scheduled = False
        shares = (self._accounts, self._strangers)
        for share in shares:
            share.left = share.units
            share.serve()
        if any(share.waiting for share in shares):
            self._schedule()
