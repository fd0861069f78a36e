"""Every seven-card hand, looked up and counted: what Trips returns exactly."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb

import numpy as np

from pokerroom.rules.cards import DECK
from pokerroom.rules.ranking import HandCategory
from pokerroom.simulation.ultimate.ranks import RANK_KEY, SUIT_KEY, Ints, categories, strengths

_CHUNK = 1 << 16
"""Hands looked up at once: what fits in the processor's cache."""


def count_seven_card_hands(done: Callable[[int], None] = lambda _: None) -> dict[HandCategory, int]:
    """How many of all 133,784,560 seven-card hands are of each kind; `done` hears how many were counted.

    Each hand is its two first cards and five after them. All five-card hands stand in order, so those that come after
    a card are the last ones.
    """
    rank_keys, suit_keys = first_cards(5)
    counts = np.zeros(len(HandCategory), dtype=np.int64)
    for first, second in combinations(range(len(DECK)), 2):
        after = comb(len(DECK) - 1 - second, 5)
        ranks, suits = RANK_KEY[first] + RANK_KEY[second], SUIT_KEY[first] + SUIT_KEY[second]
        for at in range(len(rank_keys) - after, len(rank_keys), _CHUNK):
            hands = strengths(rank_keys[at : at + _CHUNK] + ranks, suit_keys[at : at + _CHUNK] + suits, 7)
            counts += np.bincount(categories(hands), minlength=len(HandCategory))
        if after:
            done(after)
    return {kind: int(counts[kind]) for kind in HandCategory}


def first_cards(of_cards: int) -> tuple[Ints, Ints]:
    """Rank and suit keys of all ways to take that many cards of the deck, in the order of `itertools.combinations`."""
    chosen = np.array(list(combinations(range(len(DECK)), of_cards)), dtype=np.int64)
    return RANK_KEY[chosen].sum(axis=1), SUIT_KEY[chosen].sum(axis=1)
