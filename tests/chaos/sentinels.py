"""Redis behind Sentinels: a master, two replicas and three Sentinels on loopback, without proxies.

A master takes writes only while a replica follows it (`min-replicas-to-write 1`). So a master that comes back after
another one was promoted stores nothing before the Sentinels make it a replica.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import redis

from tests.chaos.guard import Guard
from tests.chaos.own_servers import OwnServers
from tests.chaos.services import Services
from tests.chaos.waiting import wait_until
from tests.coordination.support import Server

SERVICE: Final = "chaos"
SERVERS: Final = 3
QUORUM: Final = 2
DOWN_AFTER_MS: Final = 1000
FAILOVER_TIMEOUT_MS: Final = 2000
"""The Sentinels begin another failover of the same service after twice this time at the earliest."""

FOLLOWS_S_MAX: Final = 30.0
PROMOTED_S_MAX: Final = 20.0


class SentinelServices(Services):
    """See the module, and `Services`."""

    def __init__(self, data_dir: Path, guard: Guard, log: Callable[[str], None]) -> None:
        super().__init__(data_dir, guard, log)
        self.redis_directory = data_dir.with_name("redis")
        self._own = OwnServers(self.redis_directory, guard)
        self._servers = [
            self._own.make(
                str(number), appendonly="yes", repl_diskless_sync_delay="0", min_replicas_to_write="1"
            )
            for number in range(1, SERVERS + 1)
        ]
        self._sentinels: list[Server] = []
        self._gone: Server | None = None
        """The master that `stop_redis` has stopped."""

    @property
    def redis_url(self) -> str:
        places = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self._sentinels)
        return f"redis+sentinel://{places}/{SERVICE}"

    @property
    def redis_servers(self) -> list[str]:
        return [f"redis://127.0.0.1:{self._master().port}/0"]

    def redis_for_node(self, open_line: Callable[[Path], int]) -> str:
        """See `Services`. The Sentinels name the server itself, so there is no line."""
        del open_line
        return self.redis_url

    def start_all_redis(self) -> None:
        """All servers and Sentinels. Blocks until the replicas follow and the Sentinels know them."""
        first, *others = self._servers
        self._own.start(first)
        for server in others:
            self._own.start(server)
            server.ask("REPLICAOF", "127.0.0.1", str(first.port))
        for number in range(1, SERVERS + 1):
            config = self.redis_directory / f"sentinel-{number}.conf"
            config.write_text(
                f"sentinel monitor {SERVICE} 127.0.0.1 {first.port} {QUORUM}\n"
                f"sentinel down-after-milliseconds {SERVICE} {DOWN_AFTER_MS}\n"
                f"sentinel failover-timeout {SERVICE} {FAILOVER_TIMEOUT_MS}\n"
            )
            sentinel = self._own.make(f"sentinel-{number}", sentinel=config)
            self._own.start(sentinel)
            self._sentinels.append(sentinel)
        wait_until("the Sentinels know all", FOLLOWS_S_MAX, lambda: all(map(_knows_all, self._sentinels)))

    def start_redis(self, *, empty: bool) -> None:
        """The server that was stopped. It takes itself for the master, which it may no longer be."""
        server, self._gone = self._gone, None
        assert server is not None
        self._own.start(server, empty=empty)
        self.wait_followed()

    def stop_redis(self, *, hard: bool) -> None:
        """The master, in order or with kill -9."""
        self._gone = self._master()
        self._own.stop(self._gone, hard=hard)

    def flush_redis(self) -> None:
        """The master forgets everything while it runs, and so do the replicas."""
        self._master().ask("FLUSHALL")

    def redis_writer(self) -> Any:
        sentinels = redis.Sentinel([("127.0.0.1", sentinel.port) for sentinel in self._sentinels])
        return sentinels.master_for(SERVICE)

    def wait_followed(self) -> None:
        """Return when a replica follows the master, and the Sentinels want no other. Blocks. Raises TimeoutError."""
        wait_until(
            "a replica follows",
            FOLLOWS_S_MAX,
            lambda: all(map(_content, self._sentinels)) and _followed(self._master()),
        )

    def fail_over_redis(self, *, lacking_s: float, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Kill the master. A replica takes its place, and when it takes writes the old master comes back. Blocks.

        With `lacking_s` no replica has what the master has stored in the last so many seconds; `meanwhile` is called
        in them. Raises TimeoutError if none is promoted.
        """
        master = self._master()
        others = [server for server in self._servers if server is not master]
        if lacking_s:
            master.ask("CONFIG", "SET", "min-replicas-to-write", "0")
            for server in others:
                server.signal(signal.SIGSTOP)
            master.ask("CLIENT", "KILL", "TYPE", "replica")  # what comes now is not even on its way to them
            meanwhile()
            time.sleep(lacking_s)
        master.kill()
        for server in others:
            server.signal(signal.SIGCONT)
        wait_until("a replica is promoted", PROMOTED_S_MAX, lambda: self._master() is not master)
        self.wait_followed()  # until then it takes no writes
        self._own.start(master)

    def stop(self) -> None:
        for server in (*self._sentinels, *self._servers):
            server.end()
        super().stop()

    def _master(self) -> Server:
        """The one that most Sentinels name; the first one before there are Sentinels."""
        named = [sentinel.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", SERVICE) for sentinel in self._sentinels]
        for server in self._servers:
            says = sum(f"\r\n{server.port}\r\n".encode() in name for name in named)
            if says >= QUORUM:
                return server
        return self._servers[0]


def _content(sentinel: Server) -> bool:
    """Whether it neither misses the master nor is about to replace it."""
    return b"\r\nflags\r\n$6\r\nmaster\r\n" in sentinel.ask("SENTINEL", "MASTER", SERVICE)


def _knows_all(sentinel: Server) -> bool:
    known = f"slaves={SERVERS - 1},sentinels={SERVERS}".encode()
    return _content(sentinel) and known in sentinel.ask("INFO", "sentinel")


def _followed(server: Server) -> bool:
    return b"state=online" in server.ask("INFO", "replication")
