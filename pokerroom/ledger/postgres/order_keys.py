"""The keys of operators' orders in PostgreSQL: see `OrderKeyLedger`."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.order_keys import KEPT_S, KeyedOrder, is_kept_for_ever
from pokerroom.ledger.postgres.calls import PostgresCalls


class PostgresOrderKeys(PostgresCalls):
    """An `OrderKeyLedger`."""

    def claim_key(self, who: str, key: str, request: bytes, for_ever: bool) -> Deferred[KeyedOrder | None]:

        async def claimed() -> KeyedOrder | None:
            row = await self._row(
                "SELECT request, status, answer FROM claim_order_key(%s, %s, %b, %s, %s)",
                *(who, key, request, for_ever, KEPT_S),
            )
            return None if row is None else KeyedOrder(request=bytes(row[0]), status=row[1], answer=row[2])

        return deferred(claimed())

    def keep_answer(self, who: str, key: str, status: int, answer: str | None) -> Deferred[None]:
        return deferred(
            self._done(
                "UPDATE order_keys SET status = %s, answer = %s, for_ever = for_ever AND %s"
                " WHERE operator = %s AND key = %s AND status IS NULL",
                *(status, answer, is_kept_for_ever(status), who, key),
            )
        )

    def release_key(self, who: str, key: str) -> Deferred[None]:
        return deferred(
            self._done("DELETE FROM order_keys WHERE operator = %s AND key = %s AND status IS NULL", who, key)
        )
