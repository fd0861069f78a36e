"""What a round came to, as values: of each bet, each box, the bank, the meter and everybody's account.

Results hold cards: they are told when the round is over and everything is turned up.
"""

from enum import StrEnum
from typing import ClassVar, Final

from pokerroom.rules.cards import Card
from pokerroom.rules.ranking import HandCategory
from pokerroom.rules.ultimate.bets import Bet
from pokerroom.rules.value import Value


class Outcome(StrEnum):
    """How a box stands against the bank."""

    won = "won"
    tied = "tied"
    lost = "lost"
    folded = "folded"
    void = "void"


class SettledBet(Value):
    """One bet: what lay there, and what the player gets back in all, 0 where it is lost."""

    __slots__: ClassVar[tuple[str, ...]] = ("bet", "staked", "paid")

    def __init__(self, *, bet: Bet, staked: int, paid: int) -> None:
        self.bet: Final = bet
        self.staked: Final = staked
        self.paid: Final = paid


class SettledBank(Value):
    """The bank's hand."""

    __slots__: ClassVar[tuple[str, ...]] = ("cards", "category", "qualifies")

    def __init__(self, *, cards: tuple[Card, Card], category: HandCategory, qualifies: bool) -> None:
        self.cards: Final = cards
        self.category: Final = category
        self.qualifies: Final = qualifies


class SettledBox(Value):
    """What became of a box."""

    __slots__: ClassVar[tuple[str, ...]] = ("box", "player", "outcome", "cards", "category", "bets", "envy")

    def __init__(
        self,
        *,
        box: int,
        player: int,
        outcome: Outcome,
        cards: tuple[Card, Card] | None,
        category: HandCategory | None,
        bets: tuple[SettledBet, ...],
        envy: int,
    ) -> None:
        self.box: Final = box
        self.player: Final = player
        self.outcome: Final = outcome
        self.cards: Final = cards
        """None in a void round: nothing is turned up."""
        self.category: Final = category
        self.bets: Final = bets
        """Those with something on them, in the order of `Bet`."""
        self.envy: Final = envy
        """The envy prize, paid beside the bets."""

    @property
    def staked(self) -> int:
        """All that lay on the box."""
        return sum([bet.staked for bet in self.bets])

    @property
    def paid(self) -> int:
        """All that goes to its player."""
        return sum([bet.paid for bet in self.bets]) + self.envy


class Meter(Value):
    """What happened to the progressive meter, all in the transaction of the round."""

    __slots__: ClassVar[tuple[str, ...]] = ("before", "fed", "paid", "reseeded")

    def __init__(self, *, before: int, fed: int = 0, paid: int = 0, reseeded: int = 0) -> None:
        self.before: Final = before
        self.fed: Final = fed
        """From this round's bets."""
        self.paid: Final = paid
        """To who held what takes from the meter."""
        self.reseeded: Final = reseeded
        """From the house."""

    @property
    def after(self) -> int:
        """What it holds then; never less than nothing."""
        return self.before + self.fed - self.paid + self.reseeded


class Settlement(Value):
    """Who gets what. All deltas of `players`, `house`, meter and `tronc` add up to 0."""

    __slots__: ClassVar[tuple[str, ...]] = ("bank", "boxes", "meter", "tronc", "players", "house")

    def __init__(
        self,
        *,
        bank: SettledBank | None,
        boxes: tuple[SettledBox, ...],
        meter: Meter,
        tronc: int,
        players: tuple[tuple[int, int], ...],
        house: int,
    ) -> None:
        self.bank: Final = bank
        """None in a void round."""
        self.boxes: Final = boxes
        self.meter: Final = meter
        self.tronc: Final = tronc
        """All tips of the round."""
        self.players: Final = players
        """(player, what he has more or less for the round and his tips), by first box."""
        self.house: Final = house
        """What the house has more, or less."""
