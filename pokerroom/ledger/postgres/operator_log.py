"""The operators' log in PostgreSQL: see `OperatorLog`. A trigger of the database makes the chain."""

from __future__ import annotations

from typing import Any, Final, LiteralString

from psycopg import AsyncConnection
from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.operator_log import (
    NO_HASH,
    SAME_PER_HOUR,
    Acting,
    ChainCheck,
    LoggedAct,
    LogHead,
    LogLine,
    LogQuery,
    stored_arguments,
)
from pokerroom.ledger.postgres.calls import PostgresCalls

_LINES: Final[LiteralString] = (
    "SELECT n, at_ms, who, role, reason, address, verb, subject, args::text, result, prev_hash, hash FROM operator_log"
)


class PostgresOperatorLog(PostgresCalls):
    """`OperatorLog` over the connections of a ledger."""

    def record(self, act: LoggedAct) -> Deferred[int]:
        return deferred(
            self._value("SELECT log_act(ROW(%s, %s, %s, %s)::acting, %s, %s, %s, %s)", *_values(act))
        )

    def record_rarely(self, act: LoggedAct) -> Deferred[int | None]:
        return deferred(
            self._value(
                "SELECT log_rarely(ROW(%s, %s, %s, %s)::acting, %s, %s, %s, %s, %s, %s)",
                *_values(act),
                SAME_PER_HOUR,
                act.in_all_per_hour,
            )
        )

    def log_lines(self, query: LogQuery) -> Deferred[list[LogLine]]:
        where: LiteralString = _LINES + " WHERE at_ms >= %(since_ms)s"
        if query.who is not None:
            where += " AND who = %(who)s"
        if query.verb is not None:
            where += " AND (verb = %(verb)s OR starts_with(verb, %(verb)s || '.'))"
        if query.before is not None:
            where += " AND n < %(before)s"
        if query.subject is not None:
            where += " AND subject = %(subject)s"
        if query.until_ms is not None:
            where += " AND at_ms < %(until_ms)s"
        if query.is_significant:
            where += " AND is_significant(verb, who, result)"

        async def found() -> list[LogLine]:
            rows = await self._report(
                where + " ORDER BY n DESC LIMIT %(limit)s OFFSET %(skip)s",
                since_ms=query.since_ms,
                until_ms=query.until_ms,
                who=query.who,
                verb=query.verb,
                subject=query.subject,
                before=query.before,
                limit=query.limit,
                skip=query.skip,
            )
            return [_line(row) for row in rows]

        return deferred(found())

    def log_head(self) -> Deferred[LogHead]:

        async def last() -> LogHead:
            row = await self._row("SELECT n, hash FROM operator_log_head")
            assert row is not None, "the schema has a head"
            return LogHead(n=row[0], hash=row[1])

        return deferred(last())


async def checked_chain(connection: AsyncConnection[Any]) -> ChainCheck:
    """Follows the chain in the transaction of this connection. It holds a thousand lines at a time."""
    chain = ChainCheck()
    async with connection.cursor(name="operator_log") as lines:
        lines.itersize = 1_000
        await lines.execute(_LINES + " ORDER BY n")
        async for row in lines:
            if not chain.follow(_line(row)):
                return chain
    cursor = await connection.execute("SELECT n, hash FROM operator_log_head")
    for n, last in await cursor.fetchall() or [(-1, NO_HASH)]:  # without a head nothing can follow
        chain.end(LogHead(n=n, hash=last))
    return chain


def _values(act: LoggedAct) -> tuple[str, ...]:
    return *act.by.row(), act.verb, act.subject, stored_arguments(act.arguments), act.result


def _line(row: tuple[Any, ...]) -> LogLine:
    n, at_ms, who, role, reason, address, verb, subject, arguments, result, prev_hash, own_hash = row
    return LogLine(
        n=n,
        at_ms=at_ms,
        by=Acting(who=who, role=role, reason=reason, address=address),
        verb=verb,
        subject=subject,
        arguments=arguments,
        result=result,
        prev_hash=prev_hash,
        hash=own_hash,
    )
