"""Compute the result of a round of Ultimate from its cards, apart from the rules: winners, and what each bet pays.

The best five of seven, the bank's qualification and the table of results are worked out here, apart from the code that
played the round; the library that ranks cards is the one thing in common. Of the progressive bet only that nothing is
made or lost is checked.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore", DeprecationWarning
    )  # of pyparsing, by a part of the library not used here
    import eval7

_CARDS: Final = {rank + suit: eval7.Card(rank + suit) for rank in "23456789TJQKA" for suit in "cdhs"}
_BLIND: Final = {
    "royal_flush": (500, 1),
    "straight_flush": (50, 1),
    "four_of_a_kind": (10, 1),
    "full_house": (3, 1),
    "flush": (3, 2),
    "straight": (1, 1),
}
_TRIPS: Final = {
    "royal_flush": 50,
    "straight_flush": 40,
    "four_of_a_kind": 30,
    "full_house": 8,
    "flush": 7,
    "straight": 4,
    "three_of_a_kind": 3,
}
_NAMES: Final = {
    "High Card": "high_card",
    "Pair": "pair",
    "Two Pair": "two_pair",
    "Trips": "three_of_a_kind",
    "Straight": "straight",
    "Flush": "flush",
    "Full House": "full_house",
    "Quads": "four_of_a_kind",
    "Straight Flush": "straight_flush",
}
_RANKS: Final = "23456789TJQKA"


def strength(cards: Sequence[str]) -> int:
    """The larger, the better."""
    found: int = eval7.evaluate([_CARDS[card] for card in cards])
    return found


def kind_of(cards: Sequence[str]) -> str:
    """The name of the best hand of seven cards."""
    name = _NAMES[eval7.handtype(strength(cards))]
    if name != "straight_flush":
        return name
    royal = any(all(rank + suit in cards for rank in "TJQKA") for suit in "cdhs")
    return "royal_flush" if royal else name


def qualifies(cards: Sequence[str], least: str) -> bool:
    """Whether the bank plays for the Ante with these seven cards."""
    kind = kind_of(cards)
    if kind == "high_card":
        return False
    if kind != "pair" or least == "any_pair":
        return True
    [pair] = [rank for rank, count in Counter(card[0] for card in cards).items() if count == 2]
    return _RANKS.index(pair) >= _RANKS.index("4")


def outcome(box: Mapping[str, Any], board: Sequence[str], bank: Sequence[str], *, folded: bool) -> str:
    """How a box stands."""
    if folded:
        return "folded"
    own, other = strength([*box["cards"], *board]), strength([*bank, *board])
    return "tied" if own == other else "won" if own > other else "lost"


def paid(bet: str, stake: int, came: str, kind: str, *, bank_qualifies: bool) -> int:
    """What goes back for a bet, the stake included."""
    if bet == "trips":
        return stake * (1 + _TRIPS[kind]) if kind in _TRIPS else 0
    if came == "tied":
        return stake
    if bet == "ante":
        if came == "folded":
            return 0
        if not bank_qualifies:
            return stake
        return 2 * stake if came == "won" else 0
    if came != "won":
        return 0
    if bet == "play":
        return 2 * stake
    won, to = _BLIND.get(kind, (0, 1))
    return stake + stake * won // to


def wrong(record: Mapping[str, Any]) -> list[str]:
    """What is wrong with the result of a round that was played to its end."""
    board, bank = record["board"], record["bank"]["cards"]
    plays = qualifies([*bank, *board], record["qualification"])
    folds = {box for _, box, decision, _, _ in record["decisions"] if decision == "fold"}
    found = []
    if plays is not record["bank"]["qualifies"]:
        found.append(f"the bank {'plays' if plays else 'does not play'} with {bank} on {board}")
    for box in record["boxes"]:
        number, kind = box["box"], kind_of([*box["cards"], *board])
        came = outcome(box, board, bank, folded=number in folds)
        if (box["hand"], box["outcome"]) != (kind, came):
            found.append(f"box {number} has {kind}, {came}: told {box['hand']}, {box['outcome']}")
        for bet, stake, back in box["bets"]:
            if bet != "progressive" and back != paid(bet, stake, came, kind, bank_qualifies=plays):
                found.append(f"box {number} {came} with {kind}: {bet} of {stake} is paid {back}")
    return found
