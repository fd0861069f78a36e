"""Leagues in PostgreSQL: see `LeagueLedger`. The function is in `schema/functions/leagues.sql`."""

from __future__ import annotations

from collections.abc import Sequence

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.leagues import ROWS_MAX, LeagueQuery, LeagueRow
from pokerroom.ledger.postgres.calls import PostgresCalls


class PostgresLeagues(PostgresCalls):
    """`LeagueLedger` over the connections of a ledger."""

    def league_rows(self, query: LeagueQuery) -> Deferred[Sequence[LeagueRow]]:

        async def found() -> Sequence[LeagueRow]:
            rows = await self._rows(
                "SELECT * FROM league_rows(%s::text[], %s, %s, %s, %s, %s)",
                list(query.offers),
                query.from_ms,
                query.until_ms,
                query.score,
                query.best,
                ROWS_MAX,
            )
            return [
                LeagueRow(
                    account=account,
                    name=name,
                    score=score,
                    played=played,
                    counted=counted,
                    wins=wins,
                    reached_ms=reached_ms,
                )
                for account, name, score, played, counted, wins, reached_ms in rows
            ]

        return deferred(found())
