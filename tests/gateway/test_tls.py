"""TLS before the two ports: over real sockets what clients see, under a virtual clock how long a handshake may take."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import ctypes.util
import ssl

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.internet.threads import deferToThread
from websockets.asyncio.client import connect

from pokerroom.gateway.addresses import AddressPolicy
from pokerroom.gateway.fair_turns import QUANTUM, STRANGER_UNITS, FairTurns
from pokerroom.gateway.http import FrontFactory
from pokerroom.gateway.outbound import TurnFlusher
from pokerroom.gateway.site import Page, make_site
from pokerroom.gateway.tcp import TcpFactory
from pokerroom.gateway.tls import HANDSHAKE_S, HANDSHAKE_UNITS, RECORDS_PER_UNIT, TlsFactory
from pokerroom.ops.certificate import Certificate
from pokerroom.ops.metrics import Metrics
from pokerroom_protocol.client import FrameConnection
from pokerroom_protocol.errors import Code
from pokerroom_protocol.framing import frame
from tests.compiled import replaces_parts
from tests.gateway.certificates import Authority
from tests.gateway.parties import GONE, FakeSocket, House, chat, drive, fair_turns, listening

BIG = Page(body=b"x" * 3_000_000, content_type="text/plain", content_policy="default-src 'none'")
OUTBOUND_MAX = 256 * 1024
RECORDS_MAX = QUANTUM * RECORDS_PER_UNIT
"""The records of one connection that are decrypted before others go first."""


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    made = Authority(tmp_path_factory.mktemp("tls"))
    made.write()
    return made


class Door:
    """The ports of a room with TLS before them."""

    def __init__(self, authority, clock, turns=None) -> None:
        self.metrics = Metrics()
        self.certificate = Certificate(authority.files, self.metrics)
        self.house = House()
        self.clock = clock
        self.turns = turns or fair_turns(clock)

    def tcp(self):
        return self._before(
            TcpFactory(self.house, self.turns, TurnFlusher(self.clock), 1 << 20, OUTBOUND_MAX)
        )

    def http(self):
        return self._before(
            FrontFactory(
                site=make_site({"/": BIG}, self.clock, hsts_s=600),
                receivers=self.house,
                turns=self.turns,
                flusher=TurnFlusher(self.clock),
                frame_bytes_max=4096,
                outbound_bytes_max=OUTBOUND_MAX,
                addresses=AddressPolicy(per_address=100),
                connections_max=100,
            )
        )

    def _before(self, factory):
        return TlsFactory(
            factory,
            lambda: self.certificate.context,
            turns=self.turns,
            clock=self.clock,
            observer=self.metrics,
        )

    def handshakes(self, result):
        return (
            self.metrics.registry.get_sample_value("pokerroom_tls_handshakes_total", {"result": result}) or 0
        )


@pytest.fixture
def door(authority):
    from twisted.internet import reactor

    return Door(authority, reactor)


async def ended(writer):
    writer.close()
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        await writer.wait_closed()


def test_frames_both_ways(run, door, authority):
    """A client sends and receives as without TLS; both ends close in good order."""

    async def client(port):
        got = bytearray()
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=authority.client())
        door.house.session.on_received = lambda body: door.house.session.link.send(chat(body.decode()))
        writer.write(frame(b"one") + frame(b"two" * 1000))
        await door.house.until(lambda: len(door.house.session.bodies) == 2)
        while got.count(b"two") < 1000:
            got += await reader.read(65_536)
        version = writer.get_extra_info("ssl_object").version()
        await ended(writer)
        return version, bytes(got)

    version, got = drive(run, listening(door.tcp(), door.house, client))
    assert version == "TLSv1.3"
    assert b"one" in got
    assert door.house.session.bodies == [b"one", b"two" * 1000]
    assert door.house.session.losses == ["closed by the client"]
    assert door.handshakes("done") == 1


def test_the_python_client_of_the_protocol_asks_for_tls(run, door, authority, monkeypatch):
    """A host written `tls://` is connected with TLS, and its certificate is checked."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.trusted))

    async def client(port):
        over = asyncio.get_running_loop().create_future()
        connection = await FrameConnection.open("tls://127.0.0.1", port, print, over.set_result)
        connection.send(b"hello")
        await door.house.until(lambda: bool(door.house.session.bodies))
        connection.close()
        await over
        monkeypatch.delenv("SSL_CERT_FILE")
        with pytest.raises(ssl.SSLCertVerificationError):
            await FrameConnection.open("tls://127.0.0.1", port, print, print)

    drive(run, listening(door.tcp(), door.house, client))
    assert door.house.sessions[0].bodies == [b"hello"]


