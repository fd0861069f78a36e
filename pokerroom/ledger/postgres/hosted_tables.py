"""Hosted tables in PostgreSQL: see `HostedTableLedger`. Functions of `schema/functions/hosted_tables.sql` decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, LiteralString

import msgspec
from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.hosted_tables import (
    GUESTS_MAX,
    PER_DAY,
    RISE_REST_S,
    SHOWN_S,
    Gift,
    HostedGuest,
    HostedLimits,
    HostedTableRow,
    HostOrder,
    TableResult,
    Terms,
    UnknownHostedTable,
)
from pokerroom.ledger.postgres.calls import PostgresCalls
from pokerroom.ledger.transfers import check_amount

_ROWS: Final[LiteralString] = (
    "SELECT table_id, tournament, host, accounts.name, club, terms, code, guest_password_hash IS NOT NULL, paused,"
    " approves, closing IS NOT NULL, version,"
    " (SELECT coalesce(json_agg(json_build_array(account, person.name, seat,"
    "      (SELECT coalesce(sum(amount), 0) FROM hosted_gifts AS gift"
    "       WHERE gift.table_id = guest.table_id AND taker = account)) ORDER BY joined, account), '[]')"
    "  FROM hosted_guests AS guest JOIN accounts AS person ON person.id = account"
    "  WHERE guest.table_id = hosted.table_id AND removed IS NULL),"
    " ARRAY(SELECT account FROM hosted_guests JOIN seats USING (table_id, account)"
    "  WHERE table_id = hosted.table_id AND removed IS NOT NULL)"
    " FROM hosted_tables AS hosted JOIN accounts ON accounts.id = host WHERE closed IS NULL"
)

_OF_ACCOUNT: Final[LiteralString] = (
    " AND table_id IN (SELECT table_id FROM hosted_tables WHERE host = %(account)s UNION"
    " SELECT table_id FROM hosted_guests WHERE account = %(account)s AND removed IS NULL) ORDER BY number DESC"
)


class PostgresHostedTables(PostgresCalls):
    """A `HostedTableLedger`."""

    def open_hosted_table(
        self, table: str, host: int, terms: Terms, code: str, limits: HostedLimits, *, club: str | None = None
    ) -> Deferred[HostedTableRow]:
        query: LiteralString = "SELECT open_hosted_table(%s, %s, %s::jsonb, %s, %s, %s, %s, %s)"
        document = msgspec.json.encode(terms).decode()
        values = table, host, document, code, club, limits.per_account, PER_DAY, limits.in_room
        return deferred(self._hosted_after(table, query, *values))

    def hosted_table(self, table: str) -> Deferred[HostedTableRow | None]:
        return deferred(self._find_hosted(table))

    def hosted_versions(self) -> Deferred[Mapping[str, int]]:

        async def found() -> Mapping[str, int]:
            rows = await self._rows(
                "SELECT table_id, version FROM hosted_tables WHERE closed IS NULL ORDER BY number"
            )
            return dict(rows)

        return deferred(found())

    def hosted_tables_of(self, account: int) -> Deferred[Sequence[HostedTableRow]]:

        async def found() -> Sequence[HostedTableRow]:
            return [_table(row) for row in await self._rows(_ROWS + _OF_ACCOUNT, account=account)]

        return deferred(found())

    def hosted_results(self, table: str, account: int) -> Deferred[Sequence[TableResult]]:

        async def found() -> Sequence[TableResult]:
            rows = await self._rows("SELECT * FROM hosted_results(%s, %s)", table, account)
            return [
                TableResult(
                    account=player,
                    name=name,
                    bought_in=Money(bought_in),
                    taken_out=Money(taken_out),
                    on_table=Money(on_table),
                )
                for player, name, bought_in, taken_out, on_table in rows
            ]

        return deferred(found())

    def join_hosted_table(self, code: str, account: int, address: str = "") -> Deferred[HostedTableRow]:

        async def joined() -> HostedTableRow:
            query: LiteralString = "SELECT join_hosted_table(%s, %s, %s, %s)"
            table = await self._value(query, code, account, address, GUESTS_MAX)
            return await self._hosted_now(table)

        return deferred(joined())

    def table_password(self, table: str) -> Deferred[str | None]:

        async def found() -> str | None:
            query: LiteralString = (
                "SELECT guest_password_hash FROM hosted_tables WHERE table_id = %s AND closing IS NULL"
            )
            row = await self._row(query, table)
            return None if row is None else row[0]

        return deferred(found())

    def enter_hosted_table(
        self, table: str, password_hash: str, account: int, address: str = ""
    ) -> Deferred[HostedTableRow]:
        query: LiteralString = "SELECT enter_hosted_table(%s, %s, %s, %s, %s)"
        values = table, password_hash, account, address, GUESTS_MAX
        return deferred(self._hosted_after(table, query, *values))

    def set_table_password(
        self, table: str, host: int, password_hash: str | None
    ) -> Deferred[HostedTableRow]:
        query: LiteralString = "SELECT set_table_password(%s, %s, %s)"
        return deferred(self._hosted_after(table, query, table, host, password_hash))

    def change_hosted_table(
        self, table: str, host: int, order: HostOrder, new_code: str
    ) -> Deferred[HostedTableRow]:
        query: LiteralString = "SELECT change_hosted_table(%s, %s, %s, %s)"
        return deferred(self._hosted_after(table, query, table, host, order, new_code))

    def change_hosted_terms(
        self, table: str, host: int, terms: Terms, stake: str
    ) -> Deferred[HostedTableRow]:
        query: LiteralString = "SELECT change_hosted_terms(%s, %s, %s, %s, %s)"
        document = msgspec.json.encode(terms).decode()
        return deferred(self._hosted_after(table, query, table, host, document, stake, RISE_REST_S))

    def remove_guest(self, table: str, host: int, name: str, address: str = "") -> Deferred[HostedTableRow]:
        query: LiteralString = "SELECT remove_guest(%s, %s, %s, %s)"
        return deferred(self._hosted_after(table, query, table, host, name, address))

    def ask_seat(self, table: str, account: int) -> Deferred[HostedTableRow]:
        return deferred(self._hosted_after(table, "SELECT ask_seat(%s, %s)", table, account))

    def answer_seat(self, table: str, host: int, name: str, *, accepts: bool) -> Deferred[HostedTableRow]:
        query: LiteralString = "SELECT answer_seat(%s, %s, %s, %s)"
        return deferred(self._hosted_after(table, query, table, host, name, accepts))

    def give_host(self, table: str, host: int, name: str, limits: HostedLimits) -> Deferred[HostedTableRow]:
        query: LiteralString = "SELECT give_host(%s, %s, %s, %s)"
        return deferred(self._hosted_after(table, query, table, host, name, limits.per_account))

    def give_chips(self, gift: Gift) -> Deferred[HostedTableRow]:
        check_amount(gift.amount, at_least=1)
        query: LiteralString = "SELECT give_chips(%s, %s, %s, %s, %s)"
        values = gift.table, gift.giver, gift.name, gift.key, gift.amount
        return deferred(self._hosted_after(gift.table, query, *values))

    def end_hosted_table(self, table: str) -> Deferred[bool]:

        async def ended() -> bool:
            return bool(await self._value("SELECT end_hosted_table(%s)", table))

        return deferred(ended())

    def close_idle_hosted_tables(self, idle_s: int) -> Deferred[Sequence[str]]:

        async def closed() -> Sequence[str]:
            close: LiteralString = (
                "SELECT close_idle_hosted_tables(%s) UNION ALL SELECT close_over_sit_and_gos(%s)"
            )
            rows = await self._rows(close, idle_s, SHOWN_S)
            return sorted(row[0] for row in rows)

        return deferred(closed())

    # --- inside -----------------------------------------------------------------------------------------------

    async def _hosted_after(self, table: str, query: LiteralString, *values: Any) -> HostedTableRow:
        await self._done(query, *values)
        return await self._hosted_now(table)

    async def _find_hosted(self, table: str) -> HostedTableRow | None:
        row = await self._row(_ROWS + " AND table_id = %s", table)
        return None if row is None else _table(row)

    async def _hosted_now(self, table: str) -> HostedTableRow:
        found = await self._find_hosted(table)
        if found is None:
            raise UnknownHostedTable(f"{table} was closed for good meanwhile")
        return found


def _table(row: tuple[Any, ...]) -> HostedTableRow:
    (
        table,
        tournament,
        host,
        host_name,
        club,
        terms,
        code,
        has_password,
        *switches,
        version,
        guests,
        leaving,
    ) = row
    paused, approves, closing = switches
    return HostedTableRow(
        table=table,
        tournament=tournament,
        host=host,
        host_name=host_name,
        club=club,
        terms=terms,
        code=code,
        has_password=has_password,
        paused=paused,
        approves=approves,
        closing=closing,
        version=version,
        guests={
            account: HostedGuest(name=guest, seat=seat, given=int(given))
            for account, guest, seat, given in guests
        },
        leaving=frozenset(leaving),
    )
