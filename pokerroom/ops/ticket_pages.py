"""The pages of the operator API for tickets of players, with the verbs of `pokerroom cashier`.

The ledger gives a ticket once for each key. That of the order is its key, too: an order with an unknown result can be
given again.
"""

from __future__ import annotations

from collections.abc import Mapping

from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.tickets import TICKET_DAYS, TicketGift, TicketLedger, TicketRow
from pokerroom.ops.api_page import NUMBER_MAX, ApiCall, Handler
from pokerroom.ops.booked_orders import BookedOrders, FindPlayer, ledger_key
from pokerroom.ops.parameter import number_of
from pokerroom.ops.reports import OrderRefused, TicketEnded


class TicketPages:
    """See the module."""

    def __init__(self, ledger: TicketLedger, find: FindPlayer, orders: BookedOrders) -> None:
        self._ledger = ledger
        self._find = find
        self._orders = orders

    def handlers(self) -> Mapping[str, Handler]:
        """Return who answers each verb."""
        return {
            "cashier.tickets": self._tickets,
            "cashier.give_ticket": self._give,
            "cashier.end_ticket": self._end,
        }

    async def _tickets(self, call: ApiCall) -> list[TicketRow]:
        return await self._ledger.tickets((await self._find(call.args["player"])).account)

    async def _give(self, call: ApiCall) -> object:
        return await self._orders.carried_out(call, lambda by: self._given(call, by))

    async def _given(self, call: ApiCall, by: Acting) -> TicketRow:
        offer, source = call.text("offer"), call.text("source")
        if not offer or not source:
            raise OrderRefused("bad_parameter", "Give `offer` and `source`.")
        gift = TicketGift(
            account=(await self._find(call.args["player"])).account,
            key=ledger_key(call),
            offer=offer,
            days=call.number("days") or TICKET_DAYS,
            source=source,
        )
        return await self._ledger.give_ticket(gift, by=by)

    async def _end(self, call: ApiCall) -> object:
        return await self._orders.carried_out(call, lambda by: self._ended(call, by))

    async def _ended(self, call: ApiCall, by: Acting) -> TicketEnded:
        number = number_of(call.args["number"], NUMBER_MAX, "number")
        try:
            await self._ledger.end_ticket(number, by=by)
        except LookupError as unknown:
            raise OrderRefused("unknown_ticket", "There is no ticket of this number.") from unknown
        return TicketEnded(number=number)
