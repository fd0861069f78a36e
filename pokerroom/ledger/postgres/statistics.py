"""Statistics of players in PostgreSQL: see `StatisticsLedger`. Functions of `schema/functions/statistics.sql` add."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Final, LiteralString

from psycopg import AsyncConnection
from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.account_history import SettledHand
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.postgres.calls import PostgresCalls, array
from pokerroom.ledger.statistics import (
    BATCH,
    COUNTED,
    PART,
    STAKES_MAX,
    Counted,
    Counters,
    DayResult,
    HandTally,
    Months,
    OpponentRow,
    Stake,
    StakeStatistics,
    TournamentStatistics,
)
from pokerroom.ledger.transfers import name_key

_NEXT: Final[LiteralString] = (
    "SELECT transfer, hand_id, table_id, EXISTS (SELECT FROM tournaments WHERE id = tournament_at(table_id)),"
    " record::text"
    " FROM hands"
    " WHERE transfer > %s AND transfer <= %s ORDER BY transfer LIMIT %s"
)
PLAYER: Final[LiteralString] = (
    "WITH counted AS MATERIALIZED (SELECT * FROM player_statistics"
    " WHERE account = %(account)s AND seen = %(seen)s AND month BETWEEN %(first)s AND %(last)s)"
    " SELECT game, structure, in_chips, small_blind, big_blind, position, sum(hands), sum(vpip_chances), sum(vpip),"
    " sum(pfr), sum(three_bet_chances),"
    " sum(three_bets), sum(fold_to_three_bet_chances), sum(folds_to_three_bet), sum(c_bet_chances), sum(c_bets),"
    " sum(fold_to_c_bet_chances), sum(folds_to_c_bet), sum(bets), sum(calls), sum(flops), sum(showdowns),"
    " sum(showdowns_won), sum(all_ins), sum(won), sum(won_squared), sum(expected)"
    " FROM counted"
    " JOIN (SELECT statistics_stakes.* FROM counted JOIN statistics_stakes ON id = stake GROUP BY id"
    " ORDER BY sum(hands) DESC, game, structure, in_chips, small_blind, big_blind LIMIT %(stakes)s) AS told"
    " ON id = stake"
    " GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6"
)
# By the numbers of the players: with their names in one query the planner may read all that the account has seen.
OPPONENTS: Final[LiteralString] = (
    "SELECT seen, sum(hands), sum(vpip_chances), sum(vpip), sum(pfr) FROM player_statistics"
    " WHERE account = %(account)s AND seen = ANY(%(seen)s::bigint[])"
    " AND stake IN (SELECT id FROM statistics_stakes WHERE game = %(game)s) GROUP BY seen"
)
DAYS: Final[LiteralString] = (
    "SELECT day, sum(hands), sum(won), sum(expected) FROM daily_results"
    " WHERE account = %(account)s AND day BETWEEN %(first)s AND %(last)s GROUP BY day ORDER BY day"
)
_TOURNAMENTS: Final[LiteralString] = (
    "SELECT buy_in, sum(entries), sum(in_the_money), sum(returned)::bigint FROM tournament_statistics"
    " WHERE account = %(account)s AND month BETWEEN %(first)s AND %(last)s GROUP BY buy_in ORDER BY buy_in"
)


class PostgresStatistics(PostgresCalls):
    """`StatisticsLedger` over the connections of a ledger."""

    def count_statistics(
        self, count: Callable[[Sequence[SettledHand]], HandTally], at_most: int = BATCH
    ) -> Deferred[Counted | None]:

        async def step() -> Counted | None:
            async with self._pool.connection() as connection, connection.transaction():
                return await _counted(connection, count, at_most)

        return deferred(self._translated(step))

    def reset_statistics(self, *, by: Acting) -> Deferred[None]:
        return deferred(self._done("SELECT reset_statistics(ROW(%s, %s, %s, %s)::acting)", *by.row()))

    def player_statistics(self, account: int, seen: int, months: Months) -> Deferred[list[StakeStatistics]]:

        async def found() -> list[StakeStatistics]:
            rows = await self._rows(
                PLAYER, account=account, seen=seen, first=months.first, last=months.last, stakes=STAKES_MAX
            )
            return [StakeStatistics(Stake(*row[:5]), row[5], Counters(*map(int, row[6:]))) for row in rows]

        return deferred(found())

    def opponents(self, account: int, players: Sequence[str], game: str) -> Deferred[Sequence[OpponentRow]]:

        async def found() -> list[OpponentRow]:
            names = dict(
                await self._rows(
                    'SELECT id, name FROM accounts WHERE lower(name COLLATE "C") = ANY(%s::text[]) AND id <> %s',
                    [name_key(player) for player in players],
                    account,
                )
            )
            rows = await self._rows(OPPONENTS, account=account, seen=array(list(names)), game=game)
            return sorted(
                (OpponentRow(names[seen], *map(int, counted)) for seen, *counted in rows),
                key=lambda row: row.player,
            )

        return deferred(found())

    def daily_results(self, account: int, months: Months) -> Deferred[list[tuple[int, DayResult]]]:

        async def found() -> list[tuple[int, DayResult]]:
            first, last = months.days
            rows = await self._rows(DAYS, account=account, first=first, last=last)
            return [(day, DayResult(*map(int, results))) for day, *results in rows]

        return deferred(found())

    def tournament_statistics(self, account: int, months: Months) -> Deferred[list[TournamentStatistics]]:

        async def found() -> list[TournamentStatistics]:
            rows = await self._rows(_TOURNAMENTS, account=account, first=months.first, last=months.last)
            return [
                TournamentStatistics(Money(buy_in), entries, in_the_money, Money(returned))
                for buy_in, entries, in_the_money, returned in rows
            ]

        return deferred(found())


async def _counted(
    connection: AsyncConnection[Any], count: Callable[[Sequence[SettledHand]], HandTally], at_most: int
) -> Counted | None:
    async def rows(query: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
        return await (await connection.execute(query, values)).fetchall()

    marks = await rows("SELECT counted_to FROM statistics_mark FOR UPDATE SKIP LOCKED")
    if not marks:
        return None
    ((mark,),) = marks
    ((complete_to,),) = await rows("SELECT statistics_complete_to()")
    if complete_to is None or complete_to <= mark:
        return Counted(0, mark, more=False)
    tally, hands, to, more = HandTally(), 0, mark, True
    while more and hands < at_most:
        part = min(PART, at_most - hands)
        found = [
            SettledHand(
                number=number, hand_id=hand_id, table=table, in_chips=in_chips, record=record.encode()
            )
            for number, hand_id, table, in_chips, record in await rows(_NEXT, to, complete_to, part)
        ]
        tally.add(await asyncio.to_thread(count, found))  # an all-in is some thousand boards
        hands += len(found)
        more = len(found) == part
        to = found[-1].number if more else complete_to
    await connection.execute(
        "SELECT add_statistics(%s, %s::statistics_stakes[], %s::player_statistics[], %s::daily_results[],"
        " %s::daily_players[])",
        (to, *await asyncio.to_thread(_as_rows, tally)),
    )
    return Counted(hands - len(tally.unread), to, more=more, unread=tuple(tally.unread))


def _as_rows(tally: HandTally) -> tuple[str, str, str, str]:
    """Return the stakes of a tally, and its rows, which refer to the stakes by their place: texts of arrays of rows.

    They are in the order of their keys.
    """
    stakes = sorted({key.stake for key in tally.players})
    places = {stake: place for place, stake in enumerate(stakes, start=1)}
    named = [
        (place, stake.game, stake.structure, stake.in_chips, stake.small_blind, stake.big_blind)
        for stake, place in places.items()
    ]
    players = [
        (key.account, key.seen, key.month, places[key.stake], key.position, *_COUNTS(counters))
        for key, counters in tally.players.items()
    ]
    days = [
        (key.account, key.day, places[key.stake], result.hands, result.won, result.expected)
        for key, result in tally.days.items()
    ]
    played = [
        (key.day, key.account, hands.hands, hands.tournament_hands, 0, 0, hands.rake, 0)
        for key, hands in tally.played.items()
    ]
    return _array(named), _array(sorted(players)), _array(sorted(days)), _array(sorted(played))


_COUNTS: Final = attrgetter(*COUNTED)


def _array(rows: Sequence[tuple[object, ...]]) -> str:
    """Return the text of an array of rows. Their values are numbers, names of the rules and truth values."""
    return "{" + ",".join(f'"({",".join(map(str, row))})"' for row in rows) + "}"
