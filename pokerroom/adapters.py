"""PostgreSQL and Redis for the commands of an operator, open for as long as a command runs.

With `app`, which builds a node, this is the composition root: no other module imports the adapters.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from twisted.internet.task import Clock

from pokerroom.coordination.api import Journal
from pokerroom.coordination.redis.client import redis_client
from pokerroom.coordination.redis.journal import RedisJournal
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


@asynccontextmanager
async def opened_journal(url: str) -> AsyncIterator[Journal]:
    """The journal in this Redis, to be read and never written. Raises `UnusableAddress`."""
    client = redis_client(url)
    try:
        yield RedisJournal(client, Clock(), sealed=lambda _: None)  # only writing asks for the time
    finally:
        await client.aclose()
