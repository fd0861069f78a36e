"""Rebuys and add-ons of tournaments in PostgreSQL: see `ChipSaleLedger`. Functions of `schema/functions/chip_sales.sql`
decide.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.chip_sales import ChipPurchase, OnSale, SalesNow
from pokerroom.ledger.postgres.calls import array
from pokerroom.ledger.postgres.tickets import PostgresTickets

_SALES_NOW: Final[LiteralString] = (
    "SELECT on_sale(tournaments),"
    " (SELECT coalesce(json_agg(json_build_array(account, kind, number) ORDER BY id), '[]')"
    "  FROM tournament_purchases WHERE tournament = tournaments.id AND table_number IS NULL),"
    " ARRAY(SELECT account FROM tournament_entries WHERE tournament = tournaments.id AND chips = 0 AND NOT gone"
    "  AND NOT returned AND NOT replaced)"
    " FROM tournaments WHERE id = %s"
)


class PostgresChipSales(PostgresTickets):
    """`ChipSaleLedger` over the connections of a ledger."""

    def buy_chips(self, tournament: str, purchase: ChipPurchase) -> Deferred[None]:
        buy = "SELECT buy_chips(%s, %s, %s, %s)"
        return deferred(self._done(buy, tournament, purchase.account, purchase.kind, purchase.number))

    def decline_rebuy(self, tournament: str, account: int) -> Deferred[None]:
        return deferred(self._done("SELECT decline_rebuy(%s, %s)", tournament, account))

    def sales_now(self, tournament: str) -> Deferred[SalesNow]:

        async def found() -> SalesNow:
            row = await self._row(_SALES_NOW, tournament)
            if row is None:
                raise LookupError(f"there is no tournament {tournament}")
            on_sale, ordered, undecided = row
            return SalesNow(
                on_sale=frozenset(on_sale),
                ordered=tuple(
                    ChipPurchase(account=account, kind=kind, number=number)
                    for account, kind, number in ordered
                ),
                undecided=frozenset(undecided),
            )

        return deferred(found())

    def set_sales(self, tournament: str, epoch: int, kinds: Collection[OnSale]) -> Deferred[None]:
        return deferred(self._done("SELECT set_sales(%s, %s, %s::text[])", tournament, epoch, sorted(kinds)))

    def add_chips(self, tournament: str, epoch: int, purchases: Sequence[ChipPurchase]) -> Deferred[None]:
        return deferred(
            self._done(
                "SELECT add_chips(%s, %s, %s::bigint[], %s::text[], %s::integer[])",
                tournament,
                epoch,
                array([one.account for one in purchases]),
                [one.kind for one in purchases],
                array([one.number for one in purchases]),
            )
        )

    def let_out(self, tournament: str, epoch: int, accounts: Sequence[int]) -> Deferred[None]:
        return deferred(
            self._done("SELECT let_out(%s, %s, %s::bigint[])", tournament, epoch, array(accounts))
        )
