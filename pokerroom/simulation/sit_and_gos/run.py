"""One seed of sit-and-gos, from the first connection to the last look at the ledger."""

from __future__ import annotations

import time

from pokerroom.simulation.faults import Fault
from pokerroom.simulation.run import IDLE_S, STRICT, SeedOutcome, end, listening
from pokerroom.simulation.sit_and_gos.scenario import sit_and_go_scenario
from pokerroom.simulation.sit_and_gos.simulated_room import SimulatedSitAndGoRoom


def run_sit_and_gos(seed: int, hands: int, chosen: frozenset[Fault], *, strict: bool = STRICT) -> SeedOutcome:
    """Runs a seed until so many hands are in the ledger and a tournament has ended, or something is found."""
    began = time.process_time()
    world = SimulatedSitAndGoRoom(seed, sit_and_go_scenario(seed), chosen, strict=strict)
    with listening(world):
        try:
            world.open()
            _play(world, hands)
            if not world.referee.violations:
                end(world)
        except Exception as error:  # noqa: BLE001 -- a simulation that breaks down is a finding, and has a seed
            world.referee.fault("simulation", error)
    return SeedOutcome(
        seed=seed,
        hands=world.judge.tournaments.settled_count,
        violations=tuple(world.referee.violations),
        faults=world.dice.counts,
        transcript=world.transcript(),
        seconds=time.process_time() - began,
        virtual_s=world.clock.elapsed_s(),
    )


def _play(world: SimulatedSitAndGoRoom, hands: int) -> None:
    seen, since_s = (0, 0), 0.0
    tournaments, clock = world.judge.tournaments, world.clock
    while not world.referee.violations and (tournaments.settled_count < hands or not tournaments.ended):
        world.step()
        if (tournaments.settled_count, tournaments.ended) != seen:
            seen, since_s = (tournaments.settled_count, tournaments.ended), clock.elapsed_s()
        elif clock.elapsed_s() - since_s > IDLE_S:
            world.referee.fault("room", f"no hand for {IDLE_S:.0f} s: {seen} hands and tournaments ended")
