"""The state of a hand between two actions: one slotted object with lists indexed by player.

Only `hand`, `posting` and `showdown` change it; all others read. It compares by value, survives a round trip through
plain data exactly, and its repr never shows a card that is not on the board.
"""

from enum import StrEnum
from typing import ClassVar, Final

from pokerroom.rules.betting import BettingRound
from pokerroom.rules.cards import Card, card_text
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.events import Street
from pokerroom.rules.pots import layers
from pokerroom.rules.setup import HandSetup
from pokerroom.rules.value import Value


class PlayerStatus(StrEnum):
    """What a player can still do in this hand."""

    active = "active"
    folded = "folded"
    all_in = "all_in"
    clock_all_in = "clock_all_in"
    """Treated as all-in for what is in, with the stack kept behind (H3)."""


_FOLDED: Final = PlayerStatus.folded


class LegalActions(Value):
    """What the player to act may do. Folding is always legal."""

    __slots__: ClassVar[tuple[str, ...]] = ("player", "check", "call_amount", "min_raise_to", "max_raise_to")

    def __init__(
        self,
        *,
        player: int,
        check: bool,
        call_amount: int,
        min_raise_to: int | None,
        max_raise_to: int | None,
    ) -> None:
        self.player: Final = player
        self.check: Final = check
        self.call_amount: Final = call_amount
        """Chips that a call would add, at most the stack; 0 when checking is free."""
        self.min_raise_to: Final = min_raise_to
        """Smallest bet or raise, as the total for the street; None where none is legal."""
        self.max_raise_to: Final = max_raise_to
        """Largest bet or raise; equal to the smallest where one size, or only all-in, is legal."""


class HandState(BettingRound):
    """A hand in progress, or finished. Amounts are in the smallest unit; lists are indexed by player.

    All amounts of `stacks`, `committed` and `rake` always add up to the chips at hand start (A2).
    """

    __slots__: ClassVar[tuple[str, ...]] = (
        "acted",
        "aggressor",
        "bets",
        "blind_shortfall",
        "board",
        "chips",
        "committed",
        "current_bet",
        "dead",
        "full_bet",
        "full_raise",
        "heads_up",
        "raises",
        "rake",
        "setup",
        "stacks",
        "statuses",
        "street",
        "turn",
    )

    def __init__(self, setup: HandSetup) -> None:
        players = len(setup.players)
        self.setup = setup
        self.stacks = [player.stack for player in setup.players]
        """Chips behind; final once the hand is finished."""
        self.chips = sum(self.stacks)
        """All chips of the hand; constant from its start to its end."""
        self.bets = [0] * players
        """Chips in front, on this street."""
        self.committed = [0] * players
        """Chips put in during this hand and not returned, `bets` included; 0 once the pots are awarded."""
        self.dead = [0] * players
        """The part of `committed` that matches no bet: big-blind ante and dead posts."""
        self.rake: list[int] = []
        """Each player's part of the rake (F5); empty where none was taken."""
        self.statuses = [PlayerStatus.active] * players
        self.acted = [False] * players
        """Whether the player has acted on this street; posting is not acting (B6)."""
        self.street: Street = setup.variant.first_street
        self.board: tuple[Card, ...] = ()
        """The board dealt so far."""
        self.turn: LegalActions | None = None
        """What the player to act may do; None once the hand is finished. It follows from the other fields."""
        self.aggressor: int | None = None
        """The last to bet or raise on this street (G3)."""
        self.blind_shortfall = 0
        """What short blinds, or a dead small blind, lack of their size. Pot-limit counts it, pre-flop only (D4)."""
        self.current_bet = 0
        self.full_bet = 0
        self.full_raise = 0
        self.raises = 0
        self.heads_up = players == 2

    @property
    def finished(self) -> bool:
        """Whether the hand is over and `stacks` are final."""
        return self.turn is None

    @property
    def to_act(self) -> int | None:
        """The player to act; None once the hand is finished."""
        return None if self.turn is None else self.turn.player

    def nominal_pot(self) -> int:
        """Return all chips put in so far. Pre-flop the blinds count at their nominal size (D4)."""
        return sum(self.committed) + self.blind_shortfall

    def live(self) -> list[int]:
        """Return each player's chips that match others' bets: all that is in but dead posts."""
        return [chips - dead for chips, dead in zip(self.committed, self.dead, strict=True)]

    def contesting(self) -> list[int]:
        """Return the players who have not folded."""
        return [player for player, status in enumerate(self.statuses) if status is not _FOLDED]

    def check_chips(self) -> None:
        """Raise InvariantBroken unless the chips add up (A2)."""
        chips = sum(self.stacks) + sum(self.committed)
        if self.rake:
            chips += sum(self.rake)
        if chips != self.chips or min(self.stacks) < 0:
            raise InvariantBroken("chips do not add up (A2)")

    def pots(self) -> list[tuple[int, tuple[int, ...]]]:
        """Return (amount, eligible players) of each pot in the middle, main pot first.

        Bets in front are in no pot. Once the hand is finished there is none.
        """
        chips = zip(self.committed, self.dead, self.bets, strict=True)
        middle = [committed - dead - bet for committed, dead, bet in chips]
        return layers(middle, sum(self.dead), self.contesting())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HandState):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in HandState.__slots__)

    def __hash__(self) -> int:
        raise TypeError("a hand's state changes: it cannot be hashed")

    def __deepcopy__(self, memo: dict[int, object]) -> "HandState":
        return self.copy()

    def copy(self) -> "HandState":
        """Return an equal state that plays on by itself. What never changes is shared."""
        other = HandState(self.setup)
        for name in HandState.__slots__:
            value = getattr(self, name)
            setattr(other, name, list(value) if isinstance(value, list) else value)
        return other

    def __repr__(self) -> str:
        board = "".join(card_text(card) for card in self.board)
        return (
            f"<HandState {self.street} [{board}] to_act={self.to_act} current_bet={self.current_bet}"
            f" stacks={self.stacks} bets={self.bets} committed={self.committed}"
            f" statuses={[status.value for status in self.statuses]}>"
        )
