"""The command `pokerroom simulate`: rooms in virtual time with injected faults, checked from outside."""

from __future__ import annotations

import json
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import click

from pokerroom.simulation.faults import Fault, UnknownFault, parse

if TYPE_CHECKING:
    from pokerroom.simulation.run import SeedOutcome

FAILURES_SHOWN = 3
PROGRESS_S = 10.0
"""Where stderr is no terminal, it has a line of progress at most once in so much wall time."""
_SEEDS = re.compile(r"(\d+)(?:\.\.(\d+))?")


def _seeds(_context: click.Context, _option: click.Parameter, text: str) -> range:
    """`A..B` with both ends, or one seed."""
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
    """Turn SIGINT and SIGTERM into `KeyboardInterrupt`. Yields the list of the signals that came."""
    came: list[int] = []

    def interrupt(number: int, _frame: object) -> NoReturn:
        came.append(number)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _progress(asked: int) -> Iterator[Callable[[SeedOutcome], None]]:
    """Show the progress of so many seeds on stderr: a bar on a terminal, else lines."""
    if sys.stderr.isatty():
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
            click.echo(f"{seeds} of {asked} seeds, {figures}", err=True)

    yield done


@click.command("simulate")
@click.option(
    "--seeds",
    callback=_seeds,
    metavar="A..B",
    required=True,
    help="Run these seeds, both ends included, or a single one.",
)
@click.option(
    "--game",
    type=click.Choice(["holdem", "omaha", "sit_and_go", "ultimate"]),
    default="holdem",
    show_default=True,
    help="Play this game.",
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
    "--json", "as_json", is_flag=True, help="Print one JSON object on stdout. Progress goes to stderr."
)
def simulate_command(
    *, seeds: range, game: str, hands: int, faults: frozenset[Fault], jobs: int | None, as_json: bool
) -> None:
    """Run whole rooms in virtual time, with injected faults.

    The command checks every promise of the room from outside.
    The same seed gives the same run, to the byte. If a promise is broken, the command prints the seed and the shortest
    command that shows it again, and exits with 1. Ctrl-C or SIGTERM ends the run: the command prints the result of the
    seeds that are finished.
    """
    from pokerroom.simulation.seeds import (  # noqa: PLC0415 -- the other commands start faster without it
        SHRINK_S,
        cores,
        run_seeds,
        shrink,
    )

    with _interruptible() as interrupted, _progress(len(seeds)) as done:
        summary = run_seeds(seeds, hands, faults, jobs=jobs or cores(), game=game, done=done)
    failures = summary.failures
    if as_json:
        facts = {
            "seeds": summary.seeds,
            "interrupted": bool(interrupted),
            "hands": summary.hands,
            "violations": summary.violations,
            "first_failing_seed": failures[0].seed if failures else None,
            "hands_per_s": round(summary.hands / summary.seconds, 1),
            "seconds": round(summary.seconds, 1),
            "faults": {fault.value: summary.faults[fault] for fault in Fault if fault in faults},
        }
        click.echo(json.dumps(facts))
    else:
        finished = f"interrupted after {summary.seeds} of {summary.asked}" if interrupted else summary.seeds
        click.echo(
            f"{finished} seeds, {summary.hands} hands in {summary.seconds:.1f} s "
            f"({summary.hands / summary.seconds:.0f} hands/s): {summary.violations} violations"
        )
        click.echo(", ".join(f"{fault} {count}" for fault, count in sorted(summary.faults.items())))
    for failure in failures[:FAILURES_SHOWN]:
        click.echo(f"\nseed {failure.seed}, after {failure.hands} hands:", err=True)
        for violation in failure.violations:
            click.echo(f"  {violation}", err=True)
        if not interrupted:
            click.echo("  Looking for a shorter run. This takes 20 s at most.", err=True)
        shortest = shrink(failure, hands, faults, game=game, within_s=0 if interrupted else SHRINK_S)
        click.echo(f"  Run it again: {shortest.command}", err=True)
    if len(failures) > FAILURES_SHOWN:
        rest = ", ".join(str(failure.seed) for failure in failures[FAILURES_SHOWN:])
        click.echo(f"\nand seeds {rest}", err=True)
    sys.exit(1 if failures else 128 + interrupted[0] if interrupted else 0)
