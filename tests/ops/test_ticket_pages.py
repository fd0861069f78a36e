"""The pages of tickets of the operations port."""

from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.credentials import LIFETIME
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.operators import Role
from pokerroom.lobby.players import PlayersDesk
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.operator_roles import VERBS
from pokerroom.ops.ticket_pages import TicketPages
from tests.ledger.contract_of_scheduled_tournaments import NAME, scheduled
from tests.ops.fake_rooms import Asked, FakeRoom, token

GIVE = "POST /v1/players/anna/give_ticket?offer=sun&source=cash"
PAGES = {
    "GET /v1/players/anna/tickets": "cashier.tickets",
    GIVE: "cashier.give_ticket",
    "POST /v1/tickets/1/end_ticket": "cashier.end_ticket",
}


@pytest.fixture
def ledger(run):
    """Anna, a source with 50.00, and a tournament for 3.00."""
    ledger = MemoryLedger()
    run(ledger.create_account("anna", "hash", Money(10_000)))
    run(ledger.open_source("cash"))
    run(ledger.fund_source("f1", "cash", Money(5_000)))
    run(ledger.open_tournament(scheduled()))
    return ledger


@pytest.fixture
def ask(ledger):
    """Ask as an operator of a role; status and JSON."""

    def asked(line, role=Role.CASHIER, *, key=None):
        pages = TicketPages(
            ledger, PlayersDesk(ledger, LIFETIME, bool).account, BookedOrders(ledger)
        ).handlers()
        headers = token(role) | ({} if key is None else {"Idempotency-Key": key})
        return Asked(line, FakeRoom(), headers, ledger=pages, log=ledger).json

    return asked


def held(run, ledger):
    """What the source holds."""
    (source,) = run(ledger.sources())
    return source.balance


@pytest.mark.parametrize("line", PAGES)
def test_every_page_asks_for_the_verb_of_its_command(run, ledger, ask, line):
    """A role without it is refused, and nothing changes."""
    for role in Role:
        if role not in VERBS[PAGES[line]]:
            status, error = ask(line, role)
            assert (status, error["code"]) == (403, "not_permitted")
            assert PAGES[line] in error["message"]
    assert held(run, ledger) == 5_000
    ask(GIVE)
    assert ask(line, Role.ADMIN)[0] == 200


def test_a_ticket_is_given_listed_and_ended(run, ledger, ask):
    """Worth the buy-in, for 90 days or for as many as the order says; each with its line of the log."""
    status, given = ask(f"{GIVE}&days=9&reason=promised")
    assert (status, given["offer"], given["value"], given["source"]) == (200, "sun", 300, "cash")
    assert ask("GET /v1/players/ANNA/tickets") == (200, [given])
    assert held(run, ledger) == 4_700
    for _ in range(2):
        assert ask(f"POST /v1/tickets/{given['number']}/end_ticket?reason=a+mistake") == (
            200,
            {"number": given["number"]},
        )
    assert ask("GET /v1/players/anna/tickets") == (200, [])
    assert held(run, ledger) == 5_000
    lines = run(ledger.log_lines(LogQuery()))[:2]
    assert [(line.verb, line.by.who, line.by.reason) for line in lines] == [
        ("cashier.end_ticket", "cashier-1", "a mistake"),
        ("cashier.give_ticket", "cashier-1", "promised"),
    ]
    assert lines[1].named()["days"] == 9
    assert ask(GIVE)[0] == 200
    assert run(ledger.log_lines(LogQuery()))[0].named()["days"] == 90


def test_a_key_gives_one_ticket(run, ledger, ask, monkeypatch):
    """Also where its answer was lost with the node. Each operator has own keys; an order without one gives a ticket."""
    first = ask(GIVE, key="k1")
    monkeypatch.setattr(ledger, "claim_key", lambda *_: ledger.sources().addCallback(lambda _: None))
    assert ask(GIVE, key="k1") == first
    assert ask(GIVE.replace("sun", "mon"), key="k1")[1]["code"] == "key_used"
    assert held(run, ledger) == 4_700
    ask(GIVE, Role.ADMIN, key="k1")
    ask(GIVE)
    ask(GIVE)
    assert held(run, ledger) == 5_000 - 4 * 300


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("POST /v1/players/anna/give_ticket?offer=sun", (400, "bad_parameter")),
        ("POST /v1/players/anna/give_ticket?source=cash", (400, "bad_parameter")),
        (f"{GIVE}&days=3651", (400, "bad_parameter")),
        (GIVE.replace("sun", "mon"), (409, "no_ticket_target")),
        (GIVE.replace("sun", "high"), (409, "insufficient_balance")),
        (GIVE.replace("cash", "bank"), (404, "unknown_source")),
        (GIVE.replace("anna", "emil"), (404, "unknown_player")),
        ("GET /v1/players/emil/tickets", (404, "unknown_player")),
        ("POST /v1/tickets/7/end_ticket", (404, "unknown_ticket")),
        ("POST /v1/tickets/x/end_ticket", (400, "bad_parameter")),
    ],
)
def test_what_is_refused_moves_nothing(run, ledger, ask, line, refusal):
    """With a stable code."""
    terms = replace(scheduled(), tournament="high.1", offer="high", buy_in=Money(5_001))
    run(ledger.open_tournament(terms))
    answer = ask(line)
    assert (answer[0], answer[1]["code"]) == refusal
    assert held(run, ledger) == 5_000


def test_a_ticket_that_pays_an_entry_does_not_end(run, ledger, ask):
    """The player plays with it."""
    ask(GIVE)
    assert run(ledger.enter(NAME, 1, 1))
    status, error = ask("POST /v1/tickets/1/end_ticket")
    assert (status, error["code"]) == (409, "ticket_used")
