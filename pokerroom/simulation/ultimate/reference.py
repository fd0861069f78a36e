"""The exact figures that a simulation is held against: by enumeration of every deal, with the practical strategy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pokerroom.rules.ultimate.terms import Qualification


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """Per Ante: what a round brings the player without Trips, and its standard deviation."""

    ev: float
    sd: float
    bank_qualifies: float


PRACTICAL: Final = {
    Qualification.any_pair: Exact(ev=-0.0245359643, sd=4.943186, bank_qualifies=0.8258808042),
    Qualification.pair_of_fours: Exact(ev=-0.0578128412, sd=4.903487, bank_qualifies=0.7577715994),
}
SHARES: Final = {4: 0.377074, 2: 0.214057, 1: 0.229059, 0: 0.179810}
"""Of all rounds, by Play in Antes; 0 is a fold."""

SEVEN_CARD_HANDS: Final = 133_784_560
TRIPS_NET: Final = -4_679_700
"""What a unit on Trips brings in all of them together."""
TRIPS_RETURN: Final = 1 + TRIPS_NET / SEVEN_CARD_HANDS
"""0.96502063: the 96.50 % that the live table states."""
