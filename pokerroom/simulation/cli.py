"""The command `pokerroom simulate`: rooms in virtual time with injected faults, checked from outside."""

from __future__ import annotations

import json
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pokerroom.simulation.faults import Fault, UnknownFault, parse

if TYPE_CHECKING:
    from pokerroom.simulation.exploration import Exploration
    from pokerroom.simulation.run import SeedOutcome
    from pokerroom.simulation.seeds import Summary, Trial

FAILURES_SHOWN = 3
AGAIN_S = 3.0
"""A signal within so much wall time after the first is not a second one."""
PROGRESS_S = 10.0
"""Where stderr is no terminal, it has a line of progress at most once in so much wall time."""
_SEEDS = re.compile(r"(\d+)(?:\.\.(\d+))?")


def _seeds(_context: click.Context, _option: click.Parameter, text: str | None) -> range:
    """`A..B` with both ends, or one seed; nothing is an empty range."""
    if text is None:
        return range(0)
    found = _SEEDS.fullmatch(text)
    if found is None:
        raise click.BadParameter(f"{text!r} is neither a seed nor a range of seeds such as 0..999")
    first = int(found[1])
    last = first if found[2] is None else int(found[2])
    if last < first:
        raise click.BadParameter(f"{text!r} is empty: the last seed is before the first")
    return range(first, last + 1)


def _faults(_context: click.Context, _option: click.Parameter, text: str) -> frozenset[Fault]:
    """`all`, `none`, or names divided by commas."""
    try:
        return parse(text)
    except UnknownFault as unknown:
        raise click.BadParameter(str(unknown)) from unknown


@contextmanager
def _interruptible() -> Iterator[list[int]]:
    """Turn SIGINT and SIGTERM into `KeyboardInterrupt`. Yields the list of the signals that came.

    A sender such as `timeout` signals a process and then its group: a signal right behind the first is the same wish.
    """
    came: list[int] = []
    first_s = 0.0

    def interrupt(number: int, _frame: object) -> None:
        nonlocal first_s
        came.append(number)
        if len(came) == 1:
            first_s = time.monotonic()
        elif time.monotonic() - first_s < AGAIN_S:
            return
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _progress(asked: int | None) -> Iterator[Callable[[SeedOutcome], None]]:
    """Show the progress of so many seeds on stderr: a bar on a terminal, else lines. None: it is not known how many."""
    if asked is not None and sys.stderr.isatty():
        with click.progressbar(length=asked, label="seeds", file=sys.stderr) as bar:
            yield lambda _: bar.update(1)
        return
    began = told = time.monotonic()
    seeds = hands = violations = 0

    def done(outcome: SeedOutcome) -> None:
        nonlocal seeds, hands, violations, told
        seeds, hands = seeds + 1, hands + outcome.hands
        violations += len(outcome.violations)
        now = time.monotonic()
        if now - told >= PROGRESS_S:
            told = now
            figures = f"{hands} hands, {violations} violations in {now - began:.0f} s"
            of = f"{seeds} runs" if asked is None else f"{seeds} of {asked} seeds"
            click.echo(f"{of}, {figures}", err=True)

    yield done


