"""The port for both HTTP and WebSocket: which requests get a connection, and which get no further."""

import asyncio
import contextlib
import re

import pytest
from twisted.internet.task import Clock
from websockets.asyncio.client import connect

from pokerroom.gateway.addresses import AddressPolicy
from pokerroom.gateway.http import HEAD_BYTES_MAX, HEAD_S, FrontFactory
from pokerroom.gateway.outbound import FAREWELL_S, TurnFlusher
from pokerroom.gateway.site import KEEP_ALIVE_S, Page, make_site
from tests.gateway.parties import GONE, FakeSocket, House, drive, fair_turns, listening

PAGES = {"/": Page(body=b"hello", content_type="text/plain", content_policy="default-src 'none'")}
UPGRADE = (
    b"GET /ws?from=here HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Protocol: pokerroom.v1.msgpack\r\n\r\n"
)
FRAME = b"\x82\x82\x00\x00\x00\x00hi"  # a binary message, masked with zeros


def make_factory(house, clock, addresses=None) -> FrontFactory:
    return FrontFactory(
        site=make_site(PAGES, clock),
        receivers=house,
        turns=fair_turns(clock),
        flusher=TurnFlusher(clock),
        frame_bytes_max=4096,
        outbound_bytes_max=100_000,
        addresses=addresses or AddressPolicy(per_address=100),
        connections_max=100,
    )


