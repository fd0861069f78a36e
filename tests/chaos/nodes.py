"""The room's node processes: each with ports of its own, behind proxies of its own, killed and started at will."""

from __future__ import annotations

import secrets
import signal
import socket
import subprocess
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from tests.chaos.guard import Guard
from tests.chaos.program import clean_environment
from tests.chaos.proxy import Proxies
from tests.chaos.services import Services

READY_S: Final = 60.0

CONFIG: Final = """
[room]
name = "chaos"
[limits]
messages_per_s = 2000
message_burst = 4000
idle_s = 3600
[play_money]
opening_balance = 100_000_000
"""

TABLE: Final = """
[[tables]]
id = "t-{number}"
game = "{game}"
structure = "{structure}"
seats = {seats}
small_blind = 50
hand_pause_ms = 0
action_clock_s = 6
countdown_s = 4
away_limit_s = 3600
rathole_s = 0
chat_per_minute = 1000
rake_bps = {rake_bps}
rake_cap = {{ 2 = 200 }}
"""

RAKED_EVERY: Final = 2
"""One of so many tables takes a rake."""

OMAHA_EVERY: Final = 4
"""One of so many tables plays Omaha, and the last in any case."""


def room_config(tables: int, seats: int) -> str:
    """The room's settings with its cash tables `t-1`, `t-2` and so on."""
    text = CONFIG
    for number in range(1, tables + 1):
        omaha = number % OMAHA_EVERY == 0 or number == tables
        game, structure = ("omaha", "pot_limit") if omaha else ("holdem", "no_limit")
        rake_bps = 500 if number % RAKED_EVERY == 0 else 0
        text += TABLE.format(number=number, game=game, structure=structure, seats=seats, rake_bps=rake_bps)
    return text


