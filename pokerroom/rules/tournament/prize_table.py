"""How many places a tournament pays, and the room's own prize table for any number of entries (L11).

An operator may enter a table of their own instead (`prizes`). Integers throughout: the weights are of 10^12.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from pokerroom.chips import Money
from pokerroom.rules.tournament.prizes import PrizeTableError, rounded_prizes, shared_prizes_of
from pokerroom.rules.tournament.satellites import satellite_prizes

_FEW: Final = ((4, 1), (7, 2), (10, 3), (20, 4))
"""The places paid up to so many entries."""

_SHARES_BPS: Final = {
    1: (10_000,),
    2: (6_500, 3_500),
    3: (5_000, 3_000, 2_000),
    4: (4_000, 2_800, 1_900, 1_300),
    5: (3_600, 2_500, 1_800, 1_200, 900),
    6: (3_300, 2_300, 1_700, 1_200, 900, 600),
    7: (3_100, 2_150, 1_650, 1_250, 900, 600, 350),
    8: (2_900, 2_000, 1_500, 1_150, 900, 700, 500, 350),
    9: (2_700, 1_900, 1_400, 1_100, 900, 750, 550, 400, 300),
}
"""The shares of up to nine places."""

_STEEPNESS: Final = ((15, 4), (39, 3), (199, 2))
"""Up to so many places, the weight of place i is 1 / (2 i + this); with more it is 1 / (2 i + 1)."""

_WEIGHT: Final = 10**12
_MIN_CASH_PERCENT: Final = 150
_NOTHING: Final = Money(0)


def paid_places(entries: int, players: int, *, percent: int = 15) -> int:
    """Return how many places are paid: from 21 entries `percent` of them rounded up, at least five.

    Re-entries count as entries. A place is a player's, so there are never more than `players`. Raises ValueError unless
    2 <= players <= entries and 1 <= percent <= 100.
    """
    if not 2 <= players <= entries or not 1 <= percent <= 100:
        raise ValueError("two players or more, as many entries, and 1 to 100 percent of them")
    few = next((places for most, places in _FEW if entries <= most), None)
    return min(players, max(5, -(-entries * percent // 100)) if few is None else few)


def prize_table(pool: int, *, places: int, entries: int, unit: int = 1) -> tuple[Money, ...]:
    """Return the prizes, the best place first: exactly `pool` together.

    Up to nine places have fixed shares. From ten on, each place has one and a half times what an entry brings to the
    pool, and the rest is shared by a curve in bands of equal prizes. All but the first prize are multiples of `unit`
    (>= 1). Raises PrizeTableError where the pool is too small for so many places.
    """
    if not 1 <= places <= entries or unit < 1 or pool < 1:
        raise PrizeTableError(f"a pool of {pool} for {places} places of {entries} entries cannot be paid")
    if places <= len(_SHARES_BPS):
        return shared_prizes_of(_SHARES_BPS[places], pool=pool, seats=entries, unit=unit)
    least = pool * _MIN_CASH_PERCENT // (100 * entries)
    rest = pool - least * places
    if rest < 0:
        raise PrizeTableError(f"{places} places are too many for {entries} entries: pay fewer")
    weights = _weights(places)
    total = sum(weights)
    amounts = [least + rest * weight // total for weight in weights]
    return rounded_prizes(amounts, pool=pool, seats=entries, unit=unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class PayoutTerms:
    """How the prizes of a tournament follow from its entries: `percent` of them are paid by the room's own table.

    An operator may give `shares_bps` of the places instead; they count where there are so many players. The prizes
    sum to the `guarantee` at least.

    A satellite (L14) pays tickets of `seat_value` instead (0: it is none); its `guarantee` is so many of them.
    """

    percent: int = 15
    shares_bps: tuple[int, ...] = ()
    guarantee: Money = _NOTHING
    seat_value: Money = _NOTHING

    def pool(self, bought: int) -> Money:
        """Return the sum of the prizes; `bought` is what all entries, rebuys and add-ons bring."""
        return Money(max(self.guarantee, bought))

    def places(self, *, entries: int, players: int, bought: int) -> int:
        """Return how many places are paid, in a satellite with a seat. A lone player has the only one."""
        if self.seat_value:
            return max(1, seats_in(self._seats(bought, players), self.seat_value))
        if not self.pool(bought):
            return 1
        if 0 < len(self.shares_bps) <= players:
            return len(self.shares_bps)
        return paid_places(entries, players, percent=self.percent) if players > 1 else 1

    def prizes(
        self, *, entries: int, players: int, bought: int, left: int | None = None
    ) -> tuple[Money, ...]:
        """Return the prizes, the best place first. Raises PrizeTableError where the pool is too small.

        Where entries are free, and nothing is guaranteed, the one prize is 0.

        Of the `players` so many are `left`, or all: a satellite gives no more seats.
        """
        if self.seat_value:
            return self._seats(bought, players if left is None else left)
        pool = self.pool(bought)
        if not pool:
            return (_NOTHING,)  # free entries: the places alone count (I1)
        places = self.places(entries=entries, players=players, bought=bought)
        if places == len(self.shares_bps):
            return shared_prizes_of(self.shares_bps, pool=pool, seats=players)
        return prize_table(pool, places=places, entries=entries)

    def _seats(self, bought: int, left: int) -> tuple[Money, ...]:
        guaranteed = self.guarantee // self.seat_value
        found = satellite_prizes(bought, seat_value=self.seat_value, players=left, guaranteed=guaranteed)
        return found.prizes(left)


def seats_in(prizes: Sequence[int], seat_value: int) -> int:
    """Return how many of the prizes have a seat of this value (L14); 0: the tournament is no satellite."""
    return sum(prize >= seat_value for prize in prizes) if seat_value else 0


def _weights(places: int) -> list[int]:
    """Return the weights of the curve; the last band has none, because the least prize is paid beside them."""
    steepness = next((steep for most, steep in _STEEPNESS if places <= most), 1)
    weights = list[int]()
    for first, last in _bands(places):
        band = range(first, last + 1)
        mean = sum(_WEIGHT // (2 * place + steepness) for place in band) // len(band)
        weights += [mean] * len(band)
    return [weight - weights[-1] for weight in weights]


def _bands(places: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last place of each band of equal prizes; the last band may be cut short.

    Nine places alone, three bands of 3, nine of 9 (up to place 99), three of 18, eight of 36, eight of 72, and so on.
    """
    first = 1
    for number in count(1):
        if first > places:
            return
        width = 1 if number <= 9 else 3 if number <= 12 else 9 if number <= 21 else 18 << (number - 17) // 8
        yield first, min(first + width - 1, places)
        first += width
