"""Histories and settings of accounts in PostgreSQL: see `AccountHistoryLedger`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.account_history import (
    AccountTransfer,
    HandPage,
    HandQuery,
    PlayedGame,
    PlayedHand,
    PlayedRound,
    PlayedRoundRecord,
    PlayedTournament,
    SettingValue,
    SettledHand,
)
from pokerroom.ledger.archives import archived
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.postgres.calls import PostgresCalls, array

# Only numbers, from the ends of two indexes; a second query looks up their rows. In one query the planner may read all
# hands of the ledger, because it does not know how few are needed. A test looks at the plans of both.
NUMBERS: Final[LiteralString] = (
    "(SELECT hand, 'hand' FROM hand_players WHERE account = %(account)s AND hand < %(before)s"
    " ORDER BY hand DESC LIMIT %(limit)s) UNION ALL"
    " (SELECT number, CASE WHEN round IS NULL THEN 'tournament' ELSE 'round' END FROM account_history"
    " WHERE account = %(account)s AND number < %(before)s ORDER BY number DESC LIMIT %(limit)s)"
    " ORDER BY 1 DESC LIMIT %(limit)s"
)
HANDS: Final[LiteralString] = (
    "SELECT hands.transfer, hand_id, table_id, (extract(epoch FROM ended) * 1000)::bigint, delta,"
    " EXISTS (SELECT FROM tournaments WHERE id = tournament_at(table_id)), record::text"
    " FROM hands JOIN hand_players ON hand = hands.transfer WHERE account = %(account)s"
)
# Numbers first, as above, between two bounds; table and times leave hands out afterwards. There is no index of tables,
# because each hand would pay for it: a page of a cash table goes over the hands of other tables between its own.
NUMBERS_OF_ACCOUNT: Final[LiteralString] = (
    "SELECT hand FROM hand_players WHERE account = %(account)s AND hand > %(after)s AND hand < %(end)s"
    " ORDER BY hand LIMIT %(limit)s"
)
NUMBERS_OF_TABLE: Final[LiteralString] = (
    "SELECT transfer FROM hands WHERE (table_id = %(table)s"
    " OR starts_with(table_id, %(table)s || '-') AND tournament_at(table_id) = %(table)s)"
    " AND transfer > %(after)s AND transfer < %(end)s ORDER BY transfer LIMIT %(limit)s"
)
_NUMBERS_OF_ALL: Final[LiteralString] = (
    "SELECT transfer FROM hands WHERE transfer > %(after)s AND transfer < %(end)s ORDER BY transfer LIMIT %(limit)s"
)
BOUNDS: Final[LiteralString] = "SELECT * FROM hand_numbers(%(account)s, %(table)s, %(since)s, %(until)s)"
SETTLED: Final[LiteralString] = (
    "SELECT transfer, hand_id, table_id, EXISTS (SELECT FROM tournaments WHERE id = tournament_at(table_id)),"
    " record::text"
    " FROM hands WHERE transfer = ANY(%(numbers)s::bigint[])"
    " AND ended >= timestamptz 'epoch' + %(since)s * interval '1 millisecond'"
    " AND (%(until)s::bigint IS NULL OR ended < timestamptz 'epoch' + %(until)s::bigint * interval '1 millisecond')"
    " AND (%(table)s::text IS NULL OR table_id = %(table)s"
    " OR starts_with(table_id, %(table)s || '-') AND tournament_at(table_id) = %(table)s)"
    " ORDER BY transfer LIMIT %(limit)s"
)
EXAMINED: Final = 2_000
"""Hands of an account that a page looks at, where the table or the time may leave most of them out."""
_ROUNDS: Final[LiteralString] = (
    "SELECT entry.number, round_id, table_id, (extract(epoch FROM started) * 1000)::bigint,"
    " (extract(epoch FROM round_ends.ended) * 1000)::bigint, staked, tipped, round_players.paid, void, record::text"
    " FROM account_history AS entry JOIN rounds ON rounds.transfer = entry.round"
    " JOIN round_ends ON round_ends.round = entry.round"
    " JOIN round_players ON round_players.round = entry.round AND round_players.account = entry.account"
    " WHERE entry.account = %(account)s"
)
_TOURNAMENTS: Final[LiteralString] = (
    "SELECT entry.number, entry.tournament, (extract(epoch FROM entry.ended) * 1000)::bigint, stake,"
    " CASE WHEN phase = 'rolled_back' THEN stake"
    " ELSE given.prize + bounties_won(entry.tournament, entry.account) END,"
    " CASE WHEN phase = 'rolled_back' THEN NULL ELSE given.place END"
    " FROM account_history AS entry JOIN tournaments ON tournaments.id = entry.tournament"
    " CROSS JOIN LATERAL paid_into(entry.tournament, entry.account) AS stake"
    " LEFT JOIN tournament_places AS given"
    " ON given.tournament = entry.tournament AND given.account = entry.account"
    " WHERE entry.account = %(account)s"
)
_AMONG: Final[LiteralString] = " AND entry.number = ANY(%(numbers)s::bigint[])"

TRANSFERS: Final[LiteralString] = (
    "SELECT number, kind, key, (extract(epoch FROM created) * 1000)::bigint, wallet, tickets,"
    " (SELECT code FROM legs JOIN ledger_accounts ON id = ledger_account WHERE transfer = number"
    " AND sign(amount) = -sign(CASE WHEN wallet = 0 THEN tickets ELSE wallet END)"
    ' ORDER BY abs(amount) DESC, code COLLATE "C" LIMIT 1)'
    " FROM (SELECT transfer AS number FROM account_transfers WHERE account = %(account)s AND transfer < %(before)s"
    " ORDER BY transfer DESC LIMIT %(limit)s) AS page"
    " CROSS JOIN LATERAL (SELECT kind, key, created FROM transfers WHERE id = number OFFSET 0) AS booked"
    " CROSS JOIN (SELECT max(id) FILTER (WHERE kind = 'wallet') AS of_wallet,"
    " max(id) FILTER (WHERE kind = 'tickets') AS of_tickets FROM ledger_accounts"
    " WHERE code IN ('wallet:' || %(account)s::bigint, 'tickets:' || %(account)s::bigint)) AS own"
    " CROSS JOIN LATERAL (SELECT coalesce((SELECT amount FROM legs WHERE transfer = number"
    " AND ledger_account = of_wallet), 0) AS wallet, coalesce((SELECT amount FROM legs WHERE transfer = number"
    " AND ledger_account = of_tickets), 0) AS tickets) AS moved ORDER BY number DESC"
)

_NO_LIMIT: Final = 2**63 - 1


class PostgresAccountHistory(PostgresCalls):
    """`AccountHistoryLedger` over the connections of a ledger."""

    def account_history(self, account: int, before: int | None, limit: int) -> Deferred[Sequence[PlayedGame]]:
        page = {"account": account, "before": _NO_LIMIT if before is None else before, "limit": limit}

        async def found() -> Sequence[PlayedGame]:
            numbers: dict[str, list[int]] = {"hand": [], "round": [], "tournament": []}
            for number, kind in await self._rows(NUMBERS, **page):
                numbers[kind].append(number)
            entries: list[PlayedGame] = []
            if hands := numbers["hand"]:
                among = HANDS + " AND hands.transfer = ANY(%(numbers)s::bigint[])"
                entries += _hands(await self._rows(among, account=account, numbers=array(hands)))
            if rounds := numbers["round"]:
                rows = await self._rows(_ROUNDS + _AMONG, account=account, numbers=array(rounds))
                entries += [_round(row) for row in rows]
            if tournaments := numbers["tournament"]:
                rows = await self._rows(_TOURNAMENTS + _AMONG, account=account, numbers=array(tournaments))
                entries += _tournaments(rows)
            return sorted(entries, key=lambda entry: -entry.number)

        return deferred(found())

    def account_transfers(
        self, account: int, before: int | None, limit: int
    ) -> Deferred[Sequence[AccountTransfer]]:

        async def found() -> Sequence[AccountTransfer]:
            end = _NO_LIMIT if before is None else before
            return [
                AccountTransfer(
                    number=number,
                    kind=kind,
                    key=key,
                    at_ms=at_ms,
                    wallet=wallet,
                    tickets=tickets,
                    other=other,
                )
                for number, kind, key, at_ms, wallet, tickets, other in await self._report(
                    TRANSFERS, account=account, before=end, limit=limit
                )
            ]

        return deferred(found())

    def hand_of(self, account: int, hand_id: str) -> Deferred[PlayedHand | None]:

        async def found() -> PlayedHand | None:
            rows = await self._rows(HANDS + " AND hand_id = %(hand_id)s", account=account, hand_id=hand_id)
            return next(_hands(rows), None)

        return deferred(found())

    def read_hand(self, hand_id: str, *, by: Acting) -> Deferred[bytes | None]:

        async def read() -> bytes | None:
            text = await self._value("SELECT read_hand(%s, ROW(%s, %s, %s, %s)::acting)", hand_id, *by.row())
            return None if text is None else text.encode()

        return deferred(read())

    def hands_page(self, query: HandQuery, after: int, limit: int) -> Deferred[HandPage]:
        wanted = {"account": query.account, "table": query.table}
        when = {"since": query.since_ms, "until": query.until_ms}

        async def page() -> HandPage:
            numbers, examined = _NUMBERS_OF_ALL if query.table is None else NUMBERS_OF_TABLE, limit
            if query.account is not None:
                numbers = NUMBERS_OF_ACCOUNT
                examined = limit if query.table is None else max(limit, EXAMINED)
            ((before, end),) = await self._rows(BOUNDS, **wanted, **when)
            begin = max(after, before)
            asked = await self._rows(numbers, **wanted, after=begin, end=end, limit=examined)
            found = [number for (number,) in asked]
            rows = await self._rows(SETTLED, **wanted, **when, numbers=array(found), limit=limit)
            hands = [
                SettledHand(
                    number=number, hand_id=hand_id, table=table, in_chips=in_chips, record=record.encode()
                )
                for number, hand_id, table, in_chips, record in rows
            ]
            if len(hands) == limit < examined:
                return HandPage(hands=hands, after=hands[-1].number)
            return HandPage(hands=hands, after=found[-1] if len(found) == examined else None)

        return deferred(page())

    def round_of(self, account: int, round_id: str) -> Deferred[PlayedRoundRecord | None]:

        async def found() -> PlayedRoundRecord | None:
            of_round = " AND entry.round = (SELECT transfer FROM rounds WHERE round_id = %(round_id)s)"
            row = await self._row(_ROUNDS + of_round, account=account, round_id=round_id)
            return None if row is None else PlayedRoundRecord(played=_round(row), record=row[9].encode())

        return deferred(found())

    def account_settings(self, account: int) -> Deferred[Mapping[str, SettingValue]]:

        async def kept() -> Mapping[str, SettingValue]:
            return dict(
                await self._rows("SELECT key, value FROM account_settings WHERE account = %s", account)
            )

        return deferred(kept())

    def change_settings(
        self, account: int, changes: Mapping[str, SettingValue]
    ) -> Deferred[Mapping[str, SettingValue]]:

        async def change() -> Mapping[str, SettingValue]:
            changed = await self._value(
                "SELECT change_settings(%s, %s::jsonb)", account, json.dumps(dict(changes))
            )
            return dict(changed)

        return deferred(change())


def _hands(rows: Iterable[tuple[Any, ...]]) -> Iterator[PlayedHand]:
    for number, hand_id, table, ended_ms, delta, in_chips, record in rows:
        yield PlayedHand(
            number=number,
            hand_id=hand_id,
            table=table,
            ended_ms=ended_ms,
            delta=delta,
            in_chips=in_chips,
            record=record.encode(),
        )


def _round(row: tuple[Any, ...]) -> PlayedRound:
    number, round_id, table, started_ms, ended_ms, staked, tipped, paid, void, record = row
    return PlayedRound(
        number=number,
        round_id=round_id,
        table=table,
        started_ms=started_ms,
        ended_ms=ended_ms,
        staked=Money(staked),
        tipped=Money(tipped),
        paid=Money(paid),
        void=void,
        archived=archived(record.encode()) is not None,
    )


def _tournaments(rows: Iterable[tuple[Any, ...]]) -> Iterator[PlayedTournament]:
    for number, tournament, ended_ms, stake, prize, place in rows:
        yield PlayedTournament(
            number=number,
            tournament=tournament,
            ended_ms=ended_ms,
            stake=Money(stake),
            prize=Money(prize),
            place=place,
        )
