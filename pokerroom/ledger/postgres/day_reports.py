"""Reports by day in PostgreSQL: see `DayReportLedger`. `schema/functions/day_reports.sql` adds the sums up."""

from __future__ import annotations

from typing import Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.api import NO_PASSWORD
from pokerroom.ledger.day_reports import (
    ActivityRow,
    PlayerTakings,
    ReportPart,
    ReportPeriod,
    TournamentTakings,
    day_text,
)
from pokerroom.ledger.postgres.calls import PostgresCalls

ACTIVITY: Final[LiteralString] = (
    "SELECT day, coalesce(players, 0), coalesce(opened, 0), coalesce(hands, 0), coalesce(tournament_hands, 0),"
    " coalesce(rounds, 0), coalesce(entries, 0)"
    " FROM generate_series(%(first)s::integer, %(last)s::integer) AS day"
    " LEFT JOIN daily_games USING (day)"
    " LEFT JOIN (SELECT day, count(*) AS players FROM daily_players JOIN accounts ON id = account"
    " WHERE day BETWEEN %(first)s AND %(last)s AND password_hash <> %(house)s"
    " AND hands + tournament_hands + rounds > 0 GROUP BY day) AS played USING (day)"
    " LEFT JOIN (SELECT day_of(created) AS day, count(*) AS opened FROM accounts"
    " WHERE created >= timestamptz 'epoch' + %(since)s * interval '1 millisecond'"
    " AND created < timestamptz 'epoch' + %(until)s * interval '1 millisecond'"
    " AND password_hash <> %(house)s GROUP BY 1) AS opened USING (day)"
    " LEFT JOIN (SELECT day, sum(entries)::bigint AS entries FROM daily_tournaments"
    " WHERE day BETWEEN %(first)s AND %(last)s GROUP BY day) AS entered USING (day)"
    " ORDER BY day DESC"
)
# The sums first: with the names in one query each row of a day would look for its account.
PLAYERS: Final[LiteralString] = (
    "SELECT account, name, hands, rake, entries, fees FROM ("
    "SELECT account, sum(hands)::bigint AS hands, sum(rake)::bigint AS rake, sum(entries)::bigint AS entries,"
    " sum(fees)::bigint AS fees FROM daily_players WHERE day BETWEEN %(first)s AND %(last)s"
    " GROUP BY account HAVING sum(rake) <> 0 OR sum(fees) <> 0"
    " ORDER BY sum(rake) + sum(fees) DESC, account LIMIT %(limit)s OFFSET %(skip)s) AS taken"
    " JOIN accounts ON id = account ORDER BY rake + fees DESC, account"
)
TOURNAMENTS: Final[LiteralString] = (
    "SELECT tournament, sum(entries)::bigint, sum(fees)::bigint FROM daily_tournaments"
    " WHERE day BETWEEN %(first)s AND %(last)s"
    " GROUP BY tournament HAVING sum(entries) <> 0 OR sum(fees) <> 0"
    ' ORDER BY sum(fees) DESC, tournament COLLATE "C" LIMIT %(limit)s OFFSET %(skip)s'
)


class PostgresDayReports(PostgresCalls):
    """`DayReportLedger` over the connections of a ledger."""

    def activity(self, period: ReportPeriod) -> Deferred[list[ActivityRow]]:
        first, last = period.days

        async def found() -> list[ActivityRow]:
            rows = await self._report(
                ACTIVITY,
                first=first,
                last=last,
                since=period.since_ms,
                until=period.until_ms,
                house=NO_PASSWORD,
            )
            return [
                ActivityRow(
                    day=day_text(day),
                    players=players,
                    new_accounts=opened,
                    hands=hands,
                    tournament_hands=tournament_hands,
                    rounds=rounds,
                    entries=entries,
                )
                for day, players, opened, hands, tournament_hands, rounds, entries in rows
            ]

        return deferred(found())

    def player_takings(self, period: ReportPeriod, part: ReportPart) -> Deferred[list[PlayerTakings]]:
        first, last = period.days

        async def found() -> list[PlayerTakings]:
            rows = await self._report(PLAYERS, first=first, last=last, limit=part.limit, skip=part.skip)
            return [
                PlayerTakings(
                    account=account,
                    name=name,
                    hands=hands,
                    rake=Money(rake),
                    entries=entries,
                    fees=Money(fees),
                )
                for account, name, hands, rake, entries, fees in rows
            ]

        return deferred(found())

    def tournament_takings(self, period: ReportPeriod, part: ReportPart) -> Deferred[list[TournamentTakings]]:
        first, last = period.days

        async def found() -> list[TournamentTakings]:
            rows = await self._report(TOURNAMENTS, first=first, last=last, limit=part.limit, skip=part.skip)
            return [
                TournamentTakings(tournament=tournament, entries=entries, fees=Money(fees))
                for tournament, entries, fees in rows
            ]

        return deferred(found())
