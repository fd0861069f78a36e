"""Brings a database to the schema that this code expects.

Numbered migrations (`schema/*.sql`) make tables, types, indexes, constraints and triggers, once and in order.
Functions have one current definition each (`schema/functions/*.sql`, `CREATE OR REPLACE`; the rules of transfers are
written from `ledger.grammar`). Both are applied in one transaction: the missing migrations first, then all functions.
The module does not know what the files define.

A node finds out at start whether the database belongs to its build:

- `schema_migrations` records each migration with a checksum. A database of a newer version is refused, and so is a
  migration that was changed after it was applied.
- `schema_functions` records the fingerprint of each set of functions that was applied, in order. A node with a new set
  applies it. A node that finds its own set followed by another one is of an older build, and is refused.

A migration drops a function that no longer exists, or that changes its arguments or its result.

An upgrade is a step of its own. A node that starts makes the tables of an empty database. A database that needs an
upgrade is refused until the operator asks for it, and is upgraded while no program of the room is connected.

A migration that begins with the line `-- beside N` only adds to what version N has: nodes that know N or a later one
go on beside it, and start. If all that is missing are such migrations, the upgrade waits only for programs that know
less. What such a migration leaves behind is removed by a later one.

The owner of the tables applies the files. It may be another role than that of the rooms, which then gets what
`grant_to_room` lists and cannot change the schema.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Final

from psycopg import AsyncConnection, errors

from pokerroom.ledger.api import SchemaMismatch
from pokerroom.ledger.postgres.transfer_rules import transfer_rules

APPLICATION: Final = "pokerroom"
"""Names under which programs of a room are connected begin with it."""

ENDING_TRIES: Final = 20
ENDING_PAUSE_S: Final = 0.1
"""An upgrade looks so many times, with pauses, whether a room is still connected."""

MIGRATION_LOCK: Final = 0x706F_6B65_7200
"""The advisory lock of the node that migrates this database ("poker" in ASCII, 0)."""

REPLACED_BY_BASELINE: Final = "d313709ff7a172bc0595757d55364ccfd95538a4f6c3f315f598a58ef9e31746"
"""The checksum of `009_pauses.sql`. A database with this migration has all nine that `009_baseline.sql` replaced."""


_BESIDE: Final = re.compile(rb"-- beside (\d+)\n")

BESIDE_WITHOUT_LINE: Final = {74: 73, 75: 73, 76: 73, 80: 73}
"""Migrations that only add, and had landed without the line: what has landed keeps its text."""

LOCK_S: Final = 10
"""An upgrade beside running nodes waits so many seconds for a table: the nodes wait behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One file of `schema/`. Its number is the version of the database after it.

    A baseline `replaces` the last of the migrations before it: a database with that checksum has the same tables.
    """

    version: int
    name: str
    sql: bytes
    replaces: str | None = None

    @property
    def checksum(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self.sql).hexdigest()

    @property
    def beside(self) -> int | None:
        """The least version that a build must know to go on beside this migration; None if none can."""
        found = _BESIDE.match(self.sql)
        return BESIDE_WITHOUT_LINE.get(self.version) if found is None else int(found[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Migrations by version, the first of which makes an empty database; and the files of functions."""

    migrations: list[Migration]
    functions: list[bytes] = field(default_factory=list)

    @property
    def newest(self) -> int:
        """The version of a database with all migrations."""
        return self.migrations[-1].version if self.migrations else 0

    @property
    def fingerprint(self) -> str:
        """SHA-256 of all functions."""
        return hashlib.sha256(b"\0".join(self.functions)).hexdigest()


def _files() -> Traversable:
    return resources.files("pokerroom.ledger").joinpath("schema")


@cache
def program_name() -> str:
    """Return how a program of this build is called towards PostgreSQL: with the newest version that it knows."""
    names = [file.name for file in _files().iterdir() if file.name.endswith(".sql")]
    return f"{APPLICATION} {max(int(name.split('_')[0]) for name in names)}"


def packaged_schema() -> Schema:
    """The schema that this build ships."""
    files = _files()
    migrations = []
    for file in files.iterdir():
        if file.name.endswith(".sql"):
            version = int(file.name.split("_")[0])
            replaces = REPLACED_BY_BASELINE if file.name == "009_baseline.sql" else None
            migrations.append(
                Migration(version=version, name=file.name, sql=file.read_bytes(), replaces=replaces)
            )
    functions = sorted(files.joinpath("functions").iterdir(), key=lambda file: file.name)
    return Schema(
        migrations=sorted(migrations, key=lambda migration: migration.version),
        functions=[*(file.read_bytes() for file in functions), transfer_rules()],
    )


