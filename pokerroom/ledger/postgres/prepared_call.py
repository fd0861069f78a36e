"""One statement on a connection of its own: prepared once, and called again and again, one call at a time.

A cursor of psycopg waits for each answer with a timer, two locks and two changes of what the event loop watches, which
costs more than the call itself. Here the loop watches the connection as long as it is open. Knows no statement.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from struct import pack
from typing import Any, Final, LiteralString, Self

import psycopg
from psycopg import AsyncConnection
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

from pokerroom.ledger.postgres.calls import configure

_TEXT_OID: Final = 25
_BYTEA_OID: Final = 17
_NAME: Final = b"call"

Value = tuple[bytes, Format]
"""An argument as the database reads it."""


class PreparedCall:
    """See the module. `open` makes it; after an error of the connection it is of no more use but to be closed."""

    def __init__(self, connection: AsyncConnection[Any]) -> None:
        self._connection = connection
        self._libpq = connection.pgconn
        self._descriptor = connection.fileno()
        self._loop = asyncio.get_running_loop()
        self._answers: list[PGresult] = []
        self._asked: asyncio.Future[None] | None = None
        self.lost = False
        """Whether the connection has broken, perhaps between two calls."""
        self._loop.add_reader(self._descriptor, self._readable)

    @classmethod
    async def open(cls, parameters: Mapping[str, Any], statement: LiteralString) -> Self:
        """Connect, and prepare a statement with the parameters $1, $2 and so on."""
        connection = await AsyncConnection.connect(**parameters)
        try:
            await configure(connection)
            await connection.execute(f"PREPARE {_NAME.decode()} AS {statement}")
        except BaseException:
            await connection.close()
            raise
        return cls(connection)

    def call(self, values: Sequence[Value]) -> asyncio.Future[None]:
        """Call the statement; its rows are not read. Fails with the error of psycopg, as a cursor does."""
        assert self._asked is None, "one call at a time"
        self._asked = asked = self._loop.create_future()
        self._answers = []
        try:
            self._libpq.send_query_prepared(
                _NAME, [value for value, _ in values], param_formats=[form for _, form in values]
            )
            if self._libpq.flush():
                self._loop.add_writer(self._descriptor, self._writable)
        except psycopg.Error as error:
            self._broken(error)
        return asked

    async def close(self) -> None:
        """Close the connection. The call in progress fails; its outcome is unknown."""
        self._broken(psycopg.OperationalError("the connection is closed"))
        await self._connection.close()

    def _writable(self) -> None:
        try:
            if not self._libpq.flush():
                self._loop.remove_writer(self._descriptor)
        except psycopg.Error as error:
            self._broken(error)

    def _readable(self) -> None:
        try:
            self._libpq.consume_input()
            while not self._libpq.is_busy():
                answer = self._libpq.get_result()
                if answer is None:
                    self._answered()
                    return
                self._answers.append(answer)
        except psycopg.Error as error:
            self._broken(error)

    def _answered(self) -> None:
        asked, self._asked = self._asked, None
        if asked is None or asked.done():
            return  # a notice of the server, or the caller has given up
        refusal = self._refusal()
        if refusal is None:
            asked.set_result(None)
        else:
            asked.set_exception(refusal)

    def _refusal(self) -> psycopg.Error | None:
        """What the server has answered instead of rows. It may come behind them: it commits last."""
        for answer in self._answers:
            if answer.status == ExecStatus.FATAL_ERROR:
                return error_from_result(answer)
        return None

    def _broken(self, error: psycopg.Error) -> None:
        if not self.lost:
            self.lost = True
            self._loop.remove_reader(self._descriptor)
            self._loop.remove_writer(self._descriptor)
        asked, self._asked = self._asked, None
        if asked is not None and not asked.done():
            # the server may have told why it ends the connection
            asked.set_exception(self._refusal() or error)


def numbers(values: Sequence[int]) -> Value:
    """An array of integers or booleans."""
    return f"{{{','.join(map(str, values))}}}".encode(), Format.TEXT


def texts(values: Sequence[str]) -> Value:
    """An array of texts."""
    return _array(_TEXT_OID, [value.encode() for value in values])


def binaries(values: Sequence[bytes]) -> Value:
    """An array of `bytea`."""
    return _array(_BYTEA_OID, values)


def _array(oid: int, items: Sequence[bytes]) -> Value:
    """The form in which the server sends and receives arrays: dimensions, nulls, type, length and first index."""
    parts = [pack(">iiIii", 1, 0, oid, len(items), 1)]
    for item in items:
        parts += (pack(">i", len(item)), item)
    return b"".join(parts), Format.BINARY
