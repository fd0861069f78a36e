"""How strong a hand is (J1): best five of the given cards, through eval7.

eval7 counts the cards; this module translates our cards to its own and names its categories. Suits never
break ties (F3): equal ranks are a tie.
"""

import warnings
from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from pokerroom.rules.cards import DECK, Card, card_text

with warnings.catch_warnings():
    # eval7 0.1 parses hand ranges with names pyparsing has deprecated; we use its evaluator only.
    warnings.simplefilter("ignore", DeprecationWarning)
    import eval7

_CARDS: Final = tuple(eval7.Card(card_text(card)) for card in DECK)
_CATEGORY_SHIFT: Final = 24  # eval7 keeps the category above 24 bits of rank and kickers
_ROYAL_FLUSH: Final = eval7.evaluate([_CARDS[number] for number in (51, 47, 43, 39, 35)])
"""The ace-high straight flush: nothing ranks above it."""


class HandCategory(IntEnum):
    """The ten kinds of hand, weakest first."""

    high_card = 0
    pair = 1
    two_pair = 2
    three_of_a_kind = 3
    straight = 4
    flush = 5
    full_house = 6
    four_of_a_kind = 7
    straight_flush = 8
    royal_flush = 9


def hand_rank(cards: Iterable[Card]) -> int:
    """The strength of the best five of 5 to 7 cards: higher is better, equal is a tie."""
    rank: int = eval7.evaluate([_CARDS[card] for card in cards])
    return rank


def category(rank: int) -> HandCategory:
    """The kind of hand a `hand_rank` stands for."""
    return HandCategory.royal_flush if rank >= _ROYAL_FLUSH else HandCategory(rank >> _CATEGORY_SHIFT)
