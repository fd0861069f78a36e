"""The pages of the operations port for clubs, and the commands: the ledger decides once for both."""

import json

import pytest

from pokerroom.chips import Money
from pokerroom.club_commands import club_commands
from pokerroom.ledger.clubs import ClubChips
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operated_clubs import CLUB_NAME_MAX
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.operators import Role
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.club_pages import ClubPages
from pokerroom.ops.operator_roles import VERBS
from tests import commands
from tests.ops.fake_rooms import Asked, FakeRoom, token

NOW_S = 1_700_000_000
CLUB, OTHER = "a" * 10, "b" * 10
ORDERS = {"rename": "?new_name=Club", "end_invitation": "", "set_owner": "?member=bert", "close": ""}


@pytest.fixture
def ledger(run):
    """Ada owns two clubs; Bert is a member of the first and has 9.00 there."""
    ledger = MemoryLedger(lambda: NOW_S)
    ada, bert = (run(ledger.create_account(name, "hash", Money(100))).account for name in ("ada", "bert"))
    run(ledger.create_club(CLUB, ada, "Friday night", "code-1", 2))
    run(ledger.create_club(OTHER, ada, "Sunday", "code-2", 2))
    run(ledger.join_club("code-1", bert))
    run(ledger.move_club_chips(ClubChips(club=CLUB, manager=ada, name="bert", key="k", amount=900)))
    return ledger


@pytest.fixture
def ask(ledger):
    """Ask as an operator of a role; status and JSON."""

    def asked(line, role=Role.ADMIN, **headers):
        pages = ClubPages(ledger, BookedOrders(ledger)).handlers()
        return Asked(line, FakeRoom(), {**token(role), **headers}, ledger=pages, log=ledger).json

    return asked


def test_clubs_are_listed_and_shown(ask):
    """By name or player, page by page; the invitation code is told nowhere."""
    sunday, friday = ask("GET /v1/clubs")[1]
    assert (friday["club"], friday["owner"], friday["members"], friday["issued"]) == (CLUB, "ada", 2, 900)
    assert ask("GET /v1/clubs?name=friday")[1] == ask("GET /v1/clubs?player=bert")[1] == [friday]
    assert ask(f"GET /v1/clubs?before={sunday['number']}&limit=1")[1] == [friday]
    status, shown = ask(f"GET /v1/clubs/{CLUB}")
    assert (status, shown["overview"], shown["invites"]) == (200, friday, True)
    bert = {"name": "bert", "role": "member", "balance": 900, "leaving": False}
    assert shown["members"][1] == bert
    (move,) = ask(f"GET /v1/clubs/{CLUB}/transfers")[1]
    assert (move["name"], move["amount"], move["by"], move["at_ms"]) == ("bert", 900, "ada", NOW_S * 1_000)
    assert ask(f"GET /v1/clubs/{CLUB}/transfers?before={move['number']}")[1] == []
    assert "code-1" not in json.dumps([shown, friday, move])


def test_orders_about_a_club_are_carried_out_with_their_line(run, ledger, ask):
    """Once for each key; the operator and the reason are in the log."""
    for _ in range(2):
        status, shown = ask(
            f"POST /v1/clubs/{CLUB}/rename?new_name=Club+1&reason=rude", **{"Idempotency-Key": "k1"}
        )
        assert (status, shown["overview"]["name"]) == (200, "Club 1")
    assert ask(f"POST /v1/clubs/{CLUB}/end_invitation")[1]["invites"] is False
    assert ask(f"POST /v1/clubs/{CLUB}/set_owner?member=bert")[1]["overview"]["owner"] == "bert"
    assert ask(f"POST /v1/clubs/{CLUB}/close")[1]["overview"]["issued"] == 0
    lines = run(ledger.log_lines(LogQuery(verb="club")))
    assert [line.verb for line in lines] == [
        "club.close",
        "club.set_owner",
        "club.end_invitation",
        "club.rename",
    ]
    assert (lines[-1].by.who, lines[-1].by.reason) == ("admin-1", "rude")


@pytest.mark.parametrize("name", ["", "+Club", "Club+", "Cl%00ub", "%E3%85%A4", "x" * (CLUB_NAME_MAX + 1)])
def test_a_name_that_no_club_may_have_is_refused(run, ledger, ask, name):
    """The message says what is possible."""
    assert ask(f"POST /v1/clubs/{CLUB}/rename?new_name={name}")[0] == 400
    assert run(ledger.operated_club(CLUB)).overview.name == "Friday night"


def test_what_there_is_not_is_refused(ask):
    """A club, and a member."""
    for line in (
        f"GET /v1/clubs/{'z' * 10}",
        f"GET /v1/clubs/{'z' * 10}/transfers",
        f"POST /v1/clubs/{'z' * 10}/close",
    ):
        assert (ask(line)[0], ask(line)[1]["code"]) == (404, "unknown_club")
    for query in ("?member=carl", ""):
        refused = ask(f"POST /v1/clubs/{CLUB}/set_owner{query}")
        assert (refused[0], refused[1]["code"]) == (404, "unknown_member")


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("order", ORDERS)
def test_each_role_has_its_orders(ask, role, order):
    """A viewer sees no club."""
    assert ask("GET /v1/clubs", role)[0] == (200 if role in VERBS["club.list"] else 403)
    allowed = role in VERBS[f"club.{order}"]
    assert ask(f"POST /v1/clubs/{CLUB}/{order}{ORDERS[order]}", role)[0] == (200 if allowed else 403)


def test_the_commands_do_the_same(ledger):
    """They print what the pages tell, and refuse what the pages refuse."""

    def said(*arguments):
        return commands.said(ledger, club_commands, *arguments)

    assert {CLUB, "Friday", "ada", "9.00"} <= set(said("list", "friday").stdout.split())
    assert [row["club"] for row in json.loads(said("list", "--player", "bert", "--json").stdout)] == [CLUB]
    shown = said("show", CLUB).stdout
    assert "its bank owes 9.00" in shown
    assert "has an invitation\n" in shown
    assert json.loads(said("show", CLUB, "--json").stdout)["members"][1]["name"] == "bert"
    assert {"bert", "9.00", "ada"} <= set(said("transfers", CLUB).stdout.split())
    assert json.loads(said("transfers", CLUB, "--json").stdout)[0]["amount"] == 900
    assert said("rename", CLUB, "Club 1", "--reason", "rude").stdout == f"club {CLUB} is Club 1\n"
    assert said("end-invitation", CLUB).stdout == f"club {CLUB} has no invitation\n"
    assert said("set-owner", CLUB, "BERT").stdout == f"bert owns club {CLUB}\n"
    assert said("close", CLUB).stdout == f"club {CLUB} is closed\n"
    assert "is closed since 2023-11-14 22:13 UTC" in said("show", CLUB).stdout
    for wrong in (
        ("close", CLUB),
        ("rename", OTHER, " x"),
        ("show", "nothing"),
        ("set-owner", OTHER, "bert"),
    ):
        refused = said(*wrong)
        assert (refused.exit_code, refused.stderr[:8]) == (1, "refused:")
