"""When a bot is absent from a tournament: most stay, some leave and return, sleep, or disconnect.

A plan is drawn for each tournament. The same seed gives the same plans.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from pokerroom.bots.policy import SplitMix64


class Absence(Enum):
    """What a bot does once, after some hands."""

    STAYS = auto()
    DROPS = auto()
    """It loses its connection and reconnects."""
    LEAVES = auto()
    """It sits out while connected, and sits in again (H5)."""
    SLEEPS = auto()
    """It lets the clock decide once, and sits in again."""
    VANISHES = auto()
    """It disconnects and reconnects when its tournament is over: its stack is blinded off."""


_SHARES: Final = ((Absence.DROPS, 10), (Absence.LEAVES, 8), (Absence.SLEEPS, 4), (Absence.VANISHES, 4))
"""In 1/100. The other bots stay."""

UNREGISTERS_ONE_IN: Final = 25
"""One bot in this many unregisters before the start and registers again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsencePlan:
    """The plan of one bot for one tournament: the absence begins after `hands` hands and lasts `away_s` seconds."""

    kind: Absence
    hands: int
    away_s: float
    unregisters: bool


def draw_absence_plan(random: SplitMix64, *, together: int) -> AbsencePlan:
    """Draw the next plan for a tournament of `together` players.

    With two players none vanishes: no player would act any more.
    """
    roll = random.below(100)
    kind = Absence.STAYS
    for other, share in _SHARES:
        if roll < share:
            kind = other
            break
        roll -= share
    if kind is Absence.VANISHES and together < 3:
        kind = Absence.DROPS
    return AbsencePlan(
        kind=kind,
        hands=random.below(6),
        away_s=0.5 + random.below(30) / 10,
        unregisters=random.below(UNREGISTERS_ONE_IN) == 0,
    )
