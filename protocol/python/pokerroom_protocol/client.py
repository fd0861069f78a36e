"""A small asyncio client over TCP: `ClientSession` and `FrameReader` joined to a socket.

A request awaits its answer, an iterator awaits events. It does not reconnect: `returning.ReturningClient` does.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import Final, Self, TypeVar

from ._answers import Answer
from .codec import CodecError, Encoding
from .errors import Code
from .framing import FrameReader, FrameTooLarge, frame
from .messages import (
    PROTOCOL_VERSION,
    Announcements,
    ClientMessage,
    Error,
    Goodbye,
    Hello,
    HostedTableNews,
    PreActCancelled,
    ProtectionNotice,
    RemovedFromTable,
    SeatOffered,
    ServerMessage,
    Snapshot,
    SngNotice,
    TableEvent,
    TableTaken,
    UltimateSnapshot,
    WaitEnded,
    Welcome,
)
from .session import Answered, ClientSession

__all__ = ["SERVER_FRAME_BYTES_MAX", "ConnectionEnded", "FrameConnection", "PokerClient", "RequestRefused"]

# The room's frames are trusted; the limit keeps a broken stream from exhausting the memory.
SERVER_FRAME_BYTES_MAX: Final = 2**24

TLS_SCHEME: Final = "tls://"
"""Written before a host, it asks for TLS."""

_A = TypeVar("_A", bound=ServerMessage | Answer)

Unasked = (
    TableEvent
    | Snapshot
    | UltimateSnapshot
    | SeatOffered
    | WaitEnded
    | TableTaken
    | RemovedFromTable
    | HostedTableNews
    | PreActCancelled
    | SngNotice
    | ProtectionNotice
    | Announcements
)


class RequestRefused(Exception):  # noqa: N818 - an answer of the room, not an error of this client
    """Raised when the room answers a request with `error`; nothing has changed. `code` may be unknown here."""

    def __init__(self, error: Error) -> None:
        super().__init__(f"{error.code}: {error.message}")
        self.code = error.code
        self.error = error


class ConnectionEnded(Exception):  # noqa: N818 - how every connection ends
    """Raised to callers that wait when the connection ends. `goodbye` is the room's last message, if any."""

    def __init__(self, reason: str, goodbye: Goodbye | None = None) -> None:
        super().__init__(reason)
        self.goodbye = goodbye


class FrameConnection(asyncio.Protocol):
    """Frames over a socket: bodies come in by callback, and go out in one write per turn of the loop."""

    def __init__(self, on_bodies: Callable[[list[bytes]], None], on_end: Callable[[str], None]) -> None:
        self._on_bodies = on_bodies
        self._on_end = on_end
        self._reader = FrameReader(SERVER_FRAME_BYTES_MAX)
        self._transport: asyncio.Transport | None = None
        self._collected: list[bytes] = []
        self._loop = asyncio.get_running_loop()

    @classmethod
    async def open(
        cls,
        host: str,
        port: int,
        on_bodies: Callable[[list[bytes]], None],
        on_end: Callable[[str], None],
        tls: ssl.SSLContext | None = None,
    ) -> Self:
        """Connect; raise `OSError`.

        A host written `tls://name` is connected with TLS, and its certificate must be that of an authority of this
        machine. A context of your own may say otherwise.
        """
        name = host.removeprefix(TLS_SCHEME)
        if tls is None and name != host:
            tls = ssl.create_default_context()
        _, connection = await asyncio.get_running_loop().create_connection(
            lambda: cls(on_bodies, on_end), name, port, ssl=tls
        )
        return connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Called by asyncio."""
        try:
            bodies = self._reader.feed(data)
        except FrameTooLarge as failure:
            self._on_bodies(failure.frames)
            self.close()
            return
        if bodies:
            self._on_bodies(bodies)

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by asyncio."""
        self._transport = None
        self._on_end("closed by the room" if exc is None else f"lost: {exc}")

    def send(self, body: bytes) -> None:
        """Send one body; after the end of the connection it is dropped."""
        if not self._collected:
            self._loop.call_soon(self._flush)
        self._collected.append(frame(body))

    def close(self) -> None:
        """Send what is queued, then end the connection; `on_end` is called at the end."""
        self._flush()
        if self._transport is not None:
            self._transport.close()

    def _flush(self) -> None:
        if self._transport is not None and self._collected:
            self._transport.write(b"".join(self._collected))
        self._collected.clear()


