"""The games that a simulated room can play, each run from a seed in the same way.

A variant of poker is a line of `scenario.STRUCTURES`. A sit-and-go and Ultimate Texas Hold'em have clients, a referee
and an operator of their own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from pokerroom.simulation.game import SimulatedGame
from pokerroom.simulation.poker import poker
from pokerroom.simulation.scenario import STRUCTURES
from pokerroom.simulation.sit_and_gos.game import SIT_AND_GO
from pokerroom.simulation.sit_and_gos.private import PRIVATE
from pokerroom.simulation.sit_and_gos.scenario import mtt_scenario
from pokerroom.simulation.ultimate_rooms.game import ULTIMATE

GAMES: Final[dict[str, SimulatedGame[Any]]] = {
    **{game: poker(game) for game in STRUCTURES},
    "sit_and_go": SIT_AND_GO,
    "mtt": replace(SIT_AND_GO, scenario=mtt_scenario),
    "private_sit_and_go": PRIVATE,
    "ultimate": ULTIMATE,
}
"""By the name that `pokerroom simulate --game` takes."""
