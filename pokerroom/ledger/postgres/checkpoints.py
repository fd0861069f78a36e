"""Checkpoints in PostgreSQL (`ledger.checkpoints`). Functions of `transfer_chain.sql` say what is hashed."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection
from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.checkpoints import (
    BATCH,
    OPEN_S,
    Base,
    Checkpoint,
    CheckpointKey,
    CheckpointsHeld,
    ForgedCheckpoint,
    Head,
    NewLink,
    NewLinks,
)
from pokerroom.ledger.postgres.calls import PostgresCalls

WRITER_LOCK: Final = 0x706F_6B65_7201
"""The advisory lock of the node that writes a checkpoint ("poker" in ASCII, 1)."""

LINES: Final = 200
"""Lines of a table that are in memory together."""

CHECKPOINTS: Final = 10
"""Checkpoints that are in memory together: one has a line for each of its streams."""

_CAME_AFTER: Final = {
    "transfers": "id > {complete_to}",
    "ledger_accounts": "id IN (SELECT ledger_account FROM legs WHERE transfer > {complete_to})",
    "legs": "transfer > {complete_to}",
    "hands": "transfer > {complete_to}",
    "rounds": "transfer > {complete_to}",
    "round_stakes": "round IN (SELECT round FROM round_ends WHERE transfer > {complete_to})",
    "round_ends": "transfer > {complete_to}",
    "retention": "true",
    # from the last line before the part: lines may be older than the checkpoint that has signed them
    "operator_log": "n >= coalesce((SELECT n FROM operator_log WHERE n <= {log_n} AND at_ms <= ("
    "SELECT extract(epoch FROM created) * 1000 FROM transfers WHERE id <= {after} ORDER BY id DESC LIMIT 1)"
    " ORDER BY n DESC LIMIT 1), 0)",
    "chain_links": "transfer IN (SELECT link.transfer FROM"
    " (SELECT stream, min(n) AS n FROM chain_links WHERE transfer > {complete_to} GROUP BY stream) AS lowest"
    " JOIN chain_links AS link ON link.stream = lowest.stream AND link.n >= lowest.n - 1)",
    "checkpoints": "number >= {first}",
}
"""Which rows of a table came after a checkpoint; see `verify`."""


class Complete:
    """Up to which transfer none can appear any more: one that is not there was in a transaction that has ended.

    What was the last transfer `open_s` seconds ago is known by this process's own clock. The clock of the database may
    have been set meanwhile; it is asked once, when nothing is known yet.
    """

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()
        self._to: int | None = None

    async def to(self, connection: AsyncConnection[Any], open_s: int, before: int | None) -> int:
        """Return the number of that transfer, at least `before`, that of the last checkpoint; 0 for none.

        Without a checkpoint (None) all is asked again: this may be another database. Raises `ForgedCheckpoint` if there
        is no transfer of the number `before`.
        """
        if before is None:
            self._seen.clear()
            self._to = None
        found = await (
            await connection.execute(
                "SELECT coalesce((SELECT max(id) FROM transfers), 0),"
                " CASE WHEN %s THEN transfers_complete_to(%s) ELSE 0 END",
                [self._to is None, open_s],
            )
        ).fetchone()
        assert found is not None
        if before is not None and before > found[0]:
            raise ForgedCheckpoint(f"the last checkpoint is of transfer {before}, and there are {found[0]}")
        self._to = max(before or 0, int(found[1]) if self._to is None else self._to)
        now_s = time.monotonic()
        self._seen.append((now_s, found[0]))
        while self._seen and self._seen[0][0] <= now_s - open_s:
            self._to = max(self._to, self._seen.popleft()[1])
        return self._to


class PostgresCheckpoints(PostgresCalls):
    """`CheckpointLedger` over the connections of a ledger."""

    def __init__(self, url: str, owner_url: str | None = None, *, wait_s: float = 5.0) -> None:
        super().__init__(url, owner_url, wait_s=wait_s)
        self._complete = Complete()

    def write_checkpoint(self, key: CheckpointKey, *, open_s: int = OPEN_S) -> Deferred[Checkpoint | None]:

        async def write() -> Checkpoint | None:
            async with self._pool.connection() as connection, connection.transaction():
                return await written_checkpoint(connection, key, self._complete, open_s)

        return deferred(self._translated(write))

    def checkpoints(self, after: int, at_most: int) -> Deferred[list[Checkpoint]]:

        async def read() -> list[Checkpoint]:
            rows = await self._rows(
                "SELECT number, body, signature FROM checkpoints WHERE number > %s ORDER BY number LIMIT %s",
                after,
                at_most,
            )
            return [Checkpoint(number=number, body=body, signature=signed) for number, body, signed in rows]

        return deferred(read())

    @asynccontextmanager
    async def copies(self) -> AsyncIterator[PostgresCopies]:
        """See `CheckpointLedger.copies`."""
        try:
            async with self._pool.connection() as connection, connection.transaction():
                await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                await connection.execute("SET LOCAL datestyle = ISO")
                yield PostgresCopies(connection)
        except (psycopg.OperationalError, psycopg.InterfaceError) as lost:
            raise LedgerUnavailable(f"the database cannot be reached: {lost}") from lost


async def written_checkpoint(
    connection: AsyncConnection[Any], key: CheckpointKey, complete: Complete, open_s: int
) -> Checkpoint | None:
    """Write the next checkpoint in the transaction of this connection; see `CheckpointLedger.write_checkpoint`."""

    async def rows(query: str, *values: Any) -> list[tuple[Any, ...]]:
        return await (await connection.execute(query.encode(), values)).fetchall()

    ((is_mine,),) = await rows("SELECT pg_try_advisory_xact_lock(%s)", WRITER_LOCK)
    if not is_mine:
        raise CheckpointsHeld("another session holds the lock of the node that writes checkpoints")
    last = await rows("SELECT number, body, signature FROM checkpoints ORDER BY number DESC LIMIT 1")
    before = Checkpoint(number=last[0][0], body=last[0][1], signature=last[0][2]) if last else None
    linked_to, logged, by_earlier = (0, None, False) if before is None else key.continues(before)
    if by_earlier and await rows("SELECT FROM checkpoints WHERE body LIKE %s LIMIT 1", f'%"{key.key_id}"%'):
        raise ForgedCheckpoint("the last checkpoint in the database is signed with a key that was replaced")
    # asked first: what appears between the two questions has a higher number, or is linked now
    complete_to = await complete.to(connection, open_s, None if before is None else linked_to)
    found = await connection.execute(
        "SELECT transfer, stream, content, sealed FROM transfers_to_link(%s, %s)",
        [linked_to, BATCH],
        binary=True,
    )
    links = [NewLink._make(row) for row in await found.fetchall()]
    ((n, log_hash),) = await rows("SELECT n, hash FROM operator_log_head")
    if not links and log_hash.hex() == logged:
        return None
    heads = await rows(
        "SELECT stream, n, hash FROM unnest(%s::text[]) AS stream, LATERAL ("
        " SELECT n, hash FROM chain_links WHERE chain_links.stream = stream.stream ORDER BY n DESC LIMIT 1) AS head",
        list({link.stream for link in links}),
    )
    if len(links) == BATCH:
        complete_to = max(linked_to, min(complete_to, links[-1].transfer))
    batch = NewLinks(heads={stream: Head(n=n, hash=head_hash) for stream, n, head_hash in heads})
    number = 1 if before is None else before.number + 1

    def signed() -> tuple[Checkpoint, str]:
        batch.add(links)
        body = batch.body(
            number=number,
            at_ms=time.time_ns() // 1_000_000,
            key=key.key_id,
            before=before,
            complete_to=complete_to,
            log_head=(n, log_hash),
        )
        return Checkpoint(number=number, body=body, signature=key.sign(body)), batch.rows()

    made, new_links = await asyncio.to_thread(signed)  # some milliseconds of hashing
    async with connection.cursor().copy(
        "COPY chain_links (transfer, stream, n, sealed, hash) FROM STDIN"
    ) as copied:
        await copied.write(new_links)
    await connection.execute(
        "INSERT INTO checkpoints VALUES (%s, %s, %s)", [made.number, made.body, made.signature]
    )
    return made


class PostgresCopies:
    """`Copies` in the transaction of a connection, which must have one snapshot."""

    def __init__(self, connection: AsyncConnection[Any]) -> None:
        self._connection = connection

    async def table(
        self, name: str, columns: Sequence[str], after: Base | None = None
    ) -> AsyncIterator[list[str]]:
        where = "" if after is None else f" WHERE {_CAME_AFTER[name]}".format(**asdict(after))
        query = f"COPY (SELECT {', '.join(columns)} FROM {name}{where}) TO STDOUT"  # noqa: S608 -- of the caller's code
        lines: list[str] = []
        async with self._connection.cursor() as cursor, cursor.copy(query.encode()) as copied:
            async for line in copied:  # one row each
                lines.append(str(line, "utf-8"))
                if len(lines) == LINES:
                    yield lines
                    lines = []
        yield lines

    async def newest_first(self) -> AsyncIterator[Checkpoint]:
        async with self._connection.cursor(name="checkpoints") as rows:
            rows.itersize = CHECKPOINTS
            await rows.execute("SELECT number, body, signature FROM checkpoints ORDER BY number DESC")
            async for number, body, signature in rows:
                yield Checkpoint(number=number, body=body, signature=signature)

    async def streams(self, after: int) -> set[str]:
        rows = await self._connection.execute(
            "SELECT DISTINCT stream FROM chain_links WHERE transfer > %s", [after]
        )
        return {stream for (stream,) in await rows.fetchall()}