@click.command("simulate")
@click.option(
    "--seeds",
    callback=_seeds,
    metavar="A..B",
    help="Run these seeds, both ends included, or a single one.",
)
@click.option(
    "--game",
    type=click.Choice(["holdem", "omaha", "sit_and_go", "mtt", "private_sit_and_go", "ultimate"]),
    default="holdem",
    show_default=True,
    help="Play this game.",
)
@click.option(
    "--field",
    type=click.IntRange(11, 10_000),
    help="With --game mtt: play one tournament of so many players to its end instead.",
)
@click.option(
    "--hands",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Play so many hands or rounds in each seed.",
)
@click.option(
    "--faults",
    callback=_faults,
    metavar="all|none|LIST",
    default="all",
    show_default=True,
    help="Inject these faults: all, none, or a list of " + ", ".join(fault.value for fault in Fault) + ".",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=None,
    help="Use so many processes. Default: one for each processor.",
)
@click.option(
    "--corpus",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Run what this file lists instead of --seeds; --game, --hands and --faults have no meaning then.",
)
@click.option(
    "--explore",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Vary the seeds that reach what others do not, and write the best runs to this file, for --corpus.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object on stdout. Progress goes to stderr."
)
def simulate_command(
    *,
    seeds: range,
    game: str,
    field: int | None,
    hands: int,
    faults: frozenset[Fault],
    jobs: int | None,
    corpus: Path | None,
    explore: Path | None,
    as_json: bool,
) -> None:
    """Run whole rooms in virtual time, with injected faults.

    The command checks every promise of the room from outside.
    The same seed gives the same run, to the byte. If a promise is broken, the command prints the seed and the shortest
    command that shows it again, and exits with 1. Ctrl-C or SIGTERM ends the run: the command prints the result of the
    seeds that are finished.
    """
    from pokerroom.simulation import exploration  # noqa: PLC0415 -- the other commands start faster without it
    from pokerroom.simulation.seeds import Trial, cores, summary_of  # noqa: PLC0415 -- as above

    if bool(seeds) == (corpus is not None) or (corpus is not None and explore is not None):
        raise click.UsageError("Give --seeds, with or without --explore, or --corpus.")
    if field is not None and (game != "mtt" or not seeds or explore is not None):
        raise click.UsageError("Give --field with --game mtt and --seeds, without --explore.")
    try:
        trials = [Trial(seed=seed, hands=hands, faults=faults, game=game, field=field) for seed in seeds]
        trials = trials if corpus is None else exploration.read(corpus)
    except ValueError as error:
        raise click.BadParameter(f"{corpus} is not a corpus: {error}") from error
    asked = None if explore is not None else len(trials)
    with _interruptible() as interrupted, _progress(asked) as done:
        if explore is not None:
            explored = exploration.explore(
                trials, jobs=jobs or cores(), done=done, interrupted=lambda: bool(interrupted)
            )
        else:
            summary = summary_of(
                trials, jobs=jobs or cores(), done=done, interrupted=lambda: bool(interrupted)
            )
    if explore is not None:
        exploration.write(explore, explored.corpus)
        _print_explored(explored, interrupted=bool(interrupted), as_json=as_json)
        failures = explored.failures
    else:
        _print_summary(summary, interrupted=bool(interrupted), as_json=as_json)
        failures = summary.failures
    _print_failures(failures, shrinks=not interrupted)
    sys.exit(1 if failures else 128 + interrupted[0] if interrupted else 0)


def _print_summary(summary: Summary, *, interrupted: bool, as_json: bool) -> None:
    if as_json:
        facts = {
            "seeds": summary.seeds,
            "interrupted": interrupted,
            "hands": summary.hands,
            "violations": summary.violations,
            "first_failing_seed": summary.failures[0][0].seed if summary.failures else None,
            "hands_per_s": round(summary.hands / summary.seconds, 1),
            "seconds": round(summary.seconds, 1),
            "faults": {fault.value: summary.faults[fault] for fault in Fault if fault in summary.chosen},
            "situations": dict(sorted(summary.situations.items())),
            "steps": summary.steps,
            "work": summary.work,
        }
        click.echo(json.dumps(facts))
        return
    finished = f"interrupted after {summary.seeds} of {summary.asked}" if interrupted else summary.seeds
    click.echo(
        f"{finished} seeds, {summary.hands} hands in {summary.seconds:.1f} s "
        f"({summary.hands / summary.seconds:.0f} hands/s): {summary.violations} violations"
    )
    click.echo(", ".join(f"{fault} {count}" for fault, count in sorted(summary.faults.items())))


def _print_explored(explored: Exploration, *, interrupted: bool, as_json: bool) -> None:
    if as_json:
        facts = {
            "runs": explored.tried,
            "work": explored.tried_work,
            "interrupted": interrupted,
            "steps": explored.reached,
            "corpus": len(explored.corpus),
            "corpus_steps": explored.covered,
            "plain_seeds": explored.plain_seeds,
            "plain_steps": explored.plain,
        }
        click.echo(json.dumps(facts))
        return
    runs = f"interrupted after {explored.tried}" if interrupted else explored.tried
    click.echo(f"{runs} runs reach {explored.reached} steps from one thing that a table tells to the next")
    click.echo(f"{len(explored.corpus)} of them are in the corpus, and reach {explored.covered}")
    click.echo(f"the first {explored.plain_seeds} seeds, about as much work, reach {explored.plain}")


def _print_failures(failures: Sequence[tuple[Trial, SeedOutcome]], *, shrinks: bool) -> None:
    from pokerroom.simulation.seeds import SHRINK_S, shrink  # noqa: PLC0415 -- as above

    for trial, failure in failures[:FAILURES_SHOWN]:
        click.echo(f"\nseed {failure.seed}, after {failure.hands} hands:", err=True)
        for violation in failure.violations:
            click.echo(f"  {violation}", err=True)
        if shrinks:
            click.echo("  Looking for a shorter run. This takes 20 s at most.", err=True)
        shortest = shrink(failure, trial, within_s=SHRINK_S if shrinks else 0)
        click.echo(f"  Run it again: {shortest.command}", err=True)
    if len(failures) > FAILURES_SHOWN:
        rest = ", ".join(str(trial.seed) for trial, _ in failures[FAILURES_SHOWN:])
        click.echo(f"\nand seeds {rest}", err=True)
