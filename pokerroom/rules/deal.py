"""Which card goes where: a shuffled deck in, hole cards and board out.

The deck arrives shuffled (K1). This module draws no random number and keeps nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pokerroom.rules.cards import Card
from pokerroom.rules.variants import Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """All cards of one hand. Its repr shows none: no card may appear in a traceback."""

    holes: tuple[tuple[Card, ...], ...] = field(repr=False)
    """Hole cards by player, player 0 being the first left of the button."""
    board: tuple[Card, ...] = field(repr=False)
    """The board cards in the order they will be dealt."""


def deal(deck: Sequence[Card], players: int, variant: Variant) -> Deal:
    """Deal from the top of `deck` to 2 or more players, as by hand (K2).

    Each player gets one card at a time from player 0, as many rounds as the variant has hole cards. Then a card is
    burnt before each street of the board. Raises ValueError when the deck is not of the variant's size or holds a card
    twice, or for too few or too many players.
    """
    if len(deck) != len(variant.deck) or not 2 <= players <= variant.players_max:
        raise ValueError(
            f"a deck of {len(deck)} cards cannot be dealt to {players} players of {variant.name}"
        )
    if len(set(deck)) != len(deck):
        raise ValueError("a card is in the deck twice")
    place = variant.hole_cards * players
    holes = tuple([tuple(deck[player:place:players]) for player in range(players)])
    board: list[Card] = []
    for _, cards in variant.streets:
        if cards:
            place += 1  # the burn
            board += deck[place : place + cards]
            place += cards
    return Deal(holes=holes, board=tuple(board))
