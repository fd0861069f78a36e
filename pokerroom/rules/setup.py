"""How a hand begins: the game, the players with their chips and cards, and what each owes.

These are values only; `start` in `hand` plays them. Players are numbered from the first left of the button (0) to the
button (last). Heads-up, player 0 is the big blind and player 1 the button and small blind (B4).
"""

from typing import ClassVar, Final

from pokerroom.rules.betting import BettingStructure
from pokerroom.rules.cards import Card
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.events import PostKind
from pokerroom.rules.rake import RakeTerms, check_rake
from pokerroom.rules.value import Number, Value
from pokerroom.rules.variants import Variant

_NO_INT: Final = "an amount is an int, in the smallest unit (A1)"


class PlayerSetup(Value):
    """One player at the start of a hand. Amounts owed are nominal: a player short of chips posts the rest (B5).

    Raises TypeError for an amount that is no `int` (A1).
    """

    __slots__: ClassVar[tuple[str, ...]] = (
        "stack",
        "holes",
        "ante",
        "blind",
        "blind_kind",
        "dead",
        "muck_losing",
    )
    _hidden: ClassVar[str] = "holes"

    def __init__(
        self,
        *,
        stack: Number,
        holes: tuple[Card, ...],
        ante: Number = 0,
        blind: Number = 0,
        blind_kind: PostKind | None = None,
        dead: Number = 0,
        muck_losing: bool = True,
    ) -> None:
        if not (type(stack) is int and type(ante) is int and type(blind) is int and type(dead) is int):
            raise TypeError(_NO_INT)
        self.stack: Final[int] = stack
        """Chips at hand start, before anything is posted; at least 1 (A3)."""
        self.holes: Final = holes
        self.ante: Final[int] = ante
        """Owed to the pot before the cards. What exceeds the others' ante is the big-blind ante (B9)."""
        self.blind: Final[int] = blind
        """Live: small blind, big blind, straddle or live post (B6, B7)."""
        self.blind_kind: Final = blind_kind
        """What the blind is; given exactly when there is one."""
        self.dead: Final[int] = dead
        """The dead part of a post (B8)."""
        self.muck_losing: Final = muck_losing
        """Whether the player shows only what wins (G3)."""


class HandSetup(Value):
    """All that a hand needs, the cards to come included. Its repr shows none of them.

    Raises TypeError for a blind, a unit or a seat of the last blind that is no `int` (A1).
    """

    __slots__: ClassVar[tuple[str, ...]] = (
        "variant",
        "structure",
        "big_blind",
        "players",
        "board",
        "last_blind",
        "dead_blind",
        "show_all_in",
        "unit",
        "rake",
        "ante_first",
    )
    _hidden: ClassVar[str] = "board"

    def __init__(
        self,
        *,
        variant: Variant,
        structure: BettingStructure,
        big_blind: Number,
        players: tuple[PlayerSetup, ...],
        board: tuple[Card, ...],
        last_blind: Number,
        dead_blind: Number = 0,
        show_all_in: bool = True,
        unit: Number = 1,
        rake: RakeTerms | None = None,
        ante_first: bool = False,
    ) -> None:
        if not (type(big_blind) is int and type(last_blind) is int and type(dead_blind) is int):
            raise TypeError(_NO_INT)
        if type(unit) is not int:
            raise TypeError(_NO_INT)
        self.variant: Final = variant
        self.structure: Final = structure
        self.big_blind: Final[int] = big_blind
        """The minimum bet of no-limit and pot-limit; at least 1."""
        self.players: Final = players
        self.board: Final = board
        """All cards that will come."""
        self.last_blind: Final[int] = last_blind
        """The big blind, or the last straddler: the action starts on their left (C1)."""
        self.dead_blind: Final[int] = dead_blind
        """The small blind that no player posts, because its seat is empty. Pot-limit counts it (D4); 0: none."""
        self.show_all_in: Final = show_all_in
        """All live hands are turned up once a player is all-in and the betting is closed (G2)."""
        self.unit: Final[int] = unit
        """The smallest chip of the table, at least 1: pots are split in it (F3)."""
        self.rake: Final = rake
        """What the room takes of the pots; None: nothing (F4)."""
        self.ante_first: Final = ante_first
        """Whether a short big blind pays the ante before the blind. Only hands of earlier versions have it (B9)."""


def check_setup(setup: HandSetup) -> None:
    """Raise InvariantBroken for a hand that cannot be: the room sets it up, not a player."""
    players, variant = setup.players, setup.variant
    if setup.structure.name not in variant.structures:
        raise InvariantBroken(f"{variant.name} is not played {setup.structure.name}")
    if len(players) < 2:
        raise InvariantBroken("a hand needs two players")
    if (
        not 0 <= setup.last_blind < len(players)
        or setup.big_blind < 1
        or min(setup.unit - 1, setup.dead_blind) < 0
    ):
        raise InvariantBroken("no big blind, or no smallest chip, or a dead blind below nothing")
    check_rake(setup.rake)
    if len(setup.board) != variant.board_cards[variant.last_street]:
        raise InvariantBroken("the board has another number of cards")
    if {len(player.holes) for player in players} != {variant.hole_cards}:
        raise InvariantBroken(f"a player of {variant.name} has {variant.hole_cards} cards")
    cards = {*setup.board, *[card for player in players for card in player.holes]}
    if len(cards) != len(setup.board) + variant.hole_cards * len(players):
        raise InvariantBroken("a card exists twice (A2)")
    for player in players:
        if player.stack < 1 or player.ante < 0 or player.blind < 0 or player.dead < 0:
            raise InvariantBroken("a player needs chips, and owes nothing negative")
        if (player.blind > 0) != (player.blind_kind is not None):
            raise InvariantBroken("a blind has a kind")
