"""One port for HTTP and WebSocket: reads a request head, and hands `/ws` to one, everything else to the other.

The front cuts the stream into request heads itself and bounds them, also on a connection kept alive. A request with
a body, which `twisted.web` would collect without a bound, is refused: nothing here takes one. What is answered is
the site's business (see `site`), what a WebSocket is the link's (see `websocket`).
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from http import HTTPStatus
from typing import Final, cast

from twisted.internet.interfaces import IAddress, IDelayedCall, IProtocol, ITCPTransport
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure
from twisted.web.server import Site

from pokerroom.gateway.link import ReceiverFactory
from pokerroom.gateway.outbound import Outbound, SocketOfTransport, TurnFlusher, prepare
from pokerroom.gateway.refusal import refusal
from pokerroom.gateway.websocket import WebSocketLink

WEBSOCKET_PATH: Final = "/ws"
HEAD_BYTES_MAX: Final = 8192
HEAD_S: Final = 10.0
"""How long a new connection may take to send its first request head; the site bounds the wait for later ones."""

_END_OF_HEAD: Final = b"\r\n\r\n"


class FrontFactory(Factory):
    """Makes a `Front` per connection. `site` needs no log: connections are logged by their sessions."""

    noisy = False

    def __init__(
        self,
        *,
        site: Site,
        receivers: ReceiverFactory,
        flusher: TurnFlusher,
        frame_bytes_max: int,
        outbound_bytes_max: int,
        allowed_origins: Collection[str] = (),
    ) -> None:
        self.site = site
        self.flusher = flusher
        self.outbound_bytes_max = outbound_bytes_max
        self.make_link = partial(
            WebSocketLink,
            receivers=receivers,
            flusher=flusher,
            frame_bytes_max=frame_bytes_max,
            outbound_bytes_max=outbound_bytes_max,
            allowed_origins=allowed_origins,
        )

    def buildProtocol(self, addr: IAddress | None) -> Front:  # noqa: N802 -- Twisted's name
        """One front per connection."""
        return Front(self, addr)


class Front(Protocol):
    """One connection to the port, whatever it turns out to be."""

    transport: ITCPTransport

    def __init__(self, parts: FrontFactory, address: IAddress | None) -> None:
        self._parts = parts
        self._address = address
        self._held = bytearray()
        self._link: WebSocketLink | None = None
        self._channel: IProtocol | None = None
        """The site's side of this connection, from the first request on."""
        self._refused: Outbound | None = None

    def connectionMade(self) -> None:  # noqa: N802 -- Twisted's name
        """Starts the clock of the first head."""
        prepare(cast("SocketOfTransport", self.transport), self._parts.outbound_bytes_max)
        self._head_clock: IDelayedCall = self._parts.flusher.clock.callLater(HEAD_S, self._head_late)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 -- Twisted's name
        """Passes bytes on to a WebSocket, request heads to the site."""
        if self._link is not None:
            self._link.dataReceived(data)
            return
        if self._refused is not None:
            return
        self._held += data
        while (end := self._held.find(_END_OF_HEAD)) >= 0 and end <= HEAD_BYTES_MAX:
            end += len(_END_OF_HEAD)
            head = bytes(self._held[:end])
            del self._held[:end]
            if not self._take(head):
                return
        if len(self._held) > HEAD_BYTES_MAX:
            text = f"A request head is at most {HEAD_BYTES_MAX} bytes."
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, text)

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802 -- Twisted's name
        """Tells whoever has the connection."""
        self._stop_head_clock()
        if self._refused is not None:
            self._refused.lost()
        for inner in (self._link, self._channel):
            if inner is not None:
                inner.connectionLost(reason)

    def _take(self, head: bytes) -> bool:
        """Hands one request on. False when the bytes behind it are no request head of the site any more."""
        self._stop_head_clock()
        request, _, rest = head.removesuffix(_END_OF_HEAD).partition(b"\r\n")
        words = request.split(b" ")
        if len(words) != 3:
            return self._refuse(HTTPStatus.BAD_REQUEST, "Not an HTTP/1.1 request.")
        method, target, _ = words
        headers = _headers(rest)
        if b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0":
            return self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "No request here has a body.")
        path = target.partition(b"?")[0]
        upgrade = b"websocket" in headers.get(b"upgrade", b"").lower()
        if self._channel is None and upgrade and path == WEBSOCKET_PATH.encode():
            self._open_link(head)
            return False
        if method not in (b"GET", b"HEAD"):
            text = "There is nothing to change over HTTP; the game is played over TCP or WebSocket."
            return self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, text, {"Allow": "GET, HEAD"})
        if self._channel is None:
            self._channel = self._open_channel()
        self._channel.dataReceived(head)
        return True

    def _open_channel(self) -> IProtocol:
        channel: IProtocol = self._parts.site.buildProtocol(self._address)
        channel.makeConnection(self.transport)
        return channel

    def _open_link(self, head: bytes) -> None:
        self._link = self._parts.make_link(head)
        self._link.makeConnection(self.transport)  # type: ignore[no-untyped-call] # inherited, and not annotated in Twisted
        early = bytes(self._held)
        self._held.clear()
        if early:
            self._link.dataReceived(early)

    def _refuse(self, status: HTTPStatus, text: str, headers: dict[str, str] | None = None) -> bool:
        """Answers and closes. Behind an earlier request, which the site may still answer, it only closes."""
        self._stop_head_clock()
        self._held.clear()
        self._refused = Outbound(self.transport, self._parts.flusher, HEAD_BYTES_MAX, lambda: None)
        if self._channel is None:
            self._refused.write(refusal(status, text, headers))
            self._refused.close()
        else:
            self.transport.loseConnection()
        return False

    def _head_late(self) -> None:
        self._refuse(HTTPStatus.REQUEST_TIMEOUT, f"No whole request head came within {HEAD_S:.0f} seconds.")

    def _stop_head_clock(self) -> None:
        if self._head_clock.active():
            self._head_clock.cancel()


def _headers(lines: bytes) -> dict[bytes, bytes]:
    """Lower-case names to values, joined where repeated: enough to choose who parses the head in earnest."""
    headers: dict[bytes, bytes] = {}
    for line in lines.split(b"\r\n"):
        name, _, value = line.partition(b":")
        name, value = name.strip().lower(), value.strip()
        headers[name] = headers[name] + b"," + value if name in headers else value
    return headers
