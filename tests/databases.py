"""Databases of a test's own on the servers of a test run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg

from pokerroom.ops.embedded import Addresses


@contextmanager
def copied_database(services: Addresses, template: str, name: str) -> Iterator[tuple[str, str]]:
    """The addresses, for the room and for the owner, of a copy of the template. The end drops it."""
    assert services.owner_database_url is not None
    urls = services.database_url, services.owner_database_url
    room, owner = (urlsplit(url)._replace(path=f"/{name}").geturl() for url in urls)
    with psycopg.connect(services.owner_database_url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY wal_log".encode())
        try:
            yield room, owner
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


class UsedDatabase:
    """A database for one test after another: before each its rows are those of a new one.

    A copy of the template takes ten times as long. A test that changes the schema must not use it.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._connection = psycopg.connect(address, autocommit=True)
        names = self._connection.execute(
            "SELECT quote_ident(relname) FROM pg_class"
            " WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace"
            " AND relname NOT IN ('schema_migrations', 'schema_functions')"
        )
        copied = {name: self._copied(name) for (name,) in names.fetchall()}
        self._rows = {name: rows for name, rows in copied.items() if rows}
        sequences = self._connection.execute(
            "SELECT format('%L, %s, %L', format('%I.%I', schemaname, sequencename),"
            " coalesce(last_value, start_value), last_value IS NOT NULL) FROM pg_sequences"
        )
        self._statements = ";".join((
            "SET LOCAL session_replication_role = replica",  # no trigger keeps a row
            "SET LOCAL lock_timeout = '20s'",
            *(f"DELETE FROM {name}" for name in copied),
            *(f"SELECT setval({sequence})" for (sequence,) in sequences.fetchall()),
        ))  # fmt: skip

    def _copied(self, table: str) -> bytes:
        with self._connection.cursor().copy(f"COPY {table} TO STDOUT") as rows:
            return b"".join(rows)

    def empty(self) -> None:
        with self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.execute(self._statements)
            for table, before in self._rows.items():
                with cursor.copy(f"COPY {table} FROM STDIN") as rows:
                    rows.write(before)

    def close(self) -> None:
        self._connection.close()
