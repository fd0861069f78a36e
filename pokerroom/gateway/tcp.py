"""The game protocol over TCP: 4-byte big-endian length, then one map in msgpack, or in JSON if the first frame is.

Knows frames and sockets. It knows nothing of what a message means.
"""

from __future__ import annotations

from functools import partial
from typing import Final, Literal, cast

from twisted.internet.interfaces import IAddress, ITCPTransport
from twisted.internet.protocol import Factory, connectionDone
from twisted.python.failure import Failure

from pokerroom.gateway.fair_turns import FairTurns, PausableTransport
from pokerroom.gateway.link import FrameReceiver, ReceiverFactory, address_text
from pokerroom.gateway.outbound import Outbound, SocketOfTransport, TurnFlusher, prepare
from pokerroom.gateway.shared_socket import MOVED
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol.codec import Encoding
from pokerroom_protocol.errors import Code
from pokerroom_protocol.framing import FrameReader, FrameTooLarge, frame

_JSON: Final = Encoding.JSON  # reading an enum's member takes several times as long as reading a name


class TcpLink:
    """One TCP client; a `ClientLink` and a `fair_turns.Source`.

    To Twisted it is an `IProtocol`. It does without that class, which is not compiled as this one is.
    """

    def __init__(
        self,
        receivers: ReceiverFactory,
        turns: FairTurns,
        flusher: TurnFlusher,
        frame_bytes_max: int,
        outbound_bytes_max: int,
    ) -> None:
        self.transport: ITCPTransport
        self.encoding = Encoding.MSGPACK
        """That of the client's first frame; no map of msgpack begins as one of JSON does."""
        self.kind: Literal["tcp", "websocket"] = "tcp"
        self._receiver: FrameReceiver
        self._outbound: Outbound
        self._receivers = receivers
        self._turns = turns
        self._flusher = flusher
        self._data = b""
        """Received, and not cut into frames yet."""
        self._frames = FrameReader(frame_bytes_max)
        self._outbound_bytes_max = outbound_bytes_max
        self._is_silent = True
        """Whether the client's first frame is still to come."""
        self._reading = True
        """False when closed or broken: bytes that still come in are dropped."""
        self._lost_because = ""
        self.peer = ""

    def makeConnection(self, transport: ITCPTransport) -> None:  # noqa: N802 -- Twisted's name
        """Make the session."""
        self.transport = transport
        prepare(cast("SocketOfTransport", self.transport), self._outbound_bytes_max)
        self.peer = self.peer or address_text(self.transport.getPeer())
        self._outbound = Outbound(self.transport, self._flusher, self._outbound_bytes_max, self._overflowed)
        self._receiver = self._receivers(self)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 -- Twisted's name
        """Cut the stream into messages when it is this connection's turn."""
        if self._reading:
            self._data += data
            self._turns.arrived(self)

    @property
    def is_account(self) -> bool:
        return self._receiver.account is not None

    @property
    def pausable(self) -> PausableTransport:
        return cast("PausableTransport", self.transport)

    def handle(self, units: int) -> tuple[int, bool]:
        """See `Source`; an oversized frame ends the stream, since the rest cannot be read."""
        data, self._data = self._data, b""
        used = 0
        while self._reading and used < units:  # after a message that closes the session no other is read
            try:
                bodies = self._frames.feed(data, 1)
            except FrameTooLarge:
                self._reading = False
                self._receiver.broken(Code.FRAME_TOO_LARGE)
                self.close(Code.FRAME_TOO_LARGE)
                break
            if not bodies:
                return used, False
            data = b""
            if self._is_silent:
                self._is_silent = False
                if bodies[0].startswith(b"{"):
                    self.encoding = Encoding.JSON
            used += self._receiver.received(bodies[0])
            if self._frames.is_empty:
                return used, False
        return used, self._reading

    def is_idle(self) -> bool:
        """Return whether no message has come in part, and the socket has everything that was to be sent."""
        is_cut = not self._data and self._frames.is_empty
        return self._reading and is_cut and self._outbound.is_idle()

    def goes_on_as(self, peer: str, encoding: Encoding) -> None:
        """Go on with a connection of another process of this machine; call it before it has a transport."""
        self.peer, self.encoding, self._is_silent = peer, encoding, False

    def left(self) -> None:
        """Note that another process has the socket."""
        self._lost_because = MOVED

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: ARG002, N802 -- Twisted's signature
        """Tell the session, once."""
        self._reading = False
        self._outbound.lost()
        self._receiver.lost(self._lost_because or "closed by the client")

    def send(self, outgoing: Outgoing | Bundle) -> None:
        is_json = self.encoding is _JSON
        self._outbound.write(outgoing.wrapped(_JSON, frame) if is_json else outgoing.framed())

    def close(self, code: Code) -> None:
        self._reading = False
        self._lost_because = self._lost_because or code.value
        self._outbound.close()

    def _overflowed(self) -> None:
        self._reading = False
        self._lost_because = self._lost_because or Code.TOO_SLOW.value


class TcpFactory(Factory):
    """Makes a `TcpLink` per connection."""

    noisy = False

    def __init__(
        self,
        receivers: ReceiverFactory,
        turns: FairTurns,
        flusher: TurnFlusher,
        frame_bytes_max: int,
        outbound_bytes_max: int,
    ) -> None:
        self._receivers = receivers
        self._make = partial(
            TcpLink,
            turns=turns,
            flusher=flusher,
            frame_bytes_max=frame_bytes_max,
            outbound_bytes_max=outbound_bytes_max,
        )

    def buildProtocol(  # type: ignore[override]  # noqa: N802 -- Twisted wants its own class, and calls three methods of it
        self,
        addr: IAddress | None,  # noqa: ARG002 -- Twisted's signature
    ) -> TcpLink:
        """Make one link per connection."""
        return self._make(self._receivers)

    def moved_link(self, receivers: ReceiverFactory, peer: str, encoding: Encoding) -> TcpLink:
        """Make the link of a connection that another process of this machine had, and that has begun already."""
        link = self._make(receivers)
        link.goes_on_as(peer, encoding)
        return link
