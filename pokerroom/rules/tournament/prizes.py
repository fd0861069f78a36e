"""The prize pool of a tournament, and the prize table, which must add up to the pool exactly (I1).

A table is given as fixed amounts or as shares of the pool. Either way it becomes one amount per paid place, the best
place first. This module does not know players.
"""

import itertools
from collections.abc import Sequence
from typing import Final

from pokerroom.chips import Money

SHARES_BPS: Final = 10_000
"""The whole pool, in basis points."""


class PrizeTableError(ValueError):
    """Raised for a prize table that cannot be paid from its pool. The operator must correct it.

    `difference` is the excess (positive) or the shortfall (negative) of the table: in the smallest unit, or in basis
    points for shares. It is 0 if the table has another fault.
    """

    def __init__(self, message: str, difference: int = 0) -> None:
        super().__init__(message)
        self.difference = difference


def prize_pool(seats: int, buy_in: int, fee: int) -> Money:
    """Return the sum of the prizes: each player pays `buy_in`, of which the house keeps `fee` (I1).

    Raises ValueError unless there are at least two seats and 0 <= fee < buy_in.
    """
    if seats < 2 or not 0 <= fee < buy_in:
        raise ValueError(
            "a tournament has at least two seats, and its fee is at least 0 and below its buy-in"
        )
    return Money(seats * (buy_in - fee))


def fixed_prizes(amounts: Sequence[int], *, pool: int, seats: int) -> tuple[Money, ...]:
    """Return the prizes of a table of amounts, the best place first. Raises PrizeTableError."""
    total = sum(amounts)
    if total != pool:
        raise PrizeTableError(
            f"the prizes add up to {total}, the pool is {pool}: {_off(total - pool)}", total - pool
        )
    _check_places(amounts, seats)
    return tuple(Money(amount) for amount in amounts)


def shared_prizes_of(shares_bps: Sequence[int], *, pool: int, seats: int, unit: int = 1) -> tuple[Money, ...]:
    """Return the prizes of a table of shares in basis points, the best place first. Raises PrizeTableError.

    See `rounded_prizes` for what does not divide.
    """
    total = sum(shares_bps)
    if total != SHARES_BPS:
        off = total - SHARES_BPS
        raise PrizeTableError(
            f"the shares add up to {total} basis points, the pool is {SHARES_BPS}: {_off(off)}", off
        )
    _check_places(shares_bps, seats)
    amounts = [pool * share // SHARES_BPS for share in shares_bps]
    return rounded_prizes(amounts, pool=pool, seats=seats, unit=unit)


def rounded_prizes(amounts: Sequence[int], *, pool: int, seats: int, unit: int = 1) -> tuple[Money, ...]:
    """Return the prizes in whole units, the best place first: exactly the pool together. Raises PrizeTableError.

    The amounts have been rounded down, and are rounded down to units here. The units that are left go one each to the
    best places, and what is less than a unit to the first [D].
    """
    prizes = [amount // unit * unit for amount in amounts]
    units, rest = divmod(pool - sum(prizes), unit)
    prizes = [prize + unit * (place < units) for place, prize in enumerate(prizes)]
    prizes[0] += rest
    _check_places(prizes, seats)
    return tuple(Money(prize) for prize in prizes)


def prize_of(prizes: Sequence[Money], place: int) -> Money:
    """Return the prize of a place, counted from 1; 0 if the place is not paid."""
    return prizes[place - 1] if place <= len(prizes) else Money(0)


def _check_places(amounts: Sequence[int], seats: int) -> None:
    if not 1 <= len(amounts) <= seats:
        raise PrizeTableError(
            f"the table pays {len(amounts)} places; with {seats} seats it may pay 1 to {seats}"
        )
    if amounts[-1] < 1 or any(worse > better for better, worse in itertools.pairwise(amounts)):
        raise PrizeTableError(
            "each prize must be at least 1, and not larger than the prize of a better place"
        )


def _off(difference: int) -> str:
    return f"{abs(difference)} too {'much' if difference > 0 else 'little'}"