class PokerClient:
    """A connection to a room. Several tasks may make requests; one task reads events."""

    def __init__(self) -> None:
        """Use `connect`."""
        self.session = ClientSession(Encoding.MSGPACK)
        self.welcome: Welcome | None = None
        self._connection: FrameConnection | None = None
        self._waiting: dict[int, asyncio.Future[ServerMessage]] = {}
        # None marks the end of the connection; events wait here until they are read.
        self._events: asyncio.Queue[Unasked | None] = asyncio.Queue()
        self._ended: ConnectionEnded | None = None
        self._goodbye: Goodbye | None = None

    @classmethod
    async def connect(
        cls,
        host: str,
        port: int,
        *,
        client: str = "pokerroom-python",
        pause: bool = True,
        instance: str = "",
        tls: ssl.SSLContext | None = None,
    ) -> Self:
        """Connect and send hello; with TLS for a host written `tls://name`, or with the context `tls`.

        Raise `OSError`, `RequestRefused`, or `ConnectionEnded`.
        """
        self = cls()
        self._connection = await FrameConnection.open(host, port, self._on_bodies, self._on_end, tls)
        hello = Hello(id=0, version=PROTOCOL_VERSION, client=client, pause=pause, instance=instance)
        try:
            self.welcome = await self.request(hello, Welcome)
        except BaseException:
            self._connection.close()
            raise
        return self

    async def request(self, message: ClientMessage, expect: type[_A]) -> _A:
        """Send `message` with a new `id` and await its answer, which must be an `expect`.

        Raise `RequestRefused` for an `error`, `ConnectionEnded` when the connection ends first.
        """
        if self._ended is not None or self._connection is None:
            raise self._ended or ConnectionEnded("not connected")
        number = self.session.request(message)
        waiting: asyncio.Future[ServerMessage] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        self._send_queued()
        try:
            answer = await waiting
        finally:
            self._waiting.pop(number, None)
        if isinstance(answer, Error):
            raise RequestRefused(answer)
        if not isinstance(answer, expect):
            raise ConnectionEnded(f"the room answered {type(message).__name__} with {type(answer).__name__}")
        return answer

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Unasked:
        """Return the next event or snapshot of a followed table, or message of a waiting list.

        Iteration ends with the connection.
        """
        event = await self._events.get()
        if event is None:
            self._events.put_nowait(None)
            raise StopAsyncIteration
        return event

    @property
    def ended(self) -> ConnectionEnded | None:
        """The end of the connection; None while it is open."""
        return self._ended

    def close(self) -> None:
        """End the connection; pending requests raise `ConnectionEnded`."""
        if self._connection is not None:
            self._connection.close()

    def _send_queued(self) -> None:
        assert self._connection is not None
        for body in self.session.bodies_to_send():
            self._connection.send(body)

    def _on_bodies(self, bodies: list[bytes]) -> None:
        for body in bodies:
            try:
                happenings = self.session.receive(body)
            except CodecError as failure:
                if failure.code is Code.UNKNOWN_MESSAGE:
                    continue  # version 1 may add messages
                self.close()
                return
            for happening in happenings:
                match happening:
                    case Answered():
                        waiting = self._waiting.get(happening.request.id)
                        if waiting is not None and not waiting.done():
                            waiting.set_result(happening.answer)
                    case Goodbye():
                        self._goodbye = happening
                    case Error():
                        pass  # about an unreadable frame, not a request
                    case _:
                        self._events.put_nowait(happening)
        self._send_queued()

    def _on_end(self, reason: str) -> None:
        self._ended = ConnectionEnded(reason, self._goodbye)
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(self._ended)
        self._events.put_nowait(None)
