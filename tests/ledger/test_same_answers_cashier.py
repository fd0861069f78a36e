"""Memory and PostgreSQL answer any sequence of wishes to the cashier alike."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict, LedgerRefusal
from pokerroom.ledger.cashier import CashDecided
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operators import Role
from tests.effort import times
from tests.ledger.contract import opened
from tests.ledger.contract_of_adjustments import ANN, BEN, to_wallet
from tests.ledger.contract_of_cashier import asked

pytestmark = pytest.mark.services

# Few of everything, so that they meet often.
ACCOUNTS = st.integers(0, 1)
KEYS = st.sampled_from(["key-0001", "key-0002", "key-0003"])
SOURCES = st.sampled_from(["cash", "cash", "wire"])
AMOUNTS = st.sampled_from([1, 60, 150])
NUMBERS = st.integers(1, 5)

WISHES = st.one_of(
    st.tuples(st.just("open"), SOURCES),
    st.tuples(st.just("close"), SOURCES),
    st.tuples(st.just("fund"), KEYS, SOURCES, AMOUNTS),
    st.tuples(st.just("ask"), ACCOUNTS, KEYS, st.sampled_from(["deposit", "withdrawal"]), AMOUNTS, SOURCES),
    st.tuples(st.just("decide"), NUMBERS, st.booleans()),
    st.tuples(st.just("adjust"), ACCOUNTS, KEYS, st.sampled_from([1, -1, 60, -150]), SOURCES),
    st.tuples(st.just("four_eyes"), st.booleans()),
    st.tuples(st.just("agree"), NUMBERS, st.booleans(), st.sampled_from([ANN, BEN])),
    st.tuples(st.just("settings"), ACCOUNTS, st.dictionaries(KEYS, st.booleans() | st.integers(0, 9))),
)


def make(ledger, accounts, by_place, wish):
    match wish:
        case ("open", source):
            return ledger.open_source(source)
        case ("close", source):
            return ledger.close_source(source)
        case ("fund", key, source, amount):
            return ledger.fund_source(key, source, Money(amount))
        case ("ask", n, key, kind, amount, source):
            return ledger.request_cash(asked(accounts[n], amount, key=key, kind=kind, source=source), 3)
        case ("decide", number, approve):
            return ledger.decide_cash(by_place.get(number, 99), approve=approve, note="")
        case ("adjust", n, key, amount, source):
            return ledger.adjust(to_wallet(accounts[n], amount, key, source), by=ANN)
        case ("four_eyes", on):
            return ledger.set_four_eyes(on=on)
        case ("agree", number, approve, by):
            return ledger.decide_adjustment(by_place.get(number, 99), approve=approve, by=by)
        case ("settings", n, changes):
            return ledger.change_settings(accounts[n], changes)


def answers(run, ledger, wishes):
    """What a ledger answers to each wish, by name where it refuses, and what it holds in the end."""
    accounts = opened(run, ledger, "alice", "bob", opening=100)
    for by in (ANN, BEN):
        run(ledger.add_operator(by.who, Role.CASHIER, by.who.encode()))
    told = []
    numbers, adjusted = {}, {}  # PostgreSQL leaves numbers out where a request was refused
    for wish in wishes:
        of_wish = adjusted if wish[0] in {"adjust", "agree"} else numbers
        by_place = {place: number for number, place in of_wish.items()}
        try:
            answer = run(make(ledger, accounts, by_place, wish))
        except (LedgerRefusal, LedgerConflict, CashDecided, LookupError) as refused:
            answer = type(refused).__name__
        else:
            if wish[0] in {"ask", "decide", "adjust", "agree"}:
                of_wish.setdefault(answer.number, len(of_wish) + 1)
                answer = (of_wish[answer.number], answer.state, answer.name)
        told.append(answer)
    rows = run(ledger.cash_requests(None, False, 99))
    named = [(numbers[row.number], row.request.key, row.state) for row in rows]
    held = [(run(ledger.wallet(account)), run(ledger.held(account))) for account in accounts]
    return told, named, held, run(ledger.sources()), run(ledger.audit())


@settings(max_examples=times(10), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(wishes=st.lists(WISHES, max_size=25))
def test_both_ledgers_give_the_same_answers(run, used_database, used_ledger, wishes):
    """Requests, decisions, refusals, sources, balances, settings and the audit are equal after any sequence."""
    opening = [("open", "cash"), ("fund", "key-0001", "cash", 150)]
    used_database.empty()
    real = answers(run, used_ledger, opening + wishes)
    assert real == answers(run, MemoryLedger(), opening + wishes)
    assert real[-1].differences == ()