def test_a_fan_out_larger_than_the_sockets_buffer_arrives_whole(run, door, authority):
    """What the socket does not take at once follows in order, as far as the bound for slow clients."""
    sent = [chat(f"{number:06}" * 30) for number in range(1000)]

    async def client(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=authority.client(), limit=1024)
        writer.write(frame(b"hello"))
        await door.house.until(lambda: bool(door.house.sessions and door.house.session.bodies))
        for start in range(0, len(sent), 500):
            for each in sent[start : start + 500]:
                door.house.session.link.send(each)
            await asyncio.sleep(0)
        expected = b"".join(each.framed() for each in sent)
        got = await reader.readexactly(len(expected))
        await ended(writer)
        return got == expected

    assert drive(run, listening(door.tcp(), door.house, client))


def test_a_client_that_does_not_read_is_cut(run, door, authority):
    """The bound on unread output holds for what is encrypted, too."""

    async def client(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=authority.client(), limit=1024)
        writer.write(frame(b"hello"))
        await door.house.until(lambda: bool(door.house.sessions and door.house.session.bodies))
        session = door.house.session
        for _ in range(400):
            if session.losses:
                break
            session.link.send(chat("x" * 60_000))
            await asyncio.sleep(0)
        await door.house.until(lambda: bool(session.losses))
        await ended(writer)
        return reader

    drive(run, listening(door.tcp(), door.house, client))
    assert door.house.session.losses == [Code.TOO_SLOW]


def test_pages_and_websocket(run, door, authority):
    """A page larger than any buffer comes whole, with HSTS; a WebSocket of the same port is `wss`."""

    async def client(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=authority.client())
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        body = await reader.read(-1)
        await ended(writer)
        url = f"wss://127.0.0.1:{port}/ws"
        context, names = authority.client(), ["pokerroom.v1.json"]
        async with connect(
            url, ssl=context, subprotocols=names, origin=f"https://127.0.0.1:{port}", proxy=None
        ) as ws:
            await ws.send("{}")
            await door.house.until(lambda: bool(door.house.session.bodies))
            door.house.session.link.send(chat("hello"))
            said = await ws.recv()
        return head, body, said

    head, body, said = drive(run, listening(door.http(), door.house, client))
    assert b"strict-transport-security: max-age=600\r\n" in head.lower()
    assert body == BIG.body
    assert '"hello"' in said
    assert door.house.session.bodies == [b"{}"]


def test_old_versions_and_plain_text_are_refused(run, door, authority):
    """TLS 1.1 gets no connection, nor does a client without TLS; TLS 1.2 does."""

    async def client(port):
        old = authority.client()
        old.set_ciphers("ALL:@SECLEVEL=0")
        with pytest.warns(DeprecationWarning, match="TLSv1_1"):
            old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        with pytest.raises((ssl.SSLError, ConnectionError)):
            await asyncio.open_connection("127.0.0.1", port, ssl=old)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(frame(b'{"type":"hello"}'))
        with contextlib.suppress(ConnectionError):
            assert b"hello" not in await reader.read()
        await ended(writer)
        last = authority.client()
        last.maximum_version = ssl.TLSVersion.TLSv1_2
        _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=last)
        version = writer.get_extra_info("ssl_object").version()
        await ended(writer)
        return version

    assert drive(run, listening(door.tcp(), door.house, client)) == "TLSv1.2"
    assert (door.handshakes("failed"), door.handshakes("done")) == (2, 1)
    assert all(not session.bodies for session in door.house.sessions)


def test_a_renewed_certificate_is_shown_to_the_next_client(run, tmp_path):
    """Connections made before keep theirs; no port is closed."""
    from twisted.internet import reactor

    authority = Authority(tmp_path)
    authority.write(organization_name="before")
    door = Door(authority, reactor)

    async def shown(port):
        _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=authority.client())
        subject = dict(part[0] for part in writer.get_extra_info("peercert")["subject"])
        return subject["organizationName"], writer

    async def client(port):
        first, stays = await shown(port)
        authority.write(organization_name="after")
        reading: Deferred[None] = door.certificate.refresh(deferToThread)
        await reading.asFuture(asyncio.get_running_loop())
        second, writer = await shown(port)
        stays.write(frame(b"still here"))
        await door.house.until(lambda: any(session.bodies for session in door.house.sessions))
        await ended(stays)
        await ended(writer)
        return first, second

    assert drive(run, listening(door.tcp(), door.house, client)) == ("before", "after")


