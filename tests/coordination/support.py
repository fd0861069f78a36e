"""Redis servers of a test's own, a way to them that can be cut, and short words for Deferreds."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from pokerroom.ops.embedded.binaries import find_redis
from pokerroom.ops.embedded.places import ServerUser
from pokerroom.table.seal import Seal

START_S_MAX = 20
_SEAL = Seal(bytes(32))
SEALED: dict[str, Any] = {
    "seal": partial(_SEAL.close, about="bus"),
    "unseal": partial(_SEAL.open, about="bus"),
}
"""What a `RedisBus` is made with."""


def later(start: Callable[[], Any]) -> Deferred[Any]:
    """The coroutine's outcome, as a Deferred of the session's loop."""
    from tests.conftest import LOOP

    return Deferred.fromFuture(LOOP.create_task(start()))


def until(run, condition, *, what: str = "") -> None:
    """Drives the loop until the condition holds; the run fixture ends it if it never does."""
    from twisted.internet import reactor

    ends = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < ends, what or "it never came"
        run(deferLater(reactor, 0.005))


def turns(run, number: int = 5) -> None:
    """Lets what is ready run."""
    from twisted.internet import reactor

    for _ in range(number):
        run(deferLater(reactor, 0.002))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A Redis of the test's own, on a socket in `home` and, if asked, a port; or a Sentinel with this configuration."""

    def __init__(self, home: Path, *, port: int = 0, sentinel: Path | None = None, **options: str) -> None:
        self.home = home
        self.port = port
        self.socket = home / "r.sock"
        self.url = f"unix://{self.socket}"
        self._sentinel = sentinel
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        home.mkdir(exist_ok=True)

    def start(self) -> None:
        options = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "unixsocket": str(self.socket),
            "dir": str(self.home),
            **({} if self._sentinel else {"save": ""}),
            **self._options,
        }
        program = find_redis(ServerUser()).path
        words = [
            word
            for name, value in options.items()
            for word in (f"--{name.replace('_', '-')}", *(value.split(" ") if value else [""]))
        ]
        first = [str(self._sentinel)] if self._sentinel else []
        words += ["--sentinel"] if self._sentinel else []
        with (self.home / "log").open("ab") as log:
            self._process = subprocess.Popen([program, *first, *words], stdout=log, stderr=log)
        ends = time.monotonic() + START_S_MAX
        while not self._answers():
            assert self._process.poll() is None, (self.home / "log").read_text()
            assert time.monotonic() < ends, "the server does not answer"
            time.sleep(0.01)

    def _answers(self) -> bool:
        return self.ask("PING") == b"+PONG\r\n"

    def ask(self, *words: str) -> bytes:
        """What it answers to a command, raw; empty if it does not."""
        with socket.socket(socket.AF_UNIX) as way, suppress(OSError):
            way.settimeout(2)
            way.connect(str(self.socket))
            way.sendall((" ".join(words) + "\r\n").encode())
            return way.recv(65536)
        return b""

    @property
    def pid(self) -> int:
        """Of its process, which must run."""
        assert self._process is not None
        return self._process.pid

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def end(self) -> None:
        """In order, if it runs."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(START_S_MAX)
            self._process = None

    def kill(self) -> None:
        """As a power cut, but for what the system has in its buffers."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Way:
    """A socket in front of a server; what it does with requests and replies is the test's choice."""

    def __init__(self, server: Server) -> None:
        self.socket = server.home / "way.sock"
        self.url = f"unix://{self.socket}"
        self.requests: Callable[[bytes], bool] = lambda _: True
        """Whether what a client sends goes on."""
        self.replies: Callable[[bytes], bool] = lambda _: True
        """Whether what the server says comes back; if not, the client's connection ends."""
        self.held: list[bytes] = []
        """What did not go on."""
        self._server = server
        self._listening: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._ways: list[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = []

    async def open(self) -> None:
        self._listening = await asyncio.start_unix_server(self._client, str(self.socket))

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_unix_connection(str(self._server.socket))
        self._ways.append((to_server, writer))
        for work in (self._there(reader, to_server), self._back(from_server, writer)):
            task = asyncio.ensure_future(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _there(self, reader: asyncio.StreamReader, to_server: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                if self.requests(data):
                    to_server.write(data)
                else:
                    self.held.append(data)
        to_server.close()

    async def _back(self, from_server: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while (data := await from_server.read(65536)) and self.replies(data):
                writer.write(data)
        writer.close()

    def break_off(self, data: bytes) -> None:
        """Passes on half of a request, then breaks the newest connection."""
        to_server, to_client = self._ways[-1]
        to_server.write(data[: len(data) // 2])
        to_client.close()

    def let_go(self) -> None:
        """What was held goes on now, by the newest way."""
        self.requests = lambda _: True
        for data in self.held:
            self._ways[-1][0].write(data)
        self.held = []

    async def close(self) -> None:
        if self._listening is not None:
            self._listening.close()
        for to_server, writer in self._ways:
            to_server.close()
            writer.close()
        if self._tasks:
            await asyncio.wait(self._tasks)


def lose_waiting(bus):
    """Drops the messages that wait in a bus, as Redis drops a publication."""
    return bus._outgoing.batches()  # private: no public method loses messages


def is_away(bus):
    """Whether a bus has noticed that Redis is unavailable."""
    return bus._away  # private: it has no callback for that, and messages are dropped


def is_listening(bus):
    """Whether the connection of a bus that hears messages is open."""
    return bus._listening.connected  # private: only a test waits for that
