"""Reports of the rake in PostgreSQL: see `RakeLedger`."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.postgres.calls import PostgresCalls
from pokerroom.ledger.rake import RakeRow
from pokerroom.ops.bridge import deferred


class PostgresRake(PostgresCalls):
    """A `RakeLedger`."""

    def rake_by_day(self, since_ms: int, until_ms: int) -> Deferred[list[RakeRow]]:

        async def summed() -> list[RakeRow]:
            rows = await self._rows(
                "SELECT to_char(ended AT TIME ZONE 'UTC', 'YYYY-MM-DD'), table_id, count(*), sum(rake)::bigint"
                " FROM hands WHERE rake > 0"
                " AND ended >= timestamptz 'epoch' + %s * interval '1 millisecond'"
                " AND ended < timestamptz 'epoch' + %s * interval '1 millisecond'"
                ' GROUP BY 1, 2 ORDER BY 1, table_id COLLATE "C"',
                since_ms,
                until_ms,
            )
            return [
                RakeRow(day=day, table=table, hands=hands, rake=Money(rake))
                for day, table, hands, rake in rows
            ]

        return deferred(summed())
