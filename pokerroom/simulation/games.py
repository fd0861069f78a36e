"""What a simulated room plays: each kind with its own people, referee and operator, run from a seed in the same way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pokerroom.simulation.faults import Fault
from pokerroom.simulation.run import Outcome, run
from pokerroom.simulation.sit_and_gos.run import run_sit_and_gos

GAMES: Final[dict[str, Callable[[int, int, frozenset[Fault]], Outcome]]] = {
    "cash": run,
    "sit_and_go": run_sit_and_gos,
}
"""By the name that `pokerroom simulate --game` takes: seed, hands and faults in, what came of it out."""
