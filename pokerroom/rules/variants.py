"""The games of the room as data: what is dealt, how a hand is ranked, and how it may be bet (J1, J2, K2).

A variant is one value. The hand, the deal and the showdown ask it and hold no branch for any game. Its name is the one
under which it is configured, journalled, recorded and told to clients. To add a variant, write it here and list it in
`VARIANTS`.
"""

from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import ClassVar, Final

from pokerroom.rules.betting import FixedLimit, NoLimit, PotLimit
from pokerroom.rules.cards import DECK, Card
from pokerroom.rules.errors import UnknownName
from pokerroom.rules.events import Street
from pokerroom.rules.ranking import Evaluator, any_five, hand_rank, two_from_hand
from pokerroom.rules.value import Value

Combination = Callable[[Evaluator, tuple[Card, ...], tuple[Card, ...]], int]
"""The strength of hole cards with a complete board: which of both an evaluator may take."""


class Variant(Value):
    """One game. Its name is its identity: two variants never share one.

    Raises ValueError without a name, and where no two players could be dealt in.
    """

    __slots__: ClassVar[tuple[str, ...]] = (
        "name",
        "hole_cards",
        "streets",
        "deck",
        "evaluator",
        "combination",
        "structures",
        "board_cards",
        "next_street",
        "first_street",
        "last_street",
        "players_max",
    )

    def __init__(
        self,
        *,
        name: str,
        hole_cards: int,
        streets: tuple[tuple[Street, int], ...],
        deck: tuple[Card, ...],
        evaluator: Evaluator,
        combination: Combination,
        structures: frozenset[str],
    ) -> None:
        if not name:
            raise ValueError("a variant needs a name: it is journalled, configured and told under it")
        self.name: Final = name
        self.hole_cards: Final = hole_cards
        self.streets: Final = streets
        """(street, board cards dealt at its start), in order."""
        self.deck: Final = deck
        """The cards that are shuffled, in any order."""
        self.evaluator: Final = evaluator
        """The strength of the best five of some cards."""
        self.combination: Final = combination
        self.structures: Final = structures
        """Names of the betting structures that the game may be played with."""
        names = [street for street, _ in streets]
        totals = accumulate([cards for _, cards in streets])
        self.board_cards: Final = dict(zip(names, totals, strict=True))
        """How many board cards are out on each street."""
        self.next_street: Final = dict(pairwise(names))
        self.first_street: Final = names[0]
        self.last_street: Final = names[-1]
        burns = sum([cards > 0 for _, cards in streets])
        board = self.board_cards[names[-1]]
        self.players_max: Final = (len(deck) - board - burns) // hole_cards
        """How many players the deck can serve, with a burn before each street of the board."""
        if self.players_max < 2:
            raise ValueError(f"{name}: the deck is too short for two players")

    def rank(self, holes: tuple[Card, ...], board: tuple[Card, ...]) -> int:
        """The strength of a hand with the complete board: higher is better, equal is a tie (J1, J2)."""
        return self.combination(self.evaluator, holes, board)

    def __repr__(self) -> str:
        return f"<Variant {self.name}>"


COMMUNITY_STREETS: Final = ((Street.preflop, 0), (Street.flop, 3), (Street.turn, 1), (Street.river, 1))
"""The streets of a game with a flop, a turn and a river."""

HOLDEM: Final = Variant(
    name="holdem",
    hole_cards=2,
    streets=COMMUNITY_STREETS,
    deck=DECK,
    evaluator=hand_rank,
    combination=any_five,
    structures=frozenset([NoLimit.name, PotLimit.name, FixedLimit.name]),
)
"""Texas hold'em: the best five of two hole cards and five on the board."""

OMAHA: Final = Variant(
    name="omaha",
    hole_cards=4,
    streets=COMMUNITY_STREETS,
    deck=DECK,
    evaluator=hand_rank,
    combination=two_from_hand,
    structures=frozenset([PotLimit.name]),
)
"""Omaha: exactly two of four hole cards with exactly three of the board."""

VARIANTS: Final = {variant.name: variant for variant in (HOLDEM, OMAHA)}
"""All games by name."""


def variant_named(name: str) -> Variant:
    """The variant that was written down under `name`; raises UnknownName for any other."""
    found = VARIANTS.get(name)
    if found is None:
        raise UnknownName(f"no variant is called {name!r}: known are {', '.join(VARIANTS)}")
    return found
