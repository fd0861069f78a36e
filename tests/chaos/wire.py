"""A client's connection: numbered requests, and every message to its owner in order. Knows the protocol alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from pokerroom_protocol import (
    PROTOCOL_VERSION,
    ClientMessage,
    CodecError,
    Encoding,
    FrameReader,
    encode,
    frame,
)
from pokerroom_protocol import messages as m
from tests.chaos.reading import Heard, Reader

ANSWER_S: Final = 20.0
CONNECT_S: Final = 5.0
_FRAME_BYTES_MAX: Final = 2**24


class Lost(Exception):  # noqa: N818 -- how a connection ends
    """The connection is gone, or an answer did not come."""


class Unanswered(Lost):
    """The connection is there, and the room does not answer."""


class Wire(asyncio.Protocol):
    """One connection. `heard` gets each message before whoever waits for it does; `lost` is called once."""

    def __init__(self, reader: Reader, heard: Callable[[Heard], None], lost: Callable[[], None]) -> None:
        self._reader = reader
        self._heard = heard
        self._on_lost = lost
        self._frames = FrameReader(_FRAME_BYTES_MAX)
        self._transport: asyncio.Transport | None = None
        self._waiting: dict[int, asyncio.Future[m.ServerMessage]] = {}
        self._last = 0
        self.ended = False

    async def open(self, port: int) -> m.Welcome:
        """Connects and greets. Raises `OSError` (a TimeoutError is one), `Lost`."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(CONNECT_S):
            await loop.create_connection(lambda: self, "127.0.0.1", port)
        hello = m.Hello(id=self.number(), version=PROTOCOL_VERSION, client="chaos", pause=False)
        answer = await self.ask(hello)
        if not isinstance(answer, m.Welcome):
            self.abort()
            raise Lost(f"hello was answered with {type(answer).__name__}")
        return answer

    def number(self) -> int:
        """The number of the next request."""
        self._last += 1
        return self._last

    def send(self, message: ClientMessage) -> None:
        """Sends without waiting."""
        if self._transport is not None and not self.ended:
            self._transport.write(frame(encode(message, Encoding.MSGPACK)))

    async def ask(self, message: ClientMessage, answer_s: float = ANSWER_S) -> m.ServerMessage:
        """Sends and waits for the answer, which may be an `Error`. Raises `Lost`."""
        if self.ended or self._transport is None:
            raise Lost("not connected")
        waiting: asyncio.Future[m.ServerMessage] = asyncio.get_running_loop().create_future()
        self._waiting[message.id] = waiting
        self.send(message)
        try:
            async with asyncio.timeout(answer_s):
                return await waiting
        except TimeoutError:
            self.abort()
            raise Unanswered(f"no answer to {type(message).__name__}") from None
        finally:
            self._waiting.pop(message.id, None)

    def abort(self) -> None:
        """Drops the connection, as a network would."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Called by asyncio."""
        for body in self._frames.feed(data):
            try:
                heard = self._reader.read(body)
            except CodecError:
                self.abort()
                raise  # the room has sent nonsense: loudly
            self._heard(heard)
            number = getattr(heard.message, "re", None)
            waiting = None if number is None else self._waiting.pop(number, None)
            if waiting is not None and not waiting.done():
                waiting.set_result(heard.message)

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by asyncio."""
        del exc
        self.ended = True
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(Lost("the connection is gone"))
        self._waiting.clear()
        self._on_lost()
