"""Orders of the operations port that the ledger carries out, with their line of the operators' log in one transaction.

A refusal of the ledger has a line of its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from pokerroom.ledger.api import LedgerRefusal, LedgerUnavailable
from pokerroom.ledger.cashier import CashDecided
from pokerroom.ledger.operator_log import Acting, OperatorLog, first_line, refusal_line
from pokerroom.ops.operator_api import ApiCall
from pokerroom.ops.reports import OrderRefused


class BookedOrders:
    """See the module. `log` is the operators' log."""

    def __init__(self, log: OperatorLog) -> None:
        self._log = log

    async def carried_out(self, call: ApiCall, work: Callable[[Acting], Awaitable[object]]) -> object:
        """Carry out an order, and return its answer. Raises `OrderRefused`."""
        by = call.by
        try:
            return await work(by)
        except (LedgerRefusal, CashDecided, LookupError) as refused:
            with suppress(LedgerUnavailable):
                await self._log.record_rarely(refusal_line(by, call.page.verb, refused))
            raise _refusal(refused) from refused


def _refusal(refused: Exception) -> OrderRefused:
    match refused:
        case LedgerRefusal():
            return OrderRefused(refused.code, first_line(refused))
        case CashDecided():
            return OrderRefused(
                "cash_decided", "The request was decided differently before. Nothing has changed."
            )
        case _:
            return OrderRefused("unknown_request", "There is no request of this number.")
