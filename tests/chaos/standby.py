"""A standby of the run's PostgreSQL: a copy that follows it synchronously, and takes its place when it is killed.

What was committed is on both: the first server acknowledges a commit when the second has it on its disk.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Final

import psycopg

from pokerroom.ops.embedded.binaries import find_postgres, usable_by
from pokerroom.ops.embedded.places import ServiceDirectories
from pokerroom.ops.embedded.postgres import Postgres, postgres_url
from tests.chaos.waiting import wait_until

COPY_S: Final = 60.0
"""What copying the data, and the first contact, may take."""
PROMOTE_S: Final = 20.0


def copied(
    first: ServiceDirectories, second: ServiceDirectories, log: Callable[[str], None], *, follows: bool = True
) -> Postgres:
    """Copy a running server to empty directories; the copy follows it once launched, if it is to. Blocks.

    Raises CalledProcessError if `pg_basebackup` fails, with what it said.
    """
    second.own(second.sockets)
    (cluster,) = first.home.glob("postgres-*")
    program = find_postgres(second.user, int(cluster.name.removeprefix("postgres-")))
    copy = second.home / cluster.name
    second.own(copy)
    user = second.user
    subprocess.run(
        [
            usable_by(program, second).with_name("pg_basebackup"),
            *("--pgdata", copy, "--host", first.sockets, "--username", "pokerroom"),
            *("--checkpoint", "fast", "--no-sync"),
            *(("--write-recovery-conf",) if follows else ()),
        ],
        check=True,
        capture_output=True,
        timeout=COPY_S,
        cwd="/",
        start_new_session=True,
        user=user.uid,
        group=user.gid,
        extra_groups=user.groups,
    )
    return Postgres(second, log)


def commit_on_both(first: ServiceDirectories) -> None:
    """From now on a commit waits for the standby. Blocks until it follows. Raises TimeoutError."""
    with _superuser(first) as connection:
        connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        connection.execute("SELECT pg_reload_conf()")
        _wait(connection, "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')", COPY_S)


def promoted(second: ServiceDirectories) -> None:
    """Make a standby the first server, without one of its own. Blocks until it writes. Raises TimeoutError."""
    with _superuser(second) as connection:
        connection.execute("SELECT pg_promote(wait => false)")
        _wait(connection, "SELECT NOT pg_is_in_recovery()", PROMOTE_S)


def _superuser(places: ServiceDirectories) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(postgres_url(places, "postgres"), autocommit=True, connect_timeout=5)


def _wait(connection: psycopg.Connection[tuple[object, ...]], query: str, within_s: float) -> None:
    wait_until(query, within_s, lambda: connection.execute(query.encode()).fetchone() == (True,))
