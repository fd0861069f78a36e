"""Millions of rounds on all cores, added up; held against the exact figures.

A run is cut into batches, and each draws from a stream of its own, named by the seed and its place: so the same seed
gives the same figures on any number of cores. Sums are integers.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from itertools import repeat
from math import sqrt
from multiprocessing import get_context
from typing import Final

import numpy as np

from pokerroom.rules.ultimate.terms import Qualification
from pokerroom.simulation.ultimate.batch import ANTE, Bank, draw, play
from pokerroom.simulation.ultimate.reference import PRACTICAL

BATCH: Final = 1 << 15
_BATCHES_A_TASK: Final = 16
"""So a process is asked for half a million rounds at a time."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """Rounds added up. Amounts are in units of `ANTE` to the Ante, and of one to Trips."""

    rounds: int = 0
    net: int = 0
    squares: int = 0
    """Of each round's `net`."""
    trips: int = 0
    qualified: int = 0
    plays: Counter[int] = field(default_factory=Counter)
    """How often each Play, in Antes; 0 is a fold."""

    def add(self, other: Tally) -> None:
        """Add another's rounds to these."""
        self.rounds += other.rounds
        self.net += other.net
        self.squares += other.squares
        self.trips += other.trips
        self.qualified += other.qualified
        self.plays.update(other.plays)

    @property
    def ev_per_ante(self) -> float:
        """What a round brought the player, without Trips."""
        return self.net / self.rounds / ANTE

    @property
    def deviation(self) -> float:
        """Standard deviation of what a round brought, as found in these."""
        mean = self.net / self.rounds
        return sqrt(self.squares / self.rounds - mean * mean) / ANTE

    @property
    def trips_return(self) -> float:
        """The part of what was bet on Trips that came back."""
        return 1 + self.trips / self.rounds

    def share(self, multiple: int) -> float:
        """The part of the rounds with this Play."""
        return self.plays[multiple] / self.rounds

    def standard_error(self, qualification: Qualification) -> float:
        """Of the EV, from the exact standard deviation."""
        return PRACTICAL[qualification].sd / sqrt(self.rounds)

    def z(self, qualification: Qualification) -> float:
        """How many standard errors the EV is from the exact one."""
        return (self.ev_per_ante - PRACTICAL[qualification].ev) / self.standard_error(qualification)


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """A run and its wall time."""

    tally: Tally
    seconds: float


def simulate(
    qualification: Qualification,
    *,
    rounds: int,
    seed: int,
    jobs: int,
    done: Callable[[int], None] = lambda _: None,
) -> Simulated:
    """Play so many rounds in `jobs` processes; `done` hears of each task's number of rounds."""
    began = time.perf_counter()
    total = Tally()
    for tally in _tallies(qualification, rounds, seed, jobs):
        total.add(tally)
        done(tally.rounds)
    return Simulated(tally=total, seconds=time.perf_counter() - began)


def _tallies(qualification: Qualification, rounds: int, seed: int, jobs: int) -> Iterator[Tally]:
    batches = range(-(-rounds // BATCH))
    tasks = [batches[at : at + _BATCHES_A_TASK] for at in range(0, len(batches), _BATCHES_A_TASK)]
    arguments: tuple[Iterable[object], ...] = (repeat(qualification), repeat(rounds), repeat(seed), tasks)
    if jobs == 1 or len(tasks) == 1:
        yield from map(run_batches, *arguments)
        return
    with ProcessPoolExecutor(min(jobs, len(tasks)), mp_context=get_context("spawn")) as pool:
        yield from pool.map(run_batches, *arguments)


def run_batches(qualification: Qualification, rounds: int, seed: int, batches: range) -> Tally:
    """Play these batches of a run of `rounds`."""
    total = Tally()
    for batch in batches:
        stream = np.random.SeedSequence(seed, spawn_key=(batch,))
        cards = draw(np.random.Generator(np.random.PCG64(stream)), min(BATCH, rounds - batch * BATCH))
        played = play(cards, _bank(qualification))
        counts = np.bincount(played.play, minlength=5)
        total.add(
            Tally(
                rounds=cards.shape[1],
                net=int(played.net.sum()),
                squares=int((played.net * played.net).sum()),
                trips=int(played.trips.sum()),
                qualified=int(played.qualifies.sum()),
                plays=Counter({multiple: int(count) for multiple, count in enumerate(counts) if count}),
            )
        )
    return total


@cache
def _bank(qualification: Qualification) -> Bank:
    return Bank(qualification)
