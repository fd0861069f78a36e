"""The pages of the operations port for adjustments: one operator makes one, or two with four eyes."""

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.credentials import LIFETIME
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.operators import Role
from pokerroom.lobby.players import PlayersDesk
from pokerroom.ops.adjustment_pages import AdjustmentPages
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.operator_roles import VERBS
from tests.ops.fake_rooms import Asked, FakeRoom, token

ADJUST = "POST /v1/players/anna/adjust?amount=250&source=cash&reason=void"


@pytest.fixture
def ledger(run):
    """Anna has 100.00, the source holds 50.00; a house bot is no player."""
    ledger = MemoryLedger()
    run(ledger.create_account("anna", "hash", Money(10_000)))
    run(ledger.create_account("Bot.Ada", "!house", Money(0)))
    run(ledger.open_source("cash"))
    run(ledger.fund_source("f1", "cash", Money(5_000)))
    return ledger


@pytest.fixture
def ask(ledger):
    """Ask as an operator of a role; status and JSON."""

    def asked(line, role=Role.CASHIER, key="k1", **parts):
        pages = AdjustmentPages(
            ledger, PlayersDesk(ledger, LIFETIME, bool).account, BookedOrders(ledger)
        ).handlers()
        return Asked(
            line, FakeRoom(), {**token(role), "Idempotency-Key": key}, ledger=pages, log=ledger, **parts
        ).json

    return asked


def test_an_adjustment_moves_money_once(run, ledger, ask):
    """The same key again answers the same. Taken back it moves the other way. Each has its line of the log."""
    for _ in range(2):
        status, row = ask(ADJUST)
        assert (status, row["state"], row["adjustment"]["amount"]) == (200, "made", 250)
    assert run(ledger.wallet(1)) == 10_250
    assert ask(ADJUST + "&take=1", key="k2")[1]["adjustment"]["amount"] == -250
    assert run(ledger.wallet(1)) == 10_000
    lines = run(ledger.log_lines(LogQuery(verb="cashier.adjust")))
    assert [(line.by.who, line.by.reason) for line in lines] == [("cashier-1", "void")] * 2


def test_with_four_eyes_another_operator_approves(run, ledger, ask):
    """The one that proposed it is refused; until the approval nothing moves, and then once."""
    run(ledger.set_four_eyes(on=True))
    for role in (Role.CASHIER, Role.ADMIN):
        run(ledger.add_operator(f"{role}-1", role, role.encode()))
    assert ask(ADJUST)[1]["state"] == "proposed"
    (row,) = ask("GET /v1/adjustments")[1]
    assert (row["name"], row["adjustment"]["amount"], row["proposed_by"]) == ("anna", 250, "cashier-1")
    status, error = ask("POST /v1/adjustments/1/approve_adjustment", key="k2")
    assert (status, error["code"]) == (409, "same_operator")
    assert run(ledger.wallet(1)) == 10_000
    for _ in range(2):
        assert ask("POST /v1/adjustments/1/approve_adjustment", Role.ADMIN, key="k3")[1]["state"] == "made"
    assert run(ledger.wallet(1)) == 10_250
    assert ask("GET /v1/adjustments")[1] == []
    assert [row["state"] for row in ask("GET /v1/adjustments?all=1")[1]] == ["made"]


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        (ADJUST.replace("amount=250&", ""), (400, "bad_parameter")),
        (ADJUST.replace("250", "0"), (400, "bad_parameter")),
        (ADJUST.replace("250", "-5"), (400, "bad_parameter")),
        (ADJUST.replace("&reason=void", ""), (400, "bad_reason")),
        (ADJUST.replace("anna", "emil"), (404, "unknown_player")),
        (ADJUST.replace("anna", "Bot.Ada"), (404, "unknown_player")),
        (ADJUST.replace("cash&", "gold&"), (404, "unknown_source")),
        (ADJUST.replace("250", "5001"), (409, "insufficient_balance")),
        (ADJUST.replace("250", "10001") + "&take=1", (409, "insufficient_balance")),
        ("POST /v1/adjustments/9/approve_adjustment", (404, "unknown_request")),
        ("POST /v1/adjustments/x/refuse_adjustment", (400, "bad_parameter")),
    ],
)
def test_what_cannot_be_is_refused_and_moves_nothing(run, ledger, ask, line, refused):
    """With a stable code."""
    status, error = ask(line)
    assert (status, error["code"]) == refused
    assert run(ledger.wallet(1)) == 10_000


@pytest.mark.parametrize("role", [role for role in Role if role not in VERBS["cashier.adjust"]])
def test_other_roles_move_nothing(run, ledger, ask, role):
    """403 for each of the pages."""
    for line in (ADJUST, "GET /v1/adjustments", "POST /v1/adjustments/1/approve_adjustment"):
        assert ask(line, role)[0] == 403
    assert run(ledger.wallet(1)) == 10_000
