"""What happened in a hand, as values, in the order it happened. Players are indexes into the hand.

Only `HandShown` contains hole cards, so every event may be told to all viewers (G4).
"""

from enum import StrEnum
from typing import ClassVar, Final

from pokerroom.rules.cards import Card
from pokerroom.rules.value import Value


class Street(StrEnum):
    """The betting rounds of games with a board."""

    preflop = "preflop"
    flop = "flop"
    turn = "turn"
    river = "river"


class PostKind(StrEnum):
    """What a forced or bought-in bet is for."""

    ante = "ante"
    big_blind_ante = "big_blind_ante"
    small_blind = "small_blind"
    big_blind = "big_blind"
    straddle = "straddle"
    live_post = "live_post"
    dead_post = "dead_post"


class ActionKind(StrEnum):
    """What a player did; all-in is told beside it."""

    fold = "fold"
    check = "check"
    call = "call"
    bet = "bet"
    raise_ = "raise"  # the word itself is Python's
    clock_all_in = "clock_all_in"


class PlayerPosted(Value):
    """A player put in an ante, a blind or a post; `amount` is at most the stack (B5)."""

    __slots__: ClassVar[tuple[str, ...]] = ("player", "kind", "amount", "stack", "all_in")

    def __init__(self, *, player: int, kind: PostKind, amount: int, stack: int, all_in: bool) -> None:
        self.player: Final = player
        self.kind: Final = kind
        self.amount: Final = amount
        self.stack: Final = stack
        """Chips behind afterwards."""
        self.all_in: Final = all_in


class PlayerActed(Value):
    """A player acted in turn."""

    __slots__: ClassVar[tuple[str, ...]] = ("player", "action", "added", "bet", "stack", "all_in")

    def __init__(
        self, *, player: int, action: ActionKind, added: int, bet: int, stack: int, all_in: bool
    ) -> None:
        self.player: Final = player
        self.action: Final = action
        self.added: Final = added
        """Chips put in by this action."""
        self.bet: Final = bet
        """The player's bet on this street afterwards."""
        self.stack: Final = stack
        """Chips behind afterwards."""
        self.all_in: Final = all_in


class StreetOpened(Value):
    """A street began with board cards; `cards` are the new ones only."""

    __slots__: ClassVar[tuple[str, ...]] = ("street", "cards", "pots")

    def __init__(
        self, *, street: Street, cards: tuple[Card, ...], pots: tuple[tuple[int, tuple[int, ...]], ...]
    ) -> None:
        self.street: Final = street
        self.cards: Final = cards
        self.pots: Final = pots
        """(amount, players who can win it) of each pot in the middle as this street begins, main pot first."""


class UncalledBetReturned(Value):
    """The unmatched part of a bet went back to the bettor (F1)."""

    __slots__: ClassVar[tuple[str, ...]] = ("player", "amount", "stack")

    def __init__(self, *, player: int, amount: int, stack: int) -> None:
        self.player: Final = player
        self.amount: Final = amount
        self.stack: Final = stack
        """Chips behind afterwards."""


class HandShown(Value):
    """A player's hole cards were turned up; `rank` is None until the board is complete."""

    __slots__: ClassVar[tuple[str, ...]] = ("player", "cards", "rank")

    def __init__(self, *, player: int, cards: tuple[Card, ...], rank: int | None) -> None:
        self.player: Final = player
        self.cards: Final = cards
        self.rank: Final = rank


class HandMucked(Value):
    """A player gave up a beaten hand unseen."""

    __slots__: ClassVar[tuple[str, ...]] = ("player",)

    def __init__(self, *, player: int) -> None:
        self.player: Final = player


class PotWon(Value):
    """A pot went to its winners. Pot 0 is the main pot; side pots are told before it (F2)."""

    __slots__: ClassVar[tuple[str, ...]] = ("pot", "amount", "shares", "rake")

    def __init__(self, *, pot: int, amount: int, shares: tuple[tuple[int, int], ...], rake: int = 0) -> None:
        self.pot: Final = pot
        self.amount: Final = amount
        """All chips of the pot, the rake included."""
        self.shares: Final = shares
        """(player, amount) of each winner, odd chips included (F3)."""
        self.rake: Final = rake
        """What the room takes of the pot; the shares are the rest of it (F4)."""


class HandFinished(Value):
    """The hand is over; `stacks` by player are final."""

    __slots__: ClassVar[tuple[str, ...]] = ("stacks",)

    def __init__(self, *, stacks: tuple[int, ...]) -> None:
        self.stacks: Final = stacks


Event = (
    PlayerPosted
    | PlayerActed
    | StreetOpened
    | UncalledBetReturned
    | HandShown
    | HandMucked
    | PotWon
    | HandFinished
)
