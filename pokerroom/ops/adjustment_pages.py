"""The pages of the operator API for adjustments, with the verbs of `pokerroom cashier adjust` and its decisions.

The ledger moves the money once, and knows whether another operator has to approve it.
"""

from __future__ import annotations

from collections.abc import Mapping

from pokerroom.chips import Money
from pokerroom.ledger.adjustments import Adjustment, AdjustmentLedger, AdjustmentRow
from pokerroom.ledger.operator_log import Acting
from pokerroom.ops.api_page import LISTED_MAX, NUMBER_MAX, ApiCall, Handler
from pokerroom.ops.booked_orders import BookedOrders, FindPlayer, ledger_key
from pokerroom.ops.parameter import number_of
from pokerroom.ops.reports import OrderRefused


class AdjustmentPages:
    """See the module."""

    def __init__(self, ledger: AdjustmentLedger, find: FindPlayer, orders: BookedOrders) -> None:
        self._ledger = ledger
        self._find = find
        self._orders = orders

    def handlers(self) -> Mapping[str, Handler]:
        """Return who answers each verb."""
        return {
            "cashier.adjust": self._adjust,
            "cashier.adjustments": self._list,
            "cashier.approve_adjustment": self._decide,
            "cashier.refuse_adjustment": self._decide,
        }

    async def _list(self, call: ApiCall) -> object:
        return await self._ledger.adjustments(not call.flag("all"), call.number("limit") or LISTED_MAX)

    async def _adjust(self, call: ApiCall) -> object:
        return await self._orders.carried_out(call, lambda by: self._adjusted(call, by))

    async def _adjusted(self, call: ApiCall, by: Acting) -> AdjustmentRow:
        amount = call.number("amount")
        if amount is None:
            raise OrderRefused("bad_parameter", "Give the `amount`.")
        if not by.reason:
            raise OrderRefused("bad_reason", "An adjustment needs a reason, for the operators' log.")
        account = (await self._find(call.args["player"])).account
        signed = Money(-amount if call.flag("take") else amount)
        adjustment = Adjustment(
            account=account, key=ledger_key(call), amount=signed, source=call.text("source")
        )
        return await self._ledger.adjust(adjustment, by=by)

    async def _decide(self, call: ApiCall) -> object:
        return await self._orders.carried_out(call, lambda by: self._decided(call, by))

    async def _decided(self, call: ApiCall, by: Acting) -> AdjustmentRow:
        number = number_of(call.args["number"], NUMBER_MAX, "number")
        approve = call.page.verb == "cashier.approve_adjustment"
        return await self._ledger.decide_adjustment(number, approve=approve, by=by)
