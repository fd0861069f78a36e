"""The TCP link, with a fake socket for what happens inside one chunk and real sockets for the rest."""

import asyncio

from twisted.internet.task import Clock

from pokerroom.gateway.outbound import FAREWELL_S, TurnFlusher
from pokerroom.gateway.tcp import TcpFactory
from pokerroom.table.outgoing import Bundle
from pokerroom_protocol.codec import Encoding, decode_server
from pokerroom_protocol.errors import Code
from pokerroom_protocol.framing import FrameReader, frame
from pokerroom_protocol.messages import ChatSaid, Goodbye
from tests.gateway.parties import GONE, FakeSocket, House, chat, drive, fair_turns, listening

FRAME_MAX = 4096
OUTBOUND_MAX = 256 * 1024


class Line:
    """A link on a fake socket under a virtual clock."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.house = House()
        factory = TcpFactory(
            self.house, fair_turns(self.clock), TurnFlusher(self.clock), FRAME_MAX, OUTBOUND_MAX
        )
        self.link = factory.buildProtocol(None)
        self.socket = FakeSocket()

    def connect(self):
        self.link.makeConnection(self.socket)
        return self.house.session

    def messages(self):
        self.clock.advance(0)
        bodies = FrameReader(1 << 20).feed(bytes(self.socket.arrived))
        return [decode_server(body, Encoding.MSGPACK) for body in bodies]

    def end(self):
        self.clock.advance(0)
        self.link.connectionLost(GONE)
        assert self.clock.getDelayedCalls() == []


def real(run, house, client):
    from twisted.internet import reactor

    factory = TcpFactory(house, fair_turns(reactor), TurnFlusher(reactor), FRAME_MAX, OUTBOUND_MAX)
    return drive(run, listening(factory, house, client))


def test_frames_in_any_pieces():
    """Frames reach the session whole and in order, whether they come byte by byte or several in a chunk."""
    line = Line()
    session = line.connect()
    stream = frame(b"one") + frame(b"") + frame(b"three")
    for byte in stream:
        line.link.dataReceived(bytes([byte]))
    line.link.dataReceived(stream)
    assert session.bodies == [b"one", b"", b"three"] * 2
    assert line.link.peer == "192.0.2.1:40000"
    line.end()


def test_a_client_that_begins_in_json_is_answered_in_json():
    """The first frame decides the encoding of the connection; a later one that looks otherwise does not change it."""
    for first, later, encoding in (
        (b'{"type": "ping", "id": 1}', b"\x80", Encoding.JSON),
        (b"\x80", b"{}", Encoding.MSGPACK),
    ):
        line = Line()
        line.connect()
        line.link.dataReceived(frame(first) + frame(later))
        line.link.send(chat("hello"))
        line.link.send(Bundle([chat("two"), chat("three")]))
        line.clock.advance(0)
        bodies = FrameReader(1 << 20).feed(bytes(line.socket.arrived))
        assert line.link.encoding is encoding
        assert [decode_server(body, encoding).text for body in bodies] == ["hello", "two", "three"]
        line.end()


def test_oversized_frame_in_the_middle_of_a_chunk():
    """Frames before an oversized one are received; then the session is told once, and hears nothing after."""
    line = Line()
    session = line.connect()
    line.link.dataReceived(
        frame(b"good") + frame(b"x" * FRAME_MAX) + frame(b"x" * (FRAME_MAX + 1)) + frame(b"late")
    )
    line.link.dataReceived(frame(b"later"))
    line.link.dataReceived(frame(b"x" * (FRAME_MAX + 1)))
    assert session.bodies == [b"good", b"x" * FRAME_MAX]
    assert session.broken_codes == [Code.FRAME_TOO_LARGE]
    (goodbye,) = line.messages()
    assert isinstance(goodbye, Goodbye)
    assert goodbye.code == Code.FRAME_TOO_LARGE
    assert line.socket.shut
    line.end()
    assert session.losses == [Code.FRAME_TOO_LARGE]


def test_broken_closes_whatever_the_session_does():
    """A session that forgets to close a broken stream is closed by its link."""
    line = Line()
    session = line.connect()
    session.goodbye = lambda code: None
    line.link.dataReceived((FRAME_MAX + 1).to_bytes(4, "big"))
    line.clock.advance(0)
    assert line.socket.shut
    line.end()


def test_nothing_is_received_after_close():
    """What stands behind the message that made the session close is not read, in the same chunk or later."""
    line = Line()
    session = line.connect()
    session.on_received = lambda body: session.goodbye(Code.TAKEN_OVER)
    line.link.dataReceived(frame(b"first") + frame(b"second") + frame(b"x" * (FRAME_MAX + 1)))
    line.link.dataReceived(frame(b"third"))
    assert session.bodies == [b"first"]
    assert session.broken_codes == []
    line.end()
    assert session.losses == [Code.TAKEN_OVER]


def test_nothing_is_sent_after_close():
    """What the session still sends after closing is dropped, and the first reason stays the reason."""
    line = Line()
    session = line.connect()
    session.link.send(chat("before"))
    session.link.close(Code.IDLE)
    session.link.send(chat("after"))
    session.link.close(Code.SHUTTING_DOWN)
    assert [message.text for message in line.messages()] == ["before"]
    line.end()
    assert session.losses == [Code.IDLE]


def test_bundle_is_several_frames():
    """Messages that leave together are still one frame each."""
    line = Line()
    line.connect().link.send(Bundle([chat("one"), chat("two")]))
    assert [message.text for message in line.messages()] == ["one", "two"]
    line.end()


def test_closed_while_being_made():
    """A session that refuses its connection as it is made gets its goodbye out, and the link ends in order."""
    line = Line()
    line.house.on_made = lambda session: session.goodbye(Code.UNAVAILABLE)
    session = line.connect()
    line.link.dataReceived(frame(b"ignored"))
    (goodbye,) = line.messages()
    assert goodbye.code == Code.UNAVAILABLE
    assert session.bodies == []
    line.end()
    assert session.losses == [Code.UNAVAILABLE]


def test_farewell_is_bounded():
    """A client that keeps its side open after ours is shut is aborted."""
    line = Line()
    session = line.connect()
    session.goodbye(Code.IDLE)
    line.clock.advance(0)
    line.clock.advance(FAREWELL_S)
    assert line.socket.aborted
    line.end()
    assert session.losses == [Code.IDLE]


def test_client_leaves(run):
    """A client that closes is lost once, with its last messages received."""
    house = House()

    async def client(port):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(frame(b"last words"))
        writer.close()
        await writer.wait_closed()
        await house.until(lambda: bool(house.sessions and house.session.losses))

    real(run, house, client)
    assert house.session.bodies == [b"last words"]
    assert house.session.losses == ["closed by the client"]


def test_close_delivers_everything_queued(run):
    """Megabytes queued before a close all arrive, in order, then the end of the stream."""
    house = House()
    texts = [f"{number}" * 40 for number in range(1000)]

    def talk(session):
        for text in texts:
            session.link.send(chat(text))
        session.goodbye(Code.SHUTTING_DOWN)

    house.on_made = talk

    async def client(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        data = await reader.read()
        writer.close()
        await writer.wait_closed()
        return data

    bodies = FrameReader(1 << 20).feed(real(run, house, client))
    messages = [decode_server(body, Encoding.MSGPACK) for body in bodies]
    assert [message.text for message in messages[:-1]] == texts
    assert isinstance(messages[-1], Goodbye)
    assert house.session.losses == [Code.SHUTTING_DOWN]


def test_goodbye_survives_unread_input(run):
    """A client in the middle of a huge frame reads the goodbye and the end: no reset throws them away."""
    house = House()

    async def client(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        size = 8 << 20
        writer.write(size.to_bytes(4, "big") + bytes(size))
        await writer.drain()
        data = await reader.read()
        writer.close()
        await writer.wait_closed()
        return data

    (body,) = FrameReader(1 << 20).feed(real(run, house, client))
    assert decode_server(body, Encoding.MSGPACK).code == Code.FRAME_TOO_LARGE
    assert house.session.losses == [Code.FRAME_TOO_LARGE]


def test_slow_reader_is_cut(run):
    """A client that stops reading is cut when its buffer is full; one that reads beside it misses nothing."""
    house = House()
    rounds = 400
    text = "x" * 20_000  # 8 MB in all: more than the kernel holds for a reader who does not read

    async def client(port):
        _, slow_writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        await house.until(lambda: len(house.sessions) == 1)
        slow_writer.transport.pause_reading()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await house.until(lambda: len(house.sessions) == 2)
        slow, fast = house.sessions
        frames = FrameReader(1 << 20)
        received = []
        for sent in range(1, rounds + 1):
            broadcast = chat(text)
            slow.link.send(broadcast)
            fast.link.send(broadcast)
            while len(received) < sent:
                received += frames.feed(await reader.read(1 << 16))
        await house.until(lambda: bool(slow.losses))
        writer.close()
        slow_writer.transport.abort()
        await writer.wait_closed()
        return received

    received = real(run, house, client)
    assert len(received) == rounds
    assert all(isinstance(decode_server(body, Encoding.MSGPACK), ChatSaid) for body in received)
    assert [session.losses for session in house.sessions] == [[Code.TOO_SLOW], ["closed by the client"]]
