"""Choose runs that reach what others do not: steps from one thing that a table tells, or a rule, to the next.

A run is guided by what the runs before it have reached. First come the seeds as they are. Each that has reached a new
step is varied: more hands, and fewer kinds of faults. Of all runs the smallest set is kept that reaches as much for the
work; this is the corpus. Everything follows from the seeds: the same call gives the same corpus, on any number of
processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from pokerroom.simulation.checks.situations import Step
from pokerroom.simulation.faults import parse, text_of
from pokerroom.simulation.run import SeedOutcome
from pokerroom.simulation.seeds import Trial, run_trials
from pokerroom.simulation.streams import Stream, stream

GENERATIONS = 2
"""So often the runs that have reached something new are varied."""
CORPUS_MAX = 40
NAMED = 3
"""So many of its new steps does the file name for each run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """A run, what it has reached, and the work that it took: calls on the virtual clock."""

    trial: Trial
    steps: frozenset[Step]
    work: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """What came of it. `plain` are the steps of the seeds as they are, as many as take the work of the corpus.

    `tried` are all runs, and `tried_work` is the work that they took.
    """

    corpus: tuple[Explored, ...]
    tried: int
    tried_work: int
    reached: int
    plain: int
    plain_seeds: int
    failures: tuple[tuple[Trial, SeedOutcome], ...]

    @property
    def work(self) -> int:
        """Of the corpus."""
        return sum(one.work for one in self.corpus)

    @property
    def covered(self) -> int:
        """The steps that the corpus reaches."""
        return len(frozenset[Step]().union(*(one.steps for one in self.corpus)))


def explore(
    plain: Sequence[Trial],
    *,
    jobs: int,
    done: Callable[[SeedOutcome], None] = lambda _: None,
    interrupted: Callable[[], bool] = lambda: False,
) -> Exploration:
    """Run trials and their variations. Ctrl-C ends it with what is finished."""
    trials = [*plain]
    found: list[Explored] = []
    failures: list[tuple[Trial, SeedOutcome]] = []
    tried = tried_work = 0
    seen: set[Step] = set()
    first: list[Explored] = []
    for generation in range(GENERATIONS + 1):
        fresh = []
        ran = run_trials(trials, jobs=jobs, done=done, interrupted=interrupted)
        for trial, outcome in ran:
            one = Explored(trial=trial, steps=outcome.steps, work=outcome.work)
            first += [] if generation else [one]
            if outcome.violations:
                failures.append((trial, outcome))
            if not one.steps <= seen:
                fresh.append(one)
            seen |= one.steps
        found += fresh
        tried += len(ran)
        tried_work += sum(outcome.work for _, outcome in ran)
        if len(ran) < len(trials):
            break
        trials = [varied for one in fresh for varied in variations(one.trial)]
    corpus = cover(found)
    work = sum(one.work for one in corpus)
    plain_steps, plain_seeds = _plain(first, work)
    return Exploration(
        corpus=corpus,
        tried=tried,
        tried_work=tried_work,
        reached=len(seen),
        plain=plain_steps,
        plain_seeds=plain_seeds,
        failures=tuple(failures),
    )


def variations(trial: Trial) -> list[Trial]:
    """The same seed for longer, and with half of the kinds of faults."""
    draw: Stream = stream(trial.seed, f"variations:{trial.hands}:{text_of(trial.faults)}")
    kinds = sorted(trial.faults)
    some = frozenset(draw.sample(kinds, (len(kinds) + 1) // 2))
    longer = replace(trial, hands=3 * trial.hands)
    return [longer, replace(longer, faults=some)] if kinds else [longer]


def cover(found: Sequence[Explored]) -> tuple[Explored, ...]:
    """Runs that together reach what all do, or as much as `CORPUS_MAX` of them can; most steps for the work first."""
    left = set().union(*(one.steps for one in found))
    chosen: list[Explored] = []
    while left and len(chosen) < CORPUS_MAX:
        best = max(found, key=lambda one: len(one.steps & left) / one.work)
        left -= best.steps
        chosen.append(best)
    return tuple(chosen)


def _plain(first: Sequence[Explored], work: int) -> tuple[int, int]:
    """The steps that seeds as they are reach with so much work, and how many seeds those are."""
    seen: set[Step] = set()
    count = 0
    for one in first:
        if work <= 0:
            break
        work -= one.work
        count += 1
        seen |= one.steps
    return len(seen), count


# --- the file ---------------------------------------------------------------------------------------------------------


class _Line(msgspec.Struct, kw_only=True):
    """A run of a corpus, as its file has it. `adds` are the steps that no run before it in the file reaches."""

    game: str
    seed: int
    hands: int
    faults: str
    reaches: int
    adds: int
    such_as: list[str]


def write(path: Path, corpus: Sequence[Explored]) -> None:
    """Write a corpus: one JSON object a line."""
    seen: set[Step] = set()
    lines = []
    for one in corpus:
        new = sorted(one.steps - seen)
        seen |= one.steps
        lines.append(
            _Line(
                game=one.trial.game,
                seed=one.trial.seed,
                hands=one.trial.hands,
                faults=text_of(one.trial.faults),
                reaches=len(one.steps),
                adds=len(new),
                such_as=[
                    f"{before} > {after}" for before, after in new[:: max(1, len(new) // NAMED)][:NAMED]
                ],
            )
        )
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))


def read(path: Path) -> list[Trial]:
    """Read the runs of a corpus. Raises `ValueError` where a line is none."""
    lines = [msgspec.json.decode(line, type=_Line) for line in path.read_bytes().splitlines() if line]
    return [
        Trial(seed=line.seed, hands=line.hands, faults=parse(line.faults), game=line.game) for line in lines
    ]
