"""What a simulated room plays: each kind with its own people, referee and operator, run from a seed in the same way."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from pokerroom.simulation.faults import Fault
from pokerroom.simulation.house.run import run_house
from pokerroom.simulation.run import Outcome, run
from pokerroom.simulation.sit_and_gos.run import run_sit_and_gos

GAMES: Final[dict[str, Callable[[int, int, frozenset[Fault]], Outcome]]] = {
    "holdem": partial(run, game="holdem"),
    "omaha": partial(run, game="omaha"),
    "sit_and_go": run_sit_and_gos,
    "ultimate": run_house,
}
"""By the name that `pokerroom simulate --game` takes: seed, hands (or rounds) and faults in, what came of it out."""
