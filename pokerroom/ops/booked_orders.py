"""Orders of the operations port that the ledger carries out, with their line of the operators' log in one transaction.

A refusal of the ledger has a line of its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from pokerroom.ledger.api import LedgerRefusal, LedgerUnavailable
from pokerroom.ledger.cashier import CashDecided
from pokerroom.ledger.operator_log import Acting, OperatorLog, refusal_line
from pokerroom.ledger.operators import acting_as
from pokerroom.ops import http_answers as answers
from pokerroom.ops.http_answers import HttpAnswer
from pokerroom.ops.operator_access import Asker
from pokerroom.ops.operator_page import ORDER, OperatorPage
from pokerroom.ops.reports import OrderRefused


class BookedOrders:
    """See the module. `log` is the operators' log."""

    def __init__(self, log: OperatorLog) -> None:
        self._log = log

    def page(
        self, verb: str, args: dict[str, str], work: Callable[[Acting], Awaitable[object]]
    ) -> OperatorPage:
        """Return the page of an order; `work` carries it out and returns the answer."""

        async def answer(asker: Asker) -> HttpAnswer:
            by = acting_as(asker.operator, asker.reason, asker.address)
            try:
                return answers.as_json(await work(by))
            except (LedgerRefusal, CashDecided, LookupError) as refused:
                with suppress(LedgerUnavailable):
                    await self._log.record_rarely(refusal_line(by, verb, refused))
                raise _refusal(refused) from refused

        return OperatorPage(verb=verb, methods=ORDER, answer=answer, args=args, is_booked=True)


def _refusal(refused: Exception) -> OrderRefused:
    match refused:
        case LedgerRefusal():
            return OrderRefused(refused.code, str(refused))
        case CashDecided():
            return OrderRefused(
                "cash_decided", "The request was decided differently before. Nothing has changed."
            )
        case _:
            return OrderRefused("unknown_request", "There is no request of this number.")
