"""The command `pokerroom simulate`."""

from __future__ import annotations

import json
import os
import shlex
import signal
from contextlib import suppress
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pokerroom.poker.cash.seating import CashPolicy
from pokerroom.poker.play import HandPlay
from pokerroom.simulation import cli, seeds
from pokerroom.simulation.cli import simulate_command
from pokerroom.simulation.faults import ALL, NONE, Fault, UnknownFault, parse, text_of
from pokerroom.simulation.run import SeedOutcome, run
from pokerroom.simulation.seeds import Trial, shrink, summary_of
from tests.simulation.planted import plant

SIXTY = Trial(seed=7, hands=60, faults=ALL)


def simulate(*arguments: str) -> Result:
    return CliRunner().invoke(simulate_command, list(arguments))


@pytest.fixture
def chip_maker(monkeypatch: pytest.MonkeyPatch) -> None:
    """After every hand a stack is one chip more than was won."""

    def made(real: Any, policy: CashPolicy, play: HandPlay, *rest: Any) -> None:
        real(policy, play, *rest)
        play.seats[0].stack += 1

    plant(monkeypatch, CashPolicy, "settled", made)


def test_json_has_the_figures_of_the_run() -> None:
    """One object: seeds, hands, violations, the first failing seed, the speed, and each fault's count."""
    result = simulate(
        "--seeds", "7..8", "--hands", "2", "--faults", "duplicate,stale", "--jobs", "1", "--json"
    )
    facts = json.loads(result.stdout)
    assert result.exit_code == 0
    assert facts.keys() == {
        "seeds", "interrupted", "hands", "violations", "first_failing_seed", "hands_per_s", "seconds", "faults",
        "situations", "steps", "work",
    }  # fmt: skip
    assert facts["seeds"] == 2
    assert facts["hands"] >= 4
    assert facts["violations"] == 0
    assert facts["first_failing_seed"] is None
    assert facts["hands_per_s"] > 0
    assert facts["faults"].keys() == {"duplicate", "stale"}


def test_progress_goes_to_stderr_and_json_alone_to_stdout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where stderr is no terminal it gets lines, one for each seed if they take long enough."""
    monkeypatch.setattr(cli, "PROGRESS_S", 0.0)
    result = simulate("--seeds", "7..8", "--hands", "1", "--faults", "none", "--jobs", "1", "--json")
    assert json.loads(result.stdout)["seeds"] == 2
    first, second = result.stderr.splitlines()
    assert first.startswith("1 of 2 seeds, ")
    assert second.startswith("2 of 2 seeds, ")
    assert " hands, 0 violations in " in second


def test_seeds_run_side_by_side_find_the_same() -> None:
    """Two processes give what one gives."""
    trials = [Trial(seed=seed, hands=1, faults=ALL) for seed in (7, 8)]
    one, two = summary_of(trials, jobs=1), summary_of(trials, jobs=2)
    assert (one.hands, one.faults, one.failures) == (two.hands, two.faults, two.failures)


def test_a_failure_is_told_with_a_command_that_shows_it_again(chip_maker: None) -> None:
    """Exit 1; seed, violation and the shortest command, which finds the same."""
    result = simulate("--seeds", "7", "--hands", "30", "--jobs", "1", "--json")
    assert result.exit_code == 1
    facts = json.loads(result.stdout)
    assert facts["first_failing_seed"] == 7
    assert facts["violations"] > 0
    assert "chips at " in result.stderr
    assert "Looking for a shorter run" in result.stderr
    command = next(line for line in result.stderr.splitlines() if "again:" in line).split("again:")[1]
    again = simulate(*shlex.split(command)[2:], "--jobs", "1")
    assert again.exit_code == 1
    assert "chips at " in again.stderr


def test_a_failure_shrinks_to_few_hands_and_no_fault_and_no_further(chip_maker: None) -> None:
    """A bug that needs no fault is shown without one, with no more hands than it takes; without time, as it was."""
    failure = run(7, 60, ALL)
    small = shrink(failure, SIXTY)
    assert small.faults == NONE
    assert small.hands < 30
    again = run(small.seed, small.hands, small.faults)
    assert again.violations[0].kind is failure.violations[0].kind
    assert shrink(again, small) == small
    assert shrink(failure, SIXTY, within_s=0) == SIXTY


@pytest.mark.parametrize("seeds", ["x", "4..2", "1..", "-1"])
def test_seeds_that_are_none_are_refused(seeds: str) -> None:
    """A range that is empty or no range is a mistake of the caller, told with exit code 2."""
    assert simulate("--seeds", seeds).exit_code == 2


def test_a_fault_that_does_not_exist_is_refused() -> None:
    """The names that do exist are told."""
    result = simulate("--seeds", "1", "--faults", "earthquake")
    assert result.exit_code == 2
    assert "disconnect" in result.stderr


def test_faults_are_named_as_they_are_read() -> None:
    """Names are read in any order, and written in one that reads back."""
    assert parse("all") == ALL
    assert parse("none") == NONE
    some = parse("stale, crash")
    assert some == {Fault.STALE, Fault.CRASH}
    assert parse(text_of(some)) == some
    assert text_of(ALL) == "all"
    assert text_of(NONE) == "none"
    with pytest.raises(UnknownFault):
        parse("stale,earthquake")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_interrupted_prints_what_was_done(monkeypatch, number):
    """The sums are those of the seeds that were finished; the exit code tells the signal."""
    before = signal.getsignal(number)

    def interrupted(seed, hands, faults, **options):
        if seed == 2:
            os.kill(os.getpid(), number)
        return run(seed, hands, faults, **options)

    monkeypatch.setattr(seeds, "run", interrupted)
    result = CliRunner().invoke(simulate_command, ["--seeds", "0..500", "--hands", "1", "--jobs", "1"])
    assert result.exit_code == 128 + number
    assert result.stdout.startswith("interrupted after 2 of 501 seeds, ")
    assert signal.getsignal(number) is before


def test_a_run_that_swallows_its_interruption_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twisted catches every exception of a callback: such a run goes on to its end, and does not count."""

    def swallowing(seed: int, hands: int, faults: frozenset[Fault], **options: Any) -> SeedOutcome:
        if seed == 1:
            with suppress(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)
        return run(seed, hands, faults, **options)

    monkeypatch.setattr(seeds, "run", swallowing)
    result = simulate("--seeds", "0..500", "--hands", "1", "--jobs", "1", "--json")
    assert result.exit_code == 128 + signal.SIGINT
    assert json.loads(result.stdout)["seeds"] == 1


def test_json_of_a_run_that_is_interrupted_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The object has the sums of the seeds that were finished."""

    def interrupted(seed: int, hands: int, faults: frozenset[Fault], **options: Any) -> SeedOutcome:
        if seed == 1:
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            finally:  # a sender that signals the process and then its group
                os.kill(os.getpid(), signal.SIGTERM)
        return run(seed, hands, faults, **options)

    monkeypatch.setattr(seeds, "run", interrupted)
    result = simulate("--seeds", "0..500", "--hands", "1", "--jobs", "1", "--json")
    facts = json.loads(result.stdout)
    assert result.exit_code == 128 + signal.SIGTERM
    assert (facts["interrupted"], facts["seeds"]) == (True, 1)
    assert facts["hands"] > 0
