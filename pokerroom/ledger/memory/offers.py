"""Ordered offers in memory: see `OfferLedger`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.operators import MemoryOperators
from pokerroom.ledger.offers import OfferChange, OfferRow
from pokerroom.ledger.operator_log import Acting


class MemoryOffers(MemoryOperators):
    """An `OfferLedger`."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._offer_rows: list[OfferRow] = []

    @fired
    def change_offer(self, change: OfferChange, *, by: Acting) -> OfferRow:
        last = self._last_offers().get(change.offer)
        if last is not None and _holds(last.change, change):
            return last
        row = OfferRow(
            number=len(self._offer_rows) + 1,
            change=change,
            who=by.who,
            reason=by.reason,
            at_ms=int(self._now_s() * 1000),
        )
        self._offer_rows.append(row)
        self._log(by, "offer.change", change.offer, number=row.number, standing=change.standing)
        return row

    @fired
    def offers(self) -> Sequence[OfferRow]:
        return [row for _, row in sorted(self._last_offers().items())]

    @fired
    def offer_history(self, offer: str, before: int | None, limit: int) -> Sequence[OfferRow]:
        found = [row for row in reversed(self._offer_rows) if row.change.offer == offer]
        return [row for row in found if before is None or row.number < before][:limit]

    def _last_offers(self) -> dict[str, OfferRow]:
        return {row.change.offer: row for row in self._offer_rows}


def _holds(last: OfferChange, change: OfferChange) -> bool:
    return (last.standing, last.kind, last.terms) == (change.standing, change.kind, change.terms)
