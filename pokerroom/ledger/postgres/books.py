"""The books in PostgreSQL (`ledger.books`): one transaction with one snapshot, read through a cursor of the server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, LiteralString

import msgspec
import psycopg
from psycopg import AsyncConnection, sql
from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.books import BookedHand, BookedRound, BookedTransfer, HeldStack, RefillTermsRow
from pokerroom.ledger.postgres.calls import PostgresCalls
from pokerroom.ledger.postgres.catalogue import schema_differences
from pokerroom.ledger.postgres.tournaments import OPENING, TOURNAMENT, opening, tournament_row
from pokerroom.ledger.tournaments import MoveRow, Opening, TournamentRow

ROWS_AT_A_TIME: Final = 200
"""A hand takes a few kilobytes: so many are in memory together."""

_MS: Final[LiteralString] = (
    "(extract(epoch FROM greatest(least({}, timestamptz '200000-01-01'), timestamptz '4000-01-01 BC'))"
    " * 1000)::bigint"
)
"""Unix milliseconds of a time, also of an infinite one, which a forger may write."""

_TRANSFERS: Final[LiteralString] = f"""
SELECT transfers.id, transfers.key, transfers.kind, {_MS.format("transfers.created")},
    (SELECT json_object_agg(coalesce(code, 'account:' || ledger_account), amount ORDER BY ledger_account) FROM legs
     LEFT JOIN ledger_accounts ON ledger_accounts.id = ledger_account WHERE transfer = transfers.id)::text,
    hands.record::text, hand_id, hands.table_id, hands.epoch,
    {_MS.format("hands.started")}, {_MS.format("hands.ended")},
    CASE WHEN hand_id IS NOT NULL THEN
        ARRAY(SELECT account FROM timeout_all_ins AS late WHERE late.ended = hands.ended AND hand = transfers.id) END,
    tournaments.id IS NOT NULL,
    CASE WHEN is_archived(hands.record) THEN
        (SELECT sealed FROM chain_links WHERE chain_links.transfer = transfers.id) END,
    over.record::text, round_id, rounds.table_id,
    {_MS.format("rounds.started")}, {_MS.format("over.ended")},
    void, house, fed, over.paid, reseeded, tronc,
    CASE WHEN round_id IS NOT NULL THEN (
        SELECT coalesce(json_agg(json_build_array(account, kind, amount)), '[]') FROM (
            SELECT account, kind, sum(amount) AS amount FROM round_stakes
            WHERE round = over.round GROUP BY account, kind
        ) AS put)::text END,
    CASE WHEN accounts.id IS NOT NULL THEN {_MS.format("accounts.created")} END
FROM transfers
LEFT JOIN hands ON hands.transfer = transfers.id
LEFT JOIN tournaments ON tournaments.id = tournament_at(hands.table_id)
LEFT JOIN round_ends AS over ON over.transfer = transfers.id
LEFT JOIN rounds ON rounds.transfer = over.round
LEFT JOIN accounts ON transfers.kind = 'opening' AND accounts.id =
    CASE WHEN transfers.key ~ '^opening:[0-9]{{1,18}}$' THEN substr(transfers.key, 9)::bigint END
WHERE transfers.id > %s AND transfers.id <= %s ORDER BY transfers.id
"""  # noqa: S608 -- of this module

_BALANCES: Final[LiteralString] = """
WITH later AS (SELECT ledger_account, sum(amount) AS amount FROM legs WHERE transfer > %s GROUP BY ledger_account)
SELECT code, balance - coalesce(amount, 0) FROM ledger_accounts LEFT JOIN later ON ledger_account = id
WHERE (kind IN ('wallet', 'tickets', 'stack') OR kind LIKE 'house:%%' OR kind LIKE 'meter:%%')
    AND balance <> coalesce(amount, 0)
"""

_REFILL_TERMS: Final[LiteralString] = f"""
SELECT id, {_MS.format("created")}, terms[1], terms[2]::bigint, terms[3]::bigint, terms[4]::bigint
FROM transfers, LATERAL regexp_match(
    key, '^refill_terms:([a-z0-9_-]+):([0-9]{{1,18}}):([0-9]{{1,18}}):([0-9]{{1,18}}):') AS terms
