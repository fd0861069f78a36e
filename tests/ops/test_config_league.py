"""Settings of leagues: their values, their faults, and the periods that follow from them."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from pokerroom.ops.config import ConfigError, parse

TABLE = '[[tables]]\nid = "t1"\nsmall_blind = 50\n'
LEAGUE = '[[league]]\nid = "winter"\nname = "Winter"\ntournaments = ["sunday"]\n'


def league(lines=""):
    (found,) = parse(TABLE + LEAGUE + lines).leagues
    return found


def problems(text):
    with pytest.raises(ConfigError) as caught:
        parse(TABLE + text)
    return [(problem.key, problem.message) for problem in caught.value.problems]


def days(found, now, back=0):
    """Begin and end of a period as text, in the league's zone."""
    at_ms = 1000 * int(datetime.fromisoformat(now).timestamp())
    return [
        datetime.fromtimestamp(ms // 1000, ZoneInfo(found.zone)).isoformat()
        for ms in found.period(at_ms, back)
    ]


def test_what_is_left_out_has_its_default():
    """A league of a month, by points, of all results."""
    found = league()
    assert (found.span, found.zone, found.score, found.best) == ("month", "UTC", "points", 0)
    assert parse(TABLE).leagues == ()


@pytest.mark.parametrize(
    ("span", "back", "begin", "end"),
    [
        ("week", 0, "2026-10-19T00:00:00+02:00", "2026-10-26T00:00:00+01:00"),
        ("week", 3, "2026-09-28T00:00:00+02:00", "2026-10-05T00:00:00+02:00"),
        ("month", 0, "2026-10-01T00:00:00+02:00", "2026-11-01T00:00:00+01:00"),
        ("month", 10, "2025-12-01T00:00:00+01:00", "2026-01-01T00:00:00+01:00"),
        ("year", 0, "2026-01-01T00:00:00+01:00", "2027-01-01T00:00:00+01:00"),
        ("year", 2, "2024-01-01T00:00:00+01:00", "2025-01-01T00:00:00+01:00"),
    ],
)
def test_periods_begin_at_midnight_of_the_zone(span, back, begin, end):
    """A week begins on Monday. The one of a change of the clock is an hour longer."""
    found = league(f'period = "{span}"\nzone = "Europe/Berlin"\n')
    assert days(found, "2026-10-25T22:59:59+00:00", back) == [begin, end]


def test_a_league_for_ever_has_one_period():
    """Whatever is asked for."""
    found = league('period = "ever"\n')
    assert found.period(0, 0) == found.period(10**12, 7) == (0, 253_402_300_799_000)


@pytest.mark.parametrize(("span", "back"), [("week", 3_000), ("month", 700), ("year", 58), ("year", 2_500)])
def test_no_period_begins_before_1970(span, back):
    """Nothing can have ended there."""
    with pytest.raises(ValueError, match=r"year|1970"):
        league(f'period = "{span}"\n').period(1_800_000_000_000, back)


def test_each_fault_is_told_with_its_key():
    """All at once."""
    assert sorted(problems('[[league]]\nid = "Winter"\nperiod = "day"\nbest = -1\n')) == [
        ("league[1]", "name is missing"),
        ("league[1].best", "should be from 0 to 1000, not -1"),
        ("league[1].id", "should be small letters, digits and hyphens"),
        ("league[1].period", 'should be "week", "month", "year" or "ever", not \'day\''),
        ("league[1].tournaments", "should list the ids of 1 to 100 tournaments or sit-and-gos, each once"),
    ]
    assert problems(LEAGUE + LEAGUE) == [
        ("league[2].id", '"winter" is the id of another league: choose a different one')
    ]
    twice = LEAGUE.replace('["sunday"]', '["sunday", "sunday"]')
    assert [key for key, _ in problems(twice)] == ["league[1].tournaments"]
