"""Pages of the operations port for the cashier, with the verbs of `pokerroom cashier`.

    GET  /cash_sources                         as `sources`
    GET  /cash_requests                        as `list`: ?all=1, ?limit=
    POST /cash_requests/<number>/approve       ?note=; likewise refuse

The ledger decides a request once.
"""

from __future__ import annotations

from typing import Final

from twisted.web.server import Request

from pokerroom.ledger.cashier import NOTE_MAX, CashierLedger
from pokerroom.ledger.operator_log import Acting
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.operator_page import OperatorPage, line_of, number_of, query_page

_LISTED_MAX: Final = 200
_NUMBER_MAX: Final = 2**53


class CashierPages:
    """See the module."""

    def __init__(self, ledger: CashierLedger, orders: BookedOrders) -> None:
        self._ledger = ledger
        self._orders = orders

    def page(self, request: Request, path: str, parts: list[str]) -> OperatorPage | None:
        """Return the page of a path; None if it is none of these."""
        match path, parts:
            case "cash_sources", []:
                return query_page("cashier.sources", lambda _: self._sources())
            case "cash_requests", []:
                return query_page("cashier.list", lambda _: self._requests(request))
            case "cash_requests", [number, "approve" | "refuse" as decision]:
                return self._orders.page(
                    f"cashier.{decision}",
                    {"number": number},
                    lambda by: self._decided(request, number, decision, by),
                )
            case _:
                return None

    async def _sources(self) -> object:
        return await self._ledger.sources()

    async def _requests(self, request: Request) -> object:
        limit = line_of(request, "limit", 16)
        most = _LISTED_MAX if not limit else number_of(limit, _LISTED_MAX, "limit")
        return await self._ledger.cash_requests(None, not line_of(request, "all", 1), most)

    async def _decided(self, request: Request, number: str, decision: str, by: Acting) -> object:
        wanted = number_of(number, _NUMBER_MAX, "number")
        note = line_of(request, "note", NOTE_MAX)
        return await self._ledger.decide_cash(wanted, approve=decision == "approve", note=note, by=by)
