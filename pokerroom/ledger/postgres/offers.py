"""Ordered offers in PostgreSQL: see `OfferLedger`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.offers import OfferChange, OfferRow
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.postgres.calls import PostgresCalls

_SELECT: Final[LiteralString] = (
    "SELECT number, offer, standing, kind, terms, before, who, reason, (extract(epoch FROM at) * 1000)::bigint FROM "
)


class PostgresOffers(PostgresCalls):
    """An `OfferLedger`."""

    def change_offer(self, change: OfferChange, *, by: Acting) -> Deferred[OfferRow]:

        async def changed() -> OfferRow:
            rows = await self._rows(
                _SELECT + "change_offer(%s, %s, %s, %s, %s, ROW(%s, %s, %s, %s)::acting)",
                *(change.offer, change.standing, change.kind, change.terms, change.before, *by.row()),
            )
            return _row(rows[0])

        return deferred(changed())

    def offers(self) -> Deferred[Sequence[OfferRow]]:

        async def found() -> Sequence[OfferRow]:
            rows = await self._rows(_SELECT + "last_offer_changes()")
            return [_row(row) for row in rows]

        return deferred(found())

    def offer_history(self, offer: str, before: int | None, limit: int) -> Deferred[Sequence[OfferRow]]:

        async def found() -> Sequence[OfferRow]:
            rows = await self._rows(
                _SELECT + "offer_changes WHERE offer = %(offer)s"
                " AND (%(before)s::bigint IS NULL OR number < %(before)s) ORDER BY number DESC LIMIT %(limit)s",
                offer=offer,
                before=before,
                limit=limit,
            )
            return [_row(row) for row in rows]

        return deferred(found())


def _row(row: tuple[Any, ...]) -> OfferRow:
    number, offer, standing, kind, terms, before, who, reason, at_ms = row
    change = OfferChange(offer=offer, standing=standing, kind=kind, terms=terms, before=before)
    return OfferRow(number=number, change=change, who=who, reason=reason, at_ms=at_ms)