class Process(Protocol):
    """As much of a `Popen` as is asked for."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""

    def send_signal(self, sig: int) -> None:
        """To it, if it still runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Until it has ended. Raises `TimeoutExpired`."""


class NotReady(Exception):  # noqa: N818 -- what the operator of the harness reads
    """A node did not come up."""


@dataclass(slots=True, kw_only=True)
class Node:
    """One place for a node process. `lives` counts its processes; the last one may be running."""

    number: int
    game_port: int
    http_port: int
    ops_port: int
    process: Process | None = None
    command: tuple[str, ...] = ()
    """What starts it next time."""
    lives: int = 0
    stopped: bool = False
    killed: bool = False
    """By the harness."""
    pids: dict[str, set[int]] = field(default_factory=dict)
    """Name towards PostgreSQL -> its processes."""

    @property
    def name(self) -> str:
        """What this life calls itself towards PostgreSQL."""
        return f"chaos-{self.number}-{self.lives}"

    @property
    def pid(self) -> int:
        """Of the process that runs; 0 if none does."""
        return 0 if self.process is None else self.process.pid

    @property
    def redis_line(self) -> str:
        """The name of its proxy."""
        return f"redis-{self.number}"

    @property
    def postgres_line(self) -> str:
        """The name of its proxy."""
        return f"postgres-{self.number}"


class Nodes:
    """All of them. What blocks says so."""

    def __init__(
        self,
        count: int,
        *,
        command: Sequence[str],
        config: str,
        work: Path,
        logs: Path,
        services: Services,
        proxies: Proxies,
        guard: Guard,
    ) -> None:
        self._work = work
        self._logs = logs
        self._services = services
        self._guard = guard
        self.key = secrets.token_hex(32)
        self.on_kill: Callable[[Node], None] = lambda _: None
        """Called just before a kill."""
        self._config = work / "chaos.toml"
        self._config.write_text(config)
        tomllib.loads(config)
        self.all = [
            Node(
                number=number,
                game_port=ports[0],
                http_port=ports[1],
                ops_port=ports[2],
                command=tuple(command),
            )
            for number, ports in enumerate(_free_ports(count), 1)
        ]
        self._lines = {
            node.number: (
                services.redis_for_node(partial(proxies.open, node.redis_line)),
                proxies.open(node.postgres_line, services.postgres_socket),
            )
            for node in self.all
        }

    def start(self, node: Node) -> None:
        """Blocks until the node takes clients. Raises `NotReady`."""
        node.lives += 1
        process = self._spawn(node, [])
        self._runs(node, process)
        self._wait_ready(node, process)

    def _spawn(self, node: Node, options: Sequence[str]) -> subprocess.Popen[bytes]:
        redis_url, postgres_port = self._lines[node.number]
        environment = clean_environment() | {
            "POKERROOM_DATABASE_URL": f"postgresql://pokerroom@127.0.0.1:{postgres_port}/pokerroom"
            f"?application_name={node.name}",
            "POKERROOM_REDIS_URL": redis_url,
            "POKERROOM_DATA_DIR": str(self._work / "nodes"),
            "POKERROOM_JOURNAL_KEY": self.key,
            "POKERROOM_GAME_PORT": str(node.game_port),
            "POKERROOM_HTTP_PORT": str(node.http_port),
            "POKERROOM_OPS_PORT": str(node.ops_port),
            "POKERROOM_LOG": "json",
        }
        with (self._logs / f"node-{node.number}.log").open("ab") as log:
            return subprocess.Popen(
                [*node.command, "--config", str(self._config), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=self._work,
                start_new_session=True,
            )

    def _runs(self, node: Node, process: Process) -> None:
        node.process = process
        node.stopped = node.killed = False
        node.pids.setdefault(node.name, set()).add(process.pid)
        self._guard.watch(process.pid)

    def _wait_ready(self, node: Node, process: Process) -> None:
        ask = build_opener(ProxyHandler({}))
        give_up = time.monotonic() + READY_S
        while time.monotonic() < give_up:
            if process.poll() is not None:
                raise NotReady(
                    f"node {node.number} has ended with {process.returncode}; see node-{node.number}.log"
                )
            try:
                with ask.open(f"http://127.0.0.1:{node.ops_port}/readyz", timeout=2):
                    return
            except (URLError, OSError):
                time.sleep(0.05)
        raise NotReady(f"node {node.number} was not ready within {READY_S:.0f} s")

    def kill(self, node: Node) -> None:
        """Kill -9, at once."""
        if node.process is not None:
            self.on_kill(node)
            node.killed = True
            node.process.send_signal(signal.SIGKILL)

    def reap(self, node: Node) -> None:
        """Waits for the end of a killed one; short."""
        process, node.process = node.process, None
        if process is not None:
            process.wait(20)

    def pause(self, node: Node) -> None:
        """SIGSTOP."""
        if node.process is not None:
            node.stopped = True
            node.process.send_signal(signal.SIGSTOP)

    def go_on(self, node: Node) -> None:
        """SIGCONT."""
        if node.process is not None:
            node.stopped = False
            node.process.send_signal(signal.SIGCONT)

    def terminate(self, node: Node) -> int:
        """SIGTERM, and waits; the exit code. Blocks for up to 40 s."""
        process, node.process = node.process, None
        if process is None:
            return 0
        return terminated(process)

    def of_pid(self, pid: int) -> Node | None:
        """The node whose process has this number now."""
        return next((node for node in self.all if node.process is not None and node.pid == pid), None)

    def ended(self) -> list[Node]:
        """Nodes whose process has ended by itself."""
        return [
            node
            for node in self.all
            if node.process is not None and not node.killed and node.process.poll() is not None
        ]

    def started_again(self, lines: Sequence[str]) -> int:
        """How often a node that the harness had not struck was started again by its parent, as the logs say."""
        del lines  # these nodes have no parent
        return 0

    def excuse(self, criticals: dict[str, int]) -> None:
        """Takes out of what was logged as critical what the harness has brought about."""

    def pids(self) -> dict[str, set[int]]:
        """The processes behind every name that was ever used towards PostgreSQL."""
        found: dict[str, set[int]] = {}
        for node in self.all:
            for name, pids in node.pids.items():
                found.setdefault(name, set()).update(pids)
        return found


def terminated(process: Process) -> int:
    """The exit code after SIGTERM; -9 if it does not end within 40 s."""
    process.send_signal(signal.SIGTERM)
    try:
        return process.wait(40)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return -9


def _free_ports(count: int) -> list[list[int]]:
    sockets = [[socket.socket() for _ in range(3)] for _ in range(count)]
    try:
        return [[_bound(each) for each in group] for group in sockets]
    finally:
        for group in sockets:
            for each in group:
                each.close()


def _bound(each: Any) -> int:
    each.bind(("127.0.0.1", 0))
    port: int = each.getsockname()[1]
    return port
