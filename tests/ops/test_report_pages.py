"""The pages of the operations port for reports: by role, in parts, as JSON and as CSV, each bounded."""

import csv
import io
from datetime import date

import pytest
from twisted.internet.defer import Deferred, fail

from pokerroom.ledger.day_reports import LINES_MAX, REPORT_S, ActivityRow, ReportTooLong
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import Acting, LoggedAct
from pokerroom.ledger.operators import Role
from pokerroom.ops.operator_client import ANSWER_S
from pokerroom.ops.operator_roles import VERBS
from pokerroom.ops.report_pages import AT_ONCE, ReportPages
from pokerroom.ops.report_tables import REPORTS, csv_of
from tests.ledger.contract import MIDNIGHT_MS, seated
from tests.ledger.contract_of_day_reports import settled
from tests.ledger.contract_of_statistics import counted_all
from tests.ops.fake_rooms import Asked, FakeRoom, token

TODAY = date(2023, 11, 20)
PAGES = [f"GET /v1/reports/{report.name}" for report in REPORTS]


@pytest.fixture
def ledger(run):
    """Two raked hands of 14 November at T1."""
    ledger = MemoryLedger(lambda: MIDNIGHT_MS / 1000)
    alice, bob = seated(run, ledger, "alice", "bob")
    settled(run, ledger, "h1", {alice: 95, bob: -100}, rake=5)
    settled(run, ledger, "h2", {alice: 95, bob: -96}, rake=1)
    counted_all(run, ledger)
    run(ledger.record(LoggedAct(by=Acting(who="ann", reason="=SUM(1)"), verb="table.freeze", subject="T1")))
    return ledger


@pytest.fixture
def ask(ledger):
    """Ask as an operator of a role."""

    def asked(line, role=Role.ADMIN):
        pages = ReportPages(ledger, lambda: TODAY).handlers()
        return Asked(line, FakeRoom(), token(role), ledger=pages, log=ledger)

    return asked


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_a_report_is_for_the_roles_with_its_verb(ask, report):
    """Also as CSV; others are told which roles have it."""
    for role in Role:
        for form in ("", "?csv=1"):
            status = ask(f"GET /v1/reports/{report.name}{form}", role).answer[0]
            assert status == (200 if role in VERBS[report.verb] else 403)


def test_each_report_tells_its_lines(ask):
    """Without days it is of the last thirty."""
    status, days = ask("GET /v1/reports/activity").json
    assert (status, len(days), days[0]["day"], days[-1]["day"]) == (200, 31, "2023-11-20", "2023-10-21")
    assert [(day["day"], day["hands"], day["players"]) for day in days if day["hands"]] == [
        ("2023-11-14", 2, 2)
    ]
    assert ask("GET /v1/reports/rake").json[1] == [
        {"day": "2023-11-14", "table": "T1", "hands": 2, "rake": 6}
    ]
    assert ask("GET /v1/reports/rake?whole=1").json[1] == [{"day": "", "table": "T1", "hands": 2, "rake": 6}]
    assert ask("GET /v1/reports/rake?table=T2").json[1] == []
    players = ask("GET /v1/reports/players").json[1]
    assert [(row["name"], row["hands"], row["rake"]) for row in players] == [("alice", 2, 4), ("bob", 2, 2)]
    assert ask("GET /v1/reports/tournaments").json[1] == []
    assert [row["verb"] for row in ask("GET /v1/reports/events").json[1]] == ["table.freeze"]


@pytest.mark.parametrize("line", PAGES)
def test_a_period_has_its_days_and_no_others(ask, line):
    """Both are included; nothing is told of other days."""
    inside, outside = "since=2023-11-14&until=2023-11-15", "since=2023-11-16&until=2023-11-19"
    empty = [] if "activity" not in line else ask(f"{line}?{outside}").json[1]
    assert ask(f"{line}?{outside}").json[1] == empty
    if "tournaments" not in line:
        assert ask(f"{line}?{inside}").json[1] != empty