async def migrate(
    connection: AsyncConnection[Any],
    schema: Schema | None = None,
    *,
    room: str | None = None,
    upgrades: bool = False,
) -> list[int]:
    """Applies what is missing and returns the versions applied now. `connection` must be in autocommit mode.

    `room` is the role of the rooms if that is not the one of this connection. A database that is not empty is changed
    only with `upgrades`, by a role that may change the schema, and while no program of a room is connected; else
    nothing may be missing.

    Nodes that start together wait for each other. If a file fails, nothing is applied. Raises `SchemaMismatch`.
    """
    known = packaged_schema() if schema is None else schema
    await _check_encoding(connection)
    await connection.execute("SELECT pg_advisory_lock(%s)", (MIGRATION_LOCK,))
    try:
        async with connection.transaction():
            if not await owns_tables(connection):
                return await _check_current(connection, known)
            versions, changed = await _bring_up_to_date(connection, known, upgrades=upgrades)
            if room is not None:
                await _grant(connection, room, changed=changed)
            return versions
    finally:
        if not connection.broken:  # a lost connection has lost its lock too; its error is the one to raise
            await connection.execute("SELECT pg_advisory_unlock(%s)", (MIGRATION_LOCK,))


async def _check_unused(connection: AsyncConnection[Any], *, beside: int | None) -> None:
    """Wait a moment for programs of a room that end; those that know version `beside` may stay.

    Raises `SchemaMismatch` if others stay connected.
    """
    for _ in range(ENDING_TRIES):
        await connection.execute("SELECT pg_stat_clear_snapshot()")
        cursor = await connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND starts_with(application_name, %s) AND pid <> pg_backend_pid()"
            " AND (%s::integer IS NULL"
            " OR coalesce(substring(application_name FROM '^[a-z]+ ([0-9]+)')::integer, 0) < %s)",
            (APPLICATION, beside, beside),
        )
        row = await cursor.fetchone()
        if row == (0,):
            return
        await asyncio.sleep(ENDING_PAUSE_S)
    raise SchemaMismatch(
        "Programs of a room are connected to the database, and an upgrade would break them."
        " Stop all nodes and commands of the room, then repeat."
    )


async def _check_encoding(connection: AsyncConnection[Any]) -> None:
    cursor = await connection.execute("SHOW server_encoding")
    row = await cursor.fetchone()
    if row != ("UTF8",):
        raise SchemaMismatch("The database must have the encoding UTF8. Create it with ENCODING 'UTF8'.")


async def owns_tables(connection: AsyncConnection[Any]) -> bool:
    """Whether the role of the connection can change the schema; without one it is true."""
    cursor = await connection.execute(
        "SELECT pg_has_role(current_user, relowner, 'MEMBER') FROM pg_class"
        " WHERE oid = to_regclass('schema_migrations')"
    )
    return await cursor.fetchone() != (False,)


_ADD_BESIDE: Final = """DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'schema_functions'::regclass AND attname = 'beside') THEN
        ALTER TABLE schema_migrations ADD COLUMN beside integer;
        ALTER TABLE schema_functions ADD COLUMN beside integer;
    END IF;
END $$"""
"""Without it, each start of a node would lock both tables."""

_EARLIER: Final = "The database is of an earlier version than this build."


async def _check_current(connection: AsyncConnection[Any], known: Schema) -> list[int]:
    found = await _found(connection)
    found.check(known)
    if known.newest not in found.checksums or known.fingerprint not in found.fingerprints:
        raise SchemaMismatch(
            f"{_EARLIER} The role of this connection may not upgrade it. Set POKERROOM_OWNER_DATABASE_URL to the"
            " address for the role that owns the tables."
        )
    return []


