"""The days of a period of statistics, counted from 1970-01-01 as `time` counts them."""

from datetime import UTC, datetime

import pytest

from pokerroom.ledger.statistics import Months

DAY_S = 86_400


@pytest.mark.parametrize(
    ("first", "last", "begins", "ends"),
    [
        (197001, 197001, (1970, 1, 1), (1970, 1, 31)),
        (202402, 202402, (2024, 2, 1), (2024, 2, 29)),
        (202611, 202612, (2026, 11, 1), (2026, 12, 31)),
    ],
)
def test_a_period_has_its_first_and_its_last_day(first, last, begins, ends):
    """Of whole months, also in a leap year and over the end of a year."""
    days = [datetime(*day, tzinfo=UTC).timestamp() / DAY_S for day in (begins, ends)]
    assert Months(first, last).days == tuple(days)
