"""The PostgreSQL and the Redis of one run: real servers that can be stopped, started again and emptied one by one."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import redis

from pokerroom.ops.embedded.locks import Lock
from pokerroom.ops.embedded.places import LONGEST_SOCKET, ServiceDirectories, choose_places, make_data_dir
from pokerroom.ops.embedded.postgres import Postgres, postgres_url
from pokerroom.ops.embedded.redis import Redis, redis_socket, redis_url
from pokerroom.ops.embedded.server import Server
from tests.chaos.guard import Guard
from tests.chaos.standby import commit_on_both, copied, promoted


class Services:
    """All calls block and are for a thread; one at a time for each server."""

    def __init__(self, data_dir: Path, guard: Guard, log: Callable[[str], None]) -> None:
        self.places: ServiceDirectories = choose_places(make_data_dir(data_dir))
        self._data_dir = data_dir
        self.guard = guard
        self._log = log
        self.database_places = self.places
        """Where the PostgreSQL is that writes."""
        self.archives = False
        """Whether PostgreSQL archives its WAL; set it before `start`."""
        self._standby_places: ServiceDirectories | None = None
        self._standby: Postgres | None = None
        self._standbys = 0
        self._postgres: Postgres | None = None
        self._redis: Redis | None = None
        self.redis_directory = Redis(self.places, log).working_directory()
        """Where Redis keeps its data."""

    @property
    def database_url(self) -> str:
        """Straight to the server, past the proxies."""
        return postgres_url(self.database_places)

    @property
    def archive(self) -> Path:
        """Where PostgreSQL archives its WAL."""
        return self.places.home / "archive"

    @property
    def owner_url(self) -> str:
        """As `database_url`, for the server itself."""
        return postgres_url(self.database_places, "postgres")

    @property
    def redis_url(self) -> str:
        """As `database_url`."""
        return redis_url(self.places)

    @property
    def postgres_socket(self) -> Path:
        """Where PostgreSQL listens."""
        return self.database_places.sockets / LONGEST_SOCKET

    @property
    def redis_socket(self) -> Path:
        """Where Redis listens."""
        return redis_socket(self.places)

    @property
    def redis_servers(self) -> list[str]:
        """The address of each server that has a part of what is in Redis."""
        return [self.redis_url]

    def redis_for_node(self, open_line: Callable[[Path], int]) -> str:
        """The address for a node, which has a line of its own to Redis: `open_line` opens it and returns its port."""
        return f"redis://127.0.0.1:{open_line(self.redis_socket)}/0"

    def start(self) -> None:
        """Both, with the room's database. Raises `EmbeddedError`."""
        self.places.own(self.places.sockets)
        self.start_all_redis()
        self.start_postgres()
        assert self._postgres is not None
        self._postgres.create_database()
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            # when what was committed is what the checks compare with what was told
            connection.execute("ALTER SYSTEM SET track_commit_timestamp = on")
            if self.archives:
                self.places.own(self.archive)
                copy = f'test ! -f "{self.archive}/%f" && cp "%p" "{self.archive}/%f"'
                connection.execute("ALTER SYSTEM SET archive_mode = on")
                connection.execute(f"ALTER SYSTEM SET archive_command = '{copy}'".encode())
        self.stop_postgres(hard=False)
        self.start_postgres()

    def start_postgres(self) -> None:
        """Returns when it answers."""
        self._postgres = Postgres(self.database_places, self._log)
        self._launch(self._postgres)

    def start_standby(self) -> None:
        """Copy PostgreSQL to a second server, without which no commit is acknowledged any more. Blocks."""
        self._standbys += 1
        places = choose_places(
            make_data_dir(self._data_dir.with_name(f"{self._data_dir.name}-{self._standbys}"))
        )
        self.guard.remove(places.shelter)
        self._standby_places, self._standby = places, copied(self.database_places, places, self._log)
        self._launch(self._standby)
        commit_on_both(self.database_places)

    def fail_over(self) -> None:
        """Kill PostgreSQL as in a crash; the standby is PostgreSQL from now on, without another one. Blocks."""
        assert self._standby is not None
        assert self._standby_places is not None
        self.stop_postgres(hard=True)
        self._postgres, self.database_places = self._standby, self._standby_places
        self._standby = self._standby_places = None
        promoted(self.database_places)

    def start_all_redis(self) -> None:
        """For the first time. Returns when it answers."""
        self.start_redis(empty=False)

    def start_redis(self, *, empty: bool) -> None:
        """Returns when it answers; with `empty` all that it had kept is deleted first."""
        server = Redis(self.places, self._log)
        if empty:
            shutil.rmtree(server.working_directory(), ignore_errors=True)
        self._redis = server
        self._launch(server)

    def stop_postgres(self, *, hard: bool) -> None:
        """In order; or with `hard` without a last checkpoint, as after a crash."""
        server, self._postgres = self._postgres, None
        _stop(server, signal.SIGQUIT if hard else None)

    def stop_redis(self, *, hard: bool) -> None:
        """In order, or with kill -9."""
        server, self._redis = self._redis, None
        _stop(server, signal.SIGKILL if hard else None)

    def stop_standby(self) -> None:
        """In order; without it PostgreSQL acknowledges no commit."""
        standby, self._standby = self._standby, None
        _stop(standby, None)

    def flush_redis(self) -> None:
        """Redis forgets everything while it runs."""
        client = redis.Redis.from_url(self.redis_url)
        try:
            client.flushall()
        finally:
            client.close()

    def redis_writer(self) -> Any:
        """A client for looking at the journal; the caller closes it."""
        return redis.Redis.from_url(self.redis_url)

    def stop(self) -> None:
        """Both; whatever is left is the guard's."""
        self.stop_redis(hard=False)
        self.stop_postgres(hard=False)
        self.stop_standby()

    def _launch(self, server: Server) -> None:
        server.launch()
        server.wait_ready()
        pid = pid_of(server)
        if pid is not None:
            self.guard.watch(pid)


def _stop(server: Server | None, harsh: signal.Signals | None) -> None:
    if server is None:
        return
    pid = pid_of(server)
    if harsh is not None and pid is not None:
        os.kill(pid, harsh)
    server.ask_to_stop()
    server.wait_stopped()


def pid_of(server: Server) -> int | None:
    """The process that the server's lock names."""
    return Lock(server.places.home / f"{server.name.lower()}.lock").holder()
