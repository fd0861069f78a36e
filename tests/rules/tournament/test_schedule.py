"""B9: which level holds when, by time and by hands, and breaks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom.rules.betting import NoLimit
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.tournament.schedule import BlindSchedule, LengthUnit, Level, LevelClock
from tests.rules.tournament.support import schedule

TIMED = schedule(1000, 500, 300, unit=LengthUnit.ms)


@pytest.mark.parametrize(
    ("elapsed_ms", "level", "left"),
    [(0, 0, 1000), (999, 0, 1), (1000, 1, 500), (1499, 1, 1), (1500, 2, None), (10**9, 2, None)],
)
def test_b9_a_level_holds_until_its_time_is_up(elapsed_ms, level, left):
    """B9: to the millisecond; the last level has no end."""
    clock = TIMED.played(LevelClock(), elapsed_ms)
    assert (clock.level, TIMED.left(clock)) == (level, left)
    assert TIMED.level(clock) is TIMED.levels[level]


def test_b9_a_level_holds_for_its_hands():
    """B9: counted in hands it changes after the last of them."""
    levels, clock, seen = schedule(2, 3, 1), LevelClock(), []
    for _ in range(7):
        seen.append(clock.level)
        clock = levels.played(clock, 1)
    assert seen == [0, 0, 1, 1, 1, 2, 2]


def test_i5_a_break_comes_between_two_levels():
    """I5: the next level's clock stands until the break is over, however long the hand in progress takes."""
    levels = schedule(1000, 500, 300, unit=LengthUnit.ms, breaks=(60_000,))
    due = levels.played(LevelClock(used=900), 4_000)
    assert due == LevelClock(level=1, used=0, break_left_ms=60_000)
    assert levels.played(due, 700) == due
    half = levels.rested(due, 30_000)
    assert half.break_left_ms == 30_000
    assert levels.rested(half, 31_000) == LevelClock(level=1)
    assert levels.played(LevelClock(level=1), 499) == LevelClock(level=1, used=499)


@given(
    lengths=st.lists(st.integers(1, 50), min_size=1, max_size=6),
    steps=st.lists(st.integers(0, 60), max_size=20),
)
def test_b9_time_in_pieces_is_time(lengths, steps):
    """B9: without breaks it does not matter in how many pieces the time is told."""
    levels, clock = schedule(*lengths, unit=LengthUnit.ms), LevelClock()
    for step in steps:
        clock = levels.played(clock, step)
    assert clock == levels.played(LevelClock(), sum(steps))
    ends = [sum(lengths[: n + 1]) for n in range(len(lengths) - 1)]
    assert clock.level == sum(end <= sum(steps) for end in ends)


def test_a_schedule_that_cannot_be_is_refused():
    """Levels there are, with blinds and a length; and time does not run backwards."""
    with pytest.raises(ValueError, match="at least one level"):
        BlindSchedule(levels=(), unit=LengthUnit.ms)
    for wrong in ({"length": 0}, {"break_ms": -1}, {"stakes": Stakes(small_blind=0, big_blind=0)}):
        given_level = {"stakes": Stakes(small_blind=1, big_blind=2), "structure": NoLimit(), "length": 1}
        with pytest.raises(ValueError, match="a level has"):
            Level(**{**given_level, **wrong})
    Level(stakes=Stakes(small_blind=0, big_blind=1), structure=NoLimit(), length=1)
    for ask in (TIMED.played, TIMED.rested):
        with pytest.raises(ValueError, match="must not be negative"):
            ask(LevelClock(), -1)
