"""The state of a hand between two actions: one slotted object with lists indexed by player.

It is changed by `hand` and `showdown` alone; everyone else reads. It compares by value, survives a round
trip through plain data exactly, and its repr never shows a card that is not on the board.
"""

from enum import StrEnum

from pokerroom.rules.cards import Card, card_text
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.events import Street
from pokerroom.rules.pots import layers
from pokerroom.rules.setup import HandSetup

BOARD_CARDS = {Street.preflop: 0, Street.flop: 3, Street.turn: 4, Street.river: 5}
"""How many board cards are out on each street."""


class PlayerStatus(StrEnum):
    """What a player can still do in this hand."""

    active = "active"
    folded = "folded"
    all_in = "all_in"
    clock_all_in = "clock_all_in"
    """Treated as all-in for what is in, with his stack kept behind (H3)."""


class HandState:
    """A hand in progress, or over. Amounts are in the smallest unit; lists are indexed by player.

    All amounts of `stacks` and `committed` always add up to the chips at hand start (A2).
    """

    __slots__ = (
        "acted",
        "aggressor",
        "bets",
        "blind_shortfall",
        "board",
        "committed",
        "current_bet",
        "dead",
        "full_bet",
        "full_raise",
        "heads_up",
        "raises",
        "setup",
        "stacks",
        "statuses",
        "street",
        "to_act",
    )

    def __init__(self, setup: HandSetup) -> None:
        players = len(setup.players)
        self.setup = setup
        self.stacks = [player.stack for player in setup.players]
        """Chips behind; final once the hand is finished."""
        self.bets = [0] * players
        """Chips in front, on this street."""
        self.committed = [0] * players
        """Chips put in this hand and not returned, `bets` included; nothing once the pots are awarded."""
        self.dead = [0] * players
        """The part of `committed` that matches no bet: big-blind ante and dead posts."""
        self.statuses = [PlayerStatus.active] * players
        self.acted = [False] * players
        """Whether the player has acted on this street; posting is not acting (B6)."""
        self.street = Street.preflop
        self.board: tuple[Card, ...] = ()
        """The board dealt so far."""
        self.to_act: int | None = None
        """Whose turn it is; None once the hand is finished."""
        self.aggressor: int | None = None
        """The last to bet or raise on this street (G3)."""
        self.blind_shortfall = 0
        """What short blinds lack of their nominal size, while pot-limit counts it (D4): pre-flop."""
        self.current_bet = 0
        self.full_bet = 0
        self.full_raise = 0
        self.raises = 0
        self.heads_up = players == 2

    @property
    def finished(self) -> bool:
        """Whether the hand is over and `stacks` are final."""
        return self.to_act is None

    def live(self) -> list[int]:
        """Chips of each player that match others' bets: all he has in but dead posts."""
        return [chips - dead for chips, dead in zip(self.committed, self.dead, strict=True)]

    def contesting(self) -> list[int]:
        """Players who have not folded."""
        return [player for player, status in enumerate(self.statuses) if status is not PlayerStatus.folded]

    def check_chips(self) -> None:
        """Raise InvariantBroken unless the chips add up (A2)."""
        chips = sum([player.stack for player in self.setup.players])
        if sum(self.stacks) + sum(self.committed) != chips or min(self.stacks) < 0:
            raise InvariantBroken("chips do not add up (A2)")

    def pots(self) -> list[tuple[int, tuple[int, ...]]]:
        """(amount, eligible players) of each pot in the middle, main pot first; bets in front are not in it.

        Once the hand is finished there is none.
        """
        middle = [chips - bet for chips, bet in zip(self.live(), self.bets, strict=True)]
        return layers(middle, sum(self.dead), self.contesting())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HandState):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in HandState.__slots__)

    __hash__ = None  # type: ignore[assignment]  # mutable, compared by value

    def __repr__(self) -> str:
        board = "".join(card_text(card) for card in self.board)
        return (
            f"<HandState {self.street} [{board}] to_act={self.to_act} current_bet={self.current_bet}"
            f" stacks={self.stacks} bets={self.bets} committed={self.committed}"
            f" statuses={[status.value for status in self.statuses]}>"
        )
