"""A client over TCP for Twisted: `ClientSession` in a protocol. The rest of the package does not need Twisted.

    client = await connect(TCP4ClientEndpoint(reactor, "127.0.0.1", 4190), happened)
    lobby = await client.request(ListTables(id=0), Tables)

It does not reconnect: use a `ClientService`, or connect again when `ended` is called, and `resume`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import connectProtocol
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure

from .client import SERVER_FRAME_BYTES_MAX, ConnectionEnded, RequestRefused, Unasked
from .codec import CodecError, Encoding
from .errors import Code
from .framing import FrameReader, FrameTooLarge, frame
from .messages import PROTOCOL_VERSION, ClientMessage, Error, Goodbye, Hello, ServerMessage, Welcome
from .session import Answered, ClientSession

__all__ = ["TwistedClient", "connect"]

_A = TypeVar("_A", bound=ServerMessage)


async def connect(
    endpoint: IStreamClientEndpoint,
    happened: Callable[[Unasked], object],
    ended: Callable[[ConnectionEnded], object] = lambda _: None,
    *,
    client: str = "pokerroom-twisted",
    pause: bool = True,
    instance: str = "",
) -> TwistedClient:
    """Connect and send hello. `happened` gets events and snapshots in order; `ended` is called once, at the end.

    Raise the endpoint's error, `RequestRefused` or `ConnectionEnded`.
    """
    made: TwistedClient = await connectProtocol(endpoint, TwistedClient(happened, ended))
    try:
        made.welcome = await made.request(
            Hello(id=0, version=PROTOCOL_VERSION, client=client, pause=pause, instance=instance), Welcome
        )
    except RequestRefused:
        made.close()
        raise
    return made


class TwistedClient(Protocol):
    """One connection to a room, made by `connect`."""

    def __init__(
        self, happened: Callable[[Unasked], object], ended: Callable[[ConnectionEnded], object]
    ) -> None:
        self.session = ClientSession(Encoding.MSGPACK)
        self.welcome: Welcome | None = None
        self._happened = happened
        self._ended = ended
        self._reader = FrameReader(SERVER_FRAME_BYTES_MAX)
        self._waiting: dict[int, Deferred[ServerMessage]] = {}
        self._goodbye: Goodbye | None = None
        self._over: ConnectionEnded | None = None

    async def request(self, message: ClientMessage, expect: type[_A]) -> _A:
        """Send `message` with a new `id` and await its answer, which must be an `expect`.

        Raise `RequestRefused` for an `error`, `ConnectionEnded` when the connection ends first.
        """
        if self._over is not None:
            raise self._over
        number = self.session.request(message)
        waiting = self._waiting[number] = Deferred()
        self._send_queued()
        answer = await waiting
        if isinstance(answer, Error):
            raise RequestRefused(answer)
        if not isinstance(answer, expect):
            raise ConnectionEnded(f"the room answered {type(message).__name__} with {type(answer).__name__}")
        return answer

    def close(self) -> None:
        """End the connection; pending requests raise `ConnectionEnded`."""
        if self.transport is not None:
            self.transport.loseConnection()

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        """See `Protocol`."""
        try:
            bodies = self._reader.feed(data)
        except FrameTooLarge as failure:
            bodies = failure.frames
            self.close()
        for body in bodies:
            self._received(body)
        self._send_queued()

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802 - as above
        """See `Protocol`."""
        self._over = ConnectionEnded(reason.getErrorMessage(), self._goodbye)
        waiting, self._waiting = self._waiting, {}
        for deferred in waiting.values():
            deferred.errback(self._over)
        self._ended(self._over)

    def _received(self, body: bytes) -> None:
        try:
            happenings = self.session.receive(body)
        except CodecError as failure:
            if failure.code is not Code.UNKNOWN_MESSAGE:  # version 1 may add messages
                self.close()
            return
        for happening in happenings:
            match happening:
                case Answered():
                    waiting = self._waiting.pop(happening.request.id, None)
                    if waiting is not None:
                        waiting.callback(happening.answer)
                case Goodbye():
                    self._goodbye = happening
                case Error():
                    pass  # about an unreadable frame, not a request
                case _:
                    self._happened(happening)

    def _send_queued(self) -> None:
        bodies = self.session.bodies_to_send()
        if bodies and self.transport is not None:
            self.transport.write(b"".join([frame(body) for body in bodies]))
