"""Redis as a Cluster of three masters on loopback, without proxies: slots move between them, and masters die.

Each master has a replica, which takes its place by a vote of the other masters when it is to (`fail_over_redis`), and
never else: on a busy machine a master that is slow would be replaced.

The commands for this are the harness's own, because the servers come without a program for it. A slot moves in one of
two ways: key by key (`CLUSTER SETSLOT`, `MIGRATE`), where ASK redirects clients meanwhile, or at once (`CLUSTER
MIGRATESLOTS`), which servers before Valkey 9 lack.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, Literal

import redis

from tests.chaos.guard import Guard
from tests.chaos.own_servers import OwnServers
from tests.chaos.services import Services
from tests.chaos.waiting import wait_until
from tests.coordination.support import Server, free_port

MoveMode = Literal["key by key", "at once"]

SERVERS: Final = 3
SLOTS: Final = 16384
NODE_TIMEOUT_MS: Final = 2000
EMPTY: Final = 5
"""So many slots without keys move, too."""

PAUSE_S: Final = 0.03
"""A slot that moves key by key is so long half here and half there, before and after its keys move."""

JOINED_S_MAX: Final = 30.0
PROMOTED_S_MAX: Final = 30.0
MOVED_S_MAX: Final = 30.0


class ClusterServices(Services):
    """See the module, and `Services`."""

    def __init__(self, data_dir: Path, guard: Guard, log: Callable[[str], None]) -> None:
        super().__init__(data_dir, guard, log)
        self.redis_directory = data_dir.with_name("redis")
        self._own = OwnServers(self.redis_directory, guard)
        self._links = [free_port() for _ in range(2 * SERVERS)]
        """The ports at which the servers talk to each other."""
        made = [
            self._own.make(
                str(number),
                appendonly="yes",
                cluster_enabled="yes",
                cluster_port=str(port),
                cluster_node_timeout=str(NODE_TIMEOUT_MS),
                cluster_replica_no_failover="yes",
                cluster_allow_replica_migration="no",
            )
            for number, port in enumerate(self._links, 1)
        ]
        self._all = tuple(made)
        self._servers, self._replicas = made[:SERVERS], made[SERVERS:]
        """The masters, and the replica of each: they change places when a master is replaced."""

    @property
    def redis_url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{server.port}" for server in self._all)

    @property
    def redis_servers(self) -> list[str]:
        return [f"redis://127.0.0.1:{server.port}/0" for server in self._servers]

    def redis_for_node(self, open_line: Callable[[Path], int]) -> str:
        """See `Services`. The servers name each other, so there are no lines."""
        del open_line
        return self.redis_url

    def start_all_redis(self) -> None:
        """Three masters, each with a third of the slots and a replica. Blocks until they are one Cluster."""
        bounds = [SLOTS * number // SERVERS for number in range(SERVERS + 1)]
        for number, server in enumerate(self._all):
            self._own.start(server)
            with _client(server) as client:
                client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
                if number < SERVERS:
                    client.execute_command("CLUSTER ADDSLOTSRANGE", bounds[number], bounds[number + 1] - 1)
        with _client(self._servers[0]) as client:
            for server, port in zip(self._all[1:], self._links[1:], strict=True):
                client.execute_command("CLUSTER MEET", "127.0.0.1", server.port, port)
        self._wait_joined()
        for master, replica in zip(self._servers, self._replicas, strict=True):
            with _client(master) as own, _client(replica) as other:
                other.execute_command("CLUSTER REPLICATE", _id(own))
        self._wait_followed()

    def start_redis(self, *, empty: bool) -> None:
        """All servers, with the slots that they had."""
        for server in (*self._servers, *self._replicas):
            self._own.start(server, empty=empty)
        self._wait_joined()
        self._wait_followed()

    def stop_redis(self, *, hard: bool) -> None:
        """All servers, in order or with kill -9."""
        for server in (*self._servers, *self._replicas):
            self._own.stop(server, hard=hard)

    def flush_redis(self) -> None:
        """All servers forget everything while they run."""
        for server in self._servers:
            server.ask("FLUSHALL")

    def redis_writer(self) -> Any:
        return redis.RedisCluster("127.0.0.1", self._servers[0].port)

    def fail_over_redis(self, number: int) -> float:
        """Kill a master (numbers from 0): its replica takes its place, and it comes back as the replica. Blocks.

        Return how long the replica took, in seconds. Raises TimeoutError if it does not.
        """
        master, replica = self._servers[number], self._replicas[number]
        replica.ask("CONFIG", "SET", "cluster-replica-no-failover", "no")
        began = time.monotonic()
        self._own.stop(master, hard=True)
        wait_until("the replica is promoted", PROMOTED_S_MAX, lambda: _is_master(replica))
        took = time.monotonic() - began
        replica.ask("CONFIG", "SET", "cluster-replica-no-failover", "yes")
        self._servers[number], self._replicas[number] = replica, master
        self._own.start(master)
        self._wait_joined()
        self._wait_followed()
        return took

    def fullest(self) -> int:
        """The number (from 0) of the server that has the most keys. Blocks."""
        sizes = []
        for server in self._servers:
            with _client(server) as client:
                sizes.append(client.dbsize())
        return sizes.index(max(sizes))

    def reshard(self, source: int, target: int, mode: MoveMode) -> tuple[int, int]:
        """Move slots from one server to another (numbers from 0): all that have keys, and a few that have none.

        Return how many slots and how many keys it were. Blocks. Raises TimeoutError, or RedisError if a server refuses.
        """
        here, there = self._servers[source], self._servers[target]
        with _client(here) as own, _client(there) as other:
            owned = _owned(own)
            kept = {own.execute_command("CLUSTER KEYSLOT", key) for key in own.scan_iter(count=1000)}
            empty = [slot for slot in owned if slot not in kept]
            slots = sorted(kept.intersection(owned)) + empty[:EMPTY]
            keys = sum(own.execute_command("CLUSTER COUNTKEYSINSLOT", slot) for slot in slots)
            if mode == "at once":
                self._move_at_once(own, other, slots)
            else:
                for slot in slots:
                    move_slot(own, other, slot, there.port)
            return len(slots), keys

    def _move_at_once(self, own: Any, other: Any, slots: Iterable[int]) -> None:
        target = _id(other)
        ranges = [word for slot in slots for word in (slot, slot)]
        own.execute_command("CLUSTER MIGRATESLOTS", "SLOTSRANGE", *ranges, "NODE", target)
        wait_until("the slots have moved", MOVED_S_MAX, lambda: not set(_owned(own)).intersection(slots))

    def _wait_joined(self) -> None:
        wait_until("the servers are one Cluster", JOINED_S_MAX, lambda: all(map(_joined, self._all)))

    def _wait_followed(self) -> None:
        wait_until("each master has its replica", JOINED_S_MAX, lambda: all(map(_follows, self._replicas)))


def move_slot(own: Any, other: Any, slot: int, port: int) -> None:
    """Move a slot key by key, between clients of two servers; `port` is the second one's. Blocks."""
    source, target = _id(own), _id(other)
    other.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", source)
    own.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", target)
    pause_s = PAUSE_S if own.execute_command("CLUSTER COUNTKEYSINSLOT", slot) else 0
    time.sleep(pause_s)
    while keys := own.execute_command("CLUSTER GETKEYSINSLOT", slot, 1):
        own.execute_command("MIGRATE", "127.0.0.1", port, "", 0, 5000, "KEYS", *keys)
    time.sleep(pause_s)
    for client in (other, own):
        client.execute_command("CLUSTER SETSLOT", slot, "NODE", target)


def _client(server: Server) -> Any:
    return redis.Redis(port=server.port, socket_timeout=10)


def _id(client: Any) -> bytes:
    found: bytes = client.execute_command("CLUSTER MYID")
    return found


def _owned(client: Any) -> list[int]:
    """The slots of a server, as it sees them."""
    own = _id(client)
    return [
        slot
        for first, last, (_host, _port, name, *_), *_ in client.execute_command("CLUSTER SLOTS")
        if name == own
        for slot in range(first, last + 1)
    ]


def _joined(server: Server) -> bool:
    known = server.ask("CLUSTER", "INFO")
    # to and from all others: what is published over a link that one side has not taken is lost with it
    linked = server.ask("CLUSTER", "LINKS").startswith(b"*%d\r\n" % (2 * (2 * SERVERS - 1)))
    return b"cluster_state:ok" in known and linked


def _is_master(server: Server) -> bool:
    return b"role:master" in server.ask("INFO", "replication")


def _follows(server: Server) -> bool:
    return b"master_link_status:up" in server.ask("INFO", "replication")
