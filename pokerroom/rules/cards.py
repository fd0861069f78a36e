"""Cards as small integers, and their two-letter text.

A card is `rank * 4 + suit`: ranks 2..A are 0..12, suits c, d, h, s are 0..3. Nothing here shuffles or deals.
"""

from typing import Final, NewType

Card = NewType("Card", int)
"""One of the 52 cards, 0..51."""

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"

DECK: Final[tuple[Card, ...]] = tuple(Card(number) for number in range(52))
"""The 52 cards in order; a hand is dealt from a shuffled copy."""

_TEXTS: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
_BY_TEXT: Final = {text: Card(number) for number, text in enumerate(_TEXTS)}


def card_text(card: Card) -> str:
    """Return the card as rank and suit, such as "As" or "Td"."""
    return _TEXTS[card]


def parse_card(text: str) -> Card:
    """Return the card written as in `card_text`. Raises ValueError for any other text."""
    card = _BY_TEXT.get(text)
    if card is None:
        raise ValueError("a card is a rank of 23456789TJQKA and a suit of cdhs, such as As")
    return card


def parse_cards(text: str) -> tuple[Card, ...]:
    """Return cards written one after the other, such as "AsKd". Raises ValueError where one is no card."""
    if len(text) % 2:
        raise ValueError("cards are written as two letters each, such as AsKd")
    return tuple(parse_card(text[at : at + 2]) for at in range(0, len(text), 2))
