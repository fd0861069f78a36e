"""How a bot behaves in one tournament beside what it decides: most stay, some leave and return, sleep, or vanish.

Drawn for each tournament, the same again for the same seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from pokerroom.bots.policy import SplitMix64


class Habit(Enum):
    """What it does once, after some hands."""

    STAYS = auto()
    DROPS = auto()
    """Its connection is lost; it comes back."""
    LEAVES = auto()
    """It leaves the table, still connected, and returns (H5)."""
    SLEEPS = auto()
    """It lets the clock decide once, and returns."""
    VANISHES = auto()
    """It is gone, and comes back when the tournament is over for it: it is blinded off."""


_SHARES: Final = ((Habit.DROPS, 10), (Habit.LEAVES, 8), (Habit.SLEEPS, 4), (Habit.VANISHES, 4))
"""In 1/100; the others stay."""

UNREGISTERS_ONE_IN: Final = 25
"""So often a bot gives its seat back before the start, and registers again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """One bot's in one tournament. `away_s` is how long it is away; `hands` is after how many it begins."""

    habit: Habit
    hands: int
    away_s: float
    unregisters: bool


def drawn(random: SplitMix64, *, together: int) -> Manner:
    """The next one, where so many play together: of two that vanish nobody would act any more."""
    roll = random.below(100)
    habit = Habit.STAYS
    for other, share in _SHARES:
        if roll < share:
            habit = other
            break
        roll -= share
    if habit is Habit.VANISHES and together < 3:
        habit = Habit.DROPS
    return Manner(
        habit=habit,
        hands=random.below(6),
        away_s=0.5 + random.below(30) / 10,
        unregisters=random.below(UNREGISTERS_ONE_IN) == 0,
    )
