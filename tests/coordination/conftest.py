"""All adapters behind one fixture, the real ones on the Redis of the session's services."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from twisted.internet.defer import Deferred

from pokerroom.coordination.memory import (
    MemoryBus,
    MemoryDirectory,
    MemoryHub,
    MemoryJournalStore,
    MemoryLogInAttempts,
    MemoryPayouts,
    MemoryPayoutStore,
    MemoryRegistrations,
)
from pokerroom.coordination.redis.bus import RedisBus
from pokerroom.coordination.redis.client import redis_client
from pokerroom.coordination.redis.directory import RedisDirectory
from pokerroom.coordination.redis.journal import RedisJournal
from pokerroom.coordination.redis.log_in_attempts import RedisLogInAttempts
from pokerroom.coordination.redis.payouts import RedisPayouts
from pokerroom.coordination.redis.registrations import RedisRegistrations
from pokerroom.ops.embedded import Addresses
from tests.clusters import home as home_of_servers
from tests.coordination.memory_journal import MemoryJournal
from tests.coordination.support import SEALED, Server, Way, later

Run = Callable[[Deferred[Any]], Any]


class InMemory:
    """What several nodes of one process share."""

    def __init__(self) -> None:
        from twisted.internet import reactor

        self._reactor = reactor
        self._store = MemoryJournalStore()
        self._said: dict[str, bytes] = {}
        self._hub = MemoryHub(reactor)
        self._books = {}
        self._places = {}
        self._payouts = MemoryPayoutStore()
        self._failures = {}

    def journal(self, sealed):
        return MemoryJournal(self._store, self._reactor, sealed=sealed)

    def directory(self):
        return MemoryDirectory(self._said)

    def bus(self, node, **heard):
        return MemoryBus(self._hub, node=node, **heard)

    def registrations(self):
        return MemoryRegistrations(self._books, self._places)

    def log_in_attempts(self):
        return MemoryLogInAttempts(self._failures, self._reactor)

    def payouts(self, stale_ms=5_000):
        return MemoryPayouts(self._payouts, self._reactor, stale_ms=stale_ms)

    def lose_data(self) -> None:
        self._store.lose()
        self._books.clear()
        self._places.clear()
        self._payouts.lose()

    def cut(self, node) -> None:
        self._hub.cut(node)


class InRedis:
    """What several nodes share that are connected to one Redis."""

    def __init__(self, client: Redis, run: Run) -> None:
        from twisted.internet import reactor

        self._reactor = reactor
        self._client = client
        self._run = run

    def journal(self, sealed):
        return RedisJournal(self._client, self._reactor, sealed=sealed)

    def directory(self):
        return RedisDirectory(self._client)

    def bus(self, node, **heard):
        return RedisBus(self._client, self._reactor, node=node, **heard, **SEALED)

    def registrations(self):
        return RedisRegistrations(self._client)

    def log_in_attempts(self):
        return RedisLogInAttempts(self._client)

    def payouts(self, stale_ms=5_000):
        return RedisPayouts(self._client, stale_ms=stale_ms)

    def lose_data(self) -> None:
        self._run(later(self._client.flushall))

    def cut(self, node) -> None:
        self._run(later(lambda: self._client.client_kill_filter(_type="pubsub")))


@pytest.fixture
def client(run: Run) -> Iterator[Callable[[str], Any]]:
    """Makes clients, and closes them in the end."""
    made = []

    def make(url: str) -> Any:
        made.append(redis_client(url))
        return made[-1]

    yield make
    for one in made:
        run(later(one.aclose))


@pytest.fixture
def redis(services: Addresses, run: Run, client: Callable[[str], Any]) -> Redis:
    """An empty Redis."""
    found = client(services.redis_url)
    run(later(found.flushall))
    return found


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.services)])
def shared(request: pytest.FixtureRequest, run: Run) -> Any:
    """Each set of adapters in turn, over the real reactor."""
    if request.param == "memory":
        return InMemory()
    return InRedis(request.getfixturevalue("redis"), run)


@pytest.fixture
def home() -> Iterator[Path]:
    """A directory with a path that is short enough for sockets.

    In memory, if there is enough: on a disk that others write to, a server that writes down each command at once was
    silent for seconds, and the bus was cut.
    """
    made = home_of_servers("redis-")
    yield made
    shutil.rmtree(made)


@pytest.fixture
def server(home: Path) -> Iterator[Server]:
    """A running Redis of the test's own, which it may end, that writes down what it is told at once."""
    own = Server(home, appendonly="yes", appendfsync="always")
    own.start()
    yield own
    own.kill()


@pytest.fixture
def way(server: Server, run: Run) -> Iterator[Way]:
    """A way to that server that can be cut."""
    way = Way(server)
    run(later(way.open))
    yield way
    run(later(way.close))
