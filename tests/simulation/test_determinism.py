"""The same seed is the same run, to the byte, in this process and in another one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pokerroom.simulation.faults import ALL
from pokerroom.simulation.run import SeedOutcome, run

SEED, ANOTHER, HANDS = 8, 11, 15  # small rooms
PROGRAM = f"""
from pokerroom.simulation.faults import ALL
from pokerroom.simulation.run import run
print(run({SEED}, {HANDS}, ALL).transcript)
"""


@pytest.fixture(scope="module")
def first() -> SeedOutcome:
    """The run that the others are compared with."""
    return run(SEED, HANDS, ALL)


def test_a_seed_gives_the_same_transcript_again(first: SeedOutcome) -> None:
    """Two runs of a seed pass the same bytes in the same order at the same times, with the same faults."""
    again = run(SEED, HANDS, ALL)
    assert first.transcript == again.transcript
    assert first.faults == again.faults
    assert first.hands == again.hands


def test_another_process_with_another_hash_seed_gives_the_same_transcript(first: SeedOutcome) -> None:
    """Nothing hangs on the order of a set or on an address: what a worker found, a command shows again."""
    assert os.environ.get("PYTHONHASHSEED") != "1"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == first.transcript


def test_another_seed_gives_another_transcript(first: SeedOutcome) -> None:
    """The transcript is of what happened, not of the program."""
    assert first.transcript != run(ANOTHER, HANDS, ALL).transcript


def test_fewer_hands_are_the_beginning_of_the_same_run(first: SeedOutcome) -> None:
    """The number of hands says only when to stop: the same people play the same hands up to there."""
    few = run(SEED, 1, ALL)
    assert few.hands < first.hands
    assert all(few.faults[fault] <= first.faults[fault] for fault in few.faults)
