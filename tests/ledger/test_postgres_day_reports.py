"""Reports by day in PostgreSQL alone: what a report costs, and that the database ends one that takes too long."""

from datetime import date

import psycopg
import pytest

from pokerroom.ledger.day_reports import ReportPart, ReportPeriod, ReportTooLong
from pokerroom.ledger.postgres import calls
from pokerroom.ledger.postgres.day_reports import PLAYERS
from tests.ledger.contract import opened
from tests.ledger.test_postgres_account_side import rows_read

pytestmark = pytest.mark.services

MONTH = ReportPeriod(date(2026, 11, 1), date(2026, 11, 30))
PLAYED = """
    INSERT INTO daily_players SELECT day, id, 10, 0, 0, 1, 5 * id, 60
    FROM generate_series(%(first)s::integer, %(last)s::integer) AS day, accounts
"""


def test_a_report_reads_its_days_alone(run, postgres, emptied_database):
    """Of ten years of play a report of a month reads a month."""
    accounts = opened(run, postgres, *(f"player{n}" for n in range(10)))
    first, last = MONTH.days
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        connection.execute(PLAYED, {"first": last - 3_650, "last": last})
        connection.execute("ANALYZE")
        asked = {"first": first, "last": last, "limit": 3, "skip": 0}
        (plan,) = connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {PLAYERS}", asked).fetchone()[0]
    assert rows_read(plan["Plan"]) <= 2 * 30 * len(accounts)
    told = run(postgres.player_takings(MONTH, ReportPart(limit=3)))
    assert [(row.account, row.hands, row.fees) for row in told] == [
        (account, 300, 1_800) for account in accounts[:-4:-1]
    ]


def test_a_report_that_takes_too_long_ends(run, postgres, emptied_database, monkeypatch):
    """The database gives it up; the next one is answered."""
    monkeypatch.setattr(calls, "REPORT_TIME", "SET LOCAL statement_timeout = '50ms'")
    with psycopg.connect(emptied_database) as other:
        other.execute("LOCK TABLE daily_players, hands, operator_log IN ACCESS EXCLUSIVE MODE")
        for report in (
            lambda: postgres.activity(MONTH),
            lambda: postgres.player_takings(MONTH, ReportPart()),
            lambda: postgres.rake_by_day(MONTH.since_ms, MONTH.until_ms),
        ):
            with pytest.raises(ReportTooLong):
                run(report())
    assert run(postgres.player_takings(MONTH, ReportPart())) == []
