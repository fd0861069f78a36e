"""The PROXY protocol, versions 1 and 2: how a proxy for TCP tells the address of its client, before the first byte.

A header is believed from a trusted proxy alone, and there it must come: see `ProxyFactory`. It comes before TLS.
Specification: https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt, "PROXY" below.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from ipaddress import IPv4Address as Four
from ipaddress import IPv6Address as Six
from typing import Any, Final, cast

import structlog
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IAddress, IDelayedCall, IReactorTime
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.python.failure import Failure

from pokerroom.gateway.addresses import AddressPolicy, parsed
from pokerroom.gateway.link import address_text, host_of

HEADER_S: Final = 5.0
"""A proxy has this long to send the header; it sends it with its first packet (PROXY 2)."""

HEADER_BYTES_MAX: Final = 4096
"""[D] A header with more additional fields than this is malformed here."""

_LINE_BYTES_MAX: Final = 107  # PROXY 2.1, with the end of the line
_FAMILIES: Final[dict[bytes, type[Four | Six]]] = {b"TCP4": Four, b"TCP6": Six}
_LINE: Final = b"PROXY "
_SIGNATURE: Final = b"\r\n\r\n\0\r\nQUIT\n"
_HEAD: Final = struct.Struct("!12sBBH")
_LOCAL, _PROXY = 0x20, 0x21
_ADDRESSES: Final[dict[int, tuple[struct.Struct, type[Four | Six]]]] = {
    0x11: (struct.Struct("!4s4sHH"), Four),
    0x21: (struct.Struct("!16s16sHH"), Six),
}
"""By family and transport: IPv4 and IPv6, both over TCP."""
_UNKNOWN: Final = 0x00

_log = structlog.get_logger()


class MalformedHeader(Exception):  # noqa: N818 -- ends one connection
    """What a proxy has sent is no header of the PROXY protocol, or one of another transport than TCP."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyHeader:
    """A header of `length` bytes. Without a `client` the proxy speaks for itself, for example to check the room."""

    length: int
    client: IPv4Address | IPv6Address | None


def read_header(data: bytes) -> ProxyHeader | None:
    """Return the header at the beginning of the data; None if more bytes are needed. Raises `MalformedHeader`."""
    if data[: len(_SIGNATURE)] == _SIGNATURE[: len(data)]:
        return _version_2(data)
    if data[: len(_LINE)] == _LINE[: len(data)]:
        return _version_1(data)
    raise MalformedHeader("the connection begins with no PROXY header")


def _version_1(data: bytes) -> ProxyHeader | None:
    end = data.find(b"\r\n", 0, _LINE_BYTES_MAX)
    if end < 0:
        if len(data) >= _LINE_BYTES_MAX:
            raise MalformedHeader("the line of version 1 has no end")
        return None
    words = data[:end].split(b" ")
    if words[1:2] == [b"UNKNOWN"]:  # what follows is to be ignored
        return ProxyHeader(length=end + 2, client=None)
    if len(words) != 6 or words[1] not in _FAMILIES:
        raise MalformedHeader("the line of version 1 has another form")
    addresses, ports = words[2:4], words[4:6]
    try:
        kind = _FAMILIES[words[1]]
        client = kind(addresses[0].decode("ascii"))
        kind(addresses[1].decode("ascii"))  # that of the proxy's own port
    except ValueError as error:
        raise MalformedHeader("the line of version 1 has no addresses of its family") from error
    if not all(port.isdigit() and len(port) <= 5 and int(port) <= 65535 for port in ports):
        raise MalformedHeader("the line of version 1 has no ports")
    return ProxyHeader(length=end + 2, client=_address(client, int(ports[0])))


def _version_2(data: bytes) -> ProxyHeader | None:
    if len(data) < _HEAD.size:
        return None
    _, command, family, size = _HEAD.unpack_from(data)
    length = _HEAD.size + size
    if command not in {_LOCAL, _PROXY}:
        raise MalformedHeader("the header has another version or command")
    if length > HEADER_BYTES_MAX:
        raise MalformedHeader("the header is too long")
    if len(data) < length:
        return None
    if command == _LOCAL or family == _UNKNOWN:
        return ProxyHeader(length=length, client=None)
    if family not in _ADDRESSES:
        raise MalformedHeader("the header is of another transport than TCP")
    form, kind = _ADDRESSES[family]
    if size < form.size:
        raise MalformedHeader("the header is too short for its addresses")
    client, _, port, _ = form.unpack_from(data, _HEAD.size)
    return ProxyHeader(length=length, client=_address(kind(client), port))


def _address(client: Four | Six, port: int) -> IPv4Address | IPv6Address:
    """Return an address as a socket has it; an IPv4 address in IPv6 becomes what it is."""
    found = parsed(str(client)) or client
    return (IPv6Address if isinstance(found, Six) else IPv4Address)("TCP", str(found), port)


class ProxyFactory(Factory):
    """Reads the header of connections from trusted proxies, and hands the rest to the protocols of another factory.

    Other connections are handed on as they are. A header that a stranger sends is garbage to the protocol behind.
    """

    noisy = False

    def __init__(self, behind: Factory, addresses: AddressPolicy, clock: IReactorTime) -> None:
        self.behind = behind
        self.clock = clock
        self._addresses = addresses

    def buildProtocol(self, addr: IAddress | None) -> Any:  # noqa: N802 -- Twisted's name
        """Make the reader of a header for a trusted proxy, otherwise the protocol behind."""
        if self._addresses.is_trusted(host_of(address_text(addr))):
            return _HeaderReader(self)
        return self.behind.buildProtocol(cast("IAddress", addr))


class _HeaderReader(Protocol):
    """The protocol of a connection until its header is read. Then it leaves its place to the one behind."""

    transport: Any  # `listen._Connection`, which takes the address of its client

    def __init__(self, parts: ProxyFactory) -> None:
        self._parts = parts
        self._data = b""

    def connectionMade(self) -> None:  # noqa: N802 -- Twisted's name
        """Start the clock of the header."""
        self._deadline: IDelayedCall = self._parts.clock.callLater(
            HEADER_S, self._refuse, "no header in time"
        )

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 -- Twisted's name
        """Collect the header."""
        self._data += data
        try:
            header = read_header(self._data)
        except MalformedHeader as malformed:
            self._refuse(str(malformed))
            return
        if header is not None:
            self._hand_on(header)

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: ARG002, N802 -- Twisted's signature
        """Stop the clock."""
        self._stop_deadline()

    def _hand_on(self, header: ProxyHeader) -> None:
        self._stop_deadline()
        if header.client is not None:
            self.transport.told_peer = header.client
        behind = self._parts.behind.buildProtocol(self.transport.getPeer())
        if behind is None:
            self.transport.abortConnection()
            return
        self.transport.protocol = behind
        behind.makeConnection(self.transport)
        rest = self._data[header.length :]
        if rest:
            behind.dataReceived(rest)

    def _refuse(self, reason: str) -> None:
        self._stop_deadline()
        _log.warning("proxy.refused", peer=address_text(self.transport.getPeer()), reason=reason)
        self.transport.abortConnection()

    def _stop_deadline(self) -> None:
        if self._deadline.active():
            self._deadline.cancel()
