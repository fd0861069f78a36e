"""Memory and PostgreSQL answer any sequence of wishes about sit-and-gos alike."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pokerroom.ledger.api import LedgerConflict, LedgerRefusal, NotOwner
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.tournaments import owned_as
from tests.effort import times
from tests.ledger.contract import opened, take_tournament
from tests.ledger.contract_of_account_history import told_of
from tests.ledger.contract_of_tournaments import given as placed
from tests.ledger.contract_of_tournaments import opening

pytestmark = pytest.mark.services

# Few of everything, so that they meet often: two tournaments of two, three accounts, one of them poor.
NAMES = st.sampled_from(["a.1", "a.2"])
ACCOUNTS = st.integers(0, 2)
ENTRIES = st.integers(1, 3)
EPOCHS = st.sampled_from([1, 1, 1, 2])
PRIZES = st.sampled_from([0, 100, 380, 480])

PLACES = st.lists(st.tuples(st.integers(1, 2), ACCOUNTS, PRIZES), min_size=1, max_size=2)
WISHES = st.one_of(
    st.tuples(st.just("enter"), NAMES, ACCOUNTS, ENTRIES),
    st.tuples(st.just("enter"), NAMES, ACCOUNTS, ENTRIES),
    st.tuples(st.just("return"), NAMES, ACCOUNTS, ENTRIES),
    st.tuples(st.just("cancel"), NAMES),
    st.tuples(st.just("start"), NAMES, EPOCHS, st.permutations([0, 1, 2]).map(lambda order: order[:2])),
    st.tuples(st.just("places"), NAMES, EPOCHS, st.integers(1, 2), PLACES, st.booleans()),
    st.tuples(st.just("roll_back"), NAMES, EPOCHS),
    st.tuples(st.just("pause"), NAMES, EPOCHS, st.booleans()),
    st.tuples(st.just("pay"), NAMES, st.integers(1, 2)),
    st.tuples(st.just("take"), NAMES),
)

# Every example begins with a tournament that runs: places can be given from the start.
OPENING = [("enter", "a.1", 0, 1), ("enter", "a.1", 1, 1), ("start", "a.1", 1, [1, 0])]
BOTH = [(1, 1, 380), (2, 0, 100)]


def make(ledger, accounts, wish):
    match wish:
        case ("enter", name, n, number):
            return ledger.enter(name, accounts[n], number)
        case ("return", name, n, number):
            return ledger.return_entry(name, accounts[n], number)
        case ("cancel", name):
            return ledger.cancel_tournament(name)
        case ("start", name, epoch, order):
            return ledger.start_tournament(name, epoch, [accounts[n] for n in order], 1_500)
        case ("places", name, epoch, best, places, forward):
            rows = [placed(place, accounts[n], prize) for place, n, prize in places]
            return ledger.give_places(name, epoch, best, rows, rolled_forward=forward)
        case ("roll_back", name, epoch):
            return ledger.roll_back_tournament(name, epoch)
        case ("pause", name, epoch, paused):
            return ledger.pause_tournament(name, epoch, paused=paused)
        case ("pay", name, number):
            return ledger.pay_place(name, number)
        case ("take", name):
            return ledger.take_table(owned_as(name), "n2", 1)


def answers(run, ledger, wishes):
    """What a ledger answers to each wish, and what it holds in the end, without its own account ids."""
    accounts = opened(run, ledger, "alice", "bob", "carol", opening=650)
    for name in ("a.1", "a.2"):
        run(ledger.open_tournament(opening(name, seats=2, prizes=(380, 100))))
        take_tournament(run, ledger, name, "n1", 0)
    told = []
    for wish in wishes:
        try:
            told.append(run(make(ledger, accounts, wish)))
        except (LedgerRefusal, LedgerConflict, NotOwner, LookupError) as refused:
            told.append(type(refused).__name__)
    rows = [run(ledger.tournament(name)) for name in ("a.1", "a.2")]
    named = {account: n for n, account in enumerate(accounts)}
    stand = [
        (
            (row.phase, row.paused),
            [(named[e.account], e.number, e.returned, e.seat) for e in row.entries],
            [(p.number, p.place, named[p.account], p.prize, p.paid) for p in row.places],
        )
        for row in rows
    ]
    wallets = [run(ledger.wallet(account)) for account in accounts]
    played = [told_of(run, ledger, account) for account in accounts]
    return told, stand, wallets, played, run(ledger.unpaid_places()), run(ledger.audit())


@settings(max_examples=times(7), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    wishes=st.lists(WISHES, max_size=25),
    ending=st.sampled_from([[], [("places", "a.1", 1, 1, BOTH, False)], [("roll_back", "a.1", 1)]]),
)
def test_both_ledgers_give_the_same_answers(run, used_database, used_ledger, wishes, ending):
    """Results, refusals, conflicts, entries, places, balances and the audit are equal after any sequence."""
    used_database.empty()
    real = answers(run, used_ledger, OPENING + ending + wishes)
    assert real == answers(run, MemoryLedger(), OPENING + ending + wishes)
    assert real[-1].differences == ()
