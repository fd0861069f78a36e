"""The bytes on their way to one client: collected per reactor turn, bounded, and cut off if the client does not read
them.

What a turn queues for a connection leaves in one write at its end (fan-out is several times faster so than with a write
per message), directly to the socket if nothing waits there, otherwise through a pull producer. A client that stops
reading fills this buffer and is cut; it resyncs from a snapshot. This module knows nothing of messages.

Ending in good order takes three steps: what is queued leaves, our side of the socket is shut (FIN), the client closes
its own side. Closing at once would answer whatever the client still sends with a reset, and a reset throws away a
goodbye that the client has not read. A client that does not close its side is aborted after `FAREWELL_S`.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from enum import Enum, auto
from typing import Final, Protocol, cast

from twisted.internet.interfaces import IDelayedCall, IReactorTime

FAREWELL_S: Final = 5.0
"""A connection that is closing has this long to read what is queued and to close its side."""

_CHUNK_BYTES: Final = 1 << 16


class SocketTransport(Protocol):
    """The part of `twisted.internet.tcp.Connection` that is used; `writeSomeData` returns what the socket took."""

    def writeSomeData(self, data: bytes) -> int | BaseException: ...  # noqa: N802 -- Twisted's name and contract
    def write(self, data: bytes) -> None: ...
    def loseWriteConnection(self) -> None: ...  # noqa: N802 -- as above
    def abortConnection(self) -> None: ...  # noqa: N802 -- as above
    def registerProducer(self, producer: object, streaming: bool) -> None: ...  # noqa: N802 -- as above
    def unregisterProducer(self) -> None: ...  # noqa: N802 -- as above


class SocketOfTransport(Protocol):
    """The part of a new connection (`twisted.internet.tcp.Server`) that is used."""

    def setTcpNoDelay(self, enabled: bool) -> None: ...  # noqa: N802 -- Twisted's name and contract
    def getHandle(self) -> socket.socket: ...  # noqa: N802 -- as above


def prepare(transport: SocketOfTransport, send_buffer_bytes: int) -> None:
    """Set up a new connection: no delay for small writes, and a bound on what the kernel holds for it.

    Without the bound the kernel takes megabytes for a client that reads nothing before ours counts a byte.
    """
    transport.setTcpNoDelay(True)
    transport.getHandle().setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer_bytes)


Soon = Callable[[Callable[[], None]], object]
"""Calls a function at the end of the reactor turn, as `NodeLoop.at_turn_end` does, or in the next one."""


class TurnFlusher:
    """Flushes every connection that has something queued, once per reactor turn."""

    def __init__(self, clock: IReactorTime, soon: Soon | None = None) -> None:
        self.clock = clock
        self._soon = soon or (lambda work: clock.callLater(0, work))
        self._dirty: list[Outbound] = []

    def mark(self, outbound: Outbound) -> None:
        """Flush `outbound` at the end of this turn."""
        if not self._dirty:
            self._soon(self._flush)
        self._dirty.append(outbound)

    def _flush(self) -> None:
        dirty, self._dirty = self._dirty, []
        turn = iter(dirty)
        try:
            for outbound in turn:
                outbound.flush()
        finally:
            # Empty unless a flush raised. That is a bug and goes to the log, but the others' bytes still leave:
            # a connection once marked is not marked again before it is flushed, so it would fall silent for good.
            for outbound in turn:
                self.mark(outbound)


class _Phase(Enum):
    OPEN = auto()
    CLOSING = auto()
    """Nothing more is taken; what is queued leaves."""
    SHUT = auto()
    """Everything has left and our side is shut; the client has to close its own."""
    GONE = auto()


_OPEN: Final = _Phase.OPEN  # reading an enum's member takes several times as long as reading a name


class Outbound:
    """The send queue of one connection.

    To Twisted it is an `IPullProducer`. It does not say so: a class with zope's decorator is not compiled as a whole.

    `bytes_max` bounds what may wait here beyond the socket's own buffer; past it `overflowed` is called once and the
    connection is aborted. It must be larger than what one turn may send to a client that does read.
    """

    def __init__(
        self, transport: object, flusher: TurnFlusher, bytes_max: int, overflowed: Callable[[], None]
    ) -> None:
        self._transport = cast("SocketTransport", transport)
        self._send: Callable[[bytes], int] | None = getattr(transport, "send_now", None)
        """What a plain socket has besides `writeSomeData`: the system's call alone, six times for each action."""
        self._flusher = flusher
        self._bytes_max = bytes_max
        self._overflowed = overflowed
        self._queued: list[bytes] = []
        self._waiting = bytearray()
        """What the socket would not take yet; not empty or draining while we are the transport's producer."""
        self._producing = False
        self._phase = _Phase.OPEN
        self._farewell: IDelayedCall | None = None

    def write(self, data: bytes) -> None:
        """Queue bytes for the end of this turn; they are dropped once the connection is closing."""
        if self._phase is not _OPEN:
            return
        if not self._queued:
            self._flusher.mark(self)
        self._queued.append(data)

    def expire(self) -> None:
        """Give the connection `FAREWELL_S` to end in good order; then it is aborted."""
        if self._farewell is None and self._phase is not _Phase.GONE:
            self._farewell = self._flusher.clock.callLater(FAREWELL_S, self._abort)

    def close(self) -> None:
        """Shut our side after everything queued has left, and bound the wait for the client's side."""
        if self._phase is not _Phase.OPEN:
            return
        self._phase = _Phase.CLOSING
        self.expire()
        self.flush()

    def lost(self) -> None:
        """Forget what waits: the connection is gone."""
        self._phase = _Phase.GONE
        self._queued.clear()
        self._waiting.clear()
        farewell, self._farewell = self._farewell, None
        if farewell is not None and farewell.active():
            farewell.cancel()

    def is_idle(self) -> bool:
        """Return whether the socket has everything that was queued, and more may be queued."""
        self.flush()
        return self._phase is _Phase.OPEN and not self._producing

    def flush(self) -> None:
        """Hand what is queued to the socket; called by the flusher."""
        if self._queued:  # never so once the connection is gone
            blob = self._queued[0] if len(self._queued) == 1 else b"".join(self._queued)
            self._queued.clear()
            if self._producing:
                self._waiting += blob
            else:
                self._write_now(blob)
            if len(self._waiting) > self._bytes_max:
                self._overflowed()
                self._abort()
        if self._phase is not _OPEN:
            self._shut_when_drained()

    def _write_now(self, blob: bytes) -> None:
        taken = self._taken(blob)
        if taken < 0:  # the connection is lost; the reactor calls connectionLost
            self._abort()
            return
        if taken < len(blob):
            self._waiting += memoryview(blob)[taken:]
            self._producing = True
            self._transport.registerProducer(self, False)  # False: a pull producer

    def _taken(self, blob: bytes) -> int:
        """Return how much of it the socket took; -1 if the connection is lost."""
        if self._send is not None:
            try:
                return self._send(blob)
            except OSError:
                pass  # Twisted knows a full socket from a lost connection
        taken = self._transport.writeSomeData(blob)
        return taken if isinstance(taken, int) else -1

    def _shut_when_drained(self) -> None:
        if self._phase is _Phase.CLOSING and not self._producing:
            self._phase = _Phase.SHUT
            self._transport.loseWriteConnection()

    def _abort(self) -> None:
        self.lost()
        self._transport.abortConnection()

    # IPullProducer: the transport asks for more whenever its own buffer is empty

    def resumeProducing(self) -> None:  # noqa: N802 -- Twisted's name
        """Give the transport the next chunk; if nothing is left the socket took everything."""
        if self._waiting:
            chunk = bytes(self._waiting[:_CHUNK_BYTES])
            del self._waiting[:_CHUNK_BYTES]
            self._transport.write(chunk)
            return
        self._producing = False
        self._transport.unregisterProducer()
        self._shut_when_drained()

    def stopProducing(self) -> None:  # noqa: N802 -- Twisted's name
        """Note that the connection is gone."""
        self.lost()
