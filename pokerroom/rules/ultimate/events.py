"""What happened in a round between the deal and its end, as values, in the order it happened.

All of them may be told to every viewer. No event names a hidden card; `state.sees_holes` decides which hole cards a
player may see.
"""

from enum import StrEnum
from typing import ClassVar, Final

from pokerroom.rules.cards import Card
from pokerroom.rules.ultimate.state import Phase
from pokerroom.rules.value import Value


class DecisionKind(StrEnum):
    """What was decided for a box."""

    check = "check"
    play = "play"
    fold = "fold"


class BoxDecided(Value):
    """A box was decided on for this street."""

    __slots__: ClassVar[tuple[str, ...]] = ("box", "player", "decision", "multiple", "amount", "automatic")

    def __init__(
        self, *, box: int, player: int, decision: DecisionKind, multiple: int, amount: int, automatic: bool
    ) -> None:
        self.box: Final = box
        self.player: Final = player
        self.decision: Final = decision
        self.multiple: Final = multiple
        """Of the Ante; 0 unless he plays."""
        self.amount: Final = amount
        """What he put on Play by this."""
        self.automatic: Final = automatic
        """The clock did it: auto checked, auto folded (U4)."""


class BoardOpened(Value):
    """A card was burned and board cards came; `cards` are the new ones only (U3)."""

    __slots__: ClassVar[tuple[str, ...]] = ("phase", "cards")

    def __init__(self, *, phase: Phase, cards: tuple[Card, ...]) -> None:
        self.phase: Final = phase
        self.cards: Final = cards


class TipTaken(Value):
    """A player gave a tip to the tronc (U14)."""

    __slots__: ClassVar[tuple[str, ...]] = ("player", "amount")

    def __init__(self, *, player: int, amount: int) -> None:
        self.player: Final = player
        self.amount: Final = amount


Event = BoxDecided | BoardOpened | TipTaken
