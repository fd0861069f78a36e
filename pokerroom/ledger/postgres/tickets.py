"""Tickets in PostgreSQL: see `TicketLedger`. Functions of `schema/functions/tickets.sql` decide."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.postgres.calls import array
from pokerroom.ledger.postgres.rounds import PostgresRounds
from pokerroom.ledger.tickets import TicketGift, TicketRow

_TICKETS: Final[LiteralString] = (
    "SELECT number, account, offer, value, (extract(epoch FROM expires) * 1000)::bigint, source FROM tickets"
)


class PostgresTickets(PostgresRounds):
    """`TicketLedger` over the connections of a ledger."""

    def tickets(self, account: int) -> Deferred[list[TicketRow]]:

        async def found() -> list[TicketRow]:
            unused = " WHERE account = %s AND tournament IS NULL AND ended IS NULL ORDER BY expires, number"
            return [_row(row) for row in await self._rows(_TICKETS + unused, account)]

        return deferred(found())

    def tickets_due(self, targets: Collection[tuple[str, Money]]) -> Deferred[list[int]]:
        offers, buy_ins = [offer for offer, _ in targets], array([buy_in for _, buy_in in targets])

        async def found() -> list[int]:
            due = "SELECT * FROM tickets_due(%s::text[], %s::bigint[])"
            return [row[0] for row in await self._rows(due, offers, buy_ins)]

        return deferred(found())

    def give_ticket(self, gift: TicketGift, *, by: Acting) -> Deferred[TicketRow]:

        async def given() -> TicketRow:
            give: LiteralString = "SELECT give_ticket(%s, %s, %s, %s, %s, ROW(%s, %s, %s, %s)::acting)"
            terms = gift.account, gift.key, gift.offer, gift.days, gift.source
            number = await self._value(give, *terms, *by.row())
            row = await self._row(_TICKETS + " WHERE number = %s", number)
            assert row is not None, "a ticket stays"
            return _row(row)

        return deferred(given())

    def end_ticket(self, number: int, *, by: Acting) -> Deferred[None]:
        return deferred(self._done("SELECT end_ticket(%s, ROW(%s, %s, %s, %s)::acting)", number, *by.row()))


def _row(row: tuple[Any, ...]) -> TicketRow:
    number, account, offer, value, expires_ms, source = row
    return TicketRow(
        number=number,
        account=account,
        offer=offer,
        value=Money(value),
        expires_ms=expires_ms,
        source=source or "",
    )
