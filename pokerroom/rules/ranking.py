"""How strong a hand is (J1, J2), through the evaluator eval7.

eval7 ranks the cards. This module translates cards, names eval7's categories, and says which cards may form a hand.
Suits never break ties (F3): equal ranks are a tie.
"""

import warnings
from collections.abc import Callable, Iterable
from enum import IntEnum
from itertools import combinations
from typing import Final

from pokerroom.rules.cards import DECK, Card, card_text

with warnings.catch_warnings():
    # eval7 0.1 parses hand ranges with names that pyparsing has deprecated. Only its evaluator is used here.
    warnings.simplefilter("ignore", DeprecationWarning)
    import eval7

_CARDS: Final = tuple(eval7.Card(card_text(card)) for card in DECK)
_CATEGORY_SHIFT: Final = 24  # eval7 keeps the category above 24 bits of rank and kickers
_ROYAL_FLUSH: Final = eval7.evaluate([_CARDS[number] for number in (51, 47, 43, 39, 35)])
"""The ace-high straight flush: nothing ranks above it."""

Evaluator = Callable[[Iterable[Card]], int]
"""The strength of the best five of 5 to 7 cards: higher is better."""


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


def any_five(evaluate: Evaluator, holes: tuple[Card, ...], board: tuple[Card, ...]) -> int:
    """The best five of all cards, as in hold'em."""
    return evaluate(holes + board)


def two_from_hand(evaluate: Evaluator, holes: tuple[Card, ...], board: tuple[Card, ...]) -> int:
    """The best hand of exactly two hole cards and exactly three board cards, as in Omaha (J2).

    Two hole cards with the whole board are at least as strong as with any three of it. So the pairs are tried from the
    most promising one, and the rest are skipped once they cannot be stronger.
    """
    bounds = sorted([(evaluate(pair + board), pair) for pair in combinations(holes, 2)], reverse=True)
    threes = list(combinations(board, 3))
    best = 0
    for bound, pair in bounds:
        if bound <= best:
            break
        best = max(best, *[evaluate(pair + three) for three in threes])
    return best


def category(rank: int) -> HandCategory:
    """The kind of hand that a `hand_rank` stands for."""
    return HandCategory.royal_flush if rank >= _ROYAL_FLUSH else HandCategory(rank >> _CATEGORY_SHIFT)


def deciding_ranks(rank: int) -> tuple[int, ...]:
    """The ranks that decide a `hand_rank`, as indexes into `RANKS`: of the pairs or the like first, then kickers.

    There are always five; those that the kind of hand does not need are 0.
    """
    return tuple([rank >> shift & 15 for shift in (16, 12, 8, 4, 0)])
