"""Many seeds on all cores, and the shortest way to see a failure again."""

from __future__ import annotations

import gc
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context

from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.faults import Fault, text_of
from pokerroom.simulation.run import Outcome, run


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What came of many seeds. `seconds` is wall time."""

    seeds: int
    hands: int
    failures: tuple[Outcome, ...]
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
    done: Callable[[Outcome], None] = lambda _: None,
) -> Summary:
    """Runs seeds side by side in `jobs` processes; `done` hears of each."""
    began = time.perf_counter()
    outcomes: list[Outcome] = []
    for outcome in _outcomes(list(seeds), hands, chosen, jobs):
        done(outcome)
        outcomes.append(outcome)
    faults: Counter[Fault] = Counter()
    for outcome in outcomes:
        faults.update(outcome.faults)
    failures = sorted((one for one in outcomes if one.violations), key=lambda one: one.seed)
    return Summary(
        seeds=len(outcomes),
        hands=sum(outcome.hands for outcome in outcomes),
        failures=tuple(failures),
        faults=faults,
        seconds=time.perf_counter() - began,
    )


def _outcomes(seeds: list[int], hands: int, chosen: frozenset[Fault], jobs: int) -> Iterable[Outcome]:
    if jobs == 1 or len(seeds) == 1:
        yield from (run(seed, hands, chosen) for seed in seeds)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_work) as pool:
        futures = [pool.submit(run, seed, hands, chosen) for seed in seeds]
        for future in as_completed(futures):
            yield future.result()


def _work() -> None:
    """A worker makes much and keeps little: the collector need not look so often."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """The smallest run found that breaks the same promise."""

    seed: int
    hands: int
    faults: frozenset[Fault]

    @property
    def command(self) -> str:
        """To be typed in."""
        return f"pokerroom simulate --seeds {self.seed} --hands {self.hands} --faults {text_of(self.faults)}"


def shrink(failure: Outcome, hands: int, chosen: frozenset[Fault]) -> Reproduction:
    """Fewer hands, then fewer kinds of faults. A run of fewer hands is the beginning of the longer one; one with fewer
    faults is another run, which may break the same promise all the same.

    One kind alone is tried first, then every kind is left out in turn.
    """
    kind = failure.violations[0].kind
    best = Reproduction(seed=failure.seed, hands=hands, faults=chosen)
    best = _smaller(best, kind, min(hands, failure.hands + 1), chosen) or best
    struck = sorted(fault for fault in chosen if failure.faults[fault])
    for faults in (frozenset[Fault](), *(frozenset({fault}) for fault in struck)):
        alone = _smaller(best, kind, hands, faults)
        if alone is not None:
            return alone
    for fault in struck:
        best = _smaller(best, kind, best.hands, best.faults - {fault}) or best
    return best


def _smaller(known: Reproduction, kind: Kind, hands: int, faults: frozenset[Fault]) -> Reproduction | None:
    """The smaller run, if it breaks the same promise."""
    outcome = run(known.seed, hands, faults)
    if not any(violation.kind is kind for violation in outcome.violations):
        return None
    return Reproduction(seed=known.seed, hands=min(hands, outcome.hands + 1), faults=faults)
