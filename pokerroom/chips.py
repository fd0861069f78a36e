"""Amounts: what a chip is, and how an amount is shared without losing a unit.

Every amount is an `int` in the smallest unit (A1); no float ever touches one. This module knows nothing of
tables, hands or accounts.
"""

from typing import NewType

Money = NewType("Money", int)
"""Cash, in 1/100 credit: a prize of 4.40 is `Money(440)`."""

Chips = NewType("Chips", int)
"""Tournament chips, in units of 1. They are not money and never become it."""


def split(amount: int, ways: int) -> tuple[int, ...]:
    """Share `amount` (>= 0) equally in `ways` (>= 1) parts; odd units go one each to the first parts (F3).

    The parts always add up to `amount`. Raises ValueError for a negative amount or fewer than one part.
    """
    if amount < 0 or ways < 1:
        raise ValueError(f"cannot share {amount} in {ways} parts")
    share, odd = divmod(amount, ways)
    return (share + 1,) * odd + (share,) * (ways - odd)


def in_credits(amount: int) -> str:
    """Money as people read it: 440 is 4.40, -5 is -0.05."""
    whole, rest = divmod(abs(amount), 100)
    return f"{'-' if amount < 0 else ''}{whole}.{rest:02d}"
