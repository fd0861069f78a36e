"""The game and the betting structure of a table or of a sit-and-go in a settings file (J1, J2)."""

from __future__ import annotations

from typing import Final

from pokerroom.ops.config_reader import Section
from pokerroom.rules.betting import STRUCTURES
from pokerroom.rules.variants import HOLDEM, VARIANTS, Variant

SEATS_MAX: Final = 10
"""At one table, where the deck serves so many."""


def game_and_structure(section: Section) -> tuple[Variant, str]:
    """Read the variant and the name of its betting structure.

    If the structure is misspelt, the other settings show which one was meant.
    """
    variant = VARIANTS[section.choice("game", HOLDEM.name, list(VARIANTS))]
    played = [name for name in STRUCTURES if name in variant.structures]
    meant = "fixed_limit" if section.has("structure") and section.has("small_bet") else played[0]
    structure = section.choice("structure", meant, list(STRUCTURES))
    if structure not in played:
        section.problem("structure", f"{variant.name} is played {' or '.join(played)} here, not {structure}")
        structure = played[0]
    return variant, structure
