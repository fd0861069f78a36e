"""Rebuys and add-ons in the ledger: who may buy, that chips come once for each purchase, and what they bring (L2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, kw_only=True)
class ChipSales:
    """What one tournament sells and has sold. `terms` are those of its opening, by kind."""

    terms: Mapping[str, Any] = field(default_factory=dict)
    on_sale: set[str] = field(default_factory=set)
    bought: dict[tuple[int, str, int], bool] = field(default_factory=dict)
    """By account, kind and number: whether the chips have come."""

    @property
    def brought(self) -> int:
        """What all purchases bring to the prizes."""
        return sum(self.terms[kind].prize for _, kind, _ in self.bought)

    def buys(self, purchase: Any, chips: int, most: int, *, closed: bool) -> Iterator[str]:
        """Note a purchase of a player with so many chips; a rebuy is for at `most` so many. Yield what is wrong."""
        account, kind, number = key = (purchase.account, purchase.kind, purchase.number)
        if key in self.bought:
            return  # said again
        own = [one for one in self.bought if one[:2] == (account, kind)]
        if closed or kind not in self.on_sale:
            yield f"account {account} buys a {kind} that is not on sale"
        if number != len(own) + 1 or number > self.terms[kind].most:
            yield f"account {account} buys {kind} number {number}, after {len(own)}"
        if (kind == "rebuy" and chips > most) or (kind == "add_on" and not chips):
            yield f"account {account} buys a {kind} with {chips} chips, at most {most}"
        if not all(given for (buyer, *_), given in self.bought.items() if buyer == account):
            yield f"account {account} buys a {kind} before the chips of the last purchase have come"
        self.bought[key] = False

    def gives(self, purchases: Sequence[Any]) -> tuple[dict[int, int], list[str]]:
        """Note that chips come; return them by account, and what is wrong."""
        chips, wrong = dict[int, int](), list[str]()
        for one in purchases:
            key = (one.account, one.kind, one.number)
            if key not in self.bought:
                wrong.append(f"chips come for a {one.kind} that account {one.account} has not bought")
                continue
            if self.bought[key]:
                continue  # said again
            self.bought[key] = True
            chips[one.account] = chips.get(one.account, 0) + self.terms[one.kind].chips
        return chips, wrong
