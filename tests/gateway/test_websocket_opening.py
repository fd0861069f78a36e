"""The opening handshake of a WebSocket: subprotocols, origins, extensions, and what is refused."""

import zlib

import pytest
from twisted.internet.task import Clock
from websockets.exceptions import InvalidStatus
from websockets.frames import Opcode

from pokerroom.gateway.outbound import TurnFlusher
from pokerroom.gateway.websocket import WebSocketLink
from tests.gateway.parties import GONE, FakeSocket, House, fair_turns
from tests.gateway.websocket_parties import (
    FRAME_MAX,
    JSON,
    MSGPACK,
    Line,
    client_frame,
    close_frame,
    open_socket,
    real,
)

UPGRADE = b"GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"


def test_first_known_subprotocol_is_chosen(run):
    """Of the subprotocols a client offers, the first one the room speaks is taken."""
    house = House()

    async def client(port):
        async with open_socket(port, subprotocols=["pokerroom.v9.msgpack", JSON, MSGPACK]) as ws:
            assert ws.subprotocol == JSON

    real(run, house, client)


@pytest.mark.parametrize("offered", [None, ["chat", "pokerroom.v9.msgpack"]])
def test_no_known_subprotocol_is_refused(run, offered):
    """A client that offers no subprotocol of the room's is answered 400 with the two names; no session is made."""
    house = House()

    async def client(port):
        with pytest.raises(InvalidStatus) as refused:
            async with open_socket(port, subprotocols=offered):
                pass
        return refused.value.response

    response = real(run, house, client)
    assert response.status_code == 400
    assert response.headers["Content-Type"].startswith("text/plain")
    assert MSGPACK in response.body.decode()
    assert JSON in response.body.decode()
    assert house.sessions == []


def test_deflate_is_declined(run):
    """A compression offer is not taken up, and messages pass uncompressed."""
    house = House()

    async def client(port):
        async with open_socket(port, compression="deflate") as ws:
            assert ws.protocol.extensions == []
            assert "Sec-WebSocket-Extensions" in ws.request.headers
            assert "Sec-WebSocket-Extensions" not in ws.response.headers
            await ws.send(b"plain")

    real(run, house, client)
    assert house.session.bodies == [b"plain"]


def test_deflate_bomb_is_no_message():
    """A compressed frame sent all the same breaks the protocol (1002): nothing is inflated."""
    line = Line(f"Sec-WebSocket-Protocol: {MSGPACK}", "Sec-WebSocket-Extensions: permessage-deflate")
    assert b"extensions" not in line.head.lower()
    packer = zlib.compressobj(wbits=-15)
    bomb = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_SYNC_FLUSH)
    assert len(bomb) < FRAME_MAX
    line.link.dataReceived(client_frame(Opcode.BINARY, bomb, rsv1=True))
    assert line.house.session.bodies == []
    assert line.sent().endswith(close_frame(1002, "bad_encoding"))
    line.end()


@pytest.mark.parametrize(
    ("headers", "settings", "status"),
    [
        ([], {}, 101),
        (["Origin: http://room.example:4191"], {}, 101),
        (["Origin: https://room.example:4191"], {}, 101),
        (["Origin: http://room.example"], {}, 403),
        (["Origin: http://other.example:4191"], {}, 403),
        (["Origin: null"], {}, 403),
        (["Origin: http://play.example"], {"allowed_origins": ["http://play.example"]}, 101),
        (["Origin: http://play.example.evil"], {"allowed_origins": ["http://play.example"]}, 403),
        (["Origin: http://room.example:4191", "Origin: http://evil.example"], {}, 403),
    ],
)
def test_origins(headers, settings, status):
    """No origin, the host's own and configured ones may connect; a page of any other origin is answered 403."""
    line = Line(f"Sec-WebSocket-Protocol: {MSGPACK}", *headers, **settings)
    assert line.head.startswith(b"HTTP/1.1 %d " % status)
    assert len(line.house.sessions) == (status == 101)
    assert line.socket.shut == (status != 101)
    line.end()


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n", 400),
        (b"POST /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", 400),
        (
            UPGRADE + b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 8\r\n\r\n",
            426,
        ),
        (
            UPGRADE + b"Sec-WebSocket-Protocol: \xff\r\n\r\n",
            400,
        ),
        (b"GET /ws HTTP/1.1\r\nHost: " + b"x" * 64 + b".\xff\r\nUpgrade: websocket\r\n\r\n", 400),
        (b"GET /ws HTTP/1.1\r\nHost a\r\nUpgrade: websocket\r\n\r\n", 400),
        (b"GET /ws HTTP/1.1\r\n\r\n\r\n", 400),
        (b"\x16\x03\x01\r\n\r\n", 400),
    ],
)
def test_bad_handshakes(head, status):
    """What is no WebSocket handshake of version 13 is refused over HTTP, and never becomes a session."""
    clock = Clock()
    house = House()
    link = WebSocketLink(
        head,
        "192.0.2.1:40000",
        receivers=house,
        turns=fair_turns(clock),
        flusher=TurnFlusher(clock),
        frame_bytes_max=10,
        outbound_bytes_max=10_000,
    )
    socket = FakeSocket()
    link.makeConnection(socket)
    link.dataReceived(b"ignored")
    clock.advance(0)
    assert bytes(socket.arrived).startswith(b"HTTP/1.1 %d " % status)
    assert (b"Sec-WebSocket-Version: 13" in socket.arrived) == (status == 426)
    assert socket.shut
    assert house.sessions == []
    link.connectionLost(GONE)
    assert clock.getDelayedCalls() == []
