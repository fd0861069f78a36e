"""A real room in a process of its own, with real PostgreSQL and Redis, and blocking clients to talk to it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import IO, Any, Protocol, Self

import msgpack
from websockets import Subprotocol
from websockets.sync.client import ClientConnection, connect

from pokerroom.ops.embedded import Addresses, EmbeddedServices, remove_data, running
from pokerroom.ops.embedded.places import operations_socket
from pokerroom.ops.operator_client import LocalConnection

READY_S = 60
ANSWER_S = 20

CONFIG = """
[room]
name = "test"
[limits]
messages_per_s = 2000
message_burst = 2000
outbound_bytes_max = 65_536
[[tables]]
id = "duel"
seats = 2
small_blind = 50
hand_pause_ms = 0
[[tables]]
id = "six"
count = 4
seats = 6
small_blind = 50
hand_pause_ms = 0
[[tables]]
id = "fast"
seats = 3
small_blind = 50
action_clock_s = 1
countdown_s = 1
hand_pause_ms = 0
"""


class Command(Protocol):
    """A running command: what this module needs of `subprocess.Popen`."""

    pid: int
    stdout: IO[str] | None

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def send_signal(self, number: int) -> None: ...


class RunningRoom:
    """`pokerroom serve` on ports of its own choice; the data stay in `data_dir` from one start to the next.

    With `services` it is one more node of the room that has started them. `nodes` of them run below one parent.
    """

    nodes = 1
    ready_s = READY_S
    module = "pokerroom"
    tree: Path | None = None
    """The folder of the sources that run, if they are not these."""

    def __init__(self, data_dir: Path, config: str = CONFIG, services: Addresses | None = None) -> None:
        self.data_dir = data_dir
        self.services = services
        self.config = data_dir.parent / f"{data_dir.name}.toml"
        self.config.write_text(config)
        self._process: Command | None = None
        self.output: list[str] = []

    @property
    def pid(self) -> int:
        """Of the room's own process, while it runs."""
        assert self._process is not None
        return self._process.pid

    def environment(self, ops_port: int | None = None) -> dict[str, str]:
        """Of every command that belongs to this room; `ops_port` is where it finds the operations port."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("POKERROOM_")}
        ports = {f"POKERROOM_{kind}_PORT": "0" for kind in ("GAME", "HTTP", "OPS")}
        found = {**kept, **ports, "POKERROOM_DATA_DIR": str(self.data_dir)}
        if self.tree is not None:
            found["PYTHONPATH"] = os.pathsep.join(map(str, (self.tree, self.tree / "protocol/python")))
        if self.services is not None:
            found["POKERROOM_DATABASE_URL"] = self.services.database_url
            found["POKERROOM_OWNER_DATABASE_URL"] = self.services.owner_database_url or ""
            found["POKERROOM_REDIS_URL"] = self.services.redis_url
        if ops_port is not None:
            found["POKERROOM_OPS_PORT"] = str(ops_port)
        return found

    def start(self) -> None:
        """Returns when the room says that it is ready."""
        self.output = []
        self._process = self.launch("serve", "--config", str(self.config), "--nodes", str(self.nodes))
        ready = threading.Event()
        self._reader = threading.Thread(target=self._read, args=(self._process, ready), daemon=True)
        self._reader.start()
        if not ready.wait(self.ready_s):
            raise AssertionError("the room is not ready:\n" + "".join(self.output))
        if self._process.poll() is not None:
            raise AssertionError("the room ended:\n" + "".join(self.output))
        text = "".join(self.output)
        if "is ready" not in text:
            raise AssertionError("the room ends:\n" + text)
        told = re.findall(r"127\.0\.0\.1:(\d+)", text[text.index("is ready") :])
        self.game_port, self.http_port, *self.ops_ports = map(int, told[: 2 + self.nodes])
        self.ops_port = self.ops_ports[0]

    def launch(self, *arguments: str) -> Command:
        """Starts a `pokerroom` command with this room's environment; its messages and errors are one stream."""
        return subprocess.Popen(
            [sys.executable, "-m", self.module, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.environment(),
            cwd=self.tree,
            start_new_session=True,
        )

    def _read(self, process: Command, ready: threading.Event) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                self.output.append(line)
                if sum(told.startswith("operations") for told in self.output) == self.nodes:
                    ready.set()
        ready.set()

    def cpu_s(self) -> float:
        """Processor time that the room's nodes have used, its services not counted; Linux only."""
        return sum(map(_cpu_s, self.node_pids()))

    def node_pids(self) -> list[int]:
        """The processes of the room's nodes; Linux only."""
        assert self._process is not None
        pids = [self._process.pid]
        if self.nodes > 1:
            pids = [
                pid
                for pid in _children(pids[0])
                if b"--supervised" in Path(f"/proc/{pid}/cmdline").read_bytes()
            ]
            assert len(pids) == self.nodes
        return pids

    def service_pids(self) -> list[int]:
        """The processes of the room's own PostgreSQL and Redis; Linux only."""
        assert self._process is not None
        nodes, found = self.node_pids(), list[int]()
        left = _children(self._process.pid)
        while left:
            pid = left.pop()
            left += _children(pid)
            found.append(pid)
        return [pid for pid in found if pid not in nodes]

    def services_cpu_s(self) -> Counter[str]:
        """Processor time of the room's own PostgreSQL and Redis, by the name of the program; Linux only.

        Processes of them that have ended count, too.
        """
        found = Counter[str]()
        for pid in self.service_pids():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended since
                program = Path(f"/proc/{pid}/comm").read_text().strip()
                found[program] += _cpu_s(pid, with_ended=True)
        return found

    def signal(self, number: signal.Signals) -> None:
        """To the room's process alone."""
        assert self._process is not None
        self._process.send_signal(number)

    def stop(self) -> int:
        """SIGTERM; returns the exit code."""
        return self._end(signal.SIGTERM)

    def kill(self) -> int:
        """Kill -9 of the room's process alone: its servers live on, as after a crash."""
        return self._end(signal.SIGKILL)

    def _end(self, number: signal.Signals) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        process.send_signal(number)
        code = process.wait(60)
        self._reader.join(10)
        return code

    def command(
        self, *arguments: str, timeout: float = 120, port: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs another `pokerroom` command against this room; `port` is the operations port that it asks."""
        return subprocess.run(
            [sys.executable, "-m", "pokerroom", *arguments],
            capture_output=True,
            text=True,
            env=self.environment(port),
            cwd=self.tree,
            timeout=timeout,
            check=False,
        )

    def start_command(self, *arguments: str) -> subprocess.Popen[str]:
        """Starts another `pokerroom` command against this room, and does not wait for its end."""
        return subprocess.Popen(
            [sys.executable, "-m", "pokerroom", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self.environment(),
        )

    def audit(self) -> dict[str, int]:
        """What `pokerroom audit --json` says; it must find nothing wrong."""
        result = self.command("audit", "--json")
        assert result.returncode == 0, result.stdout + result.stderr
        report: dict[str, int] = json.loads(result.stdout)
        assert report["differences"] == 0
        return report

    def get(self, path: str, *, any_status: bool = False, port: int | None = None) -> str:
        """A page of an operations port, the first's; one with an error status only if that is asked for.

        The open pages come over TCP, the operator's over the Unix socket.
        """
        number = port or self.ops_port
        tcp = path in {"/livez", "/readyz", "/metrics"}
        connection = (
            HTTPConnection("127.0.0.1", number, timeout=10)
            if tcp
            else LocalConnection(operations_socket(self.data_dir, number))
        )
        with contextlib.closing(connection):
            connection.request("GET", path)
            response = connection.getresponse()
            text = response.read().decode()
            assert any_status or response.status == 200, f"{response.status}: {text}"
        return text

    def tcp(self) -> TcpClient:
        """A connection over TCP, not greeted yet."""
        return TcpClient(self.game_port)

    def web_socket(self, encoding: str) -> WebSocketClient:
        """A connection over WebSocket, not greeted yet."""
        return WebSocketClient(self.http_port, encoding)


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _cpu_s(pid: int, *, with_ended: bool = False) -> float:
    """Of a process in user and kernel mode; `with_ended` adds that of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11 : 15 if with_ended else 13])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def running_room(
    data_dir: Path, config: str = CONFIG, kind: type[RunningRoom] = RunningRoom
) -> Iterator[RunningRoom]:
    """A room for a test, with PostgreSQL and Redis of its own; whatever happens, no process of it stays."""
    room = kind(data_dir, config)
    try:
        room.start()
        yield room
    finally:
        room.stop()
        stop_services(data_dir)
        remove_data(data_dir)


