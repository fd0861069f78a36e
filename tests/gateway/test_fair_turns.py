"""A connection gets a bounded part of each reactor turn, and is not read while messages of it wait."""

import pytest
from structlog.testing import capture_logs
from twisted.internet.task import Clock

from pokerroom.gateway.addresses import AddressPolicy
from pokerroom.gateway.fair_turns import (
    ACCOUNT_UNITS,
    PAGE_UNITS,
    QUANTUM,
    STRANGER_UNITS,
    FairTurns,
    units_of,
)
from pokerroom.gateway.http import FrontFactory
from pokerroom.gateway.outbound import TurnFlusher
from pokerroom.gateway.site import make_site
from pokerroom.gateway.tcp import TcpFactory
from pokerroom_protocol.errors import Code
from pokerroom_protocol.framing import frame
from tests.gateway.parties import GONE, FakeSocket, House
from tests.gateway.websocket_parties import Line, Opcode, client_frame


class Turns:
    """Turns that the test takes one by one; a clock would take all that are due at once."""

    def __init__(self) -> None:
        self.due = []
        self.fair = FairTurns(self.due.append)

    def turn(self) -> None:
        due, self.due[:] = list(self.due), []
        for work in due:
            work()


def web_factory(clock: Clock, turns: Turns, house: House) -> FrontFactory:
    return FrontFactory(
        site=make_site({}, clock),
        receivers=house,
        turns=turns.fair,
        flusher=TurnFlusher(clock),
        frame_bytes_max=4096,
        outbound_bytes_max=100_000,
        addresses=AddressPolicy(per_address=100),
        connections_max=100,
    )


class Node:
    """TCP connections on fake sockets."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.house = House()
        self.turns = Turns()
        self.factory = TcpFactory(self.house, self.turns.fair, TurnFlusher(self.clock), 4096, 1 << 20)

    def connect(self, account: int | None = None):
        link = self.factory.buildProtocol(None)
        link.makeConnection(FakeSocket())
        session = self.house.sessions[-1]
        session.account = account
        return link, session

    def turn(self) -> None:
        self.turns.turn()

    def handled(self) -> int:
        return sum(len(session.bodies) for session in self.house.sessions)


def test_one_burst_is_spread_over_turns():
    """16,000 empty frames in one read are handled a few at a time, in order, and the socket is not read meanwhile."""
    node = Node()
    link, session = node.connect()
    link.dataReceived(frame(b"") * 16_000)
    assert len(session.bodies) == QUANTUM
    assert link.transport.paused
    node.turn()
    assert len(session.bodies) == QUANTUM + STRANGER_UNITS
    for _ in range(16_000 // STRANGER_UNITS):
        node.turn()
    assert len(session.bodies) == 16_000
    assert not link.transport.paused


def test_strangers_together_get_a_bounded_part_of_a_turn():
    """The part of a turn is the same for one connection and for a hundred, and each of them gets its quantum."""
    node = Node()
    links = [node.connect() for _ in range(100)]
    for link, _ in links:
        link.dataReceived(frame(b"") * 1000)
    assert node.handled() == STRANGER_UNITS
    for turn in range(100 * QUANTUM // STRANGER_UNITS):
        node.turn()
        assert node.handled() == (turn + 2) * STRANGER_UNITS
    assert {len(session.bodies) for _, session in links} <= {QUANTUM, 2 * QUANTUM}


def test_a_client_that_is_logged_in_does_not_wait_for_strangers():
    """A player's message is handled in the turn in which it comes, whatever strangers have sent."""
    node = Node()
    for _ in range(100):
        link, _ = node.connect()
        link.dataReceived(frame(b"") * 1000)
    player, session = node.connect(account=7)
    player.dataReceived(frame(b"act"))
    assert session.bodies == [b"act"]
    assert not player.transport.paused


def test_players_share_their_part():
    """A player behind a greedy one waits for a quantum of the other, not for everything the other has sent."""
    node = Node()
    greedy = [node.connect(account) for account in range(40)]
    for link, _ in greedy:
        link.dataReceived(frame(b"") * 10_000)
    player, session = node.connect(account=99)
    player.dataReceived(frame(b"act"))
    turns = 0
    while not session.bodies:
        node.turn()
        turns += 1
    assert turns <= 41 * QUANTUM // ACCOUNT_UNITS + 1


def test_large_messages_cost_more():
    """A kilobyte of a body costs as much as a message."""
    assert [units_of(size) for size in (0, 1023, 1024, 4096)] == [1, 1, 2, 5]
    node = Node()
    link, session = node.connect()
    link.dataReceived(frame(bytes(4096)) * 200)
    node.turn()
    assert len(session.bodies) <= (QUANTUM + STRANGER_UNITS + 2 * QUANTUM * units_of(4096)) // units_of(4096)


