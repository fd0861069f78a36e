"""Reports of the rake in PostgreSQL: see `RakeLedger`."""

from __future__ import annotations

from typing import Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.day_reports import ReportPart
from pokerroom.ledger.postgres.calls import PostgresCalls
from pokerroom.ledger.rake import ALL_LINES, RakeRow

RAKE: Final[LiteralString] = (
    "SELECT CASE WHEN %(whole)s THEN '' ELSE to_char(ended AT TIME ZONE 'UTC', 'YYYY-MM-DD') END, table_id,"
    " count(*), sum(rake)::bigint FROM hands WHERE rake > 0"
    " AND ended >= timestamptz 'epoch' + %(since)s * interval '1 millisecond'"
    " AND ended < timestamptz 'epoch' + %(until)s * interval '1 millisecond'"
    " AND (%(table)s::text IS NULL OR table_id = %(table)s)"
    ' GROUP BY 1, 2 ORDER BY 1, table_id COLLATE "C" LIMIT %(limit)s OFFSET %(skip)s'
)


class PostgresRake(PostgresCalls):
    """A `RakeLedger`."""

    def rake_by_day(
        self,
        since_ms: int,
        until_ms: int,
        *,
        table: str | None = None,
        whole: bool = False,
        part: ReportPart = ALL_LINES,
    ) -> Deferred[list[RakeRow]]:

        async def summed() -> list[RakeRow]:
            rows = await self._report(
                RAKE,
                since=since_ms,
                until=until_ms,
                table=table,
                whole=whole,
                limit=part.limit,
                skip=part.skip,
            )
            return [
                RakeRow(day=day, table=at, hands=hands, rake=Money(rake)) for day, at, hands, rake in rows
            ]

        return deferred(summed())
