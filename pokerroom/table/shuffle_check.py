"""The daily check of the shuffle (K1): over many decks, does chance explain where each card lies and what follows it?

Two tests, each with counts in 52 rows: of each card at each place, and of each card directly behind each other card. In
both the expected count of a cell is an exact 52nd of the decks. The decks of the check are shuffled for it alone and
dealt to no table. The statistics are integers, in thousandths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import Cooperator

Shuffle = Callable[[Sequence[int]], Sequence[int]]
"""Returns the cards in another order."""

DECKS: Final = 10_000
"""Decks of one check [D]: 192 expected in each cell. It takes half a second of processor time."""

_CARDS: Final = 52
_AT_ONCE: Final = 10
_PAUSE_S: Final = 0.05
"""Ten decks take half a millisecond, so the check holds up no table."""

PLACES_FAIR: Final = range(2_272_439, 2_958_348)
"""A fair shuffle leaves these bounds once in 500,000 checks: one in a million on either side of chi-squared with
51 x 51 degrees of freedom.
"""

NEIGHBOURS_FAIR: Final = range(2_269_432, 2_961_908)
"""The same for neighbours. No card follows itself, and the first card follows none: the mean is 51 x 51, and the
variance twice that and 100 more.
"""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ShuffleReport:
    """What a check has found. `places` and `neighbours` are its statistics in thousandths."""

    decks: int
    places: int
    neighbours: int

    @property
    def fair(self) -> bool:
        """Whether chance explains both."""
        return self.places in PLACES_FAIR and self.neighbours in NEIGHBOURS_FAIR


class ShuffleCheck:
    """Counts the cards of decks that `shuffle` makes; `report` judges them."""

    def __init__(self, shuffle: Shuffle) -> None:
        self._shuffle = shuffle
        self._decks = 0
        self._places = [[0] * _CARDS for _ in range(_CARDS)]
        self._neighbours = [[0] * _CARDS for _ in range(_CARDS)]

    def count(self, decks: int) -> None:
        """Shuffle so many decks, each a fresh one, and count."""
        for _ in range(decks):
            deck = self._shuffle(range(_CARDS))
            for place, card in enumerate(deck):
                self._places[place][card] += 1
            for card, next_card in pairwise(deck):
                self._neighbours[card][next_card] += 1
        self._decks += decks

    def report(self) -> ShuffleReport:
        """Return the statistics of all decks so far, of which there is at least one."""
        places = self._statistic([count for row in self._places for count in row])
        pairs = [
            count
            for card, row in enumerate(self._neighbours)
            for other, count in enumerate(row)
            if card != other
        ]
        # The sum over all cells of the places has a mean of 52 x 51; scaled by 51/52 it is chi-squared.
        return ShuffleReport(self._decks, places * (_CARDS - 1) // _CARDS, self._statistic(pairs))

    def _statistic(self, counts: Sequence[int]) -> int:
        """The sum of the squared distances from the expected count, divided by that count; in thousandths."""
        squares = sum((_CARDS * count - self._decks) ** 2 for count in counts)
        return 1000 * squares // (_CARDS * self._decks)


def check_shuffle(
    clock: IReactorTime, shuffle: Shuffle, checked: Callable[[str], None], decks: int = DECKS
) -> Deferred[ShuffleReport]:
    """Check the shuffle in small steps, and log the report; `checked` is called with "fair" or "unfair"."""
    check = ShuffleCheck(shuffle)

    def steps() -> Iterator[None]:
        for done in range(0, decks, _AT_ONCE):
            check.count(min(_AT_ONCE, decks - done))
            yield

    def tell(_: object) -> ShuffleReport:
        report = check.report()
        told = {"decks": decks, "places": report.places, "neighbours": report.neighbours}
        if report.fair:
            _log.info("shuffle.fair", **told)
        else:
            _log.critical("shuffle.unfair", **told, advice="stop the room: its cards are not random")
        checked("fair" if report.fair else "unfair")
        return report

    cooperator = Cooperator(
        terminationPredicateFactory=lambda: lambda: True,  # one step at a time
        scheduler=lambda step: clock.callLater(_PAUSE_S, step),
    )
    told: Deferred[ShuffleReport] = cooperator.coiterate(steps()).addCallback(tell)
    return told
