"""The pages of the operator API for clubs of players, with the verbs of `pokerroom club`."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import TypeVar

import msgspec

from pokerroom.ledger.clubs import UnknownClub
from pokerroom.ledger.operated_clubs import CLUB_NAME_MAX, ClubQuery, OperatedClub, OperatedClubLedger
from pokerroom.ledger.operator_log import Acting
from pokerroom.ops.api_page import LISTED_MAX, ApiCall, Handler
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.reports import OrderRefused
from pokerroom_protocol import messages as wire

T = TypeVar("T")


def club_name_of(text: str) -> str:
    """Return a name that players may give a club, too. Raises `OrderRefused`."""
    try:
        name = msgspec.convert({"id": 0, "name": text}, wire.CreateClub).name
    except msgspec.ValidationError:
        name = ""
    if name != text.strip() or not name:
        raise OrderRefused(
            "bad_club_name",
            f"Write a name of at most {CLUB_NAME_MAX} characters, without spaces before and after it, and without"
            " invisible characters.",
        )
    return name


async def _found(asked: Awaitable[T]) -> T:
    """Return the answer of the ledger. Raises `OrderRefused` if there is no such club."""
    try:
        return await asked
    except UnknownClub as unknown:
        raise OrderRefused(
            unknown.code, "There is no club of this id. See `pokerroom club list`."
        ) from unknown


class ClubPages:
    """See the module."""

    def __init__(self, ledger: OperatedClubLedger, orders: BookedOrders) -> None:
        self._ledger = ledger
        self._orders = orders

    def handlers(self) -> Mapping[str, Handler]:
        """Return who answers each verb."""
        return {
            "club.list": self._list,
            "club.show": self._show,
            "club.transfers": self._transfers,
            **{
                f"club.{order}": self._ordered for order in ("rename", "end_invitation", "set_owner", "close")
            },
        }

    async def _list(self, call: ApiCall) -> object:
        query = ClubQuery(
            search=call.text("name"),
            player=call.text("player") or None,
            before=call.number("before"),
            limit=call.number("limit") or LISTED_MAX,
        )
        return await self._ledger.find_clubs(query)

    async def _show(self, call: ApiCall) -> object:
        return await _found(self._ledger.operated_club(call.args["club"]))

    async def _transfers(self, call: ApiCall) -> object:
        most = call.number("limit") or LISTED_MAX
        return await _found(self._ledger.club_moves(call.args["club"], call.number("before"), most))

    async def _ordered(self, call: ApiCall) -> object:
        return await self._orders.carried_out(call, lambda by: self._done(call, by))

    async def _done(self, call: ApiCall, by: Acting) -> OperatedClub:
        ledger, club = self._ledger, call.args["club"]
        match call.page.verb.partition(".")[2]:
            case "rename":
                return await ledger.rename_club(club, club_name_of(call.text("new_name")), by=by)
            case "end_invitation":
                return await ledger.end_club_invitation(club, by=by)
            case "set_owner":
                return await ledger.set_club_owner(club, call.text("member"), by=by)
            case _:
                return await ledger.close_club_by_order(club, by=by)
