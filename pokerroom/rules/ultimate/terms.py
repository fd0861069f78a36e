"""What a table of Ultimate is played for: qualification, seats, limits, pay tables. All of it is data.

Casinos differ, and each difference is a value here. This module decides nothing and knows no cards.
"""

from enum import StrEnum
from math import lcm
from typing import ClassVar, Final

from pokerroom.rules.ranking import HandCategory
from pokerroom.rules.ultimate.bets import NO_INT, Bet, BetLimits
from pokerroom.rules.value import Number, Value

BASIS_POINTS: Final = 10_000
EARLY_MULTIPLES: Final = (3, 4)
"""What a Play before the flop may be, in Antes (U3)."""
MOST_BOXES: Final = 6


class Qualification(StrEnum):
    """The least hand with which the bank plays for the Ante."""

    any_pair = "any_pair"
    pair_of_fours = "pair_of_fours"


class Seating(StrEnum):
    """Who is dealt what."""

    boxes = "boxes"
    """Each box has two cards of its own; all share the board and the bank's hand."""
    common_hand = "common_hand"
    """One player's hand is dealt; everybody who bet plays it, and decides for himself."""


class PayTable(Value):
    """What a winning hand is paid beside its stake, as (category, numerator, denominator), the highest first.

    A category that is not named is paid nothing. The bet decides what that means. Raises ValueError for odds
    that are none.
    """

    __slots__: ClassVar[tuple[str, ...]] = ("rows",)

    def __init__(self, rows: tuple[tuple[HandCategory, int, int], ...]) -> None:
        categories = [row[0] for row in rows]
        if sorted(set(categories), reverse=True) != categories:
            raise ValueError("a pay table names each kind of hand once, the highest first")
        for _, numerator, denominator in rows:
            if type(numerator) is not int or type(denominator) is not int:
                raise TypeError("odds are two ints (A1)")
            if numerator < 1 or denominator < 1:
                raise ValueError("odds are numbers above nothing")
        self.rows: Final = rows

    def pays(self, category: HandCategory) -> bool:
        """Whether this kind of hand has a row."""
        return any(row[0] is category for row in self.rows)

    def winnings(self, category: HandCategory, stake: int) -> int:
        """What is paid beside the stake; 0 for a hand without a row.

        Raises ValueError where it is no whole amount: `step` says what stakes avoid that.
        """
        for kind, numerator, denominator in self.rows:
            if kind is category:
                amount, odd = divmod(stake * numerator, denominator)
                if odd:
                    raise ValueError("the stake cannot be paid in whole units")
                return amount
        return 0

    def most(self, stake: int) -> int:
        """The most a stake can win by this table."""
        return max([stake * numerator // denominator for _, numerator, denominator in self.rows], default=0)

    @property
    def step(self) -> int:
        """Stakes that are multiples of this are paid in whole units: 2 where a row says 3:2 (U9)."""
        return lcm(*[denominator for _, _, denominator in self.rows])


BLIND: Final = PayTable(
    (
        (HandCategory.royal_flush, 500, 1),
        (HandCategory.straight_flush, 50, 1),
        (HandCategory.four_of_a_kind, 10, 1),
        (HandCategory.full_house, 3, 1),
        (HandCategory.flush, 3, 2),
        (HandCategory.straight, 1, 1),
    )
)
"""Of the Blind, when the player wins; a lesser hand is a push (U7)."""

TRIPS: Final = PayTable(
    (
        (HandCategory.royal_flush, 50, 1),
        (HandCategory.straight_flush, 40, 1),
        (HandCategory.four_of_a_kind, 30, 1),
        (HandCategory.full_house, 8, 1),
        (HandCategory.flush, 7, 1),
        (HandCategory.straight, 4, 1),
        (HandCategory.three_of_a_kind, 3, 1),
    )
)
"""Of Trips; a lesser hand loses it (U8)."""


class ProgressiveTerms(Value):
    """The progressive side bet and its meter (U12). Shares are in basis points.

    Every box bets the same `stake` [D]: prizes of fixed amounts would not be fair to stakes of different sizes.
    Raises ValueError for terms that cannot be.
    """

    __slots__: ClassVar[tuple[str, ...]] = ("stake", "feed_bps", "seed", "meter_bps", "prizes", "envy_prize")

    def __init__(
        self,
        *,
        stake: Number,
        feed_bps: Number,
        seed: Number,
        prizes: tuple[tuple[HandCategory, int], ...],
        envy_prize: Number,
        meter_bps: tuple[tuple[HandCategory, int], ...] = (
            (HandCategory.royal_flush, BASIS_POINTS),
            (HandCategory.straight_flush, BASIS_POINTS // 10),
        ),
    ) -> None:
        # one by one: of a list of these mypyc would make ints before anything could look at them
        if not (
            type(stake) is int and type(feed_bps) is int and type(seed) is int and type(envy_prize) is int
        ):
            raise TypeError(NO_INT)
        if any(type(row[1]) is not int for row in (*meter_bps, *prizes)):
            raise TypeError(NO_INT)
        if stake < 1 or seed < 0 or envy_prize < 0 or any(row[1] < 0 for row in prizes):
            raise ValueError("a progressive bet has a stake, and no amount below 0")
        if any(not 0 <= part <= BASIS_POINTS for part in (feed_bps, *[row[1] for row in meter_bps])):
            raise ValueError("shares of a meter are parts of a whole")
        paid = [row[0] for row in (*meter_bps, *prizes)]
        if sorted(set(paid), reverse=True) != paid:
            raise ValueError("a progressive bet's prizes name each kind of hand once, the highest first")
        self.stake: Final[int] = stake
        self.feed_bps: Final[int] = feed_bps
        """The part of each bet that goes to the meter, rounded down; the house keeps the rest."""
        self.seed: Final[int] = seed
        """To this the house fills the meter again, once a prize has left it below."""
        self.meter_bps: Final = meter_bps
        """The part of the meter that a kind of hand takes, the highest first."""
        self.prizes: Final = prizes
        """Fixed amounts that the house pays for lesser hands."""
        self.envy_prize: Final[int] = envy_prize


class Terms(Value):
    """A table's settings, as far as the rules go. Raises ValueError for a table that cannot be."""

    __slots__: ClassVar[tuple[str, ...]] = (
        "qualification",
        "seating",
        "ante",
        "trips",
        "boxes",
        "blind_pays",
        "trips_pays",
        "progressive",
        "exposure_max",
    )

    def __init__(
        self,
        *,
        qualification: Qualification,
        seating: Seating,
        ante: BetLimits,
        trips: BetLimits | None,
        boxes: Number = MOST_BOXES,
        blind_pays: PayTable = BLIND,
        trips_pays: PayTable = TRIPS,
        progressive: ProgressiveTerms | None = None,
        exposure_max: int | None = None,
    ) -> None:
        if type(boxes) is not int:
            raise TypeError("boxes are counted")
        if not 1 <= boxes <= MOST_BOXES:
            raise ValueError("a table has 1 to 6 boxes")
        if ante.least % blind_pays.step or ante.most % blind_pays.step:
            raise ValueError("the Ante's limits are amounts that the Blind's odds pay in whole units")
        if trips is not None and trips_pays.step != 1:
            raise ValueError("Trips is paid in whole units")
        self.qualification: Final = qualification
        self.seating: Final = seating
        self.ante: Final = ante
        self.trips: Final = trips
        """None where the table has no such bet."""
        self.boxes: Final[int] = boxes
        """Of a table with boxes; at a common hand, places are not counted."""
        self.blind_pays: Final = blind_pays
        self.trips_pays: Final = trips_pays
        self.progressive: Final = progressive
        self.exposure_max: Final = exposure_max
        """The most the house will risk in a round (U18); None where it sets no limit."""

    def limits(self, bet: Bet) -> BetLimits | None:
        """The limits of a bet that a player places; None where the table does not have it.

        Blind and Play follow from the Ante and have none.
        """
        if bet is Bet.ante:
            return self.ante
        if bet is Bet.trips:
            return self.trips
        if bet is Bet.progressive and self.progressive is not None:
            return BetLimits(least=self.progressive.stake, most=self.progressive.stake)
        return None
