"""What a box can have on it: the bets of Ultimate Texas Hold'em, and their limits. Amounts in the smallest unit.

A box is a place with bets. The Blind is no amount of its own: it is the Ante, by rule (U1). This module knows neither
cards nor results.
"""

from enum import StrEnum
from typing import ClassVar, Final

from pokerroom.rules.value import Number, Value

NO_INT: Final = "an amount is an int, in the smallest unit (A1)"


class Bet(StrEnum):
    """The bets of a box, in the order in which they are settled."""

    ante = "ante"
    blind = "blind"
    play = "play"
    trips = "trips"
    progressive = "progressive"


class BetLimits(Value):
    """Smallest and largest accepted amount of one bet, on one box. Raises ValueError unless 1 <= least <= most."""

    __slots__: ClassVar[tuple[str, ...]] = ("least", "most")

    def __init__(self, *, least: Number, most: Number) -> None:
        if type(least) is not int or type(most) is not int:
            raise TypeError(NO_INT)
        if not 1 <= least <= most:
            raise ValueError("a bet's limits are amounts, the smaller one first")
        self.least: Final[int] = least
        self.most: Final[int] = most


class BoxBets(Value):
    """The bets on one box before the deal. `player` is whoever put them there: a number of the caller's choice.

    Raises TypeError for an amount that is no `int` (A1).
    """

    __slots__: ClassVar[tuple[str, ...]] = ("box", "player", "ante", "trips", "progressive", "play")

    def __init__(
        self,
        *,
        box: Number,
        player: Number,
        ante: Number = 0,
        trips: Number = 0,
        progressive: Number = 0,
        play: Number = 0,
    ) -> None:
        # one by one: of a tuple of these mypyc would make ints before anything could look at them
        if not (type(box) is int and type(player) is int and type(ante) is int):
            raise TypeError(NO_INT)
        if not (type(trips) is int and type(progressive) is int and type(play) is int):
            raise TypeError(NO_INT)
        self.box: Final[int] = box
        """Boxes are dealt to in the order of their numbers, clockwise (U2)."""
        self.player: Final[int] = player
        self.ante: Final[int] = ante
        self.trips: Final[int] = trips
        self.progressive: Final[int] = progressive
        self.play: Final[int] = play
        """An extra box is played blind: its Play of 3 or 4 Antes is placed before the deal. 0 on one's own box."""

    @property
    def blind(self) -> int:
        """The Blind, equal to the Ante (U1)."""
        return self.ante

    @property
    def total(self) -> int:
        """All that lies on the box before the deal, the Play of an extra box included."""
        return (2 + self.play) * self.ante + self.trips + self.progressive

    def changed(
        self,
        *,
        ante: int | None = None,
        trips: int | None = None,
        progressive: int | None = None,
        play: int | None = None,
    ) -> "BoxBets":
        """The same box with other bets; those not named stay."""
        return BoxBets(
            box=self.box,
            player=self.player,
            ante=self.ante if ante is None else ante,
            trips=self.trips if trips is None else trips,
            progressive=self.progressive if progressive is None else progressive,
            play=self.play if play is None else play,
        )
