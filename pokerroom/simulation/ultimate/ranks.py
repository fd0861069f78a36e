"""The strength of many hands at once: the rules' own `hand_rank`, read from tables (numpy).

A hand's strength is the better of two: by its ranks alone, whatever the suits, and by the cards of one suit where they
are five or more. Each is looked up, by keys that are sums over the cards:

* `RANK_KEY` counts each rank in base 5, the seven low ranks in the low half of a 64-bit number and the six high ones in
  the high half. `_within` numbers the low halves of one count of cards, and `_first` says where the block of a high
  half begins: so a table has one entry for each multiset of ranks and no more, and stays in the processor's cache.
* `SUIT_KEY` has a bit for each card, 16 bits for each suit.

The tables hold what `hand_rank` says of a hand of that kind, numbered in order: equal is a tie, higher is better. They
know nothing of poker themselves.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pokerroom.rules.cards import DECK, Card
from pokerroom.rules.ranking import HandCategory, category, hand_rank

Ints = NDArray[np.int64]
Strengths = NDArray[np.int16]

_RANKS: Final = 13
_LOW: Final = 7
_HALF: Final = 32
_MASK: Final = (1 << _HALF) - 1
_SUITS: Final = 4
_LANE: Final = 16
_COUNTS: Final = (5, 6, 7)


KEY_BY_RANK: Final[Ints] = np.array(
    [*[5**rank for rank in range(_LOW)], *[5**rank << _HALF for rank in range(_RANKS - _LOW)]], dtype=np.int64
)
RANK_KEY: Final[Ints] = np.array([KEY_BY_RANK[card // 4] for card in DECK], dtype=np.int64)
"""By card."""
SUIT_KEY: Final[Ints] = np.array([1 << (card % 4 * _LANE + card // 4) for card in DECK], dtype=np.int64)
"""By card. A suit's lane has 13 bits of 16, so sums of different cards stay apart."""


def _multisets(ranks: range, most: int) -> list[tuple[int, ...]]:
    """All ways to hold up to `most` cards of these ranks, no more than four of each, as ranks."""
    found: list[tuple[int, ...]] = [()]
    for rank in ranks:
        found = [have + (rank,) * more for have in found for more in range(5) if len(have) + more <= most]
    return found


class _Tables:
    """All tables, built once a process from `hand_rank`, in half a second."""

    def __init__(self) -> None:
        low, high = _multisets(range(_LOW), 7), _multisets(range(_LOW, _RANKS), 7)
        by_count: list[list[tuple[int, ...]]] = [[] for _ in range(8)]
        self.within: NDArray[np.int32] = np.zeros(5**_LOW, dtype=np.int32)
        for ranks in low:
            self.within[sum(5**rank for rank in ranks)] = len(by_count[len(ranks)])
            by_count[len(ranks)].append(ranks)
        self.first: dict[int, NDArray[np.int32]] = {}
        hands: dict[int, list[int]] = {}
        for cards in _COUNTS:
            first = np.zeros(5 ** (_RANKS - _LOW), dtype=np.int32)
            hands[cards] = []
            for ranks in high:
                if len(ranks) <= cards:
                    first[sum(5 ** (rank - _LOW) for rank in ranks)] = len(hands[cards])
                    hands[cards] += [_rank_alone(rest + ranks) for rest in by_count[cards - len(ranks)]]
            self.first[cards] = first
        flushes = {
            bits: hand_rank([Card(rank * 4) for rank in range(_RANKS) if bits >> rank & 1])
            for bits in range(1 << _RANKS)
            if 5 <= bits.bit_count() <= 7
        }
        every = sorted({0, *flushes.values(), *[rank for ranks in hands.values() for rank in ranks]})
        number = {rank: at for at, rank in enumerate(every)}
        self.by_ranks: dict[int, Strengths] = {
            cards: np.array([number[rank] for rank in ranks], dtype=np.int16)
            for cards, ranks in hands.items()
        }
        self.by_suit: Strengths = np.zeros(1 << _LANE, dtype=np.int16)
        for bits, rank in flushes.items():
            self.by_suit[bits] = number[rank]
        self.categories: NDArray[np.int8] = np.array([category(rank) for rank in every], dtype=np.int8)
        self.ranks = every


def _rank_alone(ranks: tuple[int, ...]) -> int:
    """What these ranks are worth without a flush: suits dealt in turn, two cards of one at most."""
    return hand_rank([Card(rank * 4 + at % _SUITS) for at, rank in enumerate(ranks)])


_TABLES: Final = _Tables()


def by_ranks(keys: Ints, cards: int) -> Strengths:
    """Strengths by ranks alone, from sums of `RANK_KEY` over 5, 6 or 7 cards."""
    first, within = _TABLES.first[cards], _TABLES.within
    found: Strengths = _TABLES.by_ranks[cards][first[keys >> _HALF] + within[keys & _MASK]]
    return found


def by_suits(keys: Ints) -> Strengths:
    """Strengths as a flush or better, from sums of `SUIT_KEY` over 5 to 7 cards; 0 where no suit has five."""
    table, lane = _TABLES.by_suit, (1 << _LANE) - 1
    best: Strengths = table[keys & lane]
    for suit in range(1, _SUITS):
        np.maximum(best, table[keys >> (suit * _LANE) & lane], out=best)
    return best


def strengths(rank_keys: Ints, suit_keys: Ints, cards: int) -> Strengths:
    """Strengths of hands of 5, 6 or 7 cards."""
    return np.maximum(by_ranks(rank_keys, cards), by_suits(suit_keys))


def categories(of: Strengths) -> NDArray[np.int8]:
    """The kinds of hands, as numbers of `HandCategory`."""
    return _TABLES.categories[of]


def weakest(kind: HandCategory) -> int:
    """The least strength of this kind of hand."""
    return int(np.searchsorted(_TABLES.categories, kind.value))


def strength_of(rank: int) -> int:
    """The strength that stands for a `hand_rank`."""
    return _TABLES.ranks.index(rank)
