"""A connection of the siege: frames over TCP, as attackers and bystanders send them."""

from __future__ import annotations

import asyncio
from typing import Any

import msgpack

from pokerroom_protocol.framing import frame

ANSWER_S = 30.0


def packed(kind: str, **fields: Any) -> bytes:
    """A framed message, checked by nothing."""
    return frame(msgpack.packb({"type": kind, **fields}))


class Line:
    """A connection that has said hello. `answer` reads the next message."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._id = 1

    @classmethod
    async def open(cls, port: int, source: str = "127.0.0.1") -> Line:
        """Connects from a loopback address, and greets. Raises OSError, as everything here does."""
        line = cls(*await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0)))
        line.send("hello", version=1)
        await line.answer()
        return line

    def send(self, kind: str, **fields: Any) -> int:
        """Sends a request, and returns its id."""
        self._id += 1
        self.write(packed(kind, id=self._id, **fields))
        return self._id

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    async def drain(self) -> None:
        await self._writer.drain()

    async def answer(self) -> dict[str, Any]:
        """The next message. Raises OSError if there is none in time, or the line has ended."""
        try:
            async with asyncio.timeout(ANSWER_S):
                length = int.from_bytes(await self._reader.readexactly(4), "big")
                found: dict[str, Any] = msgpack.unpackb(await self._reader.readexactly(length))
        except asyncio.IncompleteReadError:
            raise ConnectionResetError("the room has closed the line") from None
        return found

    async def answer_to(self, request: int) -> dict[str, Any]:
        """The answer to a request; other messages are passed over."""
        while (said := await self.answer()).get("re") != request:
            if said["type"] == "goodbye":
                raise ConnectionResetError(said["code"])
        return said

    async def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Sends a request and returns its answer."""
        return await self.answer_to(self.send(kind, **fields))

    async def swallow(self) -> None:
        """Reads and drops all that comes until the line ends."""
        while await self._reader.read(1 << 16):
            pass

    def close(self) -> None:
        self._writer.close()
