"""Backups of the database: PostgreSQL's own `pg_dump` and `pg_restore`, run on the room's database.

A dump is one consistent state. It has no owners and no privileges: the restored database gets those of its own roles
when it is upgraded or opened.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection, OperationalError
from psycopg.conninfo import make_conninfo

from pokerroom.ledger.api import BackupFailed, LedgerUnavailable
from pokerroom.ledger.postgres.calls import parameters_of

FindTool = Callable[[str, int], Path]
"""Returns the program of this name that fits a server of this major version."""

LOOK_S = 1.0


async def dump(url: str, file: Path, find: FindTool, told: Callable[[int], None]) -> None:
    """Write a dump to a new file that only its owner may read; `told` gets its bytes, about once a second.

    Raises BackupFailed, LedgerUnavailable.
    """
    part = _begun(file)
    try:
        tool = find("pg_dump", await _server_major(url))
        await _run(url, tool, "--format=custom", f"--file={part}", told=lambda: told(part.stat().st_size))
        _finished(part, file)
    finally:
        part.unlink(missing_ok=True)


def _begun(file: Path) -> Path:
    """Make the empty file that becomes `file` when it is whole. One that is there may still be written."""
    part = Path(f"{file}.part")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError as error:
        raise BackupFailed(
            f"{part} exists: another backup writes it, or was stopped. Wait for that one, or remove the file."
        ) from error
    except OSError as error:
        raise BackupFailed(f"{file} cannot be written: {error.strerror}") from error
    if os.path.lexists(file):
        part.unlink()
        raise BackupFailed(f"{file} exists. Name another file, or remove it.")
    return part


def _finished(part: Path, file: Path) -> None:
    with part.open("rb") as written:
        os.fsync(written.fileno())
    part.rename(file)


async def restore(url: str, file: Path, find: FindTool) -> None:
    """Read a dump into an empty database, all or nothing.

    Raises BackupFailed, LedgerUnavailable.
    """
    async with await _connected(url) as connection:
        cursor = await connection.execute(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        )
        if await cursor.fetchone() != (0,):
            raise BackupFailed("The database is not empty. Restore into an empty one.")
    tool = find("pg_restore", await _server_major(url))
    await _run(url, tool, "--exit-on-error", "--single-transaction", "--", str(file))


async def _server_major(url: str) -> int:
    async with await _connected(url) as connection:
        return connection.info.server_version // 10_000


async def _connected(url: str) -> AsyncConnection[Any]:
    try:
        return await AsyncConnection.connect(**parameters_of(url))
    except OperationalError as error:
        raise LedgerUnavailable(str(error)) from error


async def _run(url: str, tool: Path, *options: str, told: Callable[[], None] = lambda: None) -> None:
    """Run a tool on the database. The password is not in its arguments, which all users of the machine can read."""
    parts = parameters_of(url)
    del parts["autocommit"]
    password = parts.pop("password", None)
    secret = {} if password is None else {"PGPASSWORD": str(password)}
    process = await asyncio.create_subprocess_exec(
        tool,
        "--no-owner",
        "--no-privileges",
        f"--dbname={make_conninfo('', **parts)}",
        *options,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **secret},
    )
    says = asyncio.ensure_future(process.communicate())
    while not (await asyncio.wait([says], timeout=LOOK_S))[0]:
        told()
    if process.returncode:
        raise BackupFailed(f"{tool.name} failed: {says.result()[1].decode(errors='replace').strip()}")
