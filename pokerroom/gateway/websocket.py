"""The game protocol over WebSocket: one message of the protocol per WebSocket message.

The subprotocol names the encoding: `pokerroom.v1.msgpack` is sent in binary messages, `pokerroom.v1.json` in text
messages. This module begins once a complete request head has arrived (see `http`). It knows RFC 6455, through wsproto,
and nothing of what a message means.

permessage-deflate is never negotiated: the messages are small, a compressed broadcast could not be shared between
connections, and without it no few bytes can inflate to many.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum, auto
from http import HTTPStatus
from typing import Final, Literal, cast

from twisted.internet.interfaces import ITCPTransport
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from wsproto import ConnectionType, WSConnection
from wsproto.connection import Connection, ConnectionState
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Ping,
    Pong,
    RejectConnection,
    Request,
    TextMessage,
)
from wsproto.frame_protocol import CloseReason
from wsproto.utilities import RemoteProtocolError

from pokerroom.gateway.fair_turns import FairTurns, PausableTransport, units_of
from pokerroom.gateway.link import FrameReceiver, ReceiverFactory
from pokerroom.gateway.origin import origin_allowed
from pokerroom.gateway.outbound import Outbound, TurnFlusher
from pokerroom.gateway.refusal import refusal
from pokerroom.gateway.shared_socket import MOVED
from pokerroom.table.outgoing import Bundle, Outgoing, Wrap
from pokerroom_protocol.codec import Encoding
from pokerroom_protocol.errors import Code

SUBPROTOCOLS: Final = {
    "pokerroom.v1.msgpack": Encoding.MSGPACK,
    "pokerroom.v1.json": Encoding.JSON,
}
_CLOSE_REASONS: Final = {
    Code.FRAME_TOO_LARGE: CloseReason.MESSAGE_TOO_BIG,
    Code.SHUTTING_DOWN: CloseReason.GOING_AWAY,
    Code.INTERNAL: CloseReason.INTERNAL_ERROR,
    Code.UNAVAILABLE: CloseReason.TRY_AGAIN_LATER,
}
"""Any other code closes with 1008, policy violation; the reason's text is the code in every case."""

_FRAMES: Final = Connection(ConnectionType.SERVER)
"""Serialises whole messages. A server's frames are not masked and there are no extensions, so nothing in them belongs
to one connection: every connection of an encoding sends the same bytes.
"""


def _binary_frame(body: bytes) -> bytes:
    return _FRAMES.send(BytesMessage(data=body))


def _text_frame(body: bytes) -> bytes:
    return _FRAMES.send(TextMessage(data=body.decode()))


def _frame_bytes(content: int) -> int:
    """Return the bytes of a client's frame with so many bytes of content: head, mask and content (RFC 6455 5.2)."""
    return content + (6 if content < 126 else 8 if content < 65_536 else 14)


class _Phase(Enum):
    OPEN = auto()
    BROKEN = auto()
    """Nothing can be read any more; the session says goodbye."""
    CLOSING = auto()
    """Our close is sent, and the client's is waited for."""
    CLOSED = auto()
    """Refused, or both closes are sent: bytes that still come in are ignored."""


_OPEN: Final = _Phase.OPEN  # reading an enum's member takes several times as long as reading a name
_MESSAGES: Final = (BytesMessage, TextMessage)