async def _grant(connection: AsyncConnection[Any], room: str, *, changed: bool) -> None:
    """Gives the role of the rooms its privileges, if it does not own the tables itself."""
    cursor = await connection.execute(
        "SELECT pg_has_role(%(room)s, relowner, 'MEMBER'), has_table_privilege(%(room)s, oid, 'SELECT')"
        " AND NOT has_database_privilege(%(room)s, current_database(), 'TEMP')"  # which no dump has
        " FROM pg_class WHERE oid = 'schema_migrations'::regclass",
        {"room": room},
    )
    for owns, granted in await cursor.fetchall():
        if not owns and (changed or not granted):
            await connection.execute("SELECT grant_to_room(%s)", (room,))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What was applied to a database: migrations by version, and sets of functions, in order, by fingerprint.

    `beside` is the least version that a build must know to go on beside each of them, if any can.
    """

    checksums: dict[int, str]
    migrations_beside: dict[int, int | None]
    fingerprints: list[str]
    functions_beside: list[int | None]

    def check(self, known: Schema) -> None:
        """Raises `SchemaMismatch` if the build of the schema `known` can neither run on the database nor upgrade it."""
        later = {version for version in self.checksums if version > known.newest}
        if not all(_goes_on(known, self.migrations_beside[version]) for version in later):
            raise SchemaMismatch(
                f"The database has schema version {max(later)}; this build knows {known.newest}."
                " Run a newer pokerroom."
            )
        _check_migrations(
            {version: one for version, one in self.checksums.items() if version not in later},
            known.migrations,
        )
        if known.fingerprint in self.fingerprints:
            after = self.functions_beside[self.fingerprints.index(known.fingerprint) + 1 :]
            if not all(_goes_on(known, beside) for beside in after):
                raise SchemaMismatch(
                    "The functions of the database were replaced by another build after this one. Run that build."
                    " To return to this one, stop all nodes, run DELETE FROM schema_functions in the database, then"
                    " `pokerroom migrate`."
                )
        elif later:
            raise SchemaMismatch(
                "A newer build has made this database, and this one has never run on it. Run that build."
            )


def _goes_on(known: Schema, beside: int | None) -> bool:
    return beside is not None and known.newest >= beside


async def _found(connection: AsyncConnection[Any]) -> _Found:
    """Read what was applied. A database of an earlier build has no column `beside`."""
    rows = "SELECT {}, (to_jsonb(one) ->> 'beside')::integer FROM {} AS one ORDER BY 1"
    cursor = await connection.execute(rows.format("version, checksum", "schema_migrations"))
    migrations = await cursor.fetchall()
    cursor = await connection.execute(rows.format("number, fingerprint", "schema_functions"))
    functions = await cursor.fetchall()
    return _Found(
        checksums={version: checksum for version, checksum, _ in migrations},
        migrations_beside={version: beside for version, _, beside in migrations},
        fingerprints=[fingerprint for _, fingerprint, _ in functions],
        functions_beside=[beside for _, _, beside in functions],
    )


async def _bring_up_to_date(
    connection: AsyncConnection[Any], known: Schema, *, upgrades: bool
) -> tuple[list[int], bool]:
    """Returns the versions applied now, and whether anything has changed."""
    try:
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations ("
            "version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,"
            " applied timestamptz NOT NULL DEFAULT now());"
            "CREATE TABLE IF NOT EXISTS schema_functions ("
            "number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, fingerprint text NOT NULL UNIQUE,"
            " applied timestamptz NOT NULL DEFAULT now())"
        )
        await connection.execute(_ADD_BESIDE)
    except errors.InsufficientPrivilege as refused:
        raise SchemaMismatch(
            "It is empty, and the role of this connection may not create tables."
            " Set POKERROOM_OWNER_DATABASE_URL to the address for the role that owns the database."
        ) from refused
    found = await _found(connection)
    found.check(known)

    missing = [migration for migration in known.migrations if migration.version not in found.checksums]
    changed = bool(missing) or known.fingerprint not in found.fingerprints
    needs = [migration.beside for migration in missing]
    beside = max((one for one in needs if one is not None), default=None) if None not in needs else None
    if changed and found.checksums:
        if not upgrades:
            nodes = "Stop all nodes of the room, make" if beside is None else "The nodes may go on. Make"
            raise SchemaMismatch(f"{_EARLIER} {nodes} a backup, then run `pokerroom migrate`.")
        await _check_unused(connection, beside=beside)
        await connection.execute("SELECT set_config('lock_timeout', %s, true)", (f"{LOCK_S}s",))
    try:
        await _apply(connection, missing, known if changed else None, beside=beside)
    except errors.LockNotAvailable as busy:
        raise SchemaMismatch(
            f"A table was in use for {LOCK_S} seconds, and nothing is changed. Repeat `pokerroom migrate`."
        ) from busy
    return [migration.version for migration in missing], changed


async def _apply(
    connection: AsyncConnection[Any],
    missing: list[Migration],
    functions_of: Schema | None,
    *,
    beside: int | None,
) -> None:
    for migration in missing:
        await connection.execute(migration.sql)
        await connection.execute(
            "INSERT INTO schema_migrations (version, name, checksum, beside) VALUES (%s, %s, %s, %s)",
            (migration.version, migration.name, migration.checksum, migration.beside),
        )
    if functions_of is not None:
        for functions in functions_of.functions:
            await connection.execute(functions)
        await connection.execute(
            "INSERT INTO schema_functions (fingerprint, beside) VALUES (%s, %s) ON CONFLICT (fingerprint) DO NOTHING",
            (functions_of.fingerprint, beside),
        )


def _check_migrations(applied: dict[int, str], known: list[Migration]) -> None:
    by_version = {migration.version: migration for migration in known}
    oldest, version = min(by_version, default=0), max(applied, default=0)
    if 0 < version < oldest:
        raise SchemaMismatch(
            f"The database has schema version {version}; this build upgrades from version {oldest} on."
            f" Run a pokerroom with schema version {oldest} first."
        )
    for version, checksum in sorted(applied.items()):
        migration = by_version.get(version)
        if migration is None:
            if version > oldest or by_version[oldest].replaces is None:
                raise SchemaMismatch(
                    f"The database has a migration {version} that this build does not ship."
                    " Run the build that applied it."
                )
        elif checksum not in {migration.checksum, migration.replaces}:
            raise SchemaMismatch(
                f"{migration.name} was changed after it was applied to this database. Restore the file."
            )
