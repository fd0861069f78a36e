"""The pages of the operator API for adjustments, with the verbs of `pokerroom cashier adjust` and its decisions.

The ledger moves the money once, and knows whether another operator has to approve it.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from secrets import token_hex
from typing import Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.adjustments import Adjustment, AdjustmentLedger, AdjustmentRow
from pokerroom.ledger.api import AccountRow
from pokerroom.ledger.operator_log import Acting
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.operator_api import LISTED_MAX, NUMBER_MAX, ApiCall, Handler, number_of
from pokerroom.ops.reports import OrderRefused


class AdjustmentPagesLedger(AdjustmentLedger, Protocol):
    """What the pages need of the ledger."""

    def find_account(self, name: str) -> Deferred[AccountRow | None]:
        """See `Ledger.find_account`."""


class AdjustmentPages:
    """See the module."""

    def __init__(self, ledger: AdjustmentPagesLedger, orders: BookedOrders) -> None:
        self._ledger = ledger
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
        row = await self._ledger.find_account(call.args["player"])
        if row is None:
            raise OrderRefused("unknown_player", "There is no player of this name.")
        signed = Money(-amount if call.flag("take") else amount)
        adjustment = Adjustment(
            account=row.account, key=_key_of(call, by), amount=signed, source=call.text("source")
        )
        return await self._ledger.adjust(adjustment, by=by)

    async def _decide(self, call: ApiCall) -> object:
        return await self._orders.carried_out(call, lambda by: self._decided(call, by))

    async def _decided(self, call: ApiCall, by: Acting) -> AdjustmentRow:
        number = number_of(call.args["number"], NUMBER_MAX, "number")
        approve = call.page.verb == "cashier.approve_adjustment"
        return await self._ledger.decide_adjustment(number, approve=approve, by=by)


def _key_of(call: ApiCall, by: Acting) -> str:
    """Return the key of the adjustment in the ledger: always the same one for a key of this operator."""
    name = f"{by.who}:{call.key}" if call.key else token_hex(16)
    return f"op-{sha256(name.encode()).hexdigest()[:32]}"
