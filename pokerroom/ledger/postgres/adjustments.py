"""Adjustments in PostgreSQL: see `AdjustmentLedger`. Functions of `schema/functions/adjustments.sql` decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.adjustments import PROPOSAL_S, Adjustment, AdjustmentRow, check_adjustment
from pokerroom.ledger.operator_log import THE_ROOM, Acting
from pokerroom.ledger.postgres.calls import PostgresCalls
from pokerroom.ledger.transfers import check_amount

_ROWS: Final[LiteralString] = (
    "SELECT number, account, key, amount, source, name, state, reason, proposed_by,"
    " (extract(epoch FROM proposed) * 1000)::bigint, decided_by, (extract(epoch FROM decided) * 1000)::bigint,"
    " proposed <= now() - make_interval(secs => %(valid_s)s)"
    " FROM adjustments JOIN accounts ON accounts.id = account"
)


class PostgresAdjustments(PostgresCalls):
    """`AdjustmentLedger` over the connections of a ledger."""

    def set_four_eyes(self, *, on: bool, by: Acting = THE_ROOM) -> Deferred[None]:
        return deferred(self._done("SELECT set_four_eyes(%s, ROW(%s, %s, %s, %s)::acting)", on, *by.row()))

    def adjust(self, adjustment: Adjustment, *, by: Acting) -> Deferred[AdjustmentRow]:
        check_adjustment(adjustment, by)
        check_amount(Money(abs(adjustment.amount)), at_least=1)
        terms = adjustment.account, adjustment.key, adjustment.amount, adjustment.source

        async def adjusted() -> AdjustmentRow:
            query: LiteralString = "SELECT adjust_wallet(%s, %s, %s, %s, ROW(%s, %s, %s, %s)::acting)"
            return await self._adjustment(await self._value(query, *terms, *by.row()))

        return deferred(adjusted())

    def decide_adjustment(self, number: int, *, approve: bool, by: Acting) -> Deferred[AdjustmentRow]:

        async def decided() -> AdjustmentRow:
            query: LiteralString = "SELECT decide_adjustment(%s, %s, %s, ROW(%s, %s, %s, %s)::acting)"
            await self._done(query, number, approve, PROPOSAL_S, *by.row())
            return await self._adjustment(number)

        return deferred(decided())

    def adjustments(self, waiting: bool, limit: int) -> Deferred[Sequence[AdjustmentRow]]:
        only: LiteralString = (
            " WHERE state = 'proposed' AND proposed > now() - make_interval(secs => %(valid_s)s)"
            if waiting
            else ""
        )

        async def found() -> Sequence[AdjustmentRow]:
            rows = await self._rows(
                _ROWS + only + " ORDER BY number DESC LIMIT %(limit)s", valid_s=PROPOSAL_S, limit=limit
            )
            return [_row(row) for row in rows]

        return deferred(found())

    async def _adjustment(self, number: int) -> AdjustmentRow:
        row = await self._row(_ROWS + " WHERE number = %(number)s", valid_s=PROPOSAL_S, number=number)
        assert row is not None, "an adjustment stays"
        return _row(row)


def _row(row: tuple[Any, ...]) -> AdjustmentRow:
    number, account, key, amount, source, name, state, reason, proposed_by, *times = row
    proposed_ms, decided_by, decided_ms, is_old = times
    return AdjustmentRow(
        number=number,
        adjustment=Adjustment(account=account, key=key, amount=Money(amount), source=source),
        name=name,
        state="expired" if state == "proposed" and is_old else state,
        reason=reason,
        proposed_by=proposed_by,
        proposed_ms=proposed_ms,
        decided_by=decided_by,
        decided_ms=decided_ms,
    )
