"""The practical strategy of Ultimate Texas Hold'em for a bot, from cards as the protocol writes them.

It needs the evaluator library alone: bots see only the protocol package of the project. The simulation decides the same
for many rounds at once, with known figures.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Final

with warnings.catch_warnings():
    # eval7 0.1 parses hand ranges with names that pyparsing has deprecated; its evaluator alone is used here.
    warnings.simplefilter("ignore", DeprecationWarning)
    import eval7

_RANKS: Final = "23456789TJQKA"
_DECK: Final = {rank + suit: eval7.Card(rank + suit) for rank in _RANKS for suit in "cdhs"}
_LEAST: Final = {"A": ("2", "2"), "K": ("2", "5"), "Q": ("6", "8"), "J": ("8", "T")}
"""By the higher card: the lowest other card that plays before the flop, suited and offsuit."""
_CATEGORY_SHIFT: Final = 24
_TWO_PAIR, _STRAIGHT = 2, 4
OUTS_MAX: Final = 20
"""With more outs against it, the hand folds."""


def multiple(holes: Sequence[str], board: Sequence[str]) -> int:
    """Return the Play in Antes for a board of none, three or five cards; 0: check, or fold on the river."""
    if not board:
        return 4 if _plays_before_flop(holes) else 0
    if len(board) == 3:
        return 2 if _plays_on_flop(holes, board) else 0
    return 1 if _plays_on_river(holes, board) else 0


def _plays_before_flop(holes: Sequence[str]) -> bool:
    low, high = sorted(_RANKS.index(card[0]) for card in holes)
    if low == high:
        return low > 0  # pairs from threes
    least = _LEAST.get(_RANKS[high])
    if least is None:
        return False
    suited = holes[0][1] == holes[1][1]
    return low >= _RANKS.index(least[0] if suited else least[1])


def _plays_on_flop(holes: Sequence[str], flop: Sequence[str]) -> bool:
    if _category(_rank([*holes, *flop])) >= _TWO_PAIR:
        return True
    on_flop = {card[0] for card in flop}
    if any(card[0] in on_flop for card in holes):
        return True
    suits = [card[1] for card in (*holes, *flop)]
    return any(card[0] in "TJQKA" and suits.count(card[1]) >= 4 for card in holes)


def _plays_on_river(holes: Sequence[str], board: Sequence[str]) -> bool:
    on_board = {card[0] for card in board}
    if holes[0][0] == holes[1][0] or any(card[0] in on_board for card in holes):
        return True
    rank = _rank([*holes, *board])
    if _category(rank) >= _STRAIGHT and rank > _rank(board):
        return True
    seen = {*holes, *board}
    outs = sum(_rank([*board, card]) > rank for card in _DECK if card not in seen)
    return outs <= OUTS_MAX


def _rank(cards: Sequence[str]) -> int:
    rank: int = eval7.evaluate([_DECK[card] for card in cards])
    return rank


def _category(rank: int) -> int:
    return rank >> _CATEGORY_SHIFT