class Line:
    """A front on a fake socket under a virtual clock: for what never reaches the site."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.house = House()
        self.front = make_factory(self.house, self.clock).buildProtocol(None)
        self.socket = FakeSocket()
        self.front.makeConnection(self.socket)

    def send(self, data: bytes) -> bytes:
        self.front.dataReceived(data)
        self.clock.advance(0)
        return bytes(self.socket.arrived)

    def end(self):
        self.front.connectionLost(GONE)
        assert self.clock.getDelayedCalls() == []


def exchange(run, *parts: bytes) -> bytes:
    """All that a real connection answers to `parts`, sent one after the other."""
    from twisted.internet import reactor

    house = House()

    async def client(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for part in parts:
            writer.write(part)
            await writer.drain()
        with contextlib.suppress(ConnectionError):
            data = await reader.read()
        writer.close()
        await writer.wait_closed()
        return data

    return drive(run, listening(make_factory(house, reactor), house, client))


def test_websocket_and_page_on_one_port(run):
    """One port answers a browser's page and a client's WebSocket."""
    from twisted.internet import reactor

    house = House()

    async def client(port):
        async with connect(f"ws://127.0.0.1:{port}/ws", subprotocols=["pokerroom.v1.json"], proxy=None) as ws:
            await ws.send("{}")
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            answer = await reader.read()
            writer.close()
            await writer.wait_closed()
            return answer

    answer = drive(run, listening(make_factory(house, reactor), house, client))
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"\r\n\r\nhello")
    assert house.session.bodies == [b"{}"]


@pytest.mark.parametrize("step", [1, 7, 10_000])
def test_upgrade_in_any_pieces(step):
    """An upgrade reaches the WebSocket however its head is cut, with the bytes that came right behind it."""
    line = Line()
    stream = UPGRADE + FRAME * 2
    for start in range(0, len(stream), step):
        line.send(stream[start : start + step])
    assert bytes(line.socket.arrived).startswith(b"HTTP/1.1 101 ")
    assert line.house.session.bodies == [b"hi"] * 2
    line.end()
    assert line.house.session.losses == ["closed by the client"]


def test_kept_alive_connection(run):
    """Several requests on one connection are each answered, also when they come in one chunk."""
    request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    last = b"HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    answer = exchange(run, request, request + request[:9], request[9:] + last)
    assert answer.count(b"HTTP/1.1 200 OK\r\n") == 4
    assert answer.count(b"hello") == 3


def test_upgrade_on_a_used_connection_is_refused(run):
    """A connection that served a page does not become a WebSocket: 426 says to open a new one."""
    answer = exchange(
        run,
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        UPGRADE,
        b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    )
    statuses = re.findall(rb"HTTP/1\.1 (\d+ [^\r]*)", answer)
    assert statuses == [b"200 OK", b"426 Upgrade Required", b"200 OK"]


@pytest.mark.parametrize(
    ("request_head", "status"),
    [
        (b"POST / HTTP/1.1\r\nHost: a\r\n\r\n", 405),
        (b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 405),
        (b"PRI * HTTP/2.0\r\n\r\n", 405),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\nHost: a\r\ncontent-length:5\r\nContent-Length: 0\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", 413),
        (UPGRADE.replace(b"Host:", b"Content-Length: 4\r\nHost:"), 413),
        (b"GET / HTTP/1.1 and more\r\n\r\n", 400),
        (b"\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * HEAD_BYTES_MAX + b"\r\n\r\n", 431),
        (b"x" * (HEAD_BYTES_MAX + 1), 431),
    ],
)
def test_refused_requests(request_head, status):
    """Other methods, bodies, what is no HTTP and heads past the bound are refused before any server sees them."""
    line = Line()
    answer = line.send(request_head)
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert b"\r\nX-Content-Type-Options: nosniff\r\n" in answer
    assert (b"\r\nAllow: GET, HEAD\r\n" in answer) == (status == 405)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"Content-Length: %d" % len(body) in head
    assert line.socket.shut
    assert line.send(UPGRADE) == answer, "what follows a refusal is not looked at"
    assert line.house.sessions == []
    line.end()


def test_refusal_arrives_though_more_is_sent(run):
    """A client in the middle of a long upload reads why it is refused: no reset throws the answer away."""
    answer = exchange(run, b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n", bytes(4_000_000))
    assert answer.startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("first", [b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"])
@pytest.mark.parametrize(
    "second", [b"POST / HTTP/1.1\r\nHost: a\r\n\r\n", b"\r\n\r\n", b"x" * (HEAD_BYTES_MAX + 1)]
)
def test_refused_on_a_used_connection(run, first, second):
    """On a connection that served a page, what would be refused ends it after the page."""
    answer = exchange(run, first, second)
    assert answer.count(b"HTTP/1.1") == 1
    assert answer.endswith(b"hello")


def test_slow_head_is_cut():
    """A head that is not there after HEAD_S is refused with 408, however busily its bytes drip in."""
    line = Line()
    for byte in UPGRADE[:72]:
        line.send(bytes([byte]))
        line.clock.advance(0.125)
    assert bytes(line.socket.arrived) == b""
    line.clock.advance(HEAD_S - 9)
    line.clock.advance(0)
    assert bytes(line.socket.arrived).startswith(b"HTTP/1.1 408 ")
    assert line.socket.shut
    line.clock.advance(FAREWELL_S)
    assert line.socket.aborted
    line.end()


def test_silent_client_leaves_nothing_behind():
    """A connection that says nothing and goes leaves no timer."""
    line = Line()
    line.end()


def test_head_clock_stops():
    """An open WebSocket is not cut by the clock of its request head."""
    line = Line()
    line.send(UPGRADE)
    assert line.clock.getDelayedCalls() == []
    line.clock.advance(HEAD_S * 2)
    line.send(FRAME)
    assert line.house.session.bodies == [b"hi"]
    line.end()


def test_idle_between_requests(run):
    """The site's clock, which is the room's, ends a kept-alive connection after KEEP_ALIVE_S."""
    house = House()
    clock = Clock()

    async def client(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        answer = await reader.readuntil(b"hello")
        clock.advance(0)
        assert len(clock.getDelayedCalls()) == 1
        clock.advance(KEEP_ALIVE_S)
        rest = await reader.read()
        writer.close()
        await writer.wait_closed()
        return answer, rest

    answer, rest = drive(run, listening(make_factory(house, clock), house, client))
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert rest == b""
