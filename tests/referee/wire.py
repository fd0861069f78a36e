"""The bytes of a live room, as `protocol/connection.md` describes them: JSON or msgpack, over TCP or WebSocket.

The project's protocol package is not used. A referee that shared the room's codec would not see what it hides.
"""

import asyncio
import contextlib
import json
import ssl
import struct
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

import msgpack
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as connect_websocket
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.referee.watch import Watch

TICK_S = 0.5
RETRY_S = 2.0
FRAME_BYTES_MAX = 2**26


class Line(Protocol):
    """One connection: whole messages both ways."""

    async def send(self, message: dict[str, Any]) -> None:
        """Send one message."""

    def messages(self) -> AsyncIterator[dict[str, Any]]:
        """Every message of the room until the connection ends."""

    async def close(self) -> None:
        """End the connection."""


@dataclass(slots=True)
class TcpLine:
    """Frames: a length of four bytes, big-endian, then the body."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    packed: bool

    async def send(self, message: dict[str, Any]) -> None:
        body = msgpack.packb(message) if self.packed else json.dumps(message).encode()
        self.writer.write(struct.pack(">I", len(body)) + body)
        await self.writer.drain()

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                (length,) = struct.unpack(">I", await self.reader.readexactly(4))
                if length > FRAME_BYTES_MAX:
                    raise ValueError(f"a frame of {length} bytes")
                body = await self.reader.readexactly(length)
                yield json.loads(body) if body.startswith(b"{") else msgpack.unpackb(body)

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()


@dataclass(slots=True)
class WebSocketLine:
    """One message is one WebSocket message: text for JSON, binary for msgpack."""

    socket: ClientConnection
    packed: bool

    async def send(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(ConnectionClosed):
            await self.socket.send(msgpack.packb(message) if self.packed else json.dumps(message))

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        with contextlib.suppress(ConnectionClosed):
            async for body in self.socket:
                yield msgpack.unpackb(body) if isinstance(body, bytes) else json.loads(body)

    async def close(self) -> None:
        await self.socket.close()


async def connect(address: str, *, packed: bool) -> Line:
    """Connect to `HOST:PORT`, `tls://HOST:PORT`, `ws://HOST:PORT/ws` or `wss://…`. Raises OSError if it fails."""
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if parts.scheme in {"ws", "wss"}:
        protocol = Subprotocol("pokerroom.v1.msgpack" if packed else "pokerroom.v1.json")
        socket = await connect_websocket(
            address, subprotocols=[protocol], max_size=FRAME_BYTES_MAX, compression=None
        )
        return WebSocketLine(socket, packed)
    context = ssl.create_default_context() if parts.scheme == "tls" else None
    reader, writer = await asyncio.open_connection(
        parts.hostname or "127.0.0.1", parts.port or 4190, ssl=context
    )
    return TcpLine(reader, writer, packed)


async def watch_room(address: str, watch: Watch, *, seconds: float, packed: bool) -> str | None:
    """Watch a room for so long, over connections that are made again when they end; return why it ended early."""
    loop = asyncio.get_running_loop()
    end_s = loop.time() + seconds
    while (left_s := end_s - loop.time()) > 0:
        try:
            line = await asyncio.wait_for(connect(address, packed=packed), timeout=10)
        except (OSError, TimeoutError) as error:
            if not watch.met:
                return f"no room at {address}: {error}"
            await asyncio.sleep(min(RETRY_S, max(0.0, left_s)))
            continue
        watch.connected()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(_follow(line, watch), timeout=max(0.0, end_s - loop.time()))
        await line.close()
        if watch.ended is not None and not watch.ready:
            return f"the room refuses the referee: {watch.ended}"
        if end_s - loop.time() > RETRY_S:
            await asyncio.sleep(RETRY_S)
    return None


async def _follow(line: Line, watch: Watch) -> None:
    """Until the connection ends. The room's clock is that of `welcome` and `pong`, plus the time since."""
    ahead_ms = 0

    def now_ms() -> int:
        return round(1000 * time.monotonic()) + ahead_ms

    async def tick() -> None:
        while True:
            watch.tick(now_ms())
            await flush()
            await asyncio.sleep(TICK_S)

    async def flush() -> None:
        requests, watch.outbox = watch.outbox, []
        for request in requests:
            await line.send(request)

    await flush()
    ticking = asyncio.ensure_future(tick())
    try:
        async for message in line.messages():
            if message["type"] == "welcome":
                ahead_ms = message["server_time_ms"] - round(1000 * time.monotonic())
            watch.take(message, now_ms())
            await flush()
    finally:
        ticking.cancel()
        with contextlib.suppress(asyncio.CancelledError, ConnectionError):
            await ticking
