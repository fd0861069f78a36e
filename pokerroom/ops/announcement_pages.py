"""The pages of the operator API for announcements, with the verbs of `pokerroom announcement`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pokerroom.ledger.announcements import (
    ANNOUNCED_DAYS_MAX,
    ANNOUNCEMENT_MAX,
    AnnouncementLedger,
    AnnouncementRow,
    NewAnnouncement,
)
from pokerroom.ledger.operator_log import Acting
from pokerroom.ops.api_page import LISTED_MAX, NUMBER_MAX, ApiCall, Handler
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.parameter import number_of
from pokerroom.ops.reports import OrderRefused

_MINUTE_MS: Final = 60_000
_LONGEST_MS: Final = ANNOUNCED_DAYS_MAX * 86_400_000


def announcement_of(
    text: str, table: str | None, now_ms: int, in_minutes: int, minutes: int | None
) -> NewAnnouncement:
    """Return an announcement that begins in so many minutes, for so many. Raises `OrderRefused`."""
    if not (text.strip() and len(text) <= ANNOUNCEMENT_MAX and text.isprintable()):
        raise OrderRefused(
            "bad_announcement", f"Write the text: one line of at most {ANNOUNCEMENT_MAX} characters."
        )
    if minutes is None or (in_minutes + minutes) * _MINUTE_MS > _LONGEST_MS:
        raise OrderRefused(
            "bad_announcement", f"Say for how many minutes; it ends within {ANNOUNCED_DAYS_MAX} days."
        )
    begins_ms = now_ms + in_minutes * _MINUTE_MS
    return NewAnnouncement(
        text=text, table=table, begins_ms=begins_ms, ends_ms=begins_ms + minutes * _MINUTE_MS
    )


class AnnouncementPages:
    """See the module. `now_ms` is the time, Unix milliseconds."""

    def __init__(self, ledger: AnnouncementLedger, orders: BookedOrders, now_ms: Callable[[], int]) -> None:
        self._ledger = ledger
        self._orders = orders
        self._now_ms = now_ms

    def handlers(self) -> Mapping[str, Handler]:
        """Return who answers each verb."""
        return {
            "announcement.list": self._list,
            "announcement.add": self._add,
            "announcement.withdraw": self._withdraw,
        }

    async def _list(self, call: ApiCall) -> object:
        return await self._ledger.announcements(call.number("before"), call.number("limit") or LISTED_MAX)

    async def _add(self, call: ApiCall) -> object:
        return await self._orders.carried_out(call, lambda by: self._added(call, by))

    async def _added(self, call: ApiCall, by: Acting) -> AnnouncementRow:
        new = announcement_of(
            call.text("text"),
            call.text("table") or None,
            self._now_ms(),
            call.number("in_minutes") or 0,
            call.number("minutes"),
        )
        return await self._ledger.announce(new, by=by)

    async def _withdraw(self, call: ApiCall) -> object:
        return await self._orders.carried_out(call, lambda by: self._withdrawn(call, by))

    async def _withdrawn(self, call: ApiCall, by: Acting) -> AnnouncementRow:
        number = number_of(call.args["number"], NUMBER_MAX, "number")
        return await self._ledger.withdraw_announcement(number, by=by)
