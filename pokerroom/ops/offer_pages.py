"""The pages of the operator API for offers of tournaments and of private tables, with the verbs of `pokerroom offer`.

An order is stored in the ledger with its line of the operators' log, and holds over the settings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec
from twisted.internet.defer import Deferred

from pokerroom.ledger.offers import OfferChange, OfferLedger, OfferRow, OfferStanding
from pokerroom.ledger.operator_log import Acting
from pokerroom.ops.api_page import LISTED_MAX, ApiCall, Handler
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.config_offer import KINDS, BadOffer, OfferLine, name_in, name_key, offer_from
from pokerroom.ops.config_tournament import ScheduledTournamentConfig
from pokerroom.ops.reports import OfferReport, OfferVersion, OrderRefused


class Offers(Protocol):
    """The offers of the room, as this node knows them (`tournament.offer_board`)."""

    def lines(self) -> list[OfferLine]:
        """Return all offers, also those that an order has retired."""

    def written(self, offer: str) -> str | None:
        """Return the terms of an offer in the settings; None if they have none of this id."""

    def read(self) -> Deferred[None]:
        """Read the orders at once. Never fails."""


class OfferPages:
    """See the module. `now_ms` is the time, Unix milliseconds."""

    def __init__(
        self, offers: Offers, ledger: OfferLedger, orders: BookedOrders, now_ms: Callable[[], int]
    ) -> None:
        self._offers = offers
        self._ledger = ledger
        self._orders = orders
        self._now_ms = now_ms

    def handlers(self) -> Mapping[str, Handler]:
        """Return who answers each verb."""
        return {
            "offer.list": self._list,
            "offer.show": self._show,
            "offer.history": self._history,
            "offer.set": self._ordered,
            "offer.retire": self._ordered,
            "offer.reset": self._ordered,
        }

    async def _list(self, _: ApiCall) -> list[OfferReport]:
        await self._offers.read()
        return [_report(line) for line in self._offers.lines()]

    async def _show(self, call: ApiCall) -> OfferReport:
        await self._offers.read()
        return _report(self._line(call.args["offer"]))

    async def _history(self, call: ApiCall) -> list[OfferVersion]:
        most = call.number("limit") or LISTED_MAX
        rows = await self._ledger.offer_history(call.args["offer"], call.number("before"), most)
        return [_version(row) for row in rows]

    async def _ordered(self, call: ApiCall) -> object:
        return await self._orders.carried_out(call, lambda by: self._changed(call, by))

    async def _changed(self, call: ApiCall, by: Acting) -> OfferReport:
        await self._offers.read()
        offer = call.args["offer"]
        change = self._new(call, offer) if call.page.verb == "offer.set" else self._ended(call, offer)
        row = await self._ledger.change_offer(change, by=by)
        await self._offers.read()
        found = next((line for line in self._offers.lines() if line.offer == offer), None)
        if found is None:  # an ordered offer that was given back to the settings, which have none
            found = OfferLine(
                offer=offer,
                kind=row.change.kind,
                terms=row.change.before or "{}",
                is_offered=False,
                ordered=row,
            )
        return _report(found)

    def _new(self, call: ApiCall, offer: str) -> OfferChange:
        """Return the change to new terms, once they are read."""
        old = next((line for line in self._offers.lines() if line.offer == offer), None)
        given = call.text("kind") or (old.kind if old else KINDS[0])
        kind = next((one for one in KINDS if one == given), None)
        if kind is None or (old is not None and old.kind != kind):
            raise OrderRefused(
                "bad_offer", f"`kind` is one of {', '.join(KINDS)}, and stays that of the offer."
            )
        try:
            new = offer_from(offer, kind, call.text("terms"))
        except BadOffer as wrong:
            raise OrderRefused("bad_offer", f"The offer cannot be made: {wrong}.") from wrong
        self._check_name(offer, name_in(offer, call.text("terms")))
        if isinstance(new, ScheduledTournamentConfig):
            self._check_start(new, call.text("terms"), old)
        terms = _compact(call.text("terms"))
        return OfferChange(offer=offer, standing="offered", kind=kind, terms=terms, before=_terms(old))

    def _ended(self, call: ApiCall, offer: str) -> OfferChange:
        old = self._line(offer)
        standing: OfferStanding = "retired" if call.page.verb == "offer.retire" else "settings"
        written = self._offers.written(offer)
        if standing == "settings" and written is not None:
            self._check_name(offer, name_in(offer, written))
        return OfferChange(offer=offer, standing=standing, kind=old.kind, before=_terms(old))

    def _check_name(self, offer: str, name: str) -> None:
        """Raise `OrderRefused` if another offer that holds has this name."""
        for line in self._offers.lines():
            other = name_in(line.offer, line.terms)
            if line.is_offered and line.offer != offer and name_key(other) == name_key(name):
                raise OrderRefused(
                    "bad_offer",
                    f'The offer cannot be made: name: "{name}" is also the name of {line.offer}, and players could not'
                    " tell the two apart. Choose a different one.",
                )

    def _check_start(self, new: ScheduledTournamentConfig, terms: str, old: OfferLine | None) -> None:
        """Raise `OrderRefused` if the only start is past, unless it is that of before: other terms may change."""
        if next(new.starts_after(self._now_ms()), None) is not None:
            return
        if old is None or _object(old.terms).get("start") != _object(terms)["start"]:
            raise OrderRefused(
                "bad_offer",
                "The offer cannot be made: start: is past, so no tournament would be opened. Give a time to come.",
            )

    def _line(self, offer: str) -> OfferLine:
        for line in self._offers.lines():
            if line.offer == offer:
                return line
        raise OrderRefused("unknown_offer", "There is no such offer. See `pokerroom offer list`.")


def _compact(terms: str) -> str:
    """Return terms as they are stored: without `id`, keys in the order in which they were given."""
    values = _object(terms)
    values.pop("id", None)
    return msgspec.json.encode(values).decode()


def _terms(line: OfferLine | None) -> str | None:
    return None if line is None else line.terms


def _object(terms: str) -> dict[str, Any]:
    return msgspec.json.decode(terms, type=dict[str, Any])


def _report(line: OfferLine) -> OfferReport:
    ordered = line.ordered
    return OfferReport(
        offer=line.offer,
        kind=line.kind,
        is_offered=line.is_offered,
        ordered=None if ordered is None else _version(ordered),
        terms=_object(line.terms),
    )


def _version(row: OfferRow) -> OfferVersion:
    terms, before = row.change.terms, row.change.before
    return OfferVersion(
        number=row.number,
        standing=row.change.standing,
        who=row.who,
        reason=row.reason,
        at_ms=row.at_ms,
        terms=None if terms is None else _object(terms),
        before=None if before is None else _object(before),
    )