def stop_services(data_dir: Path) -> None:
    """Stops the servers that a killed room has left running, as the next room of its data would."""
    if running(data_dir) is not None:
        services = EmbeddedServices(data_dir, lambda _: None)
        services.start()
        services.stop()


class Client:
    """One message at a time; what is not waited for is kept in `got`."""

    def __init__(self) -> None:
        self._id = 0
        self.name = ""
        self.got: list[dict[str, Any]] = []

    def send_body(self, message: dict[str, Any]) -> None:
        raise NotImplementedError

    def receive(self) -> dict[str, Any]:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, kind: str, /, **fields: Any) -> int:
        self._id += 1
        self.send_body({"type": kind, "id": self._id, **fields})
        return self._id

    def wait_for(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message that is wanted; those before it are kept, too."""
        while True:
            message = self.receive()
            self.got.append(message)
            if wanted(message):
                return message

    def ask(self, kind: str, /, **fields: Any) -> dict[str, Any]:
        """Sends a request and returns its answer."""
        number = self.send(kind, **fields)
        return self.wait_for(lambda message: message.get("re") == number)

    def heard(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message that is wanted, be it of those that have come or from now on."""
        return next(filter(wanted, self.got), None) or self.wait_for(wanted)

    def event(self, kind: str) -> dict[str, Any]:
        """The next event of a kind."""
        return self.wait_for(lambda message: message["type"] == kind)

    def enter(self, name: str) -> dict[str, Any]:
        """Greets and registers; returns `authenticated`."""
        assert self.ask("hello", version=1, client="test", pause=False)["type"] == "welcome"
        self.name = name
        answer = self.ask("register", name=name, password="correct horse")
        assert answer["type"] == "authenticated", answer
        return answer


class TcpClient(Client):
    """Length-prefixed msgpack over TCP."""

    def __init__(self, port: int, receive_buffer_bytes: int | None = None) -> None:
        super().__init__()
        self.socket = socket.socket()
        self.socket.settimeout(ANSWER_S)
        if receive_buffer_bytes is not None:  # set before connecting, it bounds the window for good
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_bytes)
        try:
            self.socket.connect(("127.0.0.1", port))
        except OSError:  # the room is down
            self.socket.close()
            raise
        self._buffer = b""

    def send_body(self, message: dict[str, Any]) -> None:
        self.send_frame(msgpack.packb(message))

    def send_frame(self, body: bytes) -> None:
        self.socket.sendall(struct.pack("!I", len(body)) + body)

    def receive(self) -> dict[str, Any]:
        (length,) = struct.unpack("!I", self._read(4))
        message: dict[str, Any] = msgpack.unpackb(self._read(length))
        return message

    def _read(self, count: int) -> bytes:
        while len(self._buffer) < count:
            data = self.socket.recv(65536)
            if not data:
                raise EOFError("closed by the room")
            self._buffer += data
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    def close(self) -> None:
        self.socket.close()


