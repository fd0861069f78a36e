"""The pages of the operations port for announcements, and the commands: one text, checked in one place."""

import json

import pytest

from pokerroom.announcement_commands import announcement_commands
from pokerroom.ledger.announcements import ANNOUNCED_DAYS_MAX, ANNOUNCEMENT_MAX
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.operators import Role
from pokerroom.ops.announcement_pages import AnnouncementPages
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.operator_roles import VERBS
from tests import commands
from tests.ops.fake_rooms import Asked, FakeRoom, token

NOW_MS = 1_700_000_000_000
ADD = "POST /v1/announcements/add?text=Good+luck&minutes=30"


@pytest.fixture
def ledger(run):
    made = MemoryLedger(lambda: NOW_MS / 1_000)
    run(made.take_table("t1", "n1", 0))
    return made


@pytest.fixture
def ask(ledger):
    """Ask as an operator of a role; status and JSON."""

    def asked(line, role=Role.FLOOR, **headers):
        pages = AnnouncementPages(ledger, BookedOrders(ledger), lambda: NOW_MS).handlers()
        return Asked(line, FakeRoom(), {**token(role), **headers}, ledger=pages, log=ledger).json

    return asked


def test_an_announcement_is_made_listed_and_withdrawn(run, ledger, ask):
    """For all from now on, or for a table later; with a key once."""
    for _ in range(2):
        status, row = ask(ADD + "&reason=Sunday", **{"Idempotency-Key": "k1"})
        assert (status, row["text"], row["table"]) == (200, "Good luck", None)
        assert (row["begins_ms"], row["ends_ms"]) == (NOW_MS, NOW_MS + 1_800_000)
    later = ask(f"{ADD}&table=t1&in_minutes=5")[1]
    assert (later["table"], later["begins_ms"], later["ends_ms"]) == (
        "t1",
        NOW_MS + 300_000,
        NOW_MS + 2_100_000,
    )
    listed = ask("GET /v1/announcements", Role.VIEWER)[1]
    assert listed == [later, row]
    assert ask(f"GET /v1/announcements?before={later['number']}")[1] == [row]
    assert ask(f"POST /v1/announcements/{row['number']}/withdraw")[1]["withdrawn_ms"] == NOW_MS
    status, refused = ask(f"{ADD}&table=t-1")
    assert (status, refused["code"], refused["message"]) == (
        404,
        "unknown_table",
        "there is no table t-1: write its id",
    )
    assert ask("POST /v1/announcements/99/withdraw")[1]["code"] == "unknown_announcement"
    (line, *_) = run(ledger.log_lines(LogQuery(verb="announcement.withdraw")))
    assert line.by.who == "floor-1"


@pytest.mark.parametrize(
    "wrong",
    [
        "minutes=5",
        "text=&minutes=5",
        "text=+&minutes=5",
        "text=hello",
        f"text=hello&in_minutes={ANNOUNCED_DAYS_MAX * 1_440}&minutes=1",
    ],
)
def test_a_text_and_a_time_are_needed(run, ledger, ask, wrong):
    """The message says what; nothing is told."""
    status, error = ask(f"POST /v1/announcements/add?{wrong}")
    assert (status, error["code"]) == (400, "bad_announcement")
    assert ask(f"POST /v1/announcements/add?text={'x' * (ANNOUNCEMENT_MAX + 1)}&minutes=5")[0] == 400
    assert run(ledger.announcements(None, 9)) == []


@pytest.mark.parametrize("role", Role)
def test_each_role_has_its_orders(ask, role):
    """All may look."""
    assert ask("GET /v1/announcements", role)[0] == 200
    assert ask(ADD, role)[0] == (200 if role in VERBS["announcement.add"] else 403)


def test_the_command_does_the_same(ledger):
    """It prints the number, and refuses what the page refuses."""

    def said(*arguments):
        return commands.said(ledger, announcement_commands, *arguments)

    assert said("add", "Good luck", "--minutes", "30", "--table", "t1").stdout == "1\n"
    assert {"1", "t1", "Good", "luck"} <= set(said("list").stdout.split())
    assert json.loads(said("list", "--json").stdout)[0]["text"] == "Good luck"
    assert said("withdraw", "1", "--reason", "over").stdout == "announcement 1 is over\n"
    for wrong in (
        ("add", " ", "--minutes", "5"),
        ("add", "x", "--minutes", "5", "--table", "t-1"),
        ("withdraw", "9"),
    ):
        assert said(*wrong).exit_code == 1
    assert said("add", "no time").exit_code == 2