def test_a_report_comes_in_parts(ask):
    """`skip` and `limit` are bounded."""
    assert [row["name"] for row in ask("GET /v1/reports/players?limit=1").json[1]] == ["alice"]
    assert [row["name"] for row in ask("GET /v1/reports/players?skip=1").json[1]] == ["bob"]
    assert ask("GET /v1/reports/events?skip=1").json[1] == []
    assert len(ask("GET /v1/reports/activity?skip=29").json[1]) == 2
    for wrong in (f"limit={LINES_MAX + 1}", "limit=0", "skip=-1", "skip=x"):
        assert ask(f"GET /v1/reports/players?{wrong}").json[1]["code"] == "bad_parameter"


@pytest.mark.parametrize(
    ("days", "problem"),
    [
        ("since=2022-11-19", "366"),
        ("since=2023-11-21", "before the first"),
        ("since=2023-11-1", "2026-11-30"),
        ("until=2023-W46-1", "2026-11-30"),
        ("until=2023-02-30", "2026-11-30"),
    ],
)
def test_a_period_is_bounded(ask, days, problem):
    """A year at most, of days that there are."""
    for line in PAGES:
        status, error = ask(f"{line}?{days}").json
        assert (status, error["code"]) == (400, "bad_period")
        assert problem in error["message"]


def test_the_lines_are_told_as_csv(ask):
    """With the names of the columns, amounts in credits; what a spreadsheet would calculate is text."""
    _, headers, body = ask("GET /v1/reports/players?csv=1").answer
    assert headers["content-type"] == "text/csv; charset=utf-8"
    assert headers["content-disposition"] == 'attachment; filename="players.csv"'
    assert body.decode() == (
        "account,name,hands,rake,entries,fees,sum\n1,alice,2,0.04,0,0.00,0.04\n2,bob,2,0.02,0,0.00,0.02\n"
    )
    (_, line) = csv.reader(io.StringIO(ask("GET /v1/reports/events?csv=1").answer[2].decode()))
    assert line[1:3] == ["2023-11-15T00:00:00Z", "ann"]
    assert "'=SUM(1)" in line
    assert ask("GET /v1/reports/rake?csv=1&until=2023-11-01").answer[2] == b"day,table,hands,rake\n"


def test_no_cell_is_a_formula():
    """A number may begin with a minus."""
    cells = ("=1", "+1", "@x", "-1.50", "-=1", "a=1", 5)
    assert csv_of(["a"], [cells]) == "a\n'=1,'+1,'@x,-1.50,'-=1,a=1,5\n"


class Slow:
    """A ledger that answers for reports when the test says so."""

    def __init__(self):
        self.asked = []

    def activity(self, _):
        self.asked.append(Deferred())
        return self.asked[-1]


def test_few_reports_are_asked_of_the_database_at_once():
    """Others wait for their turn: the tables need its connections."""
    ledger = Slow()
    pages = ReportPages(ledger, lambda: TODAY).handlers()
    asked = [
        Asked("GET /v1/reports/activity", FakeRoom(), token(Role.VIEWER), ledger=pages)
        for _ in range(AT_ONCE + 2)
    ]
    assert len(ledger.asked) == AT_ONCE
    ledger.asked[0].callback([ActivityRow(day="2023-11-20", hands=3)])
    assert len(ledger.asked) == AT_ONCE + 1
    assert asked[0].json[1][0]["hands"] == 3


def test_a_report_that_takes_too_long_says_so():
    """Before a client gives up."""
    ledger = Slow()
    ledger.activity = lambda _: fail(ReportTooLong("late"))
    pages = ReportPages(ledger, lambda: TODAY).handlers()
    status, error = Asked("GET /v1/reports/activity", FakeRoom(), token(Role.VIEWER), ledger=pages).json
    assert (status, error["code"]) == (503, "report_too_long")
    assert REPORT_S < ANSWER_S
