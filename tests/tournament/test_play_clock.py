"""`pokerroom.tournament.play_clock`: a long break of a level, beside those of the hour (L10)."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from twisted.internet.task import Clock

from pokerroom.rules.tournament.schedule import LevelClock
from pokerroom.tournament.offers import terms_of
from pokerroom.tournament.play_clock import PlayClock
from pokerroom.tournament.restore import restored
from tests.tournament.playing import level
from tests.tournament.test_restore import THREE, row

HOUR_MS = 3_600_000
DINNER_MS = HOUR_MS
LEVELS = (level(10, length=1_500, break_s=3_600), level(20, length=3_000))
TERMS = replace(terms_of(replace(THREE, levels=LEVELS)), hourly_breaks=True)


def ms(time):
    return int(datetime.fromisoformat(f"2023-11-14T{time}+00:00").astimezone(UTC).timestamp()) * 1000


START = ms("16:00")


class Played:
    """A tournament in its break before the second level, so much of which is left, and its clock."""

    def __init__(self, now, left_ms=DINNER_MS):
        self.reactor = Clock()
        self.reactor.advance(ms(now) / 1000)
        here = restored(None, TERMS, row((1_500,) * 3), now_ms=START)
        self.here = replace(here, clock=LevelClock(level=1, break_left_ms=left_ms))
        self.clock = PlayClock(self.reactor, lambda: round(self.reactor.seconds() * 1000))
        self.clock.begin(self.here, START)

    def until(self, time):
        """Go on to this time, whenever something is due."""
        while (rest_s := ms(time) / 1000 - self.reactor.seconds()) > 0:
            due_s = self.clock.due_s(self.here)
            self.reactor.advance(rest_s if due_s is None else min(rest_s, max(0.001, due_s)))
            self.here = self.clock.by_now(self.here)
            self.clock.counted()
            self.clock.follow(self.here)


@pytest.mark.parametrize(
    ("now", "left_min", "ends"),
    [
        ("18:10", 30, "18:40"),  # before the break of the hour
        ("18:10", 60, "19:10"),  # over it
        ("18:50", 8, "19:00"),  # into it: play goes on with the others
        ("18:57", 60, "19:57"),  # the last hand of the level ended late; and into the next one
        ("18:58", 1, "19:00"),
    ],
)
def test_l10_a_break_of_a_level_is_beside_those_of_the_hour(now, left_min, ends):
    """L10: the later end counts, and it is told from the beginning."""
    played = Played(now, left_min * 60_000)
    ends = {"19:57": "20:00"}.get(ends, ends)
    assert played.clock.break_until_ms(played.here) == ms(ends)
    played.until(ends)
    assert played.clock.deals()
    assert (played.here.clock.level, played.here.clock.break_left_ms) == (1, 0)


def test_l10_it_counts_by_the_clock_while_the_others_rest():
    """L10: a long break of an hour is over after an hour, and not after 65 minutes."""
    played = Played("18:10")
    played.until("19:00")
    assert not played.clock.deals()
    played.until("19:09:59")
    assert not played.clock.deals()
    played.until("19:10")
    assert played.here.clock == LevelClock(level=1)
    assert played.clock.deals()


@pytest.mark.parametrize(
    ("now", "clock"),
    [
        ("16:24", LevelClock(used=24 * 60_000)),
        ("17:00", LevelClock(level=1, break_left_ms=25 * 60_000)),
        ("17:25", LevelClock(level=1)),
        ("17:55", LevelClock(level=1, used=30 * 60_000)),
        ("18:05", LevelClock(level=1, used=35 * 60_000)),
    ],
)
def test_l10_without_a_journal_the_level_follows_from_both_breaks(now, clock):
    """L10: the hour from the end of the first level on, and then five minutes of the next hour."""
    found = restored(None, TERMS, replace(row((1_500,) * 3), started_ms=START), now_ms=ms(now))
    assert found.clock == clock
