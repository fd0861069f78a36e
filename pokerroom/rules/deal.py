"""Which card goes where: a shuffled deck in, hole cards and board out.

The deck arrives shuffled (K1); this module draws no random number and keeps nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pokerroom.rules.cards import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """All cards of one hand. Its repr shows none: nobody may see a card in a traceback."""

    holes: tuple[tuple[Card, Card], ...] = field(repr=False)
    """Hole cards by player, player 0 being the first left of the button."""
    board: tuple[Card, ...] = field(repr=False)
    """The five board cards in the order they will be dealt."""


def deal(deck: Sequence[Card], players: int) -> Deal:
    """Deal from the top of `deck` to 2..22 players as by hand (K2).

    One card at a time from player 0, twice round; then a burn before the flop, the turn and the river.
    Raises ValueError when the deck is too short, holds a card twice or fewer than two play.
    """
    first_burn = 2 * players
    if players < 2 or len(deck) < first_burn + 8:
        raise ValueError(f"a deck of {len(deck)} cards cannot be dealt to {players} players")
    if len(set(deck)) != len(deck):
        raise ValueError("a card is in the deck twice")
    flop = first_burn + 1
    return Deal(
        holes=tuple([(deck[player], deck[players + player]) for player in range(players)]),
        board=(*deck[flop : flop + 3], deck[flop + 4], deck[flop + 6]),
    )