def test_long_answers_cost_more():
    """A quantum ends with the message that has used it up, whatever else came in the same read."""
    node = Node()
    link, session = node.connect()
    session.price = QUANTUM - 1
    link.dataReceived(frame(b"") * 200)
    assert len(session.bodies) == 1
    node.turn()
    assert len(session.bodies) == 1 + STRANGER_UNITS // QUANTUM


def test_a_frame_that_is_too_large_ends_the_stream_behind_what_waits():
    """The frames before it are handled first, turns later."""
    node = Node()
    link, session = node.connect()
    link.dataReceived(frame(b"") * 100 + (1 << 20).to_bytes(4, "big"))
    assert session.broken_codes == []
    for _ in range(100 // STRANGER_UNITS + 1):
        node.turn()
    assert (len(session.bodies), session.broken_codes) == (100, [Code.FRAME_TOO_LARGE])


def test_a_connection_that_is_gone_is_not_served():
    """What a lost or closed connection has sent is dropped."""
    node = Node()
    lost, first = node.connect()
    closed, second = node.connect()
    for link in (lost, closed):
        link.dataReceived(frame(b"") * 40)
    lost.connectionLost(GONE)
    second.goodbye(Code.IDLE)
    node.turn()
    assert (len(first.bodies), len(second.bodies)) == (QUANTUM, QUANTUM)
    node.turn()
    assert node.turns.due == []


def test_a_defect_ends_one_connection():
    """An exception while messages wait is loud and costs one connection; the others behind it are served."""
    node = Node()
    broken, session = node.connect()
    other, quiet = node.connect()
    broken.dataReceived(frame(b"") * 40)
    other.dataReceived(frame(b"") * 40)

    def fails(body: bytes) -> None:
        raise ZeroDivisionError

    session.on_received = fails
    with capture_logs() as logs:
        node.turn()
    assert broken.transport.aborted
    assert len(quiet.bodies) == 40
    assert [(line["event"], line["log_level"]) for line in logs] == [("gateway.fault", "critical")]


def test_websocket_frames_take_turns():
    """Messages, pings and fragments are all counted."""
    turns = Turns()
    line = Line("Sec-WebSocket-Protocol: pokerroom.v1.msgpack", turns=turns.fair)
    line.link.dataReceived(client_frame(Opcode.BINARY, b"m") * 1000)
    session = line.house.session
    assert len(session.bodies) == QUANTUM
    assert line.socket.paused
    for _ in range(1000 // STRANGER_UNITS + 1):
        turns.turn()
    assert len(session.bodies) == 1000
    line.link.dataReceived(client_frame(Opcode.PING, b"") * 1000 + client_frame(Opcode.BINARY, b"last"))
    assert session.bodies[-1] == b"m"
    while session.bodies[-1] != b"last":
        turns.turn()
    line.end()


def test_what_follows_an_upgrade_that_has_waited_waits_too():
    """The socket of a WebSocket with messages that wait is never read, also if its opening has waited for a turn."""
    turns, house = Turns(), House()
    factory = web_factory(Clock(), turns, house)
    fronts = [factory.buildProtocol(None) for _ in range(2)]
    sockets = [FakeSocket(), FakeSocket()]
    for front, socket in zip(fronts, sockets, strict=True):
        front.makeConnection(socket)
    head = (
        b"GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: pokerroom.v1.msgpack\r\n\r\n"
    )
    messages = client_frame(Opcode.BINARY, b"m") * 1000
    fronts[0].dataReceived(head + messages)
    turns.turn()
    fronts[1].dataReceived(head + messages)  # no units of this turn are left
    while len(house.sessions) < 2 or len(house.sessions[1].bodies) < 1000:
        assert sockets[1].paused
        turns.turn()
    turns.turn()
    assert not sockets[1].paused
    fronts[1].dataReceived(client_frame(Opcode.BINARY, b"last"))
    assert house.sessions[1].bodies[-1] == b"last"
    for front in fronts:
        front.connectionLost(GONE)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_pages_take_turns(method):
    """Requests that come together are answered a few in a turn."""
    turns, taken = Turns(), []
    factory = web_factory(Clock(), turns, House())
    front = factory.buildProtocol(None)
    front.makeConnection(FakeSocket())
    front._take = lambda head: taken.append(head) or True  # private: counts heads without twisted.web
    head = f"{method} / HTTP/1.1\r\nHost: a\r\n\r\n".encode()
    front.dataReceived(head * 400)
    assert len(taken) == QUANTUM // PAGE_UNITS
    turns.turn()
    assert len(taken) == (QUANTUM + STRANGER_UNITS) // PAGE_UNITS
    while len(taken) < 400:
        turns.turn()
    assert set(taken) == {head}
