"""Calls to PostgreSQL: a pool of connections, retries, and errors in the terms of `ledger.api`.

psycopg uses asyncio, so every call is a coroutine inside and a Deferred outside. The module knows no query.
"""

from __future__ import annotations

import select
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, LiteralString, TypeVar

import psycopg
from psycopg import AsyncConnection, errors
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import AsyncConnectionPool
from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.api import AccountRow, LedgerUnavailable
from pokerroom.ledger.day_reports import REPORT_S, ReportTooLong
from pokerroom.ledger.postgres.constraints import meaning
from pokerroom.ledger.postgres.migrations import migrate, owns_tables, program_name

T = TypeVar("T")

ATTEMPTS_MAX: Final = 5
"""The number of attempts for a transaction that fails by a deadlock or a serialization error."""

CONNECTIONS_MAX: Final = 8
"""The size of the pool."""

AT_HAND_MAX: Final = 2
"""Connections of the pool that stay at hand for single statements; transactions have the others. To take one out and to
put it back costs a fifth of a call.
"""

REPORT_TIME: Final = f"SET LOCAL statement_timeout = '{REPORT_S}s'"
"""Before a report: the database ends it by itself."""

CONNECTION_DEFAULTS: Final[dict[str, Any]] = {
    "client_encoding": "utf8",
    "connect_timeout": 5,
    # If the server vanishes without closing the connection, calls must fail with LedgerUnavailable in time.
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""Parameters of every connection, unless the URL sets them."""


async def _check(connection: AsyncConnection[Any]) -> None:
    """Test a connection on which something has arrived while it was idle: the end of it, as a rule."""
    if _has_heard(connection):
        await AsyncConnectionPool.check_connection(connection)


def _has_heard(connection: AsyncConnection[Any]) -> bool:
    heard = select.poll()
    heard.register(connection.fileno(), select.POLLIN)
    return bool(heard.poll(0))


async def configure(connection: AsyncConnection[Any]) -> None:
    """Set what holds for each connection of the room: to compile a query takes longer than any of them."""
    await connection.execute("SET jit = off")
    await connection.commit()


class PostgresCalls:
    """Connections to one database, named by a URL or a connection string.

    `owner_url` names the role that owns the tables: it makes and upgrades them, and is used for nothing else. Without
    it the role of `url` does that.
    """

    def __init__(self, url: str, owner_url: str | None = None, *, wait_s: float = 5.0) -> None:
        self._parameters = parameters_of(url)
        self._owner_parameters = None if owner_url is None else parameters_of(owner_url)
        self.owns_tables = False
        """Whether the role of `url` can change the schema; known when the ledger is open."""
        self._pool: AsyncConnectionPool[AsyncConnection[Any]] = AsyncConnectionPool(
            kwargs=self._parameters,
            min_size=1,
            max_size=CONNECTIONS_MAX,
            timeout=wait_s,
            open=False,
            configure=configure,
            check=_check,  # after a restart of the server no call gets a dead connection
        )
        self._at_hand: list[AsyncConnection[Any]] = []

    # --- lifecycle ------------------------------------------------------------------------------------------

    def open(self) -> Deferred[None]:
        """Makes the tables of an empty database and opens the pool. Raises LedgerUnavailable, SchemaMismatch."""
        return deferred(self._translated(self._open))

    def upgrade(self) -> Deferred[list[int]]:
        """Brings the database to the schema of this build; returns the versions of the migrations applied now.

        Raises LedgerUnavailable, and SchemaMismatch also while programs of a room are connected.
        """
        return deferred(self._translated(self._upgrade))

    def close(self) -> Deferred[None]:
        """Closes every connection. No call may be in progress."""
        return deferred(self._close())

    async def _open(self) -> None:
        await self._migrate(upgrades=False)
        async with await AsyncConnection.connect(**self._parameters) as connection:
            self.owns_tables = await owns_tables(connection)
        await self._pool.open(wait=True)

    async def _upgrade(self) -> list[int]:
        return await self._migrate(upgrades=True)

    async def _migrate(self, *, upgrades: bool) -> list[int]:
        room = None
        if self._owner_parameters is not None:
            async with await AsyncConnection.connect(**self._parameters) as connection:
                cursor = await connection.execute("SELECT current_user::text")
                (room,) = await cursor.fetchone() or (None,)
        async with await AsyncConnection.connect(**(self._owner_parameters or self._parameters)) as owner:
            return await migrate(owner, room=room, upgrades=upgrades)

    async def _close(self) -> None:
        while self._at_hand:
            await self._pool.putconn(self._at_hand.pop())
        await self._pool.close()

    # --- how every call is made -----------------------------------------------------------------------------

    async def _rows(self, query: LiteralString, *values: Any, **named: Any) -> list[tuple[Any, ...]]:
        async def once() -> list[tuple[Any, ...]]:
            connection = await self._connection()
            try:
                cursor = await connection.execute(query, named or values or None)
                told = cursor.pgresult
                rows = await cursor.fetchall() if told is not None and told.nfields else []
            except BaseException:
                await self._pool.putconn(connection)  # it looks whether the connection is still good
                raise
            if len(self._at_hand) < AT_HAND_MAX:
                self._at_hand.append(connection)
            else:
                await self._pool.putconn(connection)
            return rows

        return await self._translated(once)

    async def _connection(self) -> AsyncConnection[Any]:
        """Return a connection for a statement: it commits by itself, so one that is at hand is as it was."""
        while self._at_hand:
            connection = self._at_hand.pop()
            if not _has_heard(connection):
                return connection
            await self._pool.putconn(connection)
        return await self._pool.getconn()

    async def _report(self, query: LiteralString, **named: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query that may be long. Raises `ReportTooLong`: the database ends it by itself."""

        async def once() -> list[tuple[Any, ...]]:
            async with self._pool.connection() as connection, connection.transaction():
                await connection.execute(REPORT_TIME)
                try:
                    return await (await connection.execute(query, named)).fetchall()
                except errors.QueryCanceled as late:
                    raise ReportTooLong("the report takes too long") from late

        return await self._translated(once)

    async def _row(self, query: LiteralString, *values: Any, **named: Any) -> tuple[Any, ...] | None:
        rows = await self._rows(query, *values, **named)
        return rows[0] if rows else None

    async def _value(self, query: LiteralString, *values: Any) -> Any:
        row = await self._row(query, *values)
        assert row is not None, "a function returns a row"
        return row[0]

    async def _done(self, query: LiteralString, *values: Any) -> None:
        await self._rows(query, *values)

    async def _account(self, query: LiteralString, *values: Any, **named: Any) -> AccountRow | None:
        row = await self._row(query, *values, **named)
        return None if row is None else AccountRow(account=row[0], name=row[1], password_hash=row[2])

    async def _translated(self, work: Callable[[], Awaitable[T]]) -> T:
        """Runs `work`, repeats it after a deadlock, and translates errors of psycopg into those of `ledger.api`."""
        for attempt in range(1, ATTEMPTS_MAX + 1):
            try:
                return await work()
            except (errors.SerializationFailure, errors.DeadlockDetected) as lost:
                if attempt == ATTEMPTS_MAX:
                    raise LedgerUnavailable("the transaction lost to others (deadlocks) too often") from lost
            except (psycopg.OperationalError, psycopg.InterfaceError, errors.ReadOnlySqlTransaction) as lost:
                raise LedgerUnavailable(f"the database cannot be reached: {lost}") from lost
            except psycopg.IntegrityError as refused:
                raise meaning(refused) from refused
        raise AssertionError("unreachable: the last attempt returns or raises")


def parameters_of(url: str) -> dict[str, Any]:
    """Return the parameters of a connection to this database. Raises LedgerUnavailable for an address that is none.

    A name of the program in the URL comes behind the room's: an upgrade finds rooms by it.
    """
    try:
        named = conninfo_to_dict(url)
    except psycopg.ProgrammingError:  # it quotes what it cannot read, which may be a password
        raise LedgerUnavailable(
            "the address of the database is neither a URL nor a connection string"
        ) from None
    given = named.get("application_name")
    name = f"{program_name()}:{given}" if given else program_name()
    return {**CONNECTION_DEFAULTS, **named, "application_name": name, "autocommit": True}


def array(values: Sequence[int]) -> str:
    """An array literal of integers or booleans. It is much cheaper than the adaptation of lists by psycopg."""
    return "{" + ",".join(map(str, values)) + "}"
