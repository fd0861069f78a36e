"""Keys of orders at the operations port: an order is carried out once for each."""

import pytest
from twisted.internet.defer import Deferred, fail

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.cashier import CashRequest
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.operators import Role
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.cashier_pages import CashierPages
from tests.ops.fake_rooms import Asked, FakeRoom, token

FREEZE = "POST /v1/tables/one/freeze?reason=why"


@pytest.fixture
def ledger():
    return MemoryLedger()


@pytest.fixture
def ask(ledger):
    """Ask with a key, each time at another node: a port of its own on the same ledger. Status and JSON."""

    def asked(line, room=None, *, key="k-1", role=Role.ADMIN, **parts):
        pages = CashierPages(ledger, BookedOrders(ledger)).handlers()
        headers = {**token(role), "Idempotency-Key": key}
        return Asked(line, room or FakeRoom(), headers, ledger=pages, log=ledger, **parts).json

    return asked


def test_the_same_order_with_the_same_key_is_carried_out_once(run, ledger, ask):
    """At another node, too: it gets the same answer, and neither the table nor the log hears of it."""
    first, second = FakeRoom(), FakeRoom()
    told = ask(FREEZE, first)
    lines = run(ledger.log_lines(LogQuery()))
    assert (
        ask(FREEZE, second)
        == told
        == (202, {"table": "one", "asked": "freeze", "node": None, "hand_id": None})
    )
    assert (first.asked, second.asked) == ([("freeze", "one")], [])
    assert run(ledger.log_lines(LogQuery())) == lines
    assert ask(FREEZE, second, key="k-2") == told
    assert ask(FREEZE, second, role=Role.FLOOR) == told  # keys of another operator
    assert second.asked == [("freeze", "one")] * 2


@pytest.mark.parametrize(
    "other",
    [
        "POST /v1/tables/two/freeze?reason=why",
        "POST /v1/tables/one/resume?reason=why",
        "POST /v1/tables/one/freeze?reason=because",
        "POST /v1/tables/one/move/n2?reason=why",
    ],
)
def test_another_order_with_the_key_is_refused(ask, other):
    """Whether another path or another parameter; nothing is done."""
    ask(FREEZE)
    room = FakeRoom()
    status, error = ask(other, room)
    assert (status, error["code"], room.asked) == (409, "key_used", [])


def test_a_refusal_is_an_answer_too(ask):
    """The order was not carried out, and is not with this key."""
    room = FakeRoom()
    room.refuses = "not_frozen"
    refused = ask("POST /v1/tables/one/resume", room)
    assert (refused[0], refused[1]["code"]) == (409, "not_frozen")
    room.refuses = None
    assert ask("POST /v1/tables/one/resume", room) == refused
    assert room.asked == [("resume", "one")]


def test_what_could_not_be_done_may_be_asked_again(ledger, ask):
    """While PostgreSQL is away no key is used up."""
    record, ledger.record = ledger.record, lambda _: fail(LedgerUnavailable("away"))
    assert ask(FREEZE)[0] == 503
    ledger.record = record
    assert ask(FREEZE)[0] == 202
    ledger.claim_key = lambda *_: fail(LedgerUnavailable("away"))
    room = FakeRoom()
    assert (ask(FREEZE, room)[0], room.asked) == (503, [])


def test_an_order_without_a_known_result_is_not_given_again(ask):
    """Its node has not answered yet, or has died."""
    room, waits = FakeRoom(), Deferred()
    room.order = lambda *_: waits
    with pytest.raises(IndexError):  # no answer yet
        ask(FREEZE, room)
    other = FakeRoom()
    status, error = ask(FREEZE, other)
    assert (status, error["code"], other.asked) == (409, "order_begun", [])


def test_money_moves_once_and_its_key_is_for_ever(run, ledger, ask):
    """Also if a node dies between the transfer and its answer: the ledger decides a request once."""
    account = run(ledger.create_account("anna", "hash", Money(100))).account
    run(ledger.open_source("cash"))
    run(ledger.fund_source("f1", "cash", Money(5_000)))
    wanted = CashRequest(account=account, key="r", kind="deposit", amount=Money(2_000), source="cash")
    number = run(ledger.request_cash(wanted, 10)).number
    line = f"POST /v1/cash_requests/{number}/approve"
    keep, ledger.keep_answer = ledger.keep_answer, lambda *_: fail(LedgerUnavailable("away"))
    told = ask(line)
    ledger.keep_answer = keep
    assert (told[0], told[1]["state"]) == (200, "approved")
    assert [ask(line) for _ in range(3)] == [told] * 3
    assert run(ledger.wallet(account)) == 2_100
    assert ask(f"POST /v1/cash_requests/{number}/refuse")[1]["code"] == "key_used"


def test_a_repeated_order_that_finds_no_ledger_leaves_the_claim_of_the_first(run, ledger, ask):
    """Money may be ordered twice with one key; the answer of the first still holds the key."""
    account = run(ledger.create_account("anna", "hash", Money(100))).account
    run(ledger.open_source("cash"))
    run(ledger.fund_source("f1", "cash", Money(5_000)))
    wanted = CashRequest(account=account, key="r", kind="deposit", amount=Money(2_000), source="cash")
    line = f"POST /v1/cash_requests/{run(ledger.request_cash(wanted, 10)).number}/approve"
    decide, ledger.decide_cash = ledger.decide_cash, lambda *_, **__: fail(LedgerUnavailable("away"))
    assert ask(line)[0] == 503
    ledger.decide_cash = decide
    assert ask(f"{line}?note=other")[1]["code"] == "key_used"
    told = ask(line)
    assert (told[0], ask(line)) == (200, told)


@pytest.mark.parametrize("key", ["", "a b", "k" * 65, "schlüssel", "a/b"])
def test_a_malformed_key_is_refused(ask, key):
    """Before anything is done."""
    room = FakeRoom()
    status, error = ask(FREEZE, room, key=key)
    assert (status, error["code"], room.asked) == (400, "bad_key", [])


def test_a_role_is_checked_before_a_key_is_looked_up(ledger, ask):
    """A role without the verb learns no answer, and claims no key."""
    ledger.claim_key = None
    assert ask(FREEZE, role=Role.VIEWER)[1]["code"] == "not_permitted"