WHERE kind = 'refill_terms' AND terms IS NOT NULL ORDER BY id
"""  # noqa: S608 -- of this module

_LAST_REFILLS: Final[LiteralString] = f"""
SELECT account, max({_MS.format("created")})
FROM cash_requests JOIN transfers ON transfers.key = format('cash:%%s:%%s:end', account, cash_requests.key)
WHERE cash_requests.key LIKE 'refill:%%' AND transfers.id <= %s GROUP BY account
"""  # noqa: S608 -- of this module

_HANDS_BEFORE: Final[LiteralString] = """
SELECT record::text FROM hands WHERE tournament_at(table_id) = %s AND transfer <= %s AND transfer IN (
    SELECT hand FROM hand_players WHERE account IN (SELECT account FROM tournament_entries WHERE tournament = %s))
ORDER BY transfer
"""


_RAKE_TERMS: Final = 31
"""The first migration of which every build writes the terms of a rake."""

_RIGHTS: Final = 64
"""The migration since which the terms of refills are in the books."""

_LATE_SEATS: Final = 41
"""The migration since which the first seats of late entries are among the moves."""


class PostgresBooks:
    """`Books` in the transaction of a connection, which must have one snapshot."""

    def __init__(  # noqa: PLR0917 -- one call
        self,
        connection: AsyncConnection[Any],
        last: int,
        erased_to: int,
        rake_terms_since_ms: int,
        late_seats_since_ms: int,
        refills_without_terms_to: int,
    ) -> None:
        self._connection = connection
        self.last = last
        self.erased_to = erased_to
        self.rake_terms_since_ms = rake_terms_since_ms
        self.late_seats_since_ms = late_seats_since_ms
        self.refills_without_terms_to = refills_without_terms_to

    @classmethod
    async def of(cls, connection: AsyncConnection[Any]) -> PostgresBooks:
        """The books as this transaction sees them."""
        cursor = await connection.execute(
            "SELECT (SELECT coalesce(max(id), 0) FROM transfers), coalesce((SELECT erased_to FROM retention), 0),"
            " (SELECT (extract(epoch FROM applied) * 1000)::bigint FROM schema_migrations WHERE version = %s),"
            " (SELECT (extract(epoch FROM applied) * 1000)::bigint FROM schema_migrations WHERE version = %s),"
            " coalesce((SELECT min(id) FROM transfers JOIN schema_migrations ON created = applied"  # of that migration
            " WHERE key = 'refill_terms:none' AND version = %s), 0)",
            [_RAKE_TERMS, _LATE_SEATS, _RIGHTS],
        )
        row = await cursor.fetchone()
        assert row is not None
        return cls(connection, *row)

    async def transfers(self, after: int, until: int | None = None) -> AsyncIterator[BookedTransfer]:
        async with self._connection.cursor(name="transfers") as rows:
            rows.itersize = ROWS_AT_A_TIME
            await rows.execute(_TRANSFERS, [after, self.last if until is None else until])
            async for row in rows:
                yield _transfer(row)

    async def snapshot(self) -> str:
        (row,) = await self._rows("SELECT pg_export_snapshot()")
        return str(row[0])

    async def number_at(self, at_ms: int) -> int:
        (row,) = await self._rows(
            "SELECT coalesce(max(id), 0) FROM transfers"
            " WHERE created < timestamptz 'epoch' + %s * interval '1 millisecond'",
            at_ms,
        )
        return int(row[0])

    async def minute_before(self, number: int) -> int:
        (row,) = await self._rows(
            "SELECT coalesce(max(id), 0) FROM transfers WHERE id <= %s AND created <= ("
            " SELECT created FROM transfers WHERE id <= %s ORDER BY id DESC LIMIT 1) - interval '1 minute'",
            number,
            number,
        )
        return int(row[0])

    async def count(self, after: int) -> int:
        (row,) = await self._rows("SELECT count(*) FROM transfers WHERE id > %s", after)
        return int(row[0])

    async def balances(self, after: int) -> Mapping[str, int]:
        return {code: int(balance) for code, balance in await self._rows(_BALANCES, after)}

    async def refill_terms(self) -> Sequence[RefillTermsRow]:
        return [
            RefillTermsRow(
                number=number, created_ms=created_ms, source=source, below=below, to=to, every_s=every_s
            )
            for number, created_ms, source, below, to, every_s in await self._rows(_REFILL_TERMS)
        ]

    async def last_refills(self, after: int) -> Mapping[int, int]:
        return dict(await self._rows(_LAST_REFILLS, after))

    async def held_stacks(self) -> Sequence[HeldStack]:
        rows = await self._rows(
            "SELECT seats.table_id, account, balance, bought FROM seats"
            " JOIN ledger_accounts ON code = 'stack:' || seats.table_id || ':' || account"
            " WHERE NOT place ORDER BY seats.table_id, account"
        )
        return [
            HeldStack(table=table, account=account, stack=stack, bought=bought)
            for table, account, stack, bought in rows
        ]

    async def openings(self) -> AsyncIterator[Opening]:
        async with self._connection.cursor(name="openings") as rows:
            rows.itersize = ROWS_AT_A_TIME
            await rows.execute(f"SELECT {OPENING} FROM tournaments ORDER BY offer, number")  # noqa: S608 -- as above
            async for row in rows:
                yield opening(row)

    async def tournament(self, tournament: str) -> TournamentRow | None:
        rows = await self._rows(TOURNAMENT + "WHERE id = %s", tournament)
        return tournament_row(rows[0]) if rows else None

    async def moves(self, tournament: str) -> Sequence[MoveRow]:
        rows = await self._rows(
            "SELECT number, account, from_seat, to_seat, from_hands, to_hands FROM tournament_moves"
            " WHERE tournament = %s ORDER BY number, account",
            tournament,
        )
        return [
            MoveRow(
                number=number, account=account, seat=seat, to=to, from_hands=from_hands, to_hands=to_hands
            )
            for number, account, seat, to, from_hands, to_hands in rows
        ]

    async def hands_before(self, tournament: str, number: int) -> Sequence[bytes]:
        rows = await self._rows(_HANDS_BEFORE, tournament, number, tournament)
        return [record.encode() for (record,) in rows]

    async def _rows(self, query: LiteralString, *values: object) -> list[tuple[Any, ...]]:
        cursor = await self._connection.execute(query, values or None)
        return await cursor.fetchall()


class PostgresAuditable(PostgresCalls):
    """`AuditableLedger` over the connections of a ledger."""

    def schema_differences(self) -> Deferred[list[str]]:
        """See `AuditableLedger.schema_differences`."""

        async def compare() -> list[str]:
            async with self._pool.connection() as connection:
                return await schema_differences(connection)

        return deferred(self._translated(compare))

    @asynccontextmanager
    async def books(self, snapshot: str | None = None) -> AsyncIterator[PostgresBooks]:
        """See `AuditableLedger.books`."""
        try:
            async with self._pool.connection() as connection, connection.transaction():
                await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                if snapshot is not None:
                    await connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(snapshot))
                yield await PostgresBooks.of(connection)
        except (psycopg.OperationalError, psycopg.InterfaceError) as lost:
            raise LedgerUnavailable(f"the database cannot be reached: {lost}") from lost


def _transfer(row: tuple[Any, ...]) -> BookedTransfer:
    number, key, kind, created_ms, legs = row[:5]
    return BookedTransfer(
        number=number,
        key=key,
        kind=kind,
        created_ms=created_ms,
        legs={} if legs is None else msgspec.json.decode(legs, type=dict[str, int]),
        hand=None if row[6] is None else _hand(row[5:14]),
        round_end=None if row[15] is None else _round_end(row[14:26]),
        account_opened_ms=row[26],
    )


def _hand(columns: tuple[Any, ...]) -> BookedHand:
    record, hand_id, table, epoch, started_ms, ended_ms, by_clock, in_chips, sealed = columns
    return BookedHand(
        hand_id=hand_id,
        table=table,
        epoch=epoch,
        started_ms=started_ms,
        ended_ms=ended_ms,
        record=record.encode(),
        by_clock=frozenset(by_clock),
        in_chips=in_chips,
        sealed=sealed,
    )


def _round_end(columns: tuple[Any, ...]) -> BookedRound:
    record, round_id, table, started_ms, ended_ms, void, house, fed, paid, reseeded, tronc, staked = columns
    return BookedRound(
        round_id=round_id,
        table=table,
        started_ms=started_ms,
        ended_ms=ended_ms,
        void=void,
        house=house,
        meter_fed=fed,
        meter_paid=paid,
        meter_reseeded=reseeded,
        tronc=tronc,
        record=record.encode(),
        staked={(account, kind): amount for account, kind, amount in msgspec.json.decode(staked)},
    )
