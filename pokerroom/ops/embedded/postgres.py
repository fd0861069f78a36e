"""The room's own PostgreSQL: one cluster, reached by a Unix socket only, every commit on disk before it is
acknowledged.

The name of the directory holds the major version, because a cluster is readable by its own major version only. Tables
and their content belong to the ledger.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGQUIT
from typing import ClassVar, Final, LiteralString
from urllib.parse import quote

from pokerroom.ops.embedded.binaries import Program, find_postgres, usable_by
from pokerroom.ops.embedded.places import LONGEST_SOCKET, EmbeddedError, ServiceDirectories
from pokerroom.ops.embedded.server import Server, server_environment

DATABASE: Final = "pokerroom"
_USER = "pokerroom"
"""The superuser of the cluster, which owns the tables."""

ROOM_USER: Final = "pokerroom_room"
"""The role of the rooms: it owns nothing."""

_INITDB_S_MAX = 120
_CONNECT_S_MAX = 2

_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "fsync": "on",
    "synchronous_commit": "on",
    "max_connections": "50",
    "shared_buffers": "128MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
}


def postgres_url(places: ServiceDirectories, database: str = DATABASE, user: str = _USER) -> str:
    """As libpq reads it: `postgresql://user@/database?host=directory`."""
    return f"postgresql://{user}@/{database}?host={quote(str(places.sockets), safe='')}"


def postgres_answers(places: ServiceDirectories, database: str = DATABASE) -> bool:
    """Whether a server answers a query on this database now."""
    import psycopg  # noqa: PLC0415 -- most commands need no server, and start faster without it

    try:
        with psycopg.connect(postgres_url(places, database), connect_timeout=_CONNECT_S_MAX) as connection:
            connection.execute("SELECT 1")
    except psycopg.OperationalError:
        return False
    return True


def make_room_role(places: ServiceDirectories) -> None:
    """Make the role of the rooms if it is not there. The ledger says what it may do. The server must answer."""
    known: LiteralString = "SELECT 1 FROM pg_roles WHERE rolname = %s"
    _make_if_missing(places, known, ROOM_USER, f"CREATE ROLE {ROOM_USER} LOGIN")


def _make_if_missing(
    places: ServiceDirectories, known: LiteralString, name: str, statement: LiteralString
) -> None:
    """Run a statement unless the query `known` has a row for the name."""
    import psycopg  # noqa: PLC0415 -- as above

    with psycopg.connect(postgres_url(places, "postgres"), autocommit=True) as connection:
        if connection.execute(known, (name,)).fetchone() is None:
            connection.execute(statement)


class Postgres(Server):
    """See `Server`. The lock, not postmaster.pid, says whether one runs: an id alone may be another's."""

    name = "Postgres"
    stop_signals: ClassVar = (
        SIGINT,
        SIGQUIT,
        SIGKILL,
    )  # fast, immediate (recovery on the next start), the end

    def command(self) -> list[str | Path]:
        cluster = self._cluster()
        program = find_postgres(self.places.user, _major_of(cluster) if cluster is not None else None)
        postgres = usable_by(program, self.places)
        if cluster is None:
            cluster = self._create_cluster(program, postgres.with_name("initdb"))
        # We hold the lock, so no process of this cluster is left. PostgreSQL's own lock files go by process
        # ids, and a number left over from a crash may be another program's, or a zombie's, by now.
        (cluster / "postmaster.pid").unlink(missing_ok=True)
        (self.places.sockets / f"{LONGEST_SOCKET}.lock").unlink(missing_ok=True)
        self.log(f"starting {program.product} {program.version} ({program.path})")
        socket_directory = '"' + str(self.places.sockets).replace('"', '""') + '"'  # the setting is a list
        settings = _SETTINGS | {"unix_socket_directories": socket_directory}
        options = (word for name, value in settings.items() for word in ("-c", f"{name}={value}"))
        return [postgres, "-D", cluster, *options]

    def marker(self) -> str:
        return str(self._cluster() or self.places.home)  # while initdb runs there is none, and none to signal

    def answers(self) -> bool:
        return postgres_answers(self.places, "postgres")

    def working_directory(self) -> Path:
        return Path("/")

    def create_database(self) -> None:
        """Makes the room's database if it is not there. The server must answer."""
        known: LiteralString = "SELECT 1 FROM pg_database WHERE datname = %s"
        _make_if_missing(self.places, known, DATABASE, f"CREATE DATABASE {DATABASE}")

    def _cluster(self) -> Path | None:
        """The cluster of this data directory, the newest if the operator upgraded it by hand; None if there is
        none.
        """
        found = [
            path for path in self.places.home.glob("postgres-*") if re.fullmatch(r"postgres-\d+", path.name)
        ]
        return max(found, key=_major_of, default=None)

    def _create_cluster(self, program: Program, initdb: Path) -> Path:
        self.log(f"creating the database cluster (PostgreSQL {program.version}) …")
        cluster = self.places.home / f"postgres-{program.major}"
        # Renamed when it is whole: a killed initdb leaves no half of a cluster.
        unfinished = cluster.with_name(f"{cluster.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        self.places.own(unfinished)
        user = self.places.user
        done = subprocess.run(  # noqa: S603 -- our own command line
            [
                initdb,
                "-D",
                unfinished,
                "-U",
                _USER,
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--no-locale",
                "--no-instructions",
            ],
            capture_output=True,
            text=True,
            timeout=_INITDB_S_MAX,
            check=False,
            cwd="/",
            env=server_environment(),
            start_new_session=True,
            pass_fds=(self.lock_descriptor,),  # after a kill -9 of the room the next start waits for its end
            user=user.uid,
            group=user.gid,
            extra_groups=user.groups,
        )
        if done.returncode != 0:
            raise EmbeddedError(f"{initdb} could not create a database cluster:\n{done.stdout}{done.stderr}")
        unfinished.rename(cluster)
        return cluster


def _major_of(cluster: Path) -> int:
    return int(cluster.name.removeprefix("postgres-"))
