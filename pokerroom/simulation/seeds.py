"""Run many seeds on all processors, and find the shortest command that shows a failure again."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import active_children, get_context

from pokerroom.simulation.checks.situations import Step
from pokerroom.simulation.faults import Fault, text_of
from pokerroom.simulation.run import SeedOutcome, run


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One run of a seed of a game (see `games`)."""

    seed: int
    hands: int
    faults: frozenset[Fault]
    game: str = "holdem"
    field: int | None = None
    """The players of the one tournament of several tables that is played; None: as the seed has it."""

    @property
    def command(self) -> str:
        """To be typed in."""
        game = "" if self.game == "holdem" else f" --game {self.game}"
        game += "" if self.field is None else f" --field {self.field}"
        faults = text_of(self.faults)
        return f"pokerroom simulate{game} --seeds {self.seed} --hands {self.hands} --faults {faults}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The sums of many seeds. `seconds` is wall time; fewer `seeds` than `asked` if the run was interrupted."""

    asked: int
    seeds: int
    hands: int
    failures: tuple[tuple[Trial, SeedOutcome], ...]
    """Those with violations, by seed."""
    chosen: frozenset[Fault]
    """The faults that were to come; `faults` are those that came."""
    faults: Counter[Fault]
    situations: Counter[str]
    """How often each situation of the rules came up, as far as a checker knows it."""
    steps: int
    """How many different steps from one thing to the next were reached."""
    work: int
    """Calls on the virtual clock."""
    seconds: float

    @property
    def violations(self) -> int:
        """Over all seeds."""
        return sum(len(outcome.violations) for _, outcome in self.failures)


def summary_of(
    trials: Sequence[Trial],
    *,
    jobs: int,
    done: Callable[[SeedOutcome], None] = lambda _: None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Summary:
    """Return the sums of `run_trials`."""
    began = time.perf_counter()
    ran = run_trials(trials, jobs=jobs, done=done, interrupted=interrupted)
    faults: Counter[Fault] = Counter()
    situations: Counter[str] = Counter()
    steps: set[Step] = set()
    for _, outcome in ran:
        faults.update(outcome.faults)
        situations.update(outcome.situations)
        steps |= outcome.steps
    failures = sorted(((trial, one) for trial, one in ran if one.violations), key=lambda one: one[0].seed)
    return Summary(
        asked=len(trials),
        seeds=len(ran),
        hands=sum(outcome.hands for _, outcome in ran),
        failures=tuple(failures),
        chosen=frozenset[Fault]().union(*(trial.faults for trial in trials)),
        faults=faults,
        situations=situations,
        steps=len(steps),
        work=sum(outcome.work for _, outcome in ran),
        seconds=time.perf_counter() - began,
    )


def run_trials(
    trials: Sequence[Trial],
    *,
    jobs: int,
    done: Callable[[SeedOutcome], None] = lambda _: None,
    interrupted: Callable[[], bool] = lambda: False,
) -> list[tuple[Trial, SeedOutcome]]:
    """Run trials side by side in `jobs` processes; `done` hears of each. Return them in the order of `trials`.

    Ctrl-C (`KeyboardInterrupt`) ends it early: then only those are returned that were finished. A run in this process
    may have swallowed it, as Twisted does: so a run is of no use if `interrupted` tells after it that a signal came.
    """
    outcomes: dict[int, SeedOutcome] = {}
    with suppress(KeyboardInterrupt):
        for place, outcome in _outcomes(trials, jobs=jobs, interrupted=interrupted):
            outcomes[place] = outcome
            done(outcome)
    return [(trials[place], outcomes[place]) for place in sorted(outcomes)]


def _outcomes(
    trials: Sequence[Trial], *, jobs: int, interrupted: Callable[[], bool]
) -> Iterable[tuple[int, SeedOutcome]]:
    if jobs == 1 or len(trials) <= 1:
        for place, one in enumerate(trials):
            outcome = _outcome(one)
            if interrupted():
                return
            yield place, outcome
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_work) as pool:
        futures = {pool.submit(_outcome, one): place for place, one in enumerate(trials)}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException:  # Ctrl-C: the seeds that are under way or wait are given up
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():
                process.terminate()
            raise


def _work() -> None:
    """Prepare a worker: Ctrl-C reaches the whole group, and the first process ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _outcome(trial: Trial) -> SeedOutcome:
    """Run one. It makes much and keeps little, so the garbage collector looks seldom, and at the end."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    try:
        return run(trial.seed, trial.hands, trial.faults, game=trial.game, field=trial.field)
    finally:
        gc.collect()  # the room that is over; what was there before is frozen, and costs nothing
        gc.set_threshold(*before)
        gc.unfreeze()


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


SHRINK_S = 20.0
"""After so much wall time no other run is begun."""


def shrink(failure: SeedOutcome, trial: Trial, *, within_s: float = SHRINK_S) -> Trial:
    """Fewer kinds of faults, then fewer hands, again and again, until nothing smaller is found or the time is over.

    A run of fewer hands is the beginning of the longer one; one with fewer kinds of faults is another run, which may
    break the same promise all the same. What came of a smaller run says where to try next. `failure` came of `trial`.
    """
    kind, end_s = failure.violations[0].kind, time.monotonic() + within_s
    best, found = trial, failure
    failed: dict[frozenset[Fault], int] = {}
    while True:
        for faults, count in _smaller(best, found, trial.hands):
            if count <= failed.get(faults, 0):
                continue
            if time.monotonic() > end_s:
                return best
            outcome = run(best.seed, count, faults, game=best.game, field=best.field)
            if outcome.violations and outcome.violations[0].kind is kind:
                fewer = min(count, outcome.hands + 1)
                best = replace(best, hands=fewer, faults=faults)
                found = outcome
                break
            failed[faults] = count
        else:
            return best


def _smaller(known: Trial, outcome: SeedOutcome, hands: int) -> Iterable[tuple[frozenset[Fault], int]]:
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
