"""The embedded services as a whole: one PostgreSQL and one Redis for one data directory.

All calls block: they are for the time before the reactor runs and after it has stopped. This module does not know what
the room keeps in the two servers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pokerroom.ops.embedded.locks import Lock
from pokerroom.ops.embedded.places import (
    EmbeddedError,
    ServiceDirectories,
    choose_places,
    make_data_dir,
    places_of,
)
from pokerroom.ops.embedded.postgres import (
    ROOM_USER,
    Postgres,
    make_room_role,
    postgres_answers,
    postgres_url,
)
from pokerroom.ops.embedded.redis import Redis, redis_answers, redis_url
from pokerroom.ops.embedded.server import Server


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where the services answer, in the form psycopg and redis-py read."""

    database_url: str
    redis_url: str
    owner_database_url: str | None = None
    """For the role that owns the tables; None: the one of `database_url` does."""


class RoomRuns(EmbeddedError):  # noqa: N818 -- what is the case, which is no fault
    """A room uses the data directory now; `process` is its process id, None if that is not known yet."""

    def __init__(self, message: str, process: int | None) -> None:
        super().__init__(message)
        self.process = process


class EmbeddedServices:
    """The services of the one room that may use `data_dir` at a time. `log` is called with lines about the progress."""

    def __init__(self, data_dir: Path, log: Callable[[str], None]) -> None:
        self._data_dir = data_dir
        self._log = log
        self._room_lock: Lock | None = None
        self._servers: list[Server] = []

    def start(self) -> Addresses:
        """Start both servers and return when they answer; takes a fraction of a second, the first time about a second.

        Servers that an earlier room left running (it was killed) are used. Raises `EmbeddedError`, with nothing of ours
        left running, if the programs are missing or fail; `RoomRuns` if another room uses the data directory.
        """
        assert self._room_lock is None, "started already"
        data_dir = make_data_dir(self._data_dir)
        places = choose_places(data_dir)
        self._take_room(places)
        try:
            if places.home != data_dir:
                self._log(
                    f"the servers run as `nobody`, who cannot reach {data_dir}: the databases are in "
                    f"{places.home}; to keep them elsewhere, set POKERROOM_DATA_DIR to a directory that all "
                    "may pass"
                )
            postgres, redis = Postgres(places, self._log), Redis(places, self._log)
            self._servers = [redis, postgres]  # Redis is ready by the time PostgreSQL is
            places.own(places.sockets)
            for server in self._servers:
                server.launch()
            for server in self._servers:
                server.wait_ready()
            postgres.create_database()
            return _addresses(places)
        except BaseException:  # Ctrl-C too: nothing of ours stays behind
            self.stop()
            raise

    def revive(self) -> None:
        """Restart servers that have ended. Blocks; for a thread beside the room. Raises `EmbeddedError`."""
        for server in self._servers:
            server.revive()

    def stop(self) -> None:
        """Stop both servers cleanly and free the data directory, in a bounded time. A second call does nothing."""
        servers, self._servers = self._servers, []
        try:
            for server in servers:
                server.ask_to_stop()
            for server in servers:
                server.wait_stopped()
        finally:
            if self._room_lock is not None:
                self._room_lock.release()
                self._room_lock = None

    def _take_room(self, places: ServiceDirectories) -> None:
        lock = Lock(places.home / "room.lock")
        if not lock.acquire():
            holder = lock.holder()
            raise RoomRuns(
                f"another pokerroom (process {holder}) uses {self._data_dir}. Stop it, or set "
                "POKERROOM_DATA_DIR to another directory.",
                holder,
            )
        lock.name_holder()
        self._room_lock = lock


def running(data_dir: Path) -> Addresses | None:
    """Return the services that run for this data directory now; None unless both answer.

    For a command in a second shell: it takes no lock and starts nothing.
    """
    places = places_of(data_dir.resolve())
    if places is None or not redis_answers(places) or not postgres_answers(places):
        return None
    return _addresses(places)


def running_database(data_dir: Path) -> tuple[str, str] | None:
    """Return the addresses of PostgreSQL alone, as `running`: for the rooms and for the owner of the tables."""
    places = places_of(data_dir.resolve())
    if places is None or not postgres_answers(places):
        return None
    return _room_url(places), postgres_url(places)


@contextmanager
def attached(data_dir: Path, log: Callable[[str], None]) -> Iterator[Addresses]:
    """Yield the services for the time of one command: those that run, or ones that are started and stopped for it.

    Raises `EmbeddedError`, also if a room runs and its services do not answer: that room restarts them.
    """
    found = running(data_dir)
    if found is not None:
        yield found
        return
    services = EmbeddedServices(data_dir, log)
    try:
        addresses = services.start()
    except RoomRuns as room:
        silent, log_name = ("Redis", "redis") if running_database(data_dir) else ("PostgreSQL", "postgres")
        places = places_of(data_dir.resolve())
        assert places is not None, "the room has chosen them"
        raise EmbeddedError(
            f"the room of {data_dir} runs (process {room.process}), but its {silent} does not answer. It may be "
            f"starting again: try once more; {places.home}/{log_name}.log says more."
        ) from None
    try:
        yield addresses
    finally:
        services.stop()


def _addresses(places: ServiceDirectories) -> Addresses:
    return Addresses(
        database_url=_room_url(places), redis_url=redis_url(places), owner_database_url=postgres_url(places)
    )


def _room_url(places: ServiceDirectories) -> str:
    """The address for the role of the rooms, which is there then: the room that runs may be of an older build."""
    make_room_role(places)
    return postgres_url(places, user=ROOM_USER)
