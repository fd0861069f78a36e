"""How a WebSocket ends: streams that break the rules, closes from both sides, readers that are too slow."""

import asyncio
import contextlib

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from pokerroom.gateway.outbound import FAREWELL_S
from pokerroom_protocol.codec import Encoding, decode_server
from pokerroom_protocol.errors import Code
from pokerroom_protocol.messages import Goodbye
from tests.gateway.parties import House, chat
from tests.gateway.websocket_parties import (
    JSON,
    MSGPACK,
    Line,
    client_frame,
    close_frame,
    open_socket,
    real,
    until_closed,
)


@pytest.mark.parametrize("fragmented", [False, True])
def test_too_large_a_message(run, fragmented):
    """A message past the bound closes with 1009 and a goodbye before it, also when its fragments add up to it."""
    house = House()
    size = 4 << 20

    async def client(port):
        ws = await open_socket(port)
        await ws.send(b"good")
        # The close may come before the last byte has gone.
        with contextlib.suppress(ConnectionClosed):
            await ws.send(iter([bytes(1000)] * (size // 1000)) if fragmented else bytes(size))
        received = await until_closed(ws)
        return received, ws.close_code, ws.close_reason

    received, code, reason = real(run, house, client)
    (goodbye,) = (decode_server(body, Encoding.MSGPACK) for body in received)
    assert isinstance(goodbye, Goodbye)
    assert goodbye.code == Code.FRAME_TOO_LARGE
    assert (code, reason) == (1009, "frame_too_large")
    assert house.session.bodies == [b"good"]
    assert house.session.broken_codes == [Code.FRAME_TOO_LARGE]
    assert house.session.losses == [Code.FRAME_TOO_LARGE]


def test_empty_fragments_take_no_memory():
    """Fragments without content are a message that never grows; they are not collected."""
    line = Line(f"Sec-WebSocket-Protocol: {MSGPACK}")
    line.link.dataReceived(client_frame(Opcode.BINARY, b"a", fin=False))
    line.link.dataReceived(client_frame(Opcode.CONT, b"", fin=False) * 10_000)
    line.clock.advance(0)
    assert bytes(line.link._fragments) == b"a"  # private: memory has no public trace
    line.link.dataReceived(client_frame(Opcode.CONT, b"b"))
    assert line.house.session.bodies == [b"ab"]
    line.end()


@pytest.mark.parametrize(
    ("subprotocol", "stream", "code"),
    [
        (MSGPACK, client_frame(Opcode.TEXT, b"{}"), 1003),
        (JSON, client_frame(Opcode.BINARY, b"{}"), 1003),
        (JSON, client_frame(Opcode.TEXT, b"\xff"), 1007),
        (JSON, client_frame(Opcode.TEXT, "♠".encode()[:2]), 1007),
        (MSGPACK, client_frame(Opcode.CONT, b"a"), 1002),
        (MSGPACK, Frame(Opcode.BINARY, b"a").serialize(mask=False), 1002),
        (MSGPACK, client_frame(Opcode.PING, bytes(126)), 1002),
        (MSGPACK, client_frame(Opcode.PING, b"a", fin=False), 1002),
        (MSGPACK, client_frame(Opcode.BINARY, b"a", fin=False) + client_frame(Opcode.BINARY, b"b"), 1002),
        (MSGPACK, b"\x83\x80\x00\x00\x00\x00", 1002),
        (MSGPACK, client_frame(Opcode.CLOSE, b"\x03"), 1002),
        (MSGPACK, client_frame(Opcode.CLOSE, (1006).to_bytes(2, "big")), 1002),
        (MSGPACK, client_frame(Opcode.CLOSE, (1000).to_bytes(2, "big") + b"\xff"), 1007),
    ],
)
def test_broken_streams(subprotocol, stream, code):
    """A stream that breaks the rules ends with its code of RFC 6455 7.4.1: told once, goodbye, then silence."""
    line = Line(f"Sec-WebSocket-Protocol: {subprotocol}")
    kind = Opcode.BINARY if subprotocol == MSGPACK else Opcode.TEXT
    line.link.dataReceived(client_frame(kind, b"good") + stream + client_frame(kind, b"late"))
    line.link.dataReceived(client_frame(kind, b"later"))
    session = line.house.session
    assert session.bodies == [b"good"]
    assert session.broken_codes == [Code.BAD_ENCODING]
    sent = line.sent()
    assert b"goodbye" in sent
    assert sent.endswith(close_frame(code, "bad_encoding"))
    assert line.socket.shut
    line.end()
    assert session.losses == [Code.BAD_ENCODING]


def test_wrong_kind_over_the_wire(run):
    """A text message to a msgpack connection closes it with 1003, as a real client sees it."""
    house = House()

    async def client(port):
        async with open_socket(port) as ws:
            await ws.send("text")
            await until_closed(ws)
            return ws.close_code

    assert real(run, house, client) == 1003


@pytest.mark.parametrize(
    ("code", "close_code"),
    [
        (Code.SHUTTING_DOWN, 1001),
        (Code.TAKEN_OVER, 1008),
        (Code.IDLE, 1008),
        (Code.INTERNAL, 1011),
        (Code.UNAVAILABLE, 1013),
    ],
)
def test_room_closes(run, code, close_code):
    """The room's close comes behind all it queued, with a code and reason; the client's answer ends it."""
    house = House()

    async def client(port):
        async with open_socket(port) as ws:
            for number in range(200):
                house.session.link.send(chat(f"{number}"))
            house.session.goodbye(code)
            house.session.link.send(chat("dropped"))
            received = await until_closed(ws)
            return received, ws.close_code, ws.close_reason

    received, *closed = real(run, house, client)
    messages = [decode_server(body, Encoding.MSGPACK) for body in received]
    assert [message.text for message in messages[:-1]] == [f"{number}" for number in range(200)]
    assert messages[-1].code == code
    assert closed == [close_code, code.value]
    assert house.session.losses == [code]


def test_client_closes(run):
    """The client's close is answered with its own code, and the session is lost once."""
    house = House()

    async def client(port):
        ws = await open_socket(port)
        await ws.send(b"last words")
        await ws.close(4001, "bye")
        return ws.close_code, ws.close_reason

    assert real(run, house, client) == (4001, "bye")
    assert house.session.bodies == [b"last words"]
    assert house.session.losses == ["closed by the client"]


@pytest.mark.parametrize("payload", [b"", (1000).to_bytes(2, "big"), (4001).to_bytes(2, "big") + b"bye"])
def test_close_is_answered_in_kind(payload):
    """A close frame is answered by one of the same content, then the stream ends; later bytes mean nothing."""
    line = Line(f"Sec-WebSocket-Protocol: {MSGPACK}")
    line.link.dataReceived(client_frame(Opcode.CLOSE, payload) + client_frame(Opcode.BINARY, b"late"))
    line.link.send(chat("dropped"))
    line.link.dataReceived(client_frame(Opcode.BINARY, b"later"))
    assert line.sent() == Frame(Opcode.CLOSE, payload).serialize(mask=False)
    assert line.socket.shut
    assert line.house.session.bodies == []
    line.end()
    assert line.house.session.losses == ["closed by the client"]


def test_client_vanishes(run):
    """A connection that ends without a close frame is lost all the same, once."""
    house = House()

    async def client(port):
        ws = await open_socket(port)
        ws.transport.abort()
        await ws.wait_closed()

    real(run, house, client)
    assert house.session.losses == ["closed by the client"]


def test_closes_cross():
    """When both sides close at once, each close answers the other and the stream ends."""
    line = Line(f"Sec-WebSocket-Protocol: {MSGPACK}")
    line.link.close(Code.SHUTTING_DOWN)
    assert not line.socket.shut
    line.link.dataReceived(client_frame(Opcode.BINARY, b"late") + client_frame(Opcode.PING, b"late"))
    line.link.dataReceived(client_frame(Opcode.CLOSE, (1000).to_bytes(2, "big")))
    assert line.sent() == close_frame(1001, "shutting_down")
    assert line.socket.shut
    assert line.house.session.bodies == []
    line.end()
    assert line.house.session.losses == [Code.SHUTTING_DOWN]


def test_garbage_instead_of_the_close_answer():
    """A client that answers the room's close with an unreadable stream is not waited for any longer."""
    line = Line(f"Sec-WebSocket-Protocol: {MSGPACK}")
    line.link.close(Code.IDLE)
    line.link.dataReceived(b"\xff\xff")
    line.link.dataReceived(b"\xff\xff")
    assert line.sent() == close_frame(1008, "idle")
    assert line.socket.shut
    assert line.house.session.broken_codes == []
    line.end()


def test_unanswered_close_is_bounded():
    """A client that does not answer the room's close is aborted after FAREWELL_S."""
    line = Line(f"Sec-WebSocket-Protocol: {MSGPACK}")
    line.link.close(Code.IDLE)
    line.clock.advance(0)
    line.clock.advance(FAREWELL_S - 0.001)
    assert not line.socket.aborted
    line.clock.advance(0.001)
    assert line.socket.aborted
    line.end()
    assert line.house.session.losses == [Code.IDLE]


def test_closed_while_being_made():
    """A session that refuses its connection as it is made gets its goodbye out behind the handshake."""
    line = Line(f"Sec-WebSocket-Protocol: {MSGPACK}", refusing=Code.UNAVAILABLE)
    assert line.head.startswith(b"HTTP/1.1 101 ")
    assert b"goodbye" in line.body
    assert line.body.endswith(close_frame(1013, "unavailable"))
    line.link.dataReceived(client_frame(Opcode.BINARY, b"ignored"))
    assert line.house.session.bodies == []
    line.end()
    assert line.house.session.losses == [Code.UNAVAILABLE]


def test_slow_reader_is_cut(run):
    """A client that stops reading is cut when its buffer is full; one that reads beside it misses nothing."""
    house = House()
    rounds = 400
    text = "x" * 20_000  # 8 MB in all: more than the kernel holds for a reader who does not read

    async def client(port):
        slow_ws = await open_socket(port)
        slow_ws.transport.pause_reading()
        async with open_socket(port) as ws:
            slow, fast = house.sessions
            for _ in range(rounds):
                broadcast = chat(text)
                slow.link.send(broadcast)
                fast.link.send(broadcast)
                assert decode_server(await ws.recv(), Encoding.MSGPACK).text == text
            await house.until(lambda: bool(slow.losses))
        slow_ws.transport.abort()
        await asyncio.wait_for(slow_ws.wait_closed(), 5)

    real(run, house, client)
    assert [session.losses for session in house.sessions] == [[Code.TOO_SLOW], ["closed by the client"]]
