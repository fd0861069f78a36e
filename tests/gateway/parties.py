"""Both parties of a connection for the gateway's tests: a socket that the test reads, and a session."""
# ruff: noqa: N802 -- a fake transport has Twisted's names

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any
from unittest import mock

from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.python.failure import Failure

from pokerroom.gateway.fair_turns import FairTurns, units_of
from pokerroom.table.outgoing import Outgoing
from pokerroom_protocol.errors import Code
from pokerroom_protocol.messages import ChatSaid, Goodbye

LIMIT_S = 20


def fair_turns(clock: Any) -> FairTurns:
    return FairTurns(lambda work: clock.callLater(0, work))


def chat(text: str) -> Outgoing:
    return Outgoing(ChatSaid(table="t1", seq=1, name="ann", text=text))


def drive(run: Callable[[Deferred[Any]], Any], coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Runs an asyncio coroutine on the reactor's loop, bounded."""
    task = asyncio.get_event_loop().create_task(asyncio.wait_for(coroutine, LIMIT_S))
    return run(Deferred.fromFuture(task))


class FakeSocket:
    """What `Outbound` needs of a transport; the socket takes `room` bytes until the test reads some."""

    def __init__(self, room: int = 1 << 30) -> None:
        self.room = room
        self.arrived = bytearray()
        self.writes = 0
        self.buffered = bytearray()
        self.producer: Any = None
        self.shut = self.aborted = self.broken = self.closed = self.paused = False

    def writeSomeData(self, data):
        if self.broken:
            return ConnectionDone()
        self.writes += 1
        taken = min(self.room, len(data))
        self.room -= taken
        self.arrived += data[:taken]
        return taken

    def write(self, data):
        assert self.producer is not None, "everything goes through the producer or writeSomeData"
        assert not self.shut
        self.buffered += data

    def registerProducer(self, producer, streaming):
        assert not streaming
        assert self.producer is None
        self.producer = producer
        producer.resumeProducing()

    def unregisterProducer(self):
        self.producer = None

    def pauseProducing(self):
        self.paused = True

    def resumeProducing(self):
        self.paused = False

    def read(self, count: int) -> None:
        """The client reads; the reactor's doWrite follows."""
        self.room += count
        while True:
            taken = min(self.room, len(self.buffered))
            self.room -= taken
            self.arrived += self.buffered[:taken]
            del self.buffered[:taken]
            if self.buffered or self.producer is None:
                return
            self.producer.resumeProducing()

    def loseWriteConnection(self):
        assert self.producer is None
        assert not self.shut
        self.shut = True

    def loseConnection(self):
        self.closed = True

    def abortConnection(self):
        self.aborted = True

    def setTcpNoDelay(self, enabled):
        assert enabled

    def getHandle(self):
        return mock.Mock(spec=["setsockopt"])

    def getPeer(self):
        return IPv4Address("TCP", "192.0.2.1", 40000)


GONE = Failure(ConnectionDone())


class RecordingSession:
    """A `Receiver` that writes down what it is told, and says goodbye as a session does."""

    def __init__(self, link: Any, told: Callable[[], None]) -> None:
        self.link = link
        self.bodies: list[bytes] = []
        self.broken_codes: list[Code] = []
        self.account: int | None = None
        self.losses: list[str] = []
        self.price = 0
        self.on_received: Callable[[bytes], None] = lambda body: None
        self._told = told

    def received(self, body: bytes) -> int:
        assert not self.losses, "lost is last"
        self.bodies.append(body)
        self._told()
        self.on_received(body)
        return units_of(len(body)) + self.price

    def broken(self, code: Code) -> None:
        assert not self.losses, "lost is last"
        self.broken_codes.append(code)
        self._told()
        self.goodbye(code)

    def lost(self, reason: str) -> None:
        self.losses.append(reason)
        self._told()

    def goodbye(self, code: Code) -> None:
        self.link.send(Outgoing(Goodbye(code=code.value, message=code.sentence)))
        self.link.close(code)


class House:
    """Makes the sessions of a test; `until` waits for something to become true of them."""

    def __init__(self) -> None:
        self.sessions: list[RecordingSession] = []
        self.on_made: Callable[[RecordingSession], None] = lambda session: None
        self._changed = asyncio.Event()

    def __call__(self, link: Any) -> RecordingSession:
        session = RecordingSession(link, self._changed.set)
        self.sessions.append(session)
        self._changed.set()
        self.on_made(session)
        return session

    @property
    def session(self) -> RecordingSession:
        """The only one."""
        (session,) = self.sessions
        return session

    async def until(self, true: Callable[[], bool]) -> None:
        while not true():
            self._changed.clear()
            await self._changed.wait()


async def listening(factory: Any, house: House, client: Callable[[int], Awaitable[Any]]) -> Any:
    """Runs `client(port)` against `factory` on loopback, and waits until every session is lost."""
    from twisted.internet import reactor

    port = reactor.listenTCP(0, factory, interface="127.0.0.1")
    try:
        result = await client(port.getHost().port)
        await house.until(lambda: all(session.losses for session in house.sessions))
    except BaseException:
        for session in house.sessions:  # a failed test leaves no connection behind for the next one
            session.link.transport.abortConnection()
        raise
    else:
        return result
    finally:
        await port.stopListening().asFuture(asyncio.get_running_loop())
