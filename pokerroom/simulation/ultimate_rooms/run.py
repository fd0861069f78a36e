"""One seed of tables of Ultimate, from the first connection to the last look at the ledger."""

from __future__ import annotations

import time

from pokerroom.simulation.faults import Fault
from pokerroom.simulation.run import STRICT, SeedOutcome, end, listening, play
from pokerroom.simulation.ultimate_rooms.scenario import ultimate_scenario
from pokerroom.simulation.ultimate_rooms.simulated_room import SimulatedUltimateRoom


def run_ultimate(seed: int, rounds: int, chosen: frozenset[Fault], *, strict: bool = STRICT) -> SeedOutcome:
    """Runs a seed until so many rounds are in the ledger, or something is found."""
    began = time.process_time()
    world = SimulatedUltimateRoom(seed, ultimate_scenario(seed), chosen, strict=strict)
    with listening(world):
        try:
            world.open()
            play(world, rounds)
            if not world.referee.violations:
                end(world)
        except Exception as error:  # noqa: BLE001 -- a simulation that breaks down is a finding, and has a seed
            world.referee.fault("simulation", error)
    return SeedOutcome(
        seed=seed,
        hands=world.judge.rounds.settled_count,
        violations=tuple(world.referee.violations),
        faults=world.dice.counts,
        transcript=world.transcript(),
        seconds=time.process_time() - began,
        virtual_s=world.clock.elapsed_s(),
    )
