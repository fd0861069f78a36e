"""`pokerroom report`: the rake by day and table, as a table, as CSV and as JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.report_commands import DAYS, report_commands
from tests import commands
from tests.ledger.contract import MIDNIGHT_MS, buy_in, hand
from tests.poker.support import now

DAY_MS = 86_400_000
NOVEMBER = ("--since", "2023-11-01", "--until", "2023-11-30")
ROWS = [
    {"day": "2023-11-14", "table": "T1", "hands": 1, "rake": 250},
    {"day": "2023-11-15", "table": "T1", "hands": 2, "rake": 550},
    {"day": "2023-11-15", "table": "T2", "hands": 1, "rake": 5},
]


@pytest.fixture
def ledger() -> MemoryLedger:
    ledger = MemoryLedger()
    for table in ("T1", "T2"):
        now(ledger.take_table(table, "n1", 0))
    accounts = [now(ledger.create_account(name, "hash", Money(100_000))).account for name in ("ann", "bob")]
    for table in ("T1", "T2"):
        for seat, account in enumerate(accounts, 1):
            now(buy_in(ledger, f"{table}:{account}", table, seat, account, Money(10_000)))
    taken = [("T1", -1, 250), ("T1", 0, 300), ("T1", DAY_MS - 1, 250), ("T2", 5, 5), ("T2", 6, 0)]
    for number, (table, at_ms, rake) in enumerate(taken):
        changes = {accounts[0]: 100 - rake, accounts[1]: -100}
        ended_ms = MIDNIGHT_MS + at_ms
        now(ledger.settle([hand(f"h{number}", changes, table=table, rake=rake, ended_ms=ended_ms)]))
    return ledger


def said(ledger: MemoryLedger, *arguments: str) -> Any:
    """What the command answers."""
    return commands.said(ledger, report_commands, "rake", *arguments)


def test_the_rake_by_day_and_table(ledger):
    """A row for each day and table with a rake, and the sum."""
    lines = [line.split() for line in said(ledger, *NOVEMBER).stdout.splitlines()]
    assert lines == [
        ["day", "table", "hands", "rake"],
        ["2023-11-14", "T1", "1", "2.50"],
        ["2023-11-15", "T1", "2", "5.50"],
        ["2023-11-15", "T2", "1", "0.05"],
        ["total", "4", "8.05"],
    ]


def test_a_report_may_end_on_the_last_day_of_the_calendar(ledger):
    """There is no day after it, nor one before the first."""
    for days in (("--since", "9999-01-01", "--until", "9999-12-31"), ("--until", "0001-01-01")):
        assert (said(ledger, *days).exit_code, said(ledger, *days).stdout.split()[-1]) == (0, "0.00")


@pytest.mark.parametrize(
    ("days", "problem"),
    [
        (("--since", "2022-11-14", "--until", "2023-11-15"), "at most 366 days"),
        (("--since", "2023-11-15", "--until", "2023-11-14"), "before the first"),
        (("--since", "20231115"), "as a day: 2026-11-30"),
        (("--until", "yesterday"), "as a day: 2026-11-30"),
    ],
)
def test_a_period_is_of_days_and_bounded(ledger, days, problem):
    """What cannot be reported is refused, with what to do."""
    refused = said(ledger, *days)
    assert refused.exit_code == 1
    assert refused.stderr.startswith("bad_period: ")
    assert problem in refused.stderr


def test_the_rake_as_csv(ledger):
    """Amounts in credits, without the sum."""
    assert said(ledger, *NOVEMBER, "--since", "2023-11-15", "--csv").stdout == (
        "day,table,hands,rake\n2023-11-15,T1,2,5.50\n2023-11-15,T2,1,0.05\n"
    )


def test_the_rake_as_json(ledger):
    """Amounts in 1/100 credit."""
    assert json.loads(said(ledger, *NOVEMBER, "--json").stdout) == ROWS


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        (("--until", "2023-11-14"), ROWS[:1]),
        (("--until", "2023-11-15"), ROWS),
        (("--table", "T2"), ROWS[2:]),
        (("--table", "T9"), []),
    ],
)
def test_a_part_of_the_rake(ledger, options, rows):
    """Up to a day, that day included, or of one table."""
    assert json.loads(said(ledger, *NOVEMBER, *options, "--json").stdout) == rows


def test_without_days_it_is_about_the_last_month(ledger):
    """Today is in it, and what is long past is not."""
    accounts = sorted(row.account for row in now(ledger.seats()) if row.table == "T1")
    today = datetime.now(UTC)
    for number, days in enumerate((0, DAYS, DAYS + 1)):
        at_ms = int((today - timedelta(days=days)).timestamp() * 1000)
        changes = dict(zip(accounts, (90, -100), strict=True))
        now(ledger.settle([hand(f"now{number}", changes, rake=10, ended_ms=at_ms)]))

    days = [row["day"] for row in json.loads(said(ledger, "--json").stdout)]

    assert days == [f"{today - timedelta(days=DAYS):%Y-%m-%d}", f"{today:%Y-%m-%d}"]


def test_one_form_at_a_time(ledger):
    """CSV and JSON at once are refused."""
    assert said(ledger, "--csv", "--json").exit_code == 2
