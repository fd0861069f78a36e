"""What the house risks in a round, by bet: the most it can have to pay out of its own (U18). Plain arithmetic."""

from collections.abc import Iterable
from typing import ClassVar, Final

from pokerroom.rules.ranking import HandCategory
from pokerroom.rules.ultimate.bets import BoxBets
from pokerroom.rules.ultimate.terms import EARLY_MULTIPLES, PayTable, Seating, Terms
from pokerroom.rules.value import Value

_DEAREST_PLAY: Final = max(EARLY_MULTIPLES)


class Exposure(Value):
    """The most that the house can have to pay in a round, by bet, beside returning stakes.

    Each bet's is for itself, and together they are never exceeded. What the meter pays is not the house's; that it
    fills the meter again is.
    """

    __slots__: ClassVar[tuple[str, ...]] = ("ante", "blind", "play", "trips", "progressive", "envy")

    def __init__(self, *, ante: int, blind: int, play: int, trips: int, progressive: int, envy: int) -> None:
        self.ante: Final = ante
        self.blind: Final = blind
        self.play: Final = play
        self.trips: Final = trips
        self.progressive: Final = progressive
        self.envy: Final = envy

    @property
    def total(self) -> int:
        """Of the whole round."""
        return self.ante + self.blind + self.play + self.trips + self.progressive + self.envy


class Book:
    """The bets taken so far in a round, summed up: one more is weighed at once, however many there are."""

    __slots__: ClassVar[tuple[str, ...]] = (
        "_antes",
        "_blind",
        "_envious",
        "_lesser",
        "_play",
        "_players",
        "_progressive",
        "_surplus",
        "_terms",
        "_trips",
    )

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        rows = [row for row in terms.blind_pays.rows if row[0] is not HandCategory.royal_flush]
        self._lesser = PayTable(tuple(rows))
        self._antes = self._play = self._trips = self._progressive = 0
        self._blind = 0
        self._surplus = 0
        """What one royal flush brings beyond the next best hand, at most."""
        self._players: set[int] = set()
        self._envious: set[int] = set()

    def add(self, box: BoxBets) -> None:
        """Take these bets."""
        blind, surplus = self._blind_of(box)
        self._antes += box.ante
        self._blind += blind
        self._surplus = max(self._surplus, surplus)
        self._play += (box.play or _DEAREST_PLAY) * box.ante
        self._trips += self._terms.trips_pays.most(box.trips)
        self._players.add(box.player)
        if box.progressive:
            self._progressive += 1
            self._envious.add(box.player)

    def total_with(self, box: BoxBets) -> int:
        """What would be risked in all, were these bets taken."""
        blind, surplus = self._blind_of(box)
        progressive, envious = self._progressive, len(self._envious)
        if box.progressive:
            progressive += 1
            envious += box.player not in self._envious
        return (
            self._antes
            + box.ante
            + self._blind
            + blind
            + max(self._surplus, surplus)
            + self._play
            + (box.play or _DEAREST_PLAY) * box.ante
            + self._trips
            + self._terms.trips_pays.most(box.trips)
            + self._meter(progressive)
            + self._envy(envious, len(self._players) + (box.player not in self._players))
        )

    def exposure(self) -> Exposure:
        """What is risked with the bets taken."""
        return Exposure(
            ante=self._antes,
            blind=self._blind + self._surplus,
            play=self._play,
            trips=self._trips,
            progressive=self._meter(self._progressive),
            envy=self._envy(len(self._envious), len(self._players)),
        )

    def _blind_of(self, box: BoxBets) -> tuple[int, int]:
        """What a Blind can win in every box at once, and what it can in one alone.

        With boxes, one royal flush at most wins its Blind: two would be the same five cards, or of two suits with
        three each on the board; and one that lies on the board is the bank's, too, a push.
        """
        most = self._terms.blind_pays.most(box.ante)
        if self._terms.seating is Seating.common_hand:
            return most, 0
        lesser = self._lesser.most(box.ante)
        return lesser, most - lesser

    def _meter(self, bets: int) -> int:
        """The fixed prizes; and filling the meter, to its seed at most, after each kind of hand that took from it."""
        if self._terms.progressive is None or not bets:
            return 0
        fixed = max([amount for _, amount in self._terms.progressive.prizes], default=0)
        return bets * fixed + len(self._terms.progressive.meter_bps) * self._terms.progressive.seed

    def _envy(self, envious: int, players: int) -> int:
        """Nobody envies himself: where one plays alone, nothing is due."""
        if self._terms.progressive is None or players < 2:
            return 0
        return envious * self._terms.progressive.envy_prize


def exposure(terms: Terms, boxes: Iterable[BoxBets]) -> Exposure:
    """What the house risks with these bets, whatever will be decided."""
    book = Book(terms)
    for box in boxes:
        book.add(box)
    return book.exposure()
