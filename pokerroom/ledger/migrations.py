"""Brings a database to the schema this code expects: `schema/*.sql` in order, each in one transaction.

What was applied is recorded in `schema_migrations` with a checksum, so that a file changed after the fact, or
a database written by newer code, is found at start and not by its first wrong row. It knows nothing of what
the files create.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

from psycopg import AsyncConnection

MIGRATION_LOCK: Final = 0x706F_6B65_7200
"""The advisory lock of all who migrate this database ("poker" in ASCII, 0)."""


class SchemaMismatch(Exception):  # noqa: N818 -- it names the state found, for the operator who reads it
    """Raised at start when database and code do not belong together; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One file of `schema/`; its number is the version the database has afterwards."""

    version: int
    name: str
    sql: bytes

    @property
    def checksum(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self.sql).hexdigest()


def packaged_migrations() -> list[Migration]:
    """The migrations this code ships, by version."""
    files = resources.files("pokerroom.ledger").joinpath("schema").iterdir()
    found = (
        Migration(version=int(file.name.split("_")[0]), name=file.name, sql=file.read_bytes())
        for file in files
        if file.name.endswith(".sql")
    )
    return sorted(found, key=lambda migration: migration.version)


async def migrate(connection: AsyncConnection[Any], migrations: list[Migration] | None = None) -> list[int]:
    """Applies what is missing and returns the versions applied now. `connection` must be in autocommit.

    Nodes that start together wait for each other. Raises SchemaMismatch.
    """
    known = packaged_migrations() if migrations is None else migrations
    await _check_encoding(connection)
    await connection.execute("SELECT pg_advisory_lock(%s)", (MIGRATION_LOCK,))
    try:
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations ("
            "version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,"
            " applied timestamptz NOT NULL DEFAULT now())"
        )
        cursor = await connection.execute("SELECT version, checksum FROM schema_migrations")
        applied: dict[int, str] = dict(await cursor.fetchall())
        _check_applied(applied, known)
        missing = [migration for migration in known if migration.version not in applied]
        for migration in missing:
            await _apply(connection, migration)
        return [migration.version for migration in missing]
    finally:
        if not connection.broken:  # a lost connection has lost its lock too; its error is the one to see
            await connection.execute("SELECT pg_advisory_unlock(%s)", (MIGRATION_LOCK,))


async def _check_encoding(connection: AsyncConnection[Any]) -> None:
    cursor = await connection.execute("SHOW server_encoding")
    row = await cursor.fetchone()
    if row != ("UTF8",):
        raise SchemaMismatch("the database must have the encoding UTF8: create it with ENCODING 'UTF8'")


def _check_applied(applied: dict[int, str], known: list[Migration]) -> None:
    by_version = {migration.version: migration for migration in known}
    newest = max(by_version, default=0)
    for version, checksum in sorted(applied.items()):
        if version > newest:
            raise SchemaMismatch(
                f"the database has schema version {version}, this pokerroom knows {newest}:"
                " run a newer pokerroom"
            )
        if version not in by_version:
            raise SchemaMismatch(f"the database has a migration {version} that this pokerroom does not ship")
        if by_version[version].checksum != checksum:
            raise SchemaMismatch(
                f"{by_version[version].name} was changed after it was applied to this database:"
                " restore the file"
            )


async def _apply(connection: AsyncConnection[Any], migration: Migration) -> None:
    async with connection.transaction():
        await connection.execute(migration.sql)
        await connection.execute(
            "INSERT INTO schema_migrations (version, name, checksum) VALUES (%s, %s, %s)",
            (migration.version, migration.name, migration.checksum),
        )
