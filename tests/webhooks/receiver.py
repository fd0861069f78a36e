"""An HTTP receiver of webhooks on a port of this machine, over real sockets."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass


@dataclass(frozen=True)
class Received:
    """A request that came."""

    target: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """`answers` are what it answers in turn, bytes or a status; the last one stays. None: it never answers."""

    def __init__(self, *answers, tls=None):
        self.answers = list(answers) or [200]
        self.received: list[Received] = []
        self.arrived = asyncio.Event()
        self._tls = tls
        self._open: set[asyncio.StreamWriter] = set()

    async def open(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self):
        self._server.close()
        for writer in self._open:
            writer.transport.abort()
        await self._server.wait_closed()

    @property
    def url(self):
        return f"{'http' if self._tls is None else 'https'}://127.0.0.1:{self.port}/hook?k=v"

    async def count(self, wanted):
        """Return once so many requests have come."""
        while len(self.received) < wanted:
            self.arrived.clear()
            await asyncio.wait_for(self.arrived.wait(), 20)

    async def _serve(self, reader, writer):
        self._open.add(writer)
        try:
            await self._answer(reader, writer)
        except (OSError, EOFError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _answer(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, *lines = head.strip().split("\r\n")
        headers = dict(one.split(": ", 1) for one in lines)
        body = await reader.readexactly(int(headers["content-length"]))
        method, target, version = line.split()
        assert (method, version) == ("POST", "HTTP/1.1")
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        self.received.append(Received(target, headers, body))
        self.arrived.set()
        if answer is None:
            await reader.read()  # until the sender gives up
            return
        if isinstance(answer, int):
            answer = b"HTTP/1.1 %d Whatever\r\ncontent-length: 0\r\n\r\n" % answer
        writer.write(answer)
        await writer.drain()
