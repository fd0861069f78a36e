"""One seed, from the first connection to the last look at the ledger."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

import click
import structlog
from twisted.logger import ILogObserver, LogEvent, globalLogPublisher
from zope.interface import implementer

from pokerroom.simulation.checks.situations import Step
from pokerroom.simulation.checks.violation import Violation
from pokerroom.simulation.faults import Fault, InjectedFault
from pokerroom.simulation.games import GAMES
from pokerroom.simulation.operator_wallet import RETURNS_S
from pokerroom.simulation.simulated_room import SimulatedRoom
from pokerroom.simulation.sit_and_gos.field import field_of

STRICT = True
"""Whether a table has to recover from a fault by itself; False lets it stay frozen, and its hand open."""

IDLE_S = 3600.0
"""A whole room that settles no hand for so long, in virtual time, will not."""

DRAIN_S = 240.0
"""Hands in progress are finished within this once no new ones are dealt, by their clocks if need be."""

RETURN_S = 20.0
"""People have come back to a room that was restarted: without them it would leave their hands to the journal."""

ARRIVAL_S = 10.0
"""What is on its way arrives within this."""

TELL_S = 10.0
"""Seconds of real time between two lines about a large field: it plays for many minutes."""

_LOOK_STEPS = 1024
"""So many steps between two looks at the real time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedOutcome:
    """What came of one seed. `hands` are those in the ledger."""

    seed: int
    hands: int
    violations: tuple[Violation, ...]
    faults: Counter[Fault]
    transcript: str
    """A hash of every byte that passed between clients and room."""
    situations: Counter[str]
    """How often each situation of the rules came up, as far as a checker knows it."""
    steps: frozenset[Step]
    work: int
    """Calls on the virtual clock."""


def run(
    seed: int,
    hands: int,
    chosen: frozenset[Fault],
    *,
    strict: bool = STRICT,
    game: str = "holdem",
    field: int | None = None,
) -> SeedOutcome:
    """Runs a seed of a game (see `games`) until so many hands are in the ledger, or something is found.

    With `field` the game is one tournament of so many players, at least to its end, and stderr tells how far it is.
    """
    played = GAMES[game] if field is None else field_of(field)
    world = SimulatedRoom(seed, played, chosen, strict=strict)
    with listening(world):
        try:
            world.open()
            play(world, hands, (lambda: None) if field is None else _progress(world))
            if not world.referee.violations:
                end(world)
        except Exception as error:  # noqa: BLE001 -- a simulation that breaks down is a finding, and has a seed
            world.referee.fault("simulation", error)
    return SeedOutcome(
        seed=seed,
        hands=world.referee.settled_count,
        violations=tuple(world.referee.violations),
        faults=world.dice.counts,
        transcript=world.transcript(),
        situations=world.referee.situations.counts,
        steps=frozenset(world.referee.situations.steps),
        work=world.clock.steps,
    )


def _progress(world: SimulatedRoom) -> Callable[[], None]:
    """Return what tells stderr how far a room is, whenever it is time for that."""
    began = told = time.monotonic()

    def tell() -> None:
        nonlocal told
        now = time.monotonic()
        if now - told >= TELL_S:
            told = now
            hands, played_s = world.referee.settled_count, world.clock.elapsed_s()
            click.echo(f"{hands} hands, {played_s:.0f} s of play, in {now - began:.0f} s", err=True)

    return tell


def play(world: SimulatedRoom, hands: int, tell: Callable[[], None] = lambda: None) -> None:
    """Until so many hands are in the ledger, or something is found. `tell` is called now and then."""
    enough, since_s = False, 0.0
    progress: tuple[int, ...] = ()
    referee, clock = world.referee, world.clock
    while not enough and not referee.violations:
        world.step()
        if clock.steps % _LOOK_STEPS == 0:
            tell()
        enough = referee.has_seen(hands)
        if referee.progress != progress:
            progress, since_s = referee.progress, clock.elapsed_s()
        elif clock.elapsed_s() - since_s > IDLE_S:
            referee.fault("room", f"no hand for {IDLE_S:.0f} s: {progress} of {hands} are played")


def end(world: SimulatedRoom) -> None:
    """No more faults: what is in progress is finished, and everything is added up."""
    world.dice.quiet = True
    world.referee.draining()
    end_s = world.clock.rightNow + DRAIN_S
    drained: list[object] = []
    draining = None
    while not drained and world.clock.rightNow < end_s:
        process = world.process
        since_s = None if process is None else process.listening_since_s
        back = since_s is not None and world.clock.rightNow - since_s > RETURN_S
        if process is not None and back and process is not draining:
            draining = process  # the first, or the one after a last crash
            process.room.drain().addCallback(drained.append)
        world.step()
    if not drained:
        world.referee.fault("drain", f"hands in progress are not finished within {DRAIN_S:.0f} s")
        return
    outage_s = max(0.0, world.referee.outage_until_s - world.clock.rightNow)
    _let_pass(world, outage_s + ARRIVAL_S)
    end_s = world.clock.rightNow + RETURNS_S
    while world.wallet_waits() and world.clock.rightNow < end_s:
        world.retry_wallet()
        _let_pass(world, ARRIVAL_S)
    world.audit()
    world.finished()
    world.stop()
    _let_pass(world, ARRIVAL_S)
    world.stopped()


def _let_pass(world: SimulatedRoom, seconds: float) -> None:
    end_s = world.clock.rightNow + seconds
    while world.clock.rightNow < end_s:
        world.step()


@implementer(ILogObserver)
class _Unhandled:
    """Twisted's log: an unhandled failure is a finding."""

    def __init__(self, world: SimulatedRoom) -> None:
        self._world = world

    def __call__(self, event: LogEvent) -> None:
        failure = event.get("log_failure")
        if failure is not None and not isinstance(failure.value, InjectedFault):
            self._world.referee.fault("unhandled", failure.value)


@contextmanager
def listening(world: SimulatedRoom) -> Iterator[None]:
    """What the room logs as critical, or Twisted as unhandled, is a finding; the rest is not printed."""

    def critical(_logger: object, _name: str, event: MutableMapping[str, Any]) -> NoReturn:
        error = event.get("exc_info")
        if not isinstance(error, InjectedFault) and event.get("event") != "table.stays_frozen":
            world.referee.fault(str(event.get("event")), error if isinstance(error, Exception) else "")
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(
        processors=[critical],
        wrapper_class=structlog.make_filtering_bound_logger("critical"),
        cache_logger_on_first_use=False,
    )
    unhandled = _Unhandled(world)
    globalLogPublisher.addObserver(unhandled)
    try:
        yield
    finally:
        globalLogPublisher.removeObserver(unhandled)
        structlog.configure(**before)
