"""A bot's connection: it numbers requests, awaits their answers, and passes every message to its owner.

Messages are read as plain maps: a swarm receives forty thousand a second and reads few of their fields. One message in
`CHECK_EVERY` is checked in full against the protocol, and so is every awaited answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from pokerroom_protocol import (
    ClientMessage,
    Code,
    CodecError,
    Encoding,
    FrameConnection,
    ServerMessage,
    decode_map,
    decode_server,
    encode,
)

CHECK_EVERY: Final = 64
ANSWER_S: Final = 30.0


class BotConnectionLost(Exception):  # noqa: N818 - how a connection ends
    """Raised to a caller that awaits an answer when the connection ends or no answer comes."""


class BotConnection:
    """One connection. `on_message` gets each message as a map with its body, before the awaiting caller does."""

    def __init__(
        self,
        *,
        on_message: Callable[[dict[str, Any], bytes], None],
        on_lost: Callable[[], None],
        on_nonsense: Callable[[CodecError], None],
    ) -> None:
        self._on_message = on_message
        self._on_lost = on_lost
        self._on_nonsense = on_nonsense
        self._connection: FrameConnection | None = None
        self._waiting: dict[int, asyncio.Future[ServerMessage]] = {}
        self._last_number = 0
        self._until_check = CHECK_EVERY

    async def open(self, host: str, port: int) -> None:
        """Connect; raise OSError."""
        self.attach(await FrameConnection.open(host, port, self.received, self.ended))

    def attach(self, connection: FrameConnection) -> None:
        """Send over this connection from now on."""
        self._connection = connection

    @property
    def is_open(self) -> bool:
        """Tell whether messages can be sent."""
        return self._connection is not None

    def number(self) -> int:
        """Return the number of the next request."""
        self._last_number += 1
        return self._last_number

    def send(self, message: ClientMessage) -> None:
        """Send without waiting; the answer goes to `on_message`."""
        if self._connection is not None:
            self._connection.send(encode(message, Encoding.MSGPACK))

    async def ask(self, message: ClientMessage) -> ServerMessage:
        """Send and await the answer, which may be an `Error`. Raise `BotConnectionLost`."""
        if self._connection is None:
            raise BotConnectionLost("not connected")
        waiting: asyncio.Future[ServerMessage] = asyncio.get_running_loop().create_future()
        self._waiting[message.id] = waiting
        self.send(message)
        try:
            async with asyncio.timeout(ANSWER_S):
                return await waiting
        except TimeoutError:
            self.close()
            raise BotConnectionLost(f"no answer to {type(message).__name__} in {ANSWER_S:.0f} s") from None
        finally:
            self._waiting.pop(message.id, None)

    def close(self) -> None:
        """End the connection; `on_lost` is called soon."""
        if self._connection is not None:
            self._connection.close()

    def received(self, bodies: list[bytes]) -> None:
        """Take bodies of the room."""
        for body in bodies:
            try:
                fields = decode_map(body, Encoding.MSGPACK)
                self._until_check -= 1
                if self._until_check == 0:
                    self._until_check = CHECK_EVERY
                    _check(body)
                self._on_message(fields, body)
                waiting = self._waiting.pop(fields.get("re", -1), None) if self._waiting else None
                if waiting is not None and not waiting.done():
                    waiting.set_result(decode_server(body, Encoding.MSGPACK))
            except CodecError as failure:
                self._on_nonsense(failure)

    def ended(self, reason: str) -> None:
        """Take note of the connection's end: awaiting callers get `BotConnectionLost`."""
        self._connection = None
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(BotConnectionLost(reason))
        self._waiting.clear()
        self._on_lost()


def _check(body: bytes) -> None:
    """Raise `CodecError` for a message that breaks the protocol; an unknown type does not break it."""
    try:
        decode_server(body, Encoding.MSGPACK)
    except CodecError as failure:
        if failure.code != Code.UNKNOWN_MESSAGE:
            raise
