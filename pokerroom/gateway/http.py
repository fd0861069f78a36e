"""One port for HTTP and WebSocket: reads a request head and hands it to the WebSocket (`/ws`) or to the site.

The front cuts the stream into request heads itself and bounds them, also on a connection that is kept alive. A request
with a body, which `twisted.web` would collect without a bound, is refused: no page here takes one. `site` answers
requests, `websocket` is the WebSocket.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial
from http import HTTPStatus
from typing import Final, cast

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IAddress, IDelayedCall, IProtocol, ITCPTransport
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure
from twisted.web.server import Site

from pokerroom.gateway.addresses import AddressCounts, AddressPolicy
from pokerroom.gateway.fair_turns import PAGE_UNITS, FairTurns, PausableTransport
from pokerroom.gateway.link import ReceiverFactory, address_text, host_of
from pokerroom.gateway.outbound import Outbound, SocketOfTransport, TurnFlusher, prepare
from pokerroom.gateway.refusal import refusal
from pokerroom.gateway.websocket import WebSocketLink
from pokerroom_protocol.codec import Encoding

WEBSOCKET_PATH: Final = "/ws"
HEAD_BYTES_MAX: Final = 8192
HEAD_S: Final = 10.0
"""A new connection has this long to send its first request head; the site bounds the wait for later ones."""

_END_OF_HEAD: Final = b"\r\n\r\n"
HEAD_SEARCHED: Final = HEAD_BYTES_MAX + len(_END_OF_HEAD)
"""The end of a head is looked for in so many bytes, however many are held."""


class FrontFactory(Factory):
    """Makes a `Front` per connection. `site` needs no log: sessions log their connections."""

    noisy = False

    def __init__(
        self,
        *,
        site: Site,
        receivers: ReceiverFactory,
        turns: FairTurns,
        flusher: TurnFlusher,
        frame_bytes_max: int,
        outbound_bytes_max: int,
        addresses: AddressPolicy,
        connections_max: int,
        allowed_origins: Collection[str] = (),
    ) -> None:
        self.site = site
        self.addresses = addresses
        self.counts = AddressCounts(addresses, connections_max)
        self.turns = turns
        self.flusher = flusher
        self.outbound_bytes_max = outbound_bytes_max
        self.make_link = partial(
            WebSocketLink,
            receivers=receivers,
            turns=turns,
            flusher=flusher,
            frame_bytes_max=frame_bytes_max,
            outbound_bytes_max=outbound_bytes_max,
            allowed_origins=allowed_origins,
        )

    def moved_link(self, receivers: ReceiverFactory, peer: str, encoding: Encoding) -> WebSocketLink:
        """Make the link of a WebSocket that another process of this machine has opened."""
        link = self.make_link(b"", peer, receivers=receivers)
        link.goes_on_with(encoding)
        return link

    def buildProtocol(self, addr: IAddress | None) -> Front:  # noqa: N802 -- Twisted's name
        """Make one front per connection."""
        return Front(self, addr)


class Front(Protocol):
    """One connection to the port (`fair_turns.Source`), whether it becomes HTTP or a WebSocket."""

    transport: ITCPTransport

    def __init__(self, parts: FrontFactory, address: IAddress | None) -> None:
        self._parts = parts
        self._address = address
        self._held = bytearray()
        self._link: WebSocketLink | None = None
        self._channel: IProtocol | None = None
        """The site's side of this connection, from the first request on."""
        self._refused: Outbound | None = None
        self._peer = ""
        self._is_counted = False

    def connectionMade(self) -> None:  # noqa: N802 -- Twisted's name
        """Start the clock of the first head."""
        prepare(cast("SocketOfTransport", self.transport), self._parts.outbound_bytes_max)
        self._peer = address_text(self.transport.getPeer())
        self._is_counted = self._parts.counts.enter(host_of(self._peer))
        self._head_clock: IDelayedCall = self._parts.flusher.clock.callLater(HEAD_S, self._head_late)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 -- Twisted's name
        """Pass bytes on to a WebSocket; handle request heads when it is this connection's turn."""
        if self._link is not None:
            self._link.dataReceived(data)
        elif self._refused is None:
            self._held += data
            self._parts.turns.arrived(self)

    @property
    def is_account(self) -> bool:
        return self._link is not None and self._link.is_account

    @property
    def pausable(self) -> PausableTransport:
        return cast("PausableTransport", self.transport)

    def handle(self, units: int) -> tuple[int, bool]:
        """See `Source`: pass request heads on to the site, and what follows an upgrade to the WebSocket."""
        if self._link is not None:
            return self._link.handle(units)
        used = 0
        while self._refused is None and (end := self._held.find(_END_OF_HEAD, 0, HEAD_SEARCHED)) >= 0:
            if used >= units:
                return used, True
            used += PAGE_UNITS
            end += len(_END_OF_HEAD)
            head = bytes(self._held[:end])
            del self._held[:end]
            if not self._take(head):
                # a WebSocket may have bytes already: they wait here, as its own turn would resume what is paused
                return used, self._link is not None
        if self._refused is None and len(self._held) > HEAD_BYTES_MAX:
            text = f"A request head is at most {HEAD_BYTES_MAX} bytes."
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, text)
        return used, False

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802 -- Twisted's name
        """Tell the part that has the connection."""
        self._stop_head_clock()
        if self._is_counted:
            self._parts.counts.leave(host_of(self._peer))
        if self._refused is not None:
            self._refused.lost()
        for inner in (self._link, self._channel):
            if inner is not None:
                inner.connectionLost(reason)

    def _take(self, head: bytes) -> bool:
        """Hand one request on. Return False if the bytes behind it are not a request head of the site."""
        self._stop_head_clock()
        request, _, rest = head.removesuffix(_END_OF_HEAD).partition(b"\r\n")
        words = request.split(b" ")
        if len(words) != 3:
            return self._refuse(HTTPStatus.BAD_REQUEST, "Not an HTTP/1.1 request.")
        method, target, _ = words
        headers = _headers(rest)
        if not self._is_counted:
            text = "Your address has too many connections. Close some, or try again later."
            return self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, text, {"Retry-After": "10"})
        if b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0":
            return self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "Send no body with a request.")
        path = target.partition(b"?")[0]
        upgrade = b"websocket" in headers.get(b"upgrade", b"").lower()
        if self._channel is None and upgrade and path == WEBSOCKET_PATH.encode():
            return self._open_link(head, headers)
        if method not in (b"GET", b"HEAD"):
            text = "Use GET or HEAD: nothing is changed over HTTP. Play over TCP or WebSocket."
            return self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, text, {"Allow": "GET, HEAD"})
        if self._channel is None:
            self._channel = self._open_channel()
        self._channel.dataReceived(head)
        return True

    def _open_channel(self) -> IProtocol:
        channel: IProtocol = self._parts.site.buildProtocol(self._address)
        channel.makeConnection(self.transport)
        return channel

    def _open_link(self, head: bytes, headers: dict[bytes, bytes]) -> bool:
        host = host_of(self._peer)
        clients = {self._parts.addresses.client_of(host, noted) for noted in _forwarded(headers)} or {host}
        if len(clients) > 1:
            text = "Forwarded and X-Forwarded-For name different clients. Let the proxy remove one of them."
            return self._refuse(HTTPStatus.BAD_REQUEST, text)
        (client,) = clients
        address = IPv6Address if ":" in client else IPv4Address
        peer = self._peer if client == host else address_text(address("TCP", client, 0))
        self._link = self._parts.make_link(head, peer, early=bytes(self._held))
        self._held.clear()
        self._link.makeConnection(self.transport)  # type: ignore[no-untyped-call] # inherited, and not annotated in Twisted
        return False

    def _refuse(self, status: HTTPStatus, text: str, headers: dict[str, str] | None = None) -> bool:
        """Answer and close. Behind an earlier request, which the site may still answer, only close."""
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
        self._refuse(HTTPStatus.REQUEST_TIMEOUT, f"Send a whole request head within {HEAD_S:.0f} seconds.")

    def _stop_head_clock(self) -> None:
        if self._head_clock.active():
            self._head_clock.cancel()


def _forwarded(headers: dict[bytes, bytes]) -> list[list[str]]:
    """Return the addresses that proxies have noted, the nearest last: of `Forwarded` (RFC 7239) and of
    `X-Forwarded-For`, where they have any. Most proxies write one of the two, and pass the client's own text in the
    other on.
    """
    standard = headers.get(b"forwarded", b"").decode("latin-1")
    found = re.findall(r'(?i)(?:^|[;,])\s*for=(?:"?\[([0-9a-f:.]+)\]|"?([^\s;,":]+))', standard)
    common = [noted for noted in headers.get(b"x-forwarded-for", b"").decode("latin-1").split(",") if noted]
    return [noted for noted in ([v6 or other for v6, other in found], common) if noted]


def _headers(lines: bytes) -> dict[bytes, bytes]:
    """Map lower-case names to values, joined where repeated: enough to choose the part that parses the
    head properly.
    """
    headers: dict[bytes, bytes] = {}
    for line in lines.split(b"\r\n"):
        name, _, value = line.partition(b":")
        name, value = name.strip().lower(), value.strip()
        headers[name] = headers[name] + b"," + value if name in headers else value
    return headers