def test_a_client_that_is_refused_is_told_so(run, door, authority):
    """A goodbye before the handshake waits for its end, and then leaves."""
    door.house.on_made = lambda session: session.goodbye(Code.UNAVAILABLE)

    async def client(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=authority.client())
        got = await reader.read()
        await ended(writer)
        return got

    assert b"unavailable" in drive(run, listening(door.tcp(), door.house, client))


@pytest.mark.parametrize("port", ["tcp", "http"])
def test_a_handshake_that_hangs_ends(authority, port):
    """It counts as a connection from its first moment, and is cut after `HANDSHAKE_S`."""
    clock = Clock()
    door = Door(authority, clock)
    connection = getattr(door, port)().buildProtocol(None)
    socket = FakeSocket()
    connection.makeConnection(socket)
    clock.advance(HANDSHAKE_S / 2)
    connection.dataReceived(b"\x16\x03\x01\x02\x00")  # the head of a hello without its body
    clock.advance(HANDSHAKE_S / 2)
    assert (socket.aborted, door.handshakes("late")) == (True, 1)
    connection.connectionLost(GONE)
    assert [session.losses for session in door.house.sessions] in ([], [["closed by the client"]])
    assert clock.getDelayedCalls() == []


def test_a_crowd_of_handshakes_takes_turns(authority):
    """In one turn a few hands are shaken; the others are not read meanwhile, and have their turn later."""
    clock = Clock()
    door = Door(authority, clock)
    factory, crowd = door.tcp(), []
    for _ in range(10):
        tls = authority.client().wrap_bio(
            incoming := ssl.MemoryBIO(), outgoing := ssl.MemoryBIO(), server_hostname="localhost"
        )
        with pytest.raises(ssl.SSLWantReadError):
            tls.do_handshake()
        connection, socket = factory.buildProtocol(None), FakeSocket()
        connection.makeConnection(socket)
        connection.dataReceived(outgoing.read())
        crowd.append((connection, socket, incoming))
    answered = [bool(socket.arrived) for _, socket, _ in crowd]
    at_once = STRANGER_UNITS // HANDSHAKE_UNITS
    assert answered == [True] * at_once + [False] * (10 - at_once)
    assert [socket.paused for _, socket, _ in crowd] == [not each for each in answered]
    clock.pump([0] * (10 // at_once))
    assert all(socket.arrived and not socket.paused for _, socket, _ in crowd)
    for connection, _, _ in crowd:
        connection.connectionLost(GONE)
    clock.advance(0)
    assert clock.getDelayedCalls() == []


class Shaken:
    """A connection to a door after its handshake, and the client's side of its TLS."""

    def __init__(self, authority, clock, turns=None, *, is_paused=False) -> None:
        self.door, self.socket = Door(authority, clock, turns), FakeSocket()
        self.connection = self.door.tcp().buildProtocol(None)
        self.behind = self.connection._behind  # private: what it is given is noted
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = authority.client().wrap_bio(self._incoming, self._outgoing, server_hostname="localhost")
        self.connection.makeConnection(self.socket)
        if is_paused:
            self.connection.pauseProducing()
        with pytest.raises(ssl.SSLWantReadError):
            self.tls.do_handshake()
        self.connection.dataReceived(self._outgoing.read())
        self._incoming.write(bytes(self.socket.arrived))
        self.tls.do_handshake()
        self.connection.dataReceived(self._outgoing.read())
        self.socket.arrived.clear()
        clock.advance(0)  # the handshake has used the units of its turn

    def records(self, pieces) -> bytes:
        """The pieces, each in a record of its own."""
        for piece in pieces:
            self.tls.write(piece)
        return self._outgoing.read()

    def new_keys(self, count) -> bytes:
        """So many changes of the client's key, each of which asks the server to change its own (RFC 8446, 4.6.3)."""
        library = ctypes.CDLL(ctypes.util.find_library("ssl"))
        # behind the head of the object and its socket: `PySSLSocket` of `_ssl.c`
        inner = self.tls._sslobj  # private: Python has no call for it
        pointer = ctypes.c_void_p.from_address(id(inner) + 24)
        for _ in range(count):
            assert library.SSL_key_update(pointer, 1) == 1
            assert library.SSL_do_handshake(pointer) == 1
        return self._outgoing.read()


@replaces_parts
def test_tiny_records_take_turns(authority):
    """A read full of records with a byte each is decrypted in pieces; the socket is not read before all are."""
    clock = Clock()
    shaken = Shaken(authority, clock)
    sizes = []
    shaken.behind.dataReceived = lambda data: sizes.append(len(data))
    shaken.connection.dataReceived(shaken.records([b"x"] * (2 * RECORDS_MAX + 1)))
    assert (sizes, shaken.socket.paused) == ([RECORDS_MAX], True)
    clock.advance(0)
    assert (sizes, shaken.socket.paused) == ([RECORDS_MAX] * 2 + [1], False)
    shaken.connection.connectionLost(GONE)
    assert clock.getDelayedCalls() == []


@replaces_parts
def test_a_crowd_of_tiny_records_shares_the_turns(authority):
    """Strangers that send thousands of records get no more of a turn together than their share."""
    pending, decrypted = [], []
    turns = FairTurns(pending.append)
    crowd = []
    for _ in range(12):
        crowd.append(Shaken(authority, Clock(), turns))
        next_turn(pending)
    for shaken in crowd:
        shaken.behind.dataReceived = lambda data: decrypted.append(len(data))
        shaken.connection.dataReceived(shaken.records([b"x"] * (2 * RECORDS_MAX)))
    in_turns = [sum(decrypted)]
    while any(shaken.socket.paused for shaken in crowd):
        next_turn(pending)
        in_turns.append(sum(decrypted) - sum(in_turns))
    a_turn = STRANGER_UNITS * RECORDS_PER_UNIT
    assert in_turns == [a_turn] * (12 * 2 * RECORDS_MAX // a_turn)


def next_turn(pending):
    """Does what waits for the next turn of the reactor."""
    works = pending[:]
    pending.clear()
    for work in works:
        work()


@replaces_parts
def test_what_is_held_waits_for_a_protocol_that_reads_nothing(authority):
    """The protocol behind pauses in the middle of a read: it gets the rest when it reads again."""
    clock = Clock()
    shaken = Shaken(authority, clock)
    got = []

    def received(data):
        got.append(data)
        shaken.connection.pauseProducing()

    shaken.behind.dataReceived = received
    shaken.connection.dataReceived(shaken.records([b"x"] * RECORDS_MAX + [b"y"]))
    clock.pump([0, 0])
    assert (len(got), shaken.socket.paused) == (1, True)
    shaken.connection.resumeProducing()
    clock.advance(0)
    assert (got[1:], shaken.socket.paused) == ([b"y"], True)
    shaken.connection.resumeProducing()
    assert shaken.socket.paused is False
    shaken.connection.connectionLost(GONE)


@replaces_parts
def test_a_protocol_that_reads_again_gets_no_turn_before_others(authority):
    """What waits for its turn goes on waiting, and the socket is not read."""
    clock = Clock()
    shaken = Shaken(authority, clock)
    sizes = []
    shaken.behind.dataReceived = lambda data: sizes.append(len(data))
    shaken.connection.dataReceived(shaken.records([b"x"] * (RECORDS_MAX + 1)))
    shaken.connection.pauseProducing()
    shaken.connection.resumeProducing()
    assert (sizes, shaken.socket.paused) == ([RECORDS_MAX], True)
    clock.advance(0)
    assert (sizes, shaken.socket.paused) == ([RECORDS_MAX, 1], False)
    shaken.connection.connectionLost(GONE)


@replaces_parts
def test_a_protocol_that_pauses_for_a_moment_gets_one_piece_after_the_other(authority):
    """It may read again before it returns: the next piece comes when it has returned."""
    clock = Clock()
    shaken = Shaken(authority, clock)
    told = []

    def received(data):
        told.append("begins")
        shaken.connection.pauseProducing()
        shaken.connection.resumeProducing()
        told.append(len(data))

    shaken.behind.dataReceived = received
    shaken.connection.dataReceived(shaken.records([b"x"] * (RECORDS_MAX + 1)))
    clock.advance(0)
    assert (told, shaken.socket.paused) == (["begins", RECORDS_MAX, "begins", 1], False)
    shaken.connection.connectionLost(GONE)


def test_a_handshake_goes_on_for_a_protocol_that_reads_nothing(authority):
    """What was received before it paused is not lost."""
    shaken = Shaken(authority, Clock(), is_paused=True)
    assert shaken.door.handshakes("done") == 1
    shaken.connection.connectionLost(GONE)


def test_a_client_that_sends_only_new_keys_is_cut(authority):
    """Each of them costs the room more than a message, and an answer that the client need not read."""
    clock = Clock()
    shaken = Shaken(authority, clock)
    shaken.connection.dataReceived(shaken.new_keys(2) + shaken.records([frame(b"hello")]))
    assert shaken.door.house.session.bodies == [b"hello"]
    shaken.connection.dataReceived(shaken.new_keys(500))
    clock.pump([0] * 20)
    assert shaken.socket.aborted
    assert len(shaken.socket.arrived) + len(shaken.socket.buffered) < 2000
    shaken.connection.connectionLost(GONE)
