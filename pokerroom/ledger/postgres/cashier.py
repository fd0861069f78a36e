"""The cashier in PostgreSQL: see `CashierLedger`. Functions of `schema/functions/cashier.sql` decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.cashier import CashRequest, CashRow, RefillState, RefillTerms, SourceRow
from pokerroom.ledger.operator_log import THE_ROOM, Acting, acting_row
from pokerroom.ledger.postgres.calls import PostgresCalls
from pokerroom.ledger.transfers import check_amount, refill_key

_REQUESTS: Final[LiteralString] = (
    "SELECT number, account, key, kind, amount, source, name, state,"
    " (extract(epoch FROM asked) * 1000)::bigint, (extract(epoch FROM decided) * 1000)::bigint, note"
    " FROM cash_requests JOIN accounts ON accounts.id = account"
)


class PostgresCashier(PostgresCalls):
    """`CashierLedger` over the connections of a ledger."""

    def open_source(self, source: str, *, by: Acting = THE_ROOM) -> Deferred[None]:
        return deferred(self._done("SELECT open_source(%s, ROW(%s, %s, %s, %s)::acting)", source, *by.row()))

    def close_source(self, source: str, *, by: Acting = THE_ROOM) -> Deferred[None]:
        return deferred(self._done("SELECT close_source(%s, ROW(%s, %s, %s, %s)::acting)", source, *by.row()))

    def fund_source(self, key: str, source: str, amount: Money, *, by: Acting = THE_ROOM) -> Deferred[None]:
        check_amount(amount, at_least=1)
        what = key, source, amount
        return deferred(
            self._done("SELECT fund_source(%s, %s, %s, ROW(%s, %s, %s, %s)::acting)", *what, *by.row())
        )

    def sources(self) -> Deferred[Sequence[SourceRow]]:

        async def all_of_them() -> Sequence[SourceRow]:
            rows = await self._rows(
                "SELECT name, is_open, balance FROM cash_sources JOIN ledger_accounts ON code = 'source:' || name"
                ' ORDER BY name COLLATE "C"'
            )
            return [
                SourceRow(source=source, is_open=is_open, balance=Money(balance))
                for source, is_open, balance in rows
            ]

        return deferred(all_of_them())

    def request_cash(
        self, request: CashRequest, waiting_max: int, *, by: Acting | None = None
    ) -> Deferred[CashRow]:
        check_amount(request.amount, at_least=1)

        async def ask() -> CashRow:
            number = await self._value(
                "SELECT request_cash(%s, %s, %s, %s, %s, %s, ROW(%s, %s, %s, %s)::acting)",
                request.account,
                request.key,
                request.kind,
                request.amount,
                request.source,
                waiting_max,
                *acting_row(by),
            )
            return await self._request(number)

        return deferred(ask())

    def decide_cash(
        self, number: int, *, approve: bool, note: str, by: Acting = THE_ROOM
    ) -> Deferred[CashRow]:

        async def decide() -> CashRow:
            decision = number, approve, note
            await self._done(
                "SELECT decide_cash(%s, %s, %s, ROW(%s, %s, %s, %s)::acting)", *decision, *by.row()
            )
            return await self._request(number)

        return deferred(decide())

    def refill(self, account: int, key: str, terms: RefillTerms) -> Deferred[CashRow]:

        async def refilled() -> CashRow:
            number = await self._value(
                "SELECT refill_account(%s, %s, %s, %s, %s, %s)",
                account,
                refill_key(key),
                terms.source,
                terms.floor,
                terms.to,
                terms.every_s,
            )
            return await self._request(number)

        return deferred(refilled())

    def refill_state(self, account: int) -> Deferred[RefillState]:

        async def found() -> RefillState:
            row = await self._row(
                "SELECT owned_by(id), extract(epoch FROM now() - last_refill(id))::float8 FROM accounts WHERE id = %s",
                account,
            )
            if row is None:
                raise LookupError(f"there is no account {account}")
            return RefillState(owned=Money(row[0]), since_s=row[1])

        return deferred(found())

    def cash_requests(
        self, account: int | None, waiting: bool, limit: int, before: int | None = None
    ) -> Deferred[Sequence[CashRow]]:
        query: LiteralString = _REQUESTS + " WHERE true"
        if account is not None:
            query += " AND account = %(account)s"
        if waiting:
            query += " AND state = 'waiting'"
        if before is not None:
            query += " AND number < %(before)s"

        async def found() -> Sequence[CashRow]:
            rows = await self._rows(
                query + " ORDER BY number DESC LIMIT %(limit)s", account=account, limit=limit, before=before
            )
            return [_request(row) for row in rows]

        return deferred(found())

    def held(self, account: int) -> Deferred[Money]:

        async def summed() -> Money:
            waiting = (
                "SELECT coalesce(sum(amount), 0) FROM cash_requests"
                " WHERE account = %s AND kind = 'withdrawal' AND state = 'waiting'"
            )
            return Money(int(await self._value(waiting, account)))

        return deferred(summed())

    async def _request(self, number: int) -> CashRow:
        row = await self._row(_REQUESTS + " WHERE number = %s", number)
        assert row is not None, "a request stays"
        return _request(row)


def _request(row: tuple[Any, ...]) -> CashRow:
    number, account, key, kind, amount, source, name, state, asked_ms, decided_ms, note = row
    request = CashRequest(account=account, key=key, kind=kind, amount=Money(amount), source=source)
    return CashRow(
        number=number,
        request=request,
        name=name,
        state=state,
        asked_ms=asked_ms,
        decided_ms=decided_ms,
        note=note,
    )