class WebSocketLink(Protocol):
    """One WebSocket client; a `ClientLink` and a `fair_turns.Source`.

    `head` is the client's opening request with its empty line, `early` what it has sent behind that, and `client` its
    address, which a proxy may have told.
    """

    transport: ITCPTransport
    kind: Literal["tcp", "websocket"] = "websocket"

    def __init__(
        self,
        head: bytes,
        client: str,
        *,
        early: bytes = b"",
        receivers: ReceiverFactory,
        turns: FairTurns,
        flusher: TurnFlusher,
        frame_bytes_max: int,
        outbound_bytes_max: int,
        allowed_origins: Collection[str] = (),
    ) -> None:
        self._head = head
        self._client = client
        self._receivers = receivers
        self._turns = turns
        self._flusher = flusher
        self._data = early
        """Received, and not cut into frames yet."""
        self._frame_bytes_max = frame_bytes_max
        self._outbound_bytes_max = outbound_bytes_max
        self._allowed_origins = allowed_origins
        self._ws: WSConnection | Connection = WSConnection(ConnectionType.SERVER)
        self._opens = True
        """False for a connection that another process has opened."""
        self._unread = 0
        """Bytes of frames that are not handled yet, or have come in part."""
        self._in_frame = 0
        """Bytes of the frame's content that were handled already."""
        self._phase = _Phase.OPEN
        self._receiver: FrameReceiver | None = None
        """None when the handshake was refused: then there never was a session."""
        self._fragments = bytearray()
        self._in_parts = False
        """Whether a message has begun of which another frame is to come."""
        self._is_counted = True
        """Whether `_unread` is right. A character may lie in two frames of a text, and is counted in the second."""
        self._broken_because: int | None = None
        self._lost_because = ""
        self.encoding = Encoding.MSGPACK
        self._wrap: Wrap = _binary_frame
        self.peer = ""

    # --- opening

    def connectionMade(self) -> None:  # noqa: N802 -- Twisted's name
        """Answer the opening request, and make the session if it is accepted."""
        self.peer = self._client
        self._outbound = Outbound(self.transport, self._flusher, self._outbound_bytes_max, self._overflowed)
        refused = self._open() if self._opens else None
        if refused is None:
            self._receiver = self._receivers(self)
        else:
            self._outbound.write(refused)
            self._phase = _Phase.CLOSED
            self._outbound.close()

    def goes_on_with(self, encoding: Encoding) -> None:
        """Go on with a connection of another process of this machine; call it before it has a transport."""
        self._opens = False
        self._ws = Connection(ConnectionType.SERVER)
        self._speak(encoding)

    def _speak(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self._wrap = _binary_frame if encoding is Encoding.MSGPACK else _text_frame

    def _open(self) -> bytes | None:
        """Return None if the handshake is accepted, otherwise the answer that refuses it."""
        try:
            self._ws.receive_data(self._head)
            request = next(self._ws.events(), None)
        except RemoteProtocolError as refused:
            hint = refused.event_hint
            if not isinstance(hint, RejectConnection):
                hint = RejectConnection()
            headers = {name.decode("ascii"): value.decode("ascii") for name, value in hint.headers}
            return refusal(HTTPStatus(hint.status_code), f"No WebSocket handshake: {refused}.", headers)
        except ValueError:  # a header that wsproto decodes is not text
            request = None
        if not isinstance(request, Request):
            return refusal(HTTPStatus.BAD_REQUEST, "No WebSocket handshake: bad HTTP request.")
        if not self._origin_allowed(request):
            return refusal(HTTPStatus.FORBIDDEN, "Pages of this origin may not connect to the room.")
        subprotocol = next((name for name in request.subprotocols if name in SUBPROTOCOLS), None)
        if subprotocol is None:
            names = " or ".join(SUBPROTOCOLS)
            return refusal(HTTPStatus.BAD_REQUEST, f"Offer a subprotocol that the room speaks: {names}.")
        self._speak(SUBPROTOCOLS[subprotocol])
        self._outbound.write(self._ws.send(AcceptConnection(subprotocol=subprotocol)))
        return None

    def _origin_allowed(self, request: Request) -> bool:
        origins = [value for name, value in request.extra_headers if name == b"origin"]
        if len(origins) > 1:
            return False
        origin = origins[0].decode("latin-1") if origins else None
        return origin_allowed(origin, request.host, self._allowed_origins)

    # --- receiving

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 -- Twisted's name
        """Take frames when it is this connection's turn."""
        if self._phase is not _Phase.CLOSED:
            self._data += data
            self._turns.arrived(self)

    @property
    def is_account(self) -> bool:
        return self._receiver is not None and self._receiver.account is not None

    @property
    def pausable(self) -> PausableTransport:
        return cast("PausableTransport", self.transport)

    def handle(self, units: int) -> tuple[int, bool]:
        """See `Source`: messages go to the session, control frames are answered."""
        if self._ended():
            return 0, False
        data, self._data = self._data, b""
        self._ws.receive_data(data)
        self._unread += len(data)
        used = 0
        ping: Ping | None = None
        for event in self._ws.events():
            if isinstance(event, _MESSAGES):
                used += self._fragment(event)
            else:
                used += 1
            if isinstance(event, Ping | Pong):
                self._unread -= _frame_bytes(len(event.payload))
            if isinstance(event, Ping):
                ping = event
            elif isinstance(event, CloseConnection):
                self._close_received(event)
            if self._ended():
                return used, False
            if used >= units:
                break
        if ping is not None and self._phase is _Phase.OPEN:
            # RFC 6455 5.5.3: only the latest of several pings needs an answer; so a flood of them earns little
            self._outbound.write(self._ws.send(ping.response()))
        return used, used >= units

    def _ended(self) -> bool:
        return self._phase is _Phase.CLOSED

    def _fragment(self, event: BytesMessage | TextMessage) -> int:
        """Take a message or a part of one. Returns the units that it has cost."""
        if self._phase is not _OPEN:
            return 1
        if isinstance(event, BytesMessage) is not (self.encoding is Encoding.MSGPACK):
            self._break(Code.BAD_ENCODING, CloseReason.UNSUPPORTED_DATA)
            return 1
        data = event.data.encode() if isinstance(event, TextMessage) else event.data
        self._in_frame += len(data)
        if event.frame_finished:
            self._unread -= _frame_bytes(self._in_frame)
            self._in_frame = 0
        if len(self._fragments) + len(data) > self._frame_bytes_max:
            self._break(Code.FRAME_TOO_LARGE, CloseReason.MESSAGE_TOO_BIG)
        elif not event.message_finished:
            self._fragments += data
            if event.frame_finished:
                self._in_parts = True
                self._is_counted = self._is_counted and self.encoding is Encoding.MSGPACK
        else:
            self._in_parts = False
            body = bytes(self._fragments) + data if self._fragments else bytes(data)
            self._fragments.clear()
            return self._session().received(body)
        return units_of(len(data))

    def _close_received(self, event: CloseConnection) -> None:
        """Handle a close frame, or a stream that breaks the rules: wsproto reports both alike, its state tells them
        apart.
        """
        match self._ws.state:
            case ConnectionState.REMOTE_CLOSING:
                self._outbound.write(self._ws.send(event.response()))
                self._end()
            case ConnectionState.OPEN:
                self._break(Code.BAD_ENCODING, event.code)
            case _:  # our close is answered, or the client sent something unreadable instead
                self._end()

    def _break(self, code: Code, close_reason: int) -> None:
        """Fail the connection. RFC 6455 7.1.7: it ignores everything that still comes in, even a close."""
        self._phase = _Phase.BROKEN
        self._fragments.clear()
        self._broken_because = close_reason
        self._session().broken(code)
        self.close(code)
        self._end()

    def _end(self) -> None:
        self._phase = _Phase.CLOSED
        self._outbound.close()

    def _session(self) -> FrameReceiver:
        if self._receiver is None:
            raise AssertionError("a refused connection reads nothing")
        return self._receiver

    def is_idle(self) -> bool:
        """Return whether no frame has come in part, and the socket has everything that was to be sent."""
        is_cut = self._is_counted and not (self._data or self._unread or self._fragments or self._in_parts)
        return self._phase is _Phase.OPEN and is_cut and self._outbound.is_idle()

    def left(self) -> None:
        """Note that another process has the socket."""
        self._lost_because = MOVED

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: ARG002, N802 -- Twisted's signature
        """Tell the session, once."""
        self._phase = _Phase.CLOSED
        self._outbound.lost()
        if self._receiver is not None:
            self._receiver.lost(self._lost_because or "closed by the client")

    # --- sending

    def send(self, outgoing: Outgoing | Bundle) -> None:
        if self._phase is _OPEN or self._phase is _Phase.BROKEN:
            self._outbound.write(outgoing.wrapped(self.encoding, self._wrap))

    def close(self, code: Code) -> None:
        """See `ClientLink`. The close frame goes out behind what is queued; the client's answer is waited for."""
        if self._phase is not _Phase.OPEN and self._phase is not _Phase.BROKEN:
            return
        self._phase = _Phase.CLOSING
        self._lost_because = self._lost_because or code
        reason = self._broken_because or _CLOSE_REASONS.get(code, CloseReason.POLICY_VIOLATION)
        self._outbound.write(self._ws.send(CloseConnection(code=reason, reason=code.value)))
        self._outbound.expire()

    def _overflowed(self) -> None:
        self._phase = _Phase.CLOSED
        self._lost_because = self._lost_because or Code.TOO_SLOW
