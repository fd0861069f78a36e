"""Run many seeds on all processors, and find the shortest command that shows a failure again."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import active_children, get_context

from pokerroom.simulation.faults import Fault, text_of
from pokerroom.simulation.run import SeedOutcome, run


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The sums of many seeds. `seconds` is wall time; fewer `seeds` than `asked` if the run was interrupted."""

    asked: int
    seeds: int
    hands: int
    failures: tuple[SeedOutcome, ...]
    """Those with violations, by seed."""
    faults: Counter[Fault]
    seconds: float

    @property
    def violations(self) -> int:
        """Over all seeds."""
        return sum(len(outcome.violations) for outcome in self.failures)


def run_seeds(
    seeds: Iterable[int],
    hands: int,
    chosen: frozenset[Fault],
    *,
    jobs: int,
    game: str = "holdem",
    done: Callable[[SeedOutcome], None] = lambda _: None,
) -> Summary:
    """Run seeds of a game (see `games`) side by side in `jobs` processes; `done` hears of each.

    Ctrl-C (`KeyboardInterrupt`) ends the run early: the sums are those of the seeds that were finished.
    """
    began = time.perf_counter()
    chosen_seeds = list(seeds)
    outcomes: list[SeedOutcome] = []
    with suppress(KeyboardInterrupt):
        for outcome in _outcomes(chosen_seeds, hands, chosen, jobs=jobs, game=game):
            outcomes.append(outcome)
            done(outcome)
    faults: Counter[Fault] = Counter()
    for outcome in outcomes:
        faults.update(outcome.faults)
    failures = sorted((one for one in outcomes if one.violations), key=lambda one: one.seed)
    return Summary(
        asked=len(chosen_seeds),
        seeds=len(outcomes),
        hands=sum(outcome.hands for outcome in outcomes),
        failures=tuple(failures),
        faults=faults,
        seconds=time.perf_counter() - began,
    )


def _outcomes(
    seeds: list[int], hands: int, chosen: frozenset[Fault], *, jobs: int, game: str
) -> Iterable[SeedOutcome]:
    if jobs == 1 or len(seeds) == 1:
        yield from (run(seed, hands, chosen, game=game) for seed in seeds)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_work) as pool:
        futures = [pool.submit(run, seed, hands, chosen, game=game) for seed in seeds]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:  # Ctrl-C: the seeds that are under way or wait are given up
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():
                process.terminate()
            raise


def _work() -> None:
    """Prepare a worker. It makes much and keeps little, so the garbage collector need not look so often."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches the whole group: the first process ends the others
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """The smallest run found that breaks the same promise first."""

    seed: int
    hands: int
    faults: frozenset[Fault]
    game: str = "holdem"

    @property
    def command(self) -> str:
        """To be typed in."""
        game = "" if self.game == "holdem" else f" --game {self.game}"
        faults = text_of(self.faults)
        return f"pokerroom simulate{game} --seeds {self.seed} --hands {self.hands} --faults {faults}"


SHRINK_S = 20.0
"""After so much wall time no other run is begun."""


def shrink(
    failure: SeedOutcome,
    hands: int,
    chosen: frozenset[Fault],
    *,
    game: str = "holdem",
    within_s: float = SHRINK_S,
) -> Reproduction:
    """Fewer kinds of faults, then fewer hands, again and again, until nothing smaller is found or the time is over.

    A run of fewer hands is the beginning of the longer one; one with fewer kinds of faults is another run, which may
    break the same promise all the same. What came of a smaller run says where to try next.
    """
    kind, end_s = failure.violations[0].kind, time.monotonic() + within_s
    best, found = Reproduction(seed=failure.seed, hands=hands, faults=chosen, game=game), failure
    failed: dict[frozenset[Fault], int] = {}
    while True:
        for faults, count in _smaller(best, found, hands):
            if count <= failed.get(faults, 0):
                continue
            if time.monotonic() > end_s:
                return best
            outcome = run(best.seed, count, faults, game=game)
            if outcome.violations and outcome.violations[0].kind is kind:
                fewer = min(count, outcome.hands + 1)
                best = Reproduction(seed=best.seed, hands=fewer, faults=faults, game=game)
                found = outcome
                break
            failed[faults] = count
        else:
            return best


def _smaller(known: Reproduction, outcome: SeedOutcome, hands: int) -> Iterable[tuple[frozenset[Fault], int]]:
    """Kinds of faults and hands to try, the most promising first. Each is smaller than what is known.

    With fewer kinds of faults it may take more hands, up to `hands`; those that were chosen and never came are left
    out for nothing.
    """
    struck = frozenset(fault for fault in known.faults if outcome.faults[fault])
    if struck < known.faults:
        yield struck, known.hands
    by_faults = [frozenset[Fault](), *(frozenset({fault}) for fault in sorted(struck))]
    by_faults += [struck - {fault} for fault in sorted(struck)]
    yield from ((faults, hands) for faults in dict.fromkeys(by_faults) if len(faults) < len(known.faults))
    fewer = (1, known.hands // 4, known.hands // 2, known.hands - 1)
    yield from ((struck, count) for count in dict.fromkeys(fewer) if 0 < count < known.hands)
