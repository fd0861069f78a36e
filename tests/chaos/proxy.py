"""Small proxies between the nodes and their services, so that one node can be cut off while the others are not.

They run in a process of their own, because all the traffic of the journal and the ledger passes. That process takes
commands as lines of JSON: `open` makes a proxy from a port of loopback to a Unix socket, `cut` ends its connections
and takes no others ("reset") or lets nothing through in either direction ("silent"), `mend` ends the cut: what was
silent goes on where it was. `lead` ends the connections, and leads to another Unix socket from then on.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any, Literal

How = Literal["reset", "silent"]


class Proxies:
    """The harness's side. Blocking; each command takes a moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def open(self, name: str, path: Path) -> int:
        """A proxy to this Unix socket; returns its port."""
        port: int = self._ask({"do": "open", "name": name, "path": str(path)})["port"]
        return port

    def cut(self, name: str, how: How) -> None:
        """See the module."""
        self._ask({"do": "cut", "name": name, "how": how})

    def mend(self, name: str) -> None:
        """See the module."""
        self._ask({"do": "mend", "name": name})

    def lead(self, name: str, path: Path) -> None:
        """See the module."""
        self._ask({"do": "lead", "name": name, "path": str(path)})

    def end(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def _ask(self, command: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._lock:
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the proxies have ended")
        answer: dict[str, Any] = json.loads(line)
        return answer


class _Side(asyncio.Protocol):
    """One end of a connection through a proxy."""

    def __init__(self, link: _Link) -> None:
        self.link = link
        self.transport: asyncio.Transport | None = None
        self.other: _Side | None = None
        self._full = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.pause_reading()
        self.link.joined(self)

    def data_received(self, data: bytes) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.write(data)

    def pause_writing(self) -> None:
        if self.other is not None:
            self.other.full(full=True)

    def resume_writing(self) -> None:
        if self.other is not None:
            self.other.full(full=False)

    def full(self, *, full: bool) -> None:
        """Whether the other side takes no more for now."""
        self._full = full
        self.look()

    def look(self) -> None:
        """Reads if there is a reason to."""
        if self.transport is None or self.transport.is_closing():
            return
        if self.link.cut is None and not self._full and self.other is not None:
            self.transport.resume_reading()
        else:
            self.transport.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.transport = None
        self.link.left(self)
        if self.other is not None and self.other.transport is not None:
            self.other.transport.close()

    def abort(self) -> None:
        """Ends it without a word to come: over TCP by a reset."""
        if self.transport is None:
            return
        own: socket.socket = self.transport.get_extra_info("socket")
        if own.family == socket.AF_INET and not self.transport.is_closing():
            own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()


class _Client(_Side):
    """The node's end: it waits for its service's end."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if self.link.cut == "reset":
            self.abort()
        elif self.link.cut is None:
            self.link.connect(self)


class _Link:
    """One proxy with its connections."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.cut: str | None = None
        self.sides: set[_Side] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def joined(self, side: _Side) -> None:
        self.sides.add(side)

    def left(self, side: _Side) -> None:
        self.sides.discard(side)

    def connect(self, client: _Side) -> None:
        task = asyncio.get_running_loop().create_task(self._connect(client))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self, client: _Side) -> None:
        try:
            _, service = await asyncio.get_running_loop().create_unix_connection(
                lambda: _Side(self), self.path
            )
        except OSError:  # the service is down: so is the connection to it
            client.abort()
            return
        service.other, client.other = client, service
        if client.transport is None:
            service.abort()
        service.look()
        client.look()

    def lead(self, path: str) -> None:
        self.path = path
        for side in list(self.sides):
            side.abort()

    def change(self, cut: str | None) -> None:
        self.cut = cut
        for side in list(self.sides):
            if cut == "reset":
                side.abort()
            elif cut is None and side.other is None and isinstance(side, _Client):
                self.connect(side)  # it came while the line was silent
            side.look()


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    links: dict[str, _Link] = {}
    servers: list[asyncio.Server] = []
    while line := await reader.readline():
        command = json.loads(line)
        answer: dict[str, Any] = {}
        if command["do"] == "open":
            link = links[command["name"]] = _Link(command["path"])
            server = await loop.create_server(partial(_Client, link), "127.0.0.1", 0)
            servers.append(server)
            answer["port"] = server.sockets[0].getsockname()[1]
        elif command["do"] == "lead":
            links[command["name"]].lead(command["path"])
        else:
            links[command["name"]].change(command.get("how"))
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    try:
        asyncio.run(_serve())
    except KeyboardInterrupt:
        sys.exit(130)
