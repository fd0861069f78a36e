"""Messages over the WebSocket link, spoken to by the `websockets` client on real sockets or by bare frames."""

import msgspec
import pytest
from twisted.internet.task import Clock
from websockets.frames import Frame, Opcode

from pokerroom.gateway.fair_turns import QUANTUM
from pokerroom.gateway.outbound import TurnFlusher
from pokerroom.gateway.websocket import WebSocketLink
from pokerroom.table.outgoing import Bundle
from pokerroom_protocol.codec import Encoding, decode_server
from tests.gateway.parties import GONE, FakeSocket, House, chat, fair_turns
from tests.gateway.websocket_parties import (
    FRAME_MAX,
    JSON,
    MSGPACK,
    OUTBOUND_MAX,
    Line,
    client_frame,
    open_socket,
    real,
)


@pytest.mark.parametrize(
    ("subprotocol", "encoding", "body"),
    [(MSGPACK, Encoding.MSGPACK, b"\x81\xa1a\xff"), (JSON, Encoding.JSON, '{"a": "ä♠"}'.encode())],
)
def test_messages_both_ways(run, subprotocol, encoding, body):
    """Each subprotocol carries whole messages both ways, in its own kind of WebSocket message, of any size."""
    house = House()

    async def client(port):
        async with open_socket(port, subprotocol) as ws:
            assert ws.subprotocol == subprotocol
            await ws.send(body if encoding is Encoding.MSGPACK else body.decode())
            await ws.send(iter([b"x"] * 3) if encoding is Encoding.MSGPACK else iter("xxx"))
            await house.until(lambda: len(house.session.bodies) == 2)
            texts = ["short", "m" * 1000, "l" * 65_530]  # in frames with all three sizes of header
            for text in texts:
                house.session.link.send(chat(text))
            answers = [await ws.recv() for _ in texts]
            if encoding is Encoding.JSON:
                assert all(isinstance(answer, str) for answer in answers)
                assert [msgspec.json.decode(answer)["text"] for answer in answers] == texts
            else:
                assert [decode_server(answer, encoding).text for answer in answers] == texts

    real(run, house, client)
    assert house.session.link.encoding is encoding
    assert house.session.link.kind == "websocket"
    assert house.session.bodies == [body, b"xxx"]
    assert house.session.losses == ["closed by the client"]


def test_broadcast_is_shared():
    """One Outgoing to several connections of an encoding is the same object on each: made once."""
    lines = [Line(f"Sec-WebSocket-Protocol: {name}") for name in (MSGPACK, MSGPACK, JSON)]
    broadcast = chat("to all")
    written: list[list[bytes]] = []
    for line in lines:
        frames: list[bytes] = []
        line.link._outbound.write = frames.append  # private: the identity of the bytes is what counts
        line.link.send(broadcast)
        written.append(frames)
    assert written[0][0] is written[1][0]
    assert written[2][0] != written[0][0]
    for line in lines:
        line.end()


@pytest.mark.parametrize("subprotocol", [MSGPACK, JSON])
def test_bundle_is_several_messages(run, subprotocol):
    """Messages that leave together are still one WebSocket message each."""
    house = House()

    async def client(port):
        async with open_socket(port, subprotocol) as ws:
            house.session.link.send(Bundle([chat("one"), chat("two")]))
            received = [await ws.recv(decode=False) for _ in range(2)]
            assert [decode_server(body, house.session.link.encoding).text for body in received] == [
                "one",
                "two",
            ]

    real(run, house, client)


def test_fragmented_json_may_split_a_character():
    """A text message may be cut inside a character; the session gets the whole."""
    line = Line(f"Sec-WebSocket-Protocol: {JSON}")
    spade = "♠".encode()
    line.link.dataReceived(client_frame(Opcode.TEXT, b'"' + spade[:1], fin=False))
    line.link.dataReceived(client_frame(Opcode.PING, b"between"))
    line.link.dataReceived(client_frame(Opcode.CONT, spade[1:] + b'"'))
    assert line.house.session.bodies == [b'"' + spade + b'"']
    line.end()


def test_messages_at_the_bound_are_taken():
    """A message of exactly the bound is received, whole or in fragments, time and again."""
    line = Line(f"Sec-WebSocket-Protocol: {MSGPACK}")
    for _ in range(2):
        line.link.dataReceived(client_frame(Opcode.BINARY, bytes(FRAME_MAX)))
        line.link.dataReceived(client_frame(Opcode.BINARY, bytes(FRAME_MAX - 1), fin=False))
        line.link.dataReceived(client_frame(Opcode.CONT, bytes(1)))
    assert line.house.session.bodies == [bytes(FRAME_MAX)] * 4
    line.end()


