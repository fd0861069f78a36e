"""The practical strategy of Ultimate Texas Hold'em, as one would explain it: for one box, from the cards it sees.

It is written to be read. `batch` decides the same for many rounds at once, and the tests hold one against the other.
"""

from __future__ import annotations

from typing import Final

from pokerroom.rules.cards import DECK, RANKS, Card
from pokerroom.rules.ranking import HandCategory, category, hand_rank
from pokerroom.rules.ultimate.round import Check, Decision, Fold, Play

TEN: Final = RANKS.index("T")
MOST_OUTS: Final = 20
"""With more cards that let the bank's hand win by the board alone, a box folds."""

_THREE: Final = RANKS.index("3")
_KICKERS: Final = {"A": ("2", "2"), "K": ("2", "5"), "Q": ("6", "8"), "J": ("8", "T")}
"""By the higher card: the least other card, suited and not. K2s+, K5o+; Q6s+, Q8o+; J8s+, JTo."""
_LEAST: Final = {
    RANKS.index(high): (RANKS.index(suited), RANKS.index(offsuit))
    for high, (suited, offsuit) in _KICKERS.items()
}


def plays_before_flop(holes: tuple[Card, Card]) -> bool:
    """4 Antes: any ace, a pair from threes, and kings, queens, jacks with enough beside them."""
    low, high = sorted(card // 4 for card in holes)
    if low == high:
        return low >= _THREE
    suited, offsuit = _LEAST.get(high, (high, high))
    return low >= (suited if holes[0] % 4 == holes[1] % 4 else offsuit)


def plays_on_flop(holes: tuple[Card, Card], flop: tuple[Card, ...]) -> bool:
    """2 Antes: two pair or better, a hidden pair (not pocket twos), or four to a flush with a hidden ten or better."""
    if category(hand_rank(holes + flop)) >= HandCategory.two_pair:
        return True
    on_flop = {card // 4 for card in flop}
    if any(hole // 4 in on_flop for hole in holes):
        return True
    suits = [card % 4 for card in holes + flop]
    return any(hole // 4 >= TEN and suits.count(hole % 4) >= 4 for hole in holes)


def plays_on_river(holes: tuple[Card, Card], board: tuple[Card, ...]) -> bool:
    """1 Ante: a hidden pair or better, or fewer than 21 cards that beat the hand from the board."""
    rank = hand_rank(holes + board)
    on_board = {card // 4 for card in board}
    if holes[0] // 4 == holes[1] // 4 or any(hole // 4 in on_board for hole in holes):
        return True
    if category(rank) >= HandCategory.straight and rank > hand_rank(board):
        return True
    seen = {*holes, *board}
    outs = sum(hand_rank((*board, card)) > rank for card in DECK if card not in seen)
    return outs <= MOST_OUTS


def decide(holes: tuple[Card, Card], board: tuple[Card, ...]) -> Decision:
    """What the strategy does with these board cards out: none, three or five."""
    if not board:
        return Play(multiple=4) if plays_before_flop(holes) else Check()
    if len(board) == 3:
        return Play(multiple=2) if plays_on_flop(holes, board) else Check()
    return Play(multiple=1) if plays_on_river(holes, board) else Fold()
