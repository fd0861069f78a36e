"""PostgreSQL and Redis for the commands of an operator, open for as long as a command runs.

With `app`, which builds a node, this is the composition root: no other module imports the adapters.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from twisted.internet.task import Clock

from pokerroom.coordination.api import Journal
from pokerroom.coordination.redis.client import redis_client
from pokerroom.coordination.redis.journal import RedisJournal
from pokerroom.ledger.api import AuditReport, BackupFailed
from pokerroom.ledger.postgres.dump import FindTool, dump, restore
from pokerroom.ledger.postgres.ledger import PostgresLedger


@asynccontextmanager
async def opened_ledger(url: str, owner_url: str | None = None) -> AsyncIterator[PostgresLedger]:
    """The ledger in this database; the role of `owner_url` makes its tables if it is empty.

    Raises `LedgerUnavailable`, `SchemaMismatch`.
    """
    loop = asyncio.get_running_loop()
    ledger = PostgresLedger(url, owner_url)
    await ledger.open().asFuture(loop)
    try:
        yield ledger
    finally:
        await ledger.close().asFuture(loop)


async def upgraded(url: str, owner_url: str | None = None) -> list[int]:
    """Bring a database that no room uses to the schema of this build; return the migrations applied now.

    Raises `LedgerUnavailable`, `SchemaMismatch`.
    """
    return await PostgresLedger(url, owner_url).upgrade().asFuture(asyncio.get_running_loop())


async def dump_database(
    url: str, owner_url: str | None, file: Path, find: FindTool, told: Callable[[int], None]
) -> None:
    """Write a backup of the database; see `dump`. Raises what that raises."""
    await dump(owner_url or url, file, find, told)


async def restore_database(
    url: str, owner_url: str | None, redis_url: str, file: Path, find: FindTool
) -> AuditReport:
    """Read a backup into an empty database, bring it to the schema of this build, and audit it.

    Raises `BackupFailed`, and what `restore` and `upgraded` raise.
    """
    client = redis_client(redis_url)
    try:
        keys = await client.dbsize()
    except (ConnectionError, TimeoutError) as error:
        raise BackupFailed(f"Redis cannot be reached: {error}") from error
    finally:
        await client.aclose()
    if keys:
        raise BackupFailed(
            f"Redis has {keys} keys of another state of the room. Empty it (FLUSHDB), then repeat."
        )
    await restore(owner_url or url, file, find)
    await upgraded(url, owner_url)
    async with opened_ledger(url, owner_url) as ledger:
        return await ledger.audit().asFuture(asyncio.get_running_loop())


@asynccontextmanager
async def opened_journal(url: str) -> AsyncIterator[Journal]:
    """The journal in this Redis, to be read and never written. Raises `UnusableAddress`."""
    client = redis_client(url)
    try:
        yield RedisJournal(client, Clock(), sealed=lambda _: None)  # only writing asks for the time
    finally:
        await client.aclose()
