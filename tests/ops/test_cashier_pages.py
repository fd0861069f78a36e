"""The cashier's pages of the operations port."""

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import fail

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.cashier import CashRequest
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.operators import Role
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.cashier_pages import CashierPages
from pokerroom.ops.operator_roles import VERBS
from tests.ops.fake_rooms import Asked, FakeRoom, token

PAGES = {
    "GET /v1/cash_sources": "cashier.sources",
    "GET /v1/cash_requests": "cashier.list",
    "POST /v1/cash_requests/1/approve": "cashier.approve",
    "POST /v1/cash_requests/1/refuse": "cashier.refuse",
}


@pytest.fixture
def ledger(run):
    """Anna has 100.00, and asks for 20.00 more; the source holds 50.00."""
    ledger = MemoryLedger()
    account = run(ledger.create_account("anna", "hash", Money(10_000))).account
    run(ledger.open_source("cash"))
    run(ledger.fund_source("f1", "cash", Money(5_000)))
    request(run, ledger, account, "k1", 2_000)
    return ledger


def request(run, ledger, account, key, amount):
    """A player asks for a deposit."""
    wanted = CashRequest(account=account, key=key, kind="deposit", amount=Money(amount), source="cash")
    return run(ledger.request_cash(wanted, 10)).number


@pytest.fixture
def ask(ledger):
    """Ask as an operator of a role; status and JSON."""

    def asked(line, role=Role.CASHIER, *, headers=None, **parts):
        pages = CashierPages(ledger, BookedOrders(ledger)).handlers()
        headers = token(role) if headers is None else headers
        return Asked(line, FakeRoom(), headers, ledger=pages, log=ledger, **parts).json

    return asked


def lines(run, ledger, verb):
    return run(ledger.log_lines(LogQuery(verb=verb)))


@pytest.mark.parametrize("line", PAGES)
def test_every_page_asks_for_the_verb_of_its_command(run, ledger, ask, line):
    """A role without it is refused, and nothing changes; a player's token is no operator's."""
    before = run(ledger.cash_requests(None, waiting=False, limit=9))
    for role in Role:
        if role not in VERBS[PAGES[line]]:
            status, error = ask(line, role)
            assert (status, error["code"]) == (403, "not_permitted")
            assert PAGES[line] in error["message"]
    for headers in ({"Authorization": None}, {"Authorization": "Bearer of-a-player"}):
        assert ask(line, headers=headers)[0] == 401
    assert run(ledger.cash_requests(None, waiting=False, limit=9)) == before
    assert ask(line, Role.ADMIN)[0] == 200


def test_a_request_is_approved_once_with_its_line(run, ledger, ask):
    """The line has the operator, the reason and the address, in the transaction of the transfer. It is the only one."""
    (row,) = ask("GET /v1/cash_requests")[1]
    assert (row["number"], row["name"], row["request"]["amount"], row["state"]) == (
        1,
        "anna",
        2_000,
        "waiting",
    )
    told = []
    for _ in range(2):
        status, decided = ask(
            "POST /v1/cash_requests/1/approve?note=welcome&reason=paid+in+cash", acts=told.append
        )
        assert (status, decided["state"], decided["note"]) == (200, "approved", "welcome")
    assert run(ledger.wallet(1)) == 12_000
    (line,) = lines(run, ledger, "cashier.approve")
    assert (line.by.who, line.by.role, line.by.reason) == ("cashier-1", "cashier", "paid in cash")
    assert (line.by.address, line.subject) == ("192.168.1.1", "account:1")
    assert [(act.verb, act.result) for act in told] == [("cashier.approve", "done")] * 2
    assert ask("GET /v1/cash_requests")[1] == []
    assert [row["state"] for row in ask("GET /v1/cash_requests?all=1&limit=5")[1]] == ["approved"]
    assert ask("GET /v1/cash_sources")[1] == [{"source": "cash", "is_open": True, "balance": 3_000}]


def test_what_the_ledger_refuses_is_told_and_logged(run, ledger, ask):
    """Nothing moves: decided differently before, a source without the money, no such request."""
    assert ask("POST /v1/cash_requests/1/refuse?note=no")[1]["state"] == "refused"
    more = request(run, ledger, 1, "k2", 6_000)
    for path, status, code in (
        ("1/approve", 409, "cash_decided"),
        (f"{more}/approve", 409, "insufficient_balance"),
        ("77/approve", 404, "unknown_request"),
    ):
        with capture_logs() as logged:
            answer = ask(f"POST /v1/cash_requests/{path}?reason=r")
        assert (answer[0], answer[1]["code"]) == (status, code)
        assert [(line["event"], line["code"]) for line in logged] == [("operator.refused", code)]
    assert run(ledger.wallet(1)) == 10_000
    refused = lines(run, ledger, "operator.refused")
    assert {(line.by.who, line.by.reason, line.subject) for line in refused} == {
        ("cashier-1", "r", "cashier.approve")
    }
    assert [line.named()["refused"] for line in refused] == ["LookupError", "SourceEmpty", "CashDecided"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("POST /v1/cash_requests/1/approve?reason=a%0Ab", "bad_reason"),
        (f"POST /v1/cash_requests/1/approve?note={'n' * 201}", "bad_parameter"),
        ("POST /v1/cash_requests/1/approve?note=%00", "bad_parameter"),
        ("POST /v1/cash_requests/0/approve", "bad_parameter"),
        ("POST /v1/cash_requests/x/approve", "bad_parameter"),
        ("GET /v1/cash_requests?limit=201", "bad_parameter"),
    ],
)
def test_a_request_that_is_malformed_changes_nothing(run, ledger, ask, line, code):
    """400, before the ledger is asked."""
    status, error = ask(line)
    assert (status, error["code"]) == (400, code)
    assert [row.state for row in run(ledger.cash_requests(None, waiting=True, limit=9))] == ["waiting"]


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("GET /v1/cash_requests/1/approve", 405),
        ("POST /v1/cash_requests", 405),
        ("POST /v1/cash_requests/1/delete", 404),
        ("POST /v1/cash_requests/1/approve/now", 404),
        ("GET /v1/players", 404),
    ],
)
def test_there_are_no_other_pages(ask, line, status):
    """What has no page here is a command only."""
    assert ask(line, Role.ADMIN)[0] == status


def test_a_ledger_that_is_away_may_be_asked_again(ledger, ask, monkeypatch):
    """503, without details; the same decision again counts once."""
    monkeypatch.setattr(ledger, "decide_cash", lambda *_, **__: fail(LedgerUnavailable("away: secret host")))
    status, error = ask("POST /v1/cash_requests/1/approve")
    assert (status, error["code"]) == (503, "unavailable")
    assert "secret" not in error["message"]