class WebSocketClient(Client):
    """One message per WebSocket message, with the `websockets` library."""

    def __init__(self, port: int, encoding: str) -> None:
        super().__init__()
        self._json = encoding == "json"
        self._open = contextlib.ExitStack()
        subprotocol = Subprotocol(f"pokerroom.v1.{encoding}")
        self.connection: ClientConnection = self._open.enter_context(
            connect(f"ws://127.0.0.1:{port}/ws", subprotocols=[subprotocol], proxy=None)
        )

    def send_body(self, message: dict[str, Any]) -> None:
        self.connection.send(json.dumps(message) if self._json else msgpack.packb(message))

    def receive(self) -> dict[str, Any]:
        data = self.connection.recv(timeout=ANSWER_S)
        message: dict[str, Any] = json.loads(data) if isinstance(data, str) else msgpack.unpackb(data)
        assert isinstance(data, str) == self._json
        return message

    def close(self) -> None:
        self._open.close()


def play_hand(players: dict[int, Client], watched: Client) -> dict[str, Any]:
    """Checks and calls for all `players` (by seat) until the hand that `watched` is told of has ended.

    A table that has just come to another node may show whose turn it is by its snapshot alone.
    """
    while True:
        message = watched.wait_for(lambda message: message["type"] == "hand_ended" or turn_in(message))
        if message["type"] == "hand_ended":
            return message
        hand_id, turn = turn_in(message)
        action = "check" if turn["check"] else "call"
        players[turn["seat"]].send(
            "act", table=message["table"], hand_id=hand_id, seq=turn["seq"], action=action
        )


def turn_in(message: dict[str, Any]) -> Any:
    """The hand's id and the turn that a message tells of, an event or an unasked snapshot; None if it tells of none."""
    if message["type"] == "turn":
        return message["hand_id"], message
    if message["type"] == "snapshot" and message["re"] is None and message["hand"] is not None:
        turn = message["hand"]["turn"]
        return None if turn is None else (message["hand"]["hand_id"], turn)
    return None
