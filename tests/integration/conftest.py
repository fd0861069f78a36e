"""Rooms on the PostgreSQL and Redis of the test session: each has a database of its own and an empty Redis."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import redis

from pokerroom.ops.embedded import Addresses
from tests.integration.forked import ForkedRoom


class Rooms:
    """Makes rooms that are not started, and further nodes of them; ends all of them.

    They are nodes of one room: they share the database, Redis and the directory of their data.
    """

    def __init__(self, directory: Path, services: Addresses, template: str) -> None:
        self._directory = directory
        self._services = services
        self._template = template
        self._name = f"room_{directory.name.replace('-', '_')}"
        self._made: list[ForkedRoom] = []

    def node(self, config: str) -> ForkedRoom:
        """One more node."""
        if not self._made:
            self._fresh()
        room, owner = (
            urlsplit(url)._replace(path=f"/{self._name}").geturl()
            for url in (self._services.database_url, self._services.owner_database_url or "")
        )
        addresses = Addresses(database_url=room, redis_url=self._services.redis_url, owner_database_url=owner)
        self._made.append(ForkedRoom(self._directory / "data", config, addresses))
        return self._made[-1]

    def started(self, config: str) -> ForkedRoom:
        """One more node, when it is ready."""
        node = self.node(config)
        node.start()
        return node

    def end(self) -> None:
        for room in self._made:
            room.kill()
        self._execute(f"DROP DATABASE IF EXISTS {self._name} WITH (FORCE)")

    def change_the_past(self, statement: str) -> None:
        """A statement of the owner in the database of the room, past the triggers that keep what was written."""
        owner = urlsplit(self._services.owner_database_url or "")._replace(path=f"/{self._name}").geturl()
        with psycopg.connect(owner) as connection:
            connection.execute("SET session_replication_role = replica")
            connection.execute(statement)

    def _fresh(self) -> None:
        self._execute(f"CREATE DATABASE {self._name} TEMPLATE {self._template} STRATEGY wal_log")
        with redis.Redis.from_url(self._services.redis_url) as client:
            client.flushall()

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self._services.owner_database_url or "", autocommit=True) as connection:
            connection.execute(statement)


@contextmanager
def rooms_in(directory: Path, services: Addresses, template: str) -> Iterator[Rooms]:
    """Rooms with their settings and keys in a directory; whatever happens, no process of them stays."""
    rooms = Rooms(directory, services, template)
    try:
        yield rooms
    finally:
        rooms.end()


@pytest.fixture
def rooms(services: Addresses, ledger_template: str, tmp_path: Path) -> Iterator[Rooms]:
    """The rooms of one test."""
    with rooms_in(tmp_path, services, ledger_template) as found:
        yield found


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    """Connections that are closed after the test."""
    with ExitStack() as stack:
        yield stack
