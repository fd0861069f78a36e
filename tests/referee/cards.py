"""Cards as text (`As`, `Td`), and how hands compare (J1, J2). Plain code, and no table or library of the room.

>>> kind(best(["As", "Ks"], ["Qs", "Js", "Ts", "2c", "2d"], "holdem"))
'royal_flush'
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK = frozenset(rank + suit for rank in RANKS for suit in SUITS)
KINDS = (
    *("high_card", "pair", "two_pair", "three_of_a_kind", "straight", "flush", "full_house"),
    *("four_of_a_kind", "straight_flush", "royal_flush"),
)

Strength = tuple[int, tuple[int, ...]]
"""The index in `KINDS`, then what decides among hands of a kind. Larger is better."""


def _straight(values: Iterable[int]) -> int | None:
    """The highest card of the best straight; the ace is high, or low below the two."""
    held = set(values)
    if 12 in held:
        held.add(-1)
    return next((top for top in range(12, 2, -1) if all(top - below in held for below in range(5))), None)


def strength(cards: Iterable[str]) -> Strength:
    """How strong the best five of five to seven cards are."""
    suits: dict[str, list[int]] = {}
    for rank, suit in cards:
        suits.setdefault(suit, []).append(RANKS.index(rank))
    flush = next((sorted(held, reverse=True) for held in suits.values() if len(held) >= 5), None)
    if flush is not None and (top := _straight(flush)) is not None:
        return (9 if top == 12 else 8), (top,)
    values = sorted((value for held in suits.values() for value in held), reverse=True)
    (most, first), (next_most, second), *_ = sorted(
        ((values.count(value), value) for value in set(values)), reverse=True
    )
    rest = [value for value in values if value != first]
    if most == 4:
        return 7, (first, rest[0])
    if most == 3 and next_most >= 2:
        return 6, (first, second)
    if flush is not None:
        return 5, tuple(flush[:5])
    if (top := _straight(values)) is not None:
        return 4, (top,)
    if most == 2 and next_most == 2:
        return 2, (first, second, max(value for value in rest if value != second))
    if most > 1:
        return (3, (first, *rest[:2])) if most == 3 else (1, (first, *rest[:3]))
    return 0, tuple(values[:5])


def best(holes: Sequence[str], board: Sequence[str], game: str) -> Strength:
    """The best hand of a player: any five of seven, in Omaha two of the hand with three of the board."""
    if game == "holdem":
        return strength([*holes, *board])
    return max(strength((*two, *three)) for two in combinations(holes, 2) for three in combinations(board, 3))


def kind(strength: Strength) -> str:
    """The name of the kind of a hand, as the protocol spells it."""
    return KINDS[strength[0]]


def is_card(text: object) -> bool:
    """Whether a value is the text of a card."""
    return isinstance(text, str) and text in DECK
