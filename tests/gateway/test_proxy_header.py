"""The PROXY protocol: which headers are read, which proxies are believed, and what the room sees then."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.task import Clock

from pokerroom.gateway.addresses import AddressPolicy, networks, owner_of
from pokerroom.gateway.link import host_of
from pokerroom.gateway.listen import listen
from pokerroom.gateway.outbound import TurnFlusher
from pokerroom.gateway.proxy_header import (
    HEADER_BYTES_MAX,
    HEADER_S,
    MalformedHeader,
    ProxyFactory,
    ProxyHeader,
    read_header,
)
from pokerroom.gateway.tcp import TcpFactory
from pokerroom.gateway.tls import TlsFactory
from pokerroom.ops.certificate import Certificate
from pokerroom.ops.metrics import Metrics
from pokerroom_protocol.framing import frame
from tests.gateway.certificates import Authority
from tests.gateway.parties import GONE, FakeSocket, House, drive, fair_turns

SIGNATURE = b"\r\n\r\n\x00\r\nQUIT\n"
FOUR = bytes([203, 0, 113, 7]) + bytes([192, 0, 2, 1]) + struct.pack("!HH", 50_000, 4190)
SIX = bytes.fromhex("20010db8000000070000000000000001") * 2 + struct.pack("!HH", 50_000, 4190)
LINE = b"PROXY TCP4 203.0.113.7 192.0.2.1 50000 4190\r\n"


def version_2(command=0x21, family=0x11, body=FOUR):
    return SIGNATURE + struct.pack("!BBH", command, family, len(body)) + body


HEADERS = [
    (LINE, IPv4Address("TCP", "203.0.113.7", 50_000)),
    (b"PROXY TCP6 2001:db8::7 2001:db8::1 50000 4190\r\n", IPv6Address("TCP", "2001:db8::7", 50_000)),
    (b"PROXY TCP6 ::ffff:203.0.113.7 ::1 50000 4190\r\n", IPv4Address("TCP", "203.0.113.7", 50_000)),
    (b"PROXY UNKNOWN\r\n", None),
    (b"PROXY UNKNOWN ffff::1 what ever\r\n", None),
    (version_2(), IPv4Address("TCP", "203.0.113.7", 50_000)),
    (version_2(body=FOUR + b"\x04\x00\x03abc"), IPv4Address("TCP", "203.0.113.7", 50_000)),
    (version_2(family=0x21, body=SIX), IPv6Address("TCP", "2001:db8:0:7::1", 50_000)),
    (version_2(command=0x20, family=0x00, body=b""), None),
    (version_2(command=0x20), None),
    (version_2(family=0x00, body=b""), None),
]
MALFORMED = [
    b"GET / HTTP/1.1\r\n\r\n",
    b"\x00\x00\x00\x02{}",
    b"\x16\x03\x01",
    b"PROXY TCP4 203.0.113.7 192.0.2.1 50000\r\n",
    b"PROXY TCP4 2001:db8::7 192.0.2.1 50000 4190\r\n",
    b"PROXY TCP4 203.0.113.7 192.0.2.1 65536 4190\r\n",
    b"PROXY TCP4 203.0.113.7 192.0.2.1 -1 4190\r\n",
    b"PROXY TCP4 203.0.113.7 192.0.2.1 \xb2 4190\r\n",
    b"PROXY TCP4 203.0.113.\xff 192.0.2.1 50000 4190\r\n",
    b"PROXY TCP5 203.0.113.7 192.0.2.1 50000 4190\r\n",
    b"PROXY \r\n",
    b"PROXY " + b"x" * 200,
    version_2(command=0x11),
    version_2(command=0x22),
    version_2(family=0x12),
    version_2(family=0x31, body=b"\x00" * 216),
    version_2(body=FOUR[:11]),
    version_2(family=0x21),
    version_2(body=b"\x00" * HEADER_BYTES_MAX),
]


@pytest.mark.parametrize(("data", "client"), HEADERS)
def test_headers_in_any_pieces(data, client):
    """A header is read when its last byte has come, and what follows is left alone."""
    for end in range(len(data)):
        assert read_header(data[:end]) is None
    header = ProxyHeader(length=len(data), client=client)
    assert (read_header(data), read_header(data + b"\x00\x01PROXY \r\n")) == (header, header)


@pytest.mark.parametrize("data", MALFORMED)
def test_what_is_no_header_is_refused(data):
    """Other versions, transports, families, lengths, and other protocols."""
    with pytest.raises(MalformedHeader):
        read_header(data)


BEGINNINGS = st.sampled_from([b"", b"PROXY ", b"PROXY TCP4 ", SIGNATURE, SIGNATURE + b"\x21\x11"])


@given(BEGINNINGS, st.binary(max_size=300))
def test_any_bytes_are_a_header_or_refused(beginning, rest):
    """Nothing else is raised, and no header is longer than its bound."""
    data = beginning + rest
    try:
        header = read_header(data)
    except MalformedHeader:
        return
    assert header is None or 0 < header.length <= min(len(data), HEADER_BYTES_MAX)


class Door:
    """A port for TCP behind trusted proxies, and one connection to it under a virtual clock."""

    def __init__(self, peer: str, trusted: str = "10.0.0.0/8") -> None:
        self.clock = Clock()
        self.house = House()
        factory = TcpFactory(self.house, fair_turns(self.clock), TurnFlusher(self.clock), 4096, 100_000)
        policy = AddressPolicy(per_address=2, trusted=networks([trusted]))
        proxied = ProxyFactory(factory, policy, self.clock)
        self.socket = Peered(peer)
        self.socket.protocol = proxied.buildProtocol(self.socket.getPeer())
        self.socket.protocol.makeConnection(self.socket)

    def send(self, data):
        self.socket.protocol.dataReceived(data)

    def end(self):
        self.socket.protocol.connectionLost(GONE)
        self.clock.advance(0)
        assert self.clock.getDelayedCalls() == []


class Peered(FakeSocket):
    """A socket with a peer; it takes what `listen._Connection` takes."""

    told_peer = None

    def __init__(self, peer):
        super().__init__()
        self._peer = peer

    def getPeer(self):  # noqa: N802 -- Twisted's name
        return self.told_peer or IPv4Address("TCP", self._peer, 40_000)


def test_the_room_sees_the_client_of_a_trusted_proxy():
    """The session begins when the header is read, with the client's address, however the bytes come."""
    for header, told in (
        (LINE, "203.0.113.7:50000"),
        (version_2(family=0x21, body=SIX), "[2001:db8:0:7::1]:50000"),
    ):
        door = Door("10.0.0.1")
        for byte in header + frame(b"one"):
            assert len(door.house.sessions) == 0 or door.house.session.link.peer == told
            door.send(bytes([byte]))
        door.send(frame(b"two"))
        assert door.house.session.link.peer == told
        assert door.house.session.bodies == [b"one", b"two"]
        door.end()


