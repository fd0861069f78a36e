"""The pages of the operator API for the cashier, with the verbs of `pokerroom cashier`.

The ledger decides a request once.
"""

from __future__ import annotations

from collections.abc import Mapping

from pokerroom.ledger.cashier import CashierLedger
from pokerroom.ledger.operator_log import Acting
from pokerroom.ops.api_page import LISTED_MAX, NUMBER_MAX, ApiCall, Handler
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.parameter import number_of


class CashierPages:
    """See the module."""

    def __init__(self, ledger: CashierLedger, orders: BookedOrders) -> None:
        self._ledger = ledger
        self._orders = orders

    def handlers(self) -> Mapping[str, Handler]:
        """Return who answers each verb."""
        return {
            "cashier.sources": self._sources,
            "cashier.list": self._requests,
            "cashier.approve": self._ordered,
            "cashier.refuse": self._ordered,
        }

    async def _sources(self, _: ApiCall) -> object:
        return await self._ledger.sources()

    async def _requests(self, call: ApiCall) -> object:
        most = call.number("limit") or LISTED_MAX
        return await self._ledger.cash_requests(None, not call.flag("all"), most, call.number("before"))

    async def _ordered(self, call: ApiCall) -> object:
        return await self._orders.carried_out(call, lambda by: self._decided(call, by))

    async def _decided(self, call: ApiCall, by: Acting) -> object:
        number = number_of(call.args["number"], NUMBER_MAX, "number")
        approve = call.page.verb == "cashier.approve"
        return await self._ledger.decide_cash(number, approve=approve, note=call.text("note"), by=by)