def test_ping_is_answered(run):
    """A ping gets its pong, with its payload, while messages go on."""
    house = House()

    async def client(port):
        async with open_socket(port) as ws:
            await (await ws.ping(b"are you there"))
            await ws.send(b"m")
            await house.until(lambda: house.session.bodies == [b"m"])

    real(run, house, client)


def test_a_flood_of_pings_earns_few_pongs():
    """Of the pings that are read together, only the latest is answered (RFC 6455 5.5.3)."""
    line = Line(f"Sec-WebSocket-Protocol: {MSGPACK}")
    line.link.dataReceived(b"".join(client_frame(Opcode.PING, b"%d" % number) for number in range(100)))
    latest = [*range(QUANTUM - 1, 100, QUANTUM), 99]
    assert line.sent() == b"".join(Frame(Opcode.PONG, b"%d" % each).serialize(mask=False) for each in latest)
    line.end()


def test_a_connection_is_idle_between_whole_frames_alone():
    """Any part of a frame, also of its head, and a message in parts keep it; pings, pongs and long frames do not."""
    line = Line(f"Sec-WebSocket-Protocol: {MSGPACK}")
    assert line.link.is_idle()
    for size in (0, 1, 125, 126, 2_000):
        stream = client_frame(Opcode.BINARY, bytes(size))
        for place, byte in enumerate(stream, 1):
            line.link.dataReceived(bytes([byte]))
            line.clock.advance(0)
            assert line.link.is_idle() is (place == len(stream))
    line.link.dataReceived(client_frame(Opcode.BINARY, b"one ", fin=False))
    assert not line.link.is_idle()
    line.link.dataReceived(client_frame(Opcode.PING, b"ping"))
    assert not line.link.is_idle()
    line.link.dataReceived(client_frame(Opcode.CONT, b"two"))
    assert line.link.is_idle()
    line.link.dataReceived(client_frame(Opcode.PONG, b"") + client_frame(Opcode.PING, b"x" * 125))
    assert line.link.is_idle()
    assert line.house.session.bodies[-1] == b"one two"
    line.end()


def test_a_message_that_begins_with_an_empty_frame_is_not_over():
    """Another process could not read its next frame."""
    line = Line(f"Sec-WebSocket-Protocol: {MSGPACK}")
    line.link.dataReceived(client_frame(Opcode.BINARY, b"", fin=False))
    assert not line.link.is_idle()
    line.link.dataReceived(client_frame(Opcode.CONT, b"one"))
    assert line.link.is_idle()
    line.end()


def test_half_a_character_does_not_hide_half_a_frame():
    """It is decoded with the next frame, and so counts for that one's length."""
    line = Line(f"Sec-WebSocket-Protocol: {JSON}")
    line.link.dataReceived(client_frame(Opcode.TEXT, b"a" * 10 + b"\xc3", fin=False))
    line.link.dataReceived(client_frame(Opcode.CONT, b"\xa4" + b"b" * 124))
    line.link.dataReceived(client_frame(Opcode.TEXT, b"{}")[:2])
    assert not line.link.is_idle()
    line.end()


def test_the_stream_of_another_process_is_read_on():
    """The new link has neither head nor handshake; it reads and writes the same frames in the same encoding."""
    for encoding, opcode in ((Encoding.JSON, Opcode.TEXT), (Encoding.MSGPACK, Opcode.BINARY)):
        clock, house, sock = Clock(), House(), FakeSocket()
        link = WebSocketLink(
            b"",
            "192.0.2.9:40000",
            receivers=house,
            turns=fair_turns(clock),
            flusher=TurnFlusher(clock),
            frame_bytes_max=FRAME_MAX,
            outbound_bytes_max=OUTBOUND_MAX,
        )
        link.goes_on_with(encoding)
        link.makeConnection(sock)
        clock.advance(0)
        assert bytes(sock.arrived) == b""
        assert link.peer == "192.0.2.9:40000"
        link.dataReceived(client_frame(opcode, b"{}"))
        assert house.session.bodies == [b"{}"]
        link.send(chat("hello"))
        clock.advance(0)
        assert sock.arrived[0] == 0x80 | opcode
        link.connectionLost(GONE)