def test_a_proxy_that_speaks_for_itself_keeps_its_address():
    """As load balancers do that check whether the room answers."""
    door = Door("10.0.0.1")
    door.send(b"PROXY UNKNOWN\r\n" + frame(b"one"))
    assert (door.house.session.link.peer, door.house.session.bodies) == ("10.0.0.1:40000", [b"one"])
    door.end()


@pytest.mark.parametrize("header", [LINE, version_2()])
def test_a_header_of_a_stranger_closes_the_connection(header):
    """It is garbage there: the length of a frame that is too large. Its address is believed nowhere."""
    door = Door("198.51.100.1")
    door.send(header + frame(b"one"))
    assert door.house.session.link.peer == "198.51.100.1:40000"
    assert [code.value for code in door.house.session.broken_codes] == ["frame_too_large"]
    assert door.house.session.bodies == []
    door.clock.advance(0)
    assert door.socket.shut
    door.end()


def test_a_stranger_connects_without_a_header():
    """Direct connections beside those of the proxy are served."""
    door = Door("198.51.100.1")
    door.send(frame(b"one"))
    assert door.house.session.bodies == [b"one"]
    door.end()


@pytest.mark.parametrize("data", [*MALFORMED, frame(b"one")])
def test_a_proxy_without_a_header_is_cut(data):
    """Nothing of such a connection reaches a session."""
    door = Door("10.0.0.1")
    door.send(data)
    assert (door.socket.aborted, door.house.sessions) == (True, [])
    door.end()


def test_a_slow_header_is_cut():
    """Bytes that come one after the other do not extend the time."""
    door = Door("10.0.0.1")
    for byte in LINE[:-1]:
        door.send(bytes([byte]))
        door.clock.advance(HEADER_S / len(LINE))
    assert not door.socket.aborted
    door.clock.advance(HEADER_S)
    assert (door.socket.aborted, door.house.sessions) == (True, [])
    door.end()


def test_a_header_comes_before_tls(run, tmp_path):
    """Over real sockets: a proxy in front of TLS, as HAProxy with `send-proxy-v2`; limits count by /64 behind it."""
    from twisted.internet import reactor

    authority = Authority(tmp_path)
    authority.write()
    house, metrics, turns = House(), Metrics(), fair_turns(reactor)
    certificate = Certificate(authority.files, metrics)
    tls = TlsFactory(
        TcpFactory(house, turns, TurnFlusher(reactor), 4096, 100_000),
        lambda: certificate.context,
        turns=turns,
        clock=reactor,
        observer=metrics,
    )
    factory = ProxyFactory(tls, AddressPolicy(per_address=1, trusted=networks(["127.0.0.1"])), reactor)

    async def scenario():
        port = listen(reactor, "127.0.0.1", 0, factory)
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port.getHost().port)
            writer.write(version_2(family=0x21, body=SIX))
            await writer.drain()
            await writer.start_tls(authority.client(), server_hostname="localhost")
            writer.write(frame(b"through both"))
            await house.until(lambda: bool(house.sessions and house.session.bodies))
            writer.close()
            with contextlib.suppress(ConnectionError, ssl.SSLError):
                await writer.wait_closed()
            await house.until(lambda: bool(house.session.losses))
            return reader
        finally:
            await port.stopListening().asFuture(asyncio.get_running_loop())

    drive(run, scenario())
    assert house.session.bodies == [b"through both"]
    assert owner_of(host_of(house.session.link.peer)) == "2001:db8:0:7::/64"
