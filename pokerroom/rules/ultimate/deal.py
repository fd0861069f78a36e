"""Which card goes where in a round (U2, U3): a shuffled deck in, the cards of boxes, bank and board out.

The deck arrives shuffled. One card at a time to each hand in turn, clockwise, the bank last each time; a burn card
before the flop, another before turn and river, which come together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pokerroom.rules.cards import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundDeal:
    """All cards of one round. Its repr shows none, so that no card appears in a traceback."""

    holes: tuple[tuple[Card, Card], ...] = field(repr=False)
    """Of each hand dealt, clockwise; at a common hand there is one."""
    bank: tuple[Card, Card] = field(repr=False)
    board: tuple[Card, ...] = field(repr=False)
    """The five cards in the order they will be dealt."""
    burned: tuple[Card, Card] = field(repr=False)


def deal_round(deck: Sequence[Card], hands: int) -> RoundDeal:
    """Deal from the top of `deck` to 1..21 hands and the bank.

    Raises ValueError when the deck is too short, holds a card twice or no box plays.
    """
    seats = hands + 1
    top = 2 * seats
    if hands < 1 or len(deck) < top + 7:
        raise ValueError(f"a deck of {len(deck)} cards cannot be dealt to {hands} hands and the bank")
    if len(set(deck)) != len(deck):
        raise ValueError("a card is in the deck twice")
    return RoundDeal(
        holes=tuple([(deck[hand], deck[seats + hand]) for hand in range(hands)]),
        bank=(deck[hands], deck[seats + hands]),
        board=(*deck[top + 1 : top + 4], *deck[top + 5 : top + 7]),
        burned=(deck[top], deck[top + 4]),
    )
