"""The games that a simulated room can play, each run from a seed in the same way.

A variant of poker is a line of `scenario.STRUCTURES`. A sit-and-go and Ultimate Texas Hold'em have clients, a referee
and an operator of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from pokerroom.simulation.faults import Fault
from pokerroom.simulation.run import SeedOutcome, run
from pokerroom.simulation.scenario import STRUCTURES
from pokerroom.simulation.sit_and_gos.run import run_sit_and_gos
from pokerroom.simulation.ultimate_rooms.run import run_ultimate

GAMES: Final[dict[str, Callable[[int, int, frozenset[Fault]], SeedOutcome]]] = {
    **{game: partial(run, game=game) for game in STRUCTURES},
    "sit_and_go": run_sit_and_gos,
    "ultimate": run_ultimate,
}
"""By the name that `pokerroom simulate --game` takes. Each takes a seed, the number of hands or rounds, and faults."""
