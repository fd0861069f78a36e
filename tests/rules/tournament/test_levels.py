"""L10: hourly breaks, and the regular structure without a last level."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.stakes import Stakes
from pokerroom.rules.tournament.hourly_break import BREAK_MS, break_end, level_ms
from pokerroom.rules.tournament.schedule import LengthUnit, LevelClock
from pokerroom.rules.tournament.structures import regular_stakes
from tests.effort import times
from tests.rules.tournament.support import schedule as levels_of

MINUTE = 60_000


def ms(clock):
    hour, minute, *second = map(int, clock.split(":"))
    return int(datetime(2026, 11, 22, hour, minute, *second, tzinfo=UTC).timestamp() * 1_000)


START = ms("18:30")


@pytest.mark.parametrize(
    ("now", "ends"),
    [
        ("18:54:59", None),
        ("18:55", "19:00"),
        ("18:55:40", "19:00"),
        ("18:59:59", "19:00"),
        ("19:00", None),
        ("19:54", None),
        ("19:55", "20:00"),
    ],
)
def test_l10_a_break_ends_at_the_full_hour(now, ends):
    """L10: also for a table that is late; one that rests after the hour has no break."""
    assert break_end(ms(now), start_ms=START) == (None if ends is None else ms(ends))


def test_l10_no_break_in_the_first_fifteen_minutes():
    """L10 [D]: a start at 18:40 has the break at 18:55, one at 18:41 has none before 19:55."""
    assert break_end(ms("18:55"), start_ms=ms("18:40")) == ms("19:00")
    assert break_end(ms("18:55"), start_ms=ms("18:41")) is None
    assert level_ms(ms("18:41"), ms("20:10"), start_ms=ms("18:41")) == 84 * MINUTE
    assert level_ms(ms("18:40"), ms("19:10"), start_ms=ms("18:40")) == 25 * MINUTE
    assert level_ms(ms("18:40"), ms("19:10"), start_ms=ms("18:40") + 1) == 30 * MINUTE


def test_l10_levels_stand_in_breaks():
    """L10: levels of 12 minutes from 18:30: the third has 660 s left at 18:55, the seventh 240 s at 19:55."""
    schedule = levels_of(*[12 * MINUTE] * 12, unit=LengthUnit.ms)

    def clock(now):
        return schedule.played(LevelClock(), level_ms(START, ms(now), start_ms=START))

    begins = ["18:42", "18:54", "19:11", "19:23", "19:35", "19:47", "20:04"]
    for level, begin in enumerate(begins, 1):
        assert (clock(begin).level, clock(begin).used) == (level, 0)
    for now in ("18:55", "18:57", "19:00"):
        assert (clock(now).level, schedule.left(clock(now))) == (2, 660_000)
    assert level_ms(ms("18:57"), ms("18:57"), start_ms=START) == 0
    for now in ("19:55", "20:00"):
        assert (clock(now).level, schedule.left(clock(now))) == (6, 240_000)


@settings(max_examples=times(50), deadline=None)
@given(start=st.integers(0, 10**8), steps=st.lists(st.integers(0, 3 * 10**6), max_size=8))
def test_l10_the_level_counts_every_moment_once(start, steps):
    """L10: however often it is asked, the parts add up; 55 minutes of an hour count."""
    now, counted = start, 0
    for step in steps:
        counted += level_ms(now, now + step, start_ms=start)
        now += step
    assert counted == level_ms(start, now, start_ms=start)
    later = now + 3_600_000
    assert level_ms(later, later + 3_600_000, start_ms=start) == 3_600_000 - BREAK_MS
    for moment in (now, later):
        stands = level_ms(moment, moment + 1, start_ms=start) == 0
        assert stands == (break_end(moment, start_ms=start) is not None)


def test_l10_time_does_not_go_back():
    """L10: an interval ends after its beginning."""
    with pytest.raises(ValueError, match="negative"):
        level_ms(1, 0, start_ms=0)


def test_l10_the_regular_structure():
    """L10, B9: no ante in the first four levels, then the big blind's own size; 25 and 62 are half of the big blind."""
    stakes = regular_stakes(33)

    assert [level.big_blind for level in stakes[:8]] == [20, 30, 40, 50, 60, 80, 100, 120]
    assert stakes[3] == Stakes(small_blind=25, big_blind=50)
    assert stakes[4] == Stakes(small_blind=30, big_blind=60, big_blind_ante=60)
    assert stakes[10] == Stakes(small_blind=125, big_blind=250, big_blind_ante=250)
    assert [level.big_blind for level in stakes[26:]] == [
        10_000,
        13_000,
        16_000,
        20_000,
        25_000,
        31_000,
        39_000,
    ]
    with pytest.raises(ValueError, match="at least one"):
        regular_stakes(0)


def test_l10_the_regular_structure_has_no_end():
    """L10: each big blind is larger than the one before, and its small blind is exactly half of it."""
    stakes = regular_stakes(150)

    assert all(low.big_blind < high.big_blind for low, high in pairwise(stakes))
    assert all(2 * level.small_blind == level.big_blind for level in stakes)
    assert stakes[-1].big_blind > 10**14
