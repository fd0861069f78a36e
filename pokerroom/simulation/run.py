"""One seed, from the first connection to the last look at the ledger."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from twisted.logger import globalLogPublisher

from pokerroom.simulation.checks.violation import Violation
from pokerroom.simulation.faults import Fault, InjectedFault
from pokerroom.simulation.scenario import scenario
from pokerroom.simulation.world import World

STRICT = True
"""Whether a table has to recover from a fault by itself; False lets it stay frozen, and its hand open."""

IDLE_S = 3600.0
"""A whole room that settles no hand for so long, in virtual time, will not."""

DRAIN_S = 240.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one seed. `hands` are those in the ledger; `seconds` is processor time."""

    seed: int
    hands: int
    violations: tuple[Violation, ...]
    faults: Counter[Fault]
    transcript: str
    seconds: float
    virtual_s: float


def run(seed: int, hands: int, chosen: frozenset[Fault], *, strict: bool = STRICT) -> Outcome:
    """Runs a seed until so many hands are in the ledger, or something is found."""
    began = time.process_time()
    world = World(seed, scenario(seed), chosen, strict=strict)
    with _listening(world):
        world.open()
        _play(world, hands)
        if not world.referee.violations:
            _end(world)
    return Outcome(
        seed=seed,
        hands=world.referee.hands.settled_count,
        violations=tuple(world.referee.violations),
        faults=world.dice.counts,
        transcript=world.transcript(),
        seconds=time.process_time() - began,
        virtual_s=world.clock.elapsed_s(),
    )


def _play(world: World, hands: int) -> None:
    settled, since_s = 0, 0.0
    referee, clock = world.referee, world.clock
    while settled < hands and not referee.violations:
        world.step()
        if referee.hands.settled_count != settled:
            settled, since_s = referee.hands.settled_count, clock.elapsed_s()
        elif clock.elapsed_s() - since_s > IDLE_S:
            referee.fault("room", f"no hand for {IDLE_S:.0f} s: {settled} of {hands} are played")


def _end(world: World) -> None:
    """No more faults: what is in progress is finished, and everything is added up."""
    world.dice.quiet = True
    end = world.clock.rightNow + DRAIN_S
    while world.process is None or not world.process.listening:
        world.step()
    process = world.process
    drained: list[Any] = []
    process.room.drain().addCallback(drained.append)
    while not drained and world.clock.rightNow < end:
        world.step()
        if world.process is not process:  # an operator restarted a frozen room meanwhile
            return _end(world)
    if not drained:
        world.referee.fault("drain", f"hands in progress are not finished within {DRAIN_S:.0f} s")
    settle = world.clock.rightNow + 10  # what is on its way arrives
    while world.clock.rightNow < settle:
        world.step()
    world.audit()
    world.referee.finished()
    return None


@contextmanager
def _listening(world: World) -> Iterator[None]:
    """What the room logs as critical, or Twisted as unhandled, is a finding; the rest is not printed."""

    def critical(_logger: Any, _name: str, event: dict[str, Any]) -> Any:
        error = event.get("exc_info")
        if not isinstance(error, InjectedFault):
            world.referee.fault(str(event.get("event")), error if isinstance(error, Exception) else "")
        raise structlog.DropEvent

    def unhandled(event: dict[str, Any]) -> None:
        failure = event.get("log_failure")
        if failure is not None and not isinstance(failure.value, InjectedFault):
            world.referee.fault("unhandled", failure.value)

    before = structlog.get_config()
    structlog.configure(
        processors=[critical],
        wrapper_class=structlog.make_filtering_bound_logger("critical"),
        cache_logger_on_first_use=False,
    )
    globalLogPublisher.addObserver(unhandled)
    try:
        yield
    finally:
        globalLogPublisher.removeObserver(unhandled)
        structlog.configure(**before)
