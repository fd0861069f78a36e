"""The send queue of a connection, against a socket that the test reads, under a virtual clock."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock

from pokerroom.gateway.outbound import FAREWELL_S, Outbound, TurnFlusher
from tests.gateway.parties import FakeSocket

BYTES_MAX = 1000


class Line:
    """One connection: `turn()` ends a reactor turn."""

    def __init__(self, room: int = 1 << 30) -> None:
        self.clock = Clock()
        self.flusher = TurnFlusher(self.clock)
        self.socket = FakeSocket(room)
        self.overflows = 0
        self.outbound = Outbound(self.socket, self.flusher, BYTES_MAX, self._overflowed)

    def _overflowed(self):
        self.overflows += 1

    def turn(self):
        self.clock.advance(0)


def test_one_write_per_turn():
    """Everything queued in one turn reaches the socket in one write, in order, and not before the turn ends."""
    line = Line()
    for part in (b"a", b"b", b"c"):
        line.outbound.write(part)
    assert line.socket.writes == 0
    line.turn()
    assert (line.socket.writes, bytes(line.socket.arrived)) == (1, b"abc")
    line.outbound.write(b"d")
    line.turn()
    assert (line.socket.writes, bytes(line.socket.arrived)) == (2, b"abcd")
    assert line.clock.getDelayedCalls() == []


def test_a_plain_socket_is_written_without_the_transport():
    """Only a full socket or a lost connection is left to Twisted, which knows them apart."""
    line = Line()
    sent = []

    def send_now(data):
        if len(sent) == 2:
            raise BlockingIOError
        sent.append(data)
        return len(data)

    line.socket.send_now = send_now
    outbound = Outbound(line.socket, line.flusher, BYTES_MAX, lambda: None)
    for part in (b"a", b"b", b"c"):
        outbound.write(part)
        line.turn()
    assert (sent, bytes(line.socket.arrived), line.socket.writes) == ([b"a", b"b"], b"c", 1)

    line.socket.broken = True
    outbound.write(b"d")
    line.turn()
    assert line.socket.aborted


def test_order_across_direct_and_waiting():
    """Bytes keep their order when the socket takes a part, the rest waits, and later ones go directly again."""
    line = Line(room=4)
    line.outbound.write(b"0123456789")
    line.turn()
    assert bytes(line.socket.arrived) == b"0123"
    line.outbound.write(b"abc")
    line.turn()
    assert bytes(line.socket.arrived) == b"0123"
    line.socket.read(100)
    assert bytes(line.socket.arrived) == b"0123456789abc"
    line.outbound.write(b"z")
    line.turn()
    assert bytes(line.socket.arrived) == b"0123456789abcz"
    assert line.overflows == 0


@given(
    st.lists(st.one_of(st.binary(min_size=1, max_size=40), st.integers(0, 60), st.none()), max_size=40),
)
def test_any_interleaving_keeps_bytes(steps):
    """However writes, reads and turns interleave, the client gets exactly what was written, then the end."""
    line = Line(room=10)
    sent = bytearray()
    for step in steps:
        if isinstance(step, bytes):
            if len(sent) + len(step) <= BYTES_MAX:
                line.outbound.write(step)
                sent += step
        elif step is None:
            line.turn()
        else:
            line.socket.read(step)
    line.outbound.close()
    assert line.socket.shut == (len(line.socket.arrived) == len(sent))
    line.socket.read(2 * BYTES_MAX)
    assert line.socket.arrived == sent
    assert line.socket.shut
    assert not line.socket.aborted
    line.outbound.lost()
    line.turn()
    assert line.clock.getDelayedCalls() == []


def test_waiting_at_the_bound_is_kept():
    """A client that leaves exactly `bytes_max` unread is not cut."""
    line = Line(room=5)
    line.outbound.write(b"x" * 6)
    line.turn()  # the sixth waits at the transport
    line.outbound.write(b"x" * BYTES_MAX)
    line.turn()
    assert (line.overflows, line.socket.aborted) == (0, False)
    line.socket.read(2 * BYTES_MAX)
    assert line.socket.arrived == b"x" * (6 + BYTES_MAX)


@pytest.mark.parametrize("blocked_before", [False, True])
def test_slow_reader_is_cut(blocked_before):
    """One byte past the bound cuts the client: told once, aborted, and nothing is written or kept after."""
    line = Line(room=5)
    if blocked_before:  # then the transport holds a chunk of its own already
        line.outbound.write(b"x" * 6)
        line.turn()
        line.outbound.write(b"y" * (BYTES_MAX + 1))
    else:
        line.outbound.write(b"x" * (5 + BYTES_MAX + 1))
        # the first chunk goes to the transport at once, what counts is what waits here
        line.socket.registerProducer = lambda producer, streaming: None
    line.turn()
    assert (line.overflows, line.socket.aborted) == (1, True)
    arrived = bytes(line.socket.arrived)
    line.outbound.write(b"more")
    line.outbound.close()
    line.turn()
    line.outbound.lost()
    assert (line.overflows, line.socket.shut) == (1, False)
    assert bytes(line.socket.arrived) == arrived
    assert line.clock.getDelayedCalls() == []


def test_close_when_drained():
    """Closing shuts our side only after the last queued byte has left; what is written afterwards is dropped."""
    line = Line(room=2)
    line.outbound.write(b"hello")
    line.outbound.close()
    line.outbound.write(b"dropped")
    line.turn()
    assert not line.socket.shut
    line.socket.read(10)
    assert bytes(line.socket.arrived) == b"hello"
    assert line.socket.shut
    assert not line.socket.aborted
    line.outbound.lost()
    assert line.clock.getDelayedCalls() == []


def test_close_of_an_idle_connection():
    """With nothing queued, closing shuts our side at once, and only once."""
    line = Line()
    line.outbound.close()
    line.outbound.close()
    line.turn()
    assert line.socket.shut
    line.outbound.lost()
    assert line.clock.getDelayedCalls() == []


@pytest.mark.parametrize("room", [0, 100])
def test_farewell_is_bounded(room):
    """A client that does not read the rest, or never closes its side, is aborted after FAREWELL_S."""
    line = Line(room)
    line.outbound.write(b"goodbye")
    line.outbound.close()
    line.clock.advance(FAREWELL_S - 0.001)
    assert not line.socket.aborted
    line.clock.advance(0.001)
    assert line.socket.aborted
    assert line.overflows == 0
    assert line.clock.getDelayedCalls() == []


def test_loss_forgets():
    """After a loss nothing is written, kept or timed, also when bytes were queued in the same turn."""
    line = Line()
    line.outbound.write(b"queued")
    line.outbound.expire()
    line.outbound.lost()
    line.outbound.write(b"more")
    line.outbound.expire()
    line.turn()
    assert line.socket.writes == 0
    assert line.clock.getDelayedCalls() == []


def test_loss_while_waiting():
    """The transport's own loss, told to its producer, ends the queue too."""
    line = Line(room=1)
    line.outbound.write(b"abc")
    line.outbound.close()
    line.turn()
    line.socket.producer.stopProducing()
    line.turn()
    assert line.clock.getDelayedCalls() == []
    assert line.overflows == 0


def test_broken_socket():
    """A socket that is broken at the write is aborted, which makes the reactor report the loss; no overflow."""
    line = Line()
    line.socket.broken = True
    line.outbound.write(b"abc")
    line.outbound.close()
    line.turn()
    assert (line.socket.aborted, line.socket.shut, line.overflows) == (True, False, 0)
    assert line.clock.getDelayedCalls() == []


def test_a_raising_flush_silences_no_client():
    """A bug in one connection's flush is raised, and every other connection still gets its bytes, now and later."""
    clock = Clock()
    flusher = TurnFlusher(clock)
    sockets = [FakeSocket(), FakeSocket(), FakeSocket()]
    lines = [Outbound(socket, flusher, BYTES_MAX, lambda: None) for socket in sockets]
    sockets[1].writeSomeData = None  # not callable: stands for any bug
    for line in lines:
        line.write(b"a")
    with pytest.raises(TypeError):
        clock.advance(0)
    clock.advance(0)
    lines[0].write(b"b")
    lines[2].write(b"b")
    clock.advance(0)
    assert (bytes(sockets[0].arrived), bytes(sockets[2].arrived)) == (b"ab", b"ab")
