"""The contract for offers that operators order, of tournaments and of private tables: what holds, and every change.

An order holds over the settings until another one gives the offer back to them. Terms are a JSON object with the keys
of the settings. Changes are permanent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.operator_log import Acting

OfferKind = Literal["sit_and_go", "tournament", "private_tables"]
OfferStanding = Literal["offered", "retired", "settings"]
"""`settings`: as the settings say, which may offer it or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferChange:
    """What an order makes of an offer. One that is `offered` has `terms`; `before` are those that held until then."""

    offer: str
    standing: OfferStanding
    kind: OfferKind
    terms: str | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferRow:
    """A change, who ordered it, and why. Larger numbers are later."""

    number: int
    change: OfferChange
    who: str
    reason: str
    at_ms: int


class OfferLedger(Protocol):
    """The contract, in addition to that of `Ledger`."""

    def change_offer(self, change: OfferChange, *, by: Acting) -> Deferred[OfferRow]:
        """Stores a change, with its line of the operators' log. What holds already is not stored again."""

    def offers(self) -> Deferred[Sequence[OfferRow]]:
        """The last change of each offer, by offer."""

    def offer_history(self, offer: str, before: int | None, limit: int) -> Deferred[Sequence[OfferRow]]:
        """The changes of an offer with numbers below `before`, the latest first."""
