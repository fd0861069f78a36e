"""Choosing runs by what they reach, and the file that has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pokerroom.simulation import exploration
from pokerroom.simulation.cli import simulate_command
from pokerroom.simulation.exploration import Explored, cover, explore, read, variations, write
from pokerroom.simulation.faults import ALL, NONE
from pokerroom.simulation.run import run
from pokerroom.simulation.seeds import Trial

CORPORA = sorted(Path(__file__).parent.joinpath("corpora").glob("*.jsonl"))


def explored(seed: int, steps: str, work: int) -> Explored:
    """A run that has reached these letters."""
    trial = Trial(seed=seed, hands=1, faults=NONE)
    return Explored(trial=trial, steps=frozenset((letter, letter) for letter in steps), work=work)


def test_the_corpus_reaches_all_with_the_least_work() -> None:
    """The run with the most new steps for its work comes first; one that adds nothing is left out."""
    dear, cheap, rest = explored(1, "abcd", 100), explored(2, "abc", 10), explored(3, "d", 10)
    assert cover([dear, cheap, rest, explored(4, "ab", 50)]) == (cheap, rest)


def test_the_corpus_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more runs than the file may hold the best are kept."""
    monkeypatch.setattr(exploration, "CORPUS_MAX", 1)
    assert cover([explored(1, "a", 10), explored(2, "bc", 10)]) == (explored(2, "bc", 10),)


def test_a_run_is_varied_in_the_same_way_again() -> None:
    """More hands, with all of its faults and with half of them."""
    trial = Trial(seed=5, hands=4, faults=ALL)
    longer, fewer = variations(trial)
    assert (longer.seed, longer.hands, longer.faults) == (5, 12, ALL)
    assert fewer.faults < ALL
    assert variations(trial) == [longer, fewer]
    assert variations(Trial(seed=5, hands=4, faults=NONE)) == [Trial(seed=5, hands=12, faults=NONE)]


def test_runs_are_explored_and_read_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The file names the runs; each of them reaches again what the file says."""
    monkeypatch.setattr(exploration, "GENERATIONS", 1)
    plain = [Trial(seed=seed, hands=1, faults=ALL) for seed in (1, 8)]
    found = explore(plain, jobs=1)
    assert found.covered == found.reached
    assert found.plain < found.reached
    assert found.tried == 6
    assert found.tried_work >= found.work > 0
    write(tmp_path / "corpus", found.corpus)
    assert read(tmp_path / "corpus") == [one.trial for one in found.corpus]
    first = json.loads((tmp_path / "corpus").read_text().splitlines()[0])
    again = run(first["seed"], first["hands"], found.corpus[0].trial.faults)
    assert len(again.steps) == first["reaches"] == first["adds"]


def test_rounds_of_ultimate_have_steps_on_each_street() -> None:
    """What boxes decide and what comes of it is told apart, as at poker tables."""
    names = {after for _, after in run(1, 6, NONE, game="ultimate").steps}
    assert {"flop: check", "river: fold"} <= names
    assert any(name.startswith("between: bank, ") for name in names)


def test_the_command_writes_a_corpus_and_runs_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What `--explore` has written `--corpus` runs."""
    monkeypatch.setattr(exploration, "GENERATIONS", 1)
    file = str(tmp_path / "corpus")
    arguments = ["--seeds", "1", "--hands", "1", "--faults", "none", "--jobs", "1", "--json"]
    facts = json.loads(CliRunner().invoke(simulate_command, ["--explore", file, *arguments]).stdout)
    assert facts["corpus"] > 0
    assert facts["corpus_steps"] == facts["steps"] >= facts["plain_steps"] > 0
    done = CliRunner().invoke(simulate_command, ["--corpus", file, "--jobs", "1", "--json"])
    assert done.exit_code == 0
    assert json.loads(done.stdout)["seeds"] == facts["corpus"]


@pytest.mark.parametrize("arguments", [[], ["--seeds", "1", "--corpus", __file__], ["--corpus", __file__]])
def test_a_command_without_runs_is_refused(arguments: list[str]) -> None:
    """Seeds or a corpus, not both; and a file that is no corpus is refused."""
    assert CliRunner().invoke(simulate_command, arguments).exit_code == 2


@pytest.mark.parametrize("file", CORPORA, ids=lambda file: file.stem)
def test_the_corpora_of_this_project_can_be_read(file: Path) -> None:
    """`make soak` runs them all; here the cheapest, which reaches the most for its work."""
    trials = read(file)
    assert 0 < len(trials) <= exploration.CORPUS_MAX
    assert len(set(trials)) == len(trials)
    first = trials[0]
    assert run(first.seed, first.hands, first.faults, game=first.game).violations == ()
