"""Memory and PostgreSQL answer any sequence of wishes alike: the one may stand in for the other."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict, LedgerRefusal, NotOwner
from pokerroom.ledger.memory.ledger import MemoryLedger
from tests.effort import times
from tests.ledger.contract import hand, key_of, opened
from tests.ledger.contract_of_account_history import told_of
from tests.ledger.contract_of_rounds import bets, end, stake, void

pytestmark = pytest.mark.services

# Few of everything, so that keys, seats and hands meet often.
KEYS = st.sampled_from(["k1", "k2", "k3", "k4", "topup:k1", "cashout:k2", "buyin:k3", "place:k4"])
TABLES = st.sampled_from(["T1", "T2"])
SEATS = st.integers(1, 2)
ACCOUNTS = st.integers(0, 2)
AMOUNTS = st.sampled_from([1, 40, 100, 150])
ROUNDS = st.sampled_from(["r1", "r2", "r3"])
EPOCHS = st.sampled_from([1, 1, 1, 2, 3])


@st.composite
def hands(draw):
    winner = draw(ACCOUNTS)
    loser = draw(ACCOUNTS.filter(lambda account: account != winner))
    amount = draw(st.sampled_from([0, 1, 40, 120]))
    by_clock = draw(st.sampled_from([(), (), (winner,), (loser, winner), (0,), (0, 0)]))
    hand_id = draw(st.sampled_from(["h1", "h2", "h3", "h4"]))
    rake = draw(st.sampled_from([0, 0, 1, -1])) if amount else 0
    return hand_id, draw(TABLES), draw(EPOCHS), winner, loser, amount, by_clock, rake


WISHES = st.one_of(
    st.tuples(st.just("buy_in"), KEYS, TABLES, EPOCHS, SEATS, ACCOUNTS, AMOUNTS, st.integers(1, 3)),
    st.tuples(st.just("top_up"), KEYS, TABLES, EPOCHS, ACCOUNTS, AMOUNTS),
    st.tuples(st.just("cash_out"), KEYS, TABLES, EPOCHS, ACCOUNTS),
    st.tuples(st.just("take_table"), TABLES, st.sampled_from(["n1", "n2"]), st.integers(0, 2)),
    st.tuples(st.just("release_table"), TABLES, EPOCHS),
    st.tuples(st.just("settle"), st.lists(hands(), min_size=1, max_size=3)),
    st.tuples(st.just("take_place"), KEYS, TABLES, EPOCHS, SEATS, ACCOUNTS, st.integers(1, 3)),
    st.tuples(st.just("open_bank"), TABLES, EPOCHS, st.sampled_from([0, 50, 90])),
    st.tuples(
        st.just("close_bets"), ROUNDS, TABLES, EPOCHS, st.lists(ACCOUNTS, unique=True, max_size=2), AMOUNTS
    ),
    st.tuples(
        st.just("add_stake"),
        KEYS,
        ROUNDS,
        TABLES,
        EPOCHS,
        st.sampled_from(["play", "tip"]),
        ACCOUNTS,
        AMOUNTS,
    ),
    st.tuples(
        st.just("end"), ROUNDS, TABLES, EPOCHS, st.sampled_from([-40, 0, 30]), st.sampled_from([0, 0, 40])
    ),
    st.tuples(st.just("void_round"), ROUNDS, TABLES, EPOCHS),
)


def as_tables_do(wishes):
    """A table has its meter filled before the first round of its epoch, never later."""
    played, wanted = set(), []
    for wish in wishes:
        match wish:
            case ("close_bets", _, table, epoch, *_):
                played.add((table, epoch))
            case ("open_bank", table, epoch, _) if (table, epoch) in played:
                wish = ("open_bank", table, epoch, 0)  # noqa: PLW2901 -- the seed alone is another
        wanted.append(wish)
    return wanted


# Every example begins with players at the first table: hands can happen from the start.
OPENING = [("buy_in", f"start{n}", "T1", 1, n + 1, n, 100, 3) for n in range(2)]


def make(now, ledger, accounts, wish):  # noqa: C901 -- one case per wish
    """The Deferred of a wish; accounts are named by their place in `accounts`."""
    match wish:
        case ("buy_in", key, table, epoch, seat, n, amount, tables_max):
            return ledger.buy_in(
                key_of("buyin", key), table, epoch, seat, accounts[n], Money(amount), tables_max
            )
        case ("top_up", key, table, epoch, n, amount):
            return ledger.top_up(key_of("topup", key), table, epoch, accounts[n], Money(amount))
        case ("cash_out", key, table, epoch, n):
            return ledger.cash_out(key_of("cashout", key), table, epoch, accounts[n])
        case ("take_table", table, node, last_epoch):
            return ledger.take_table(table, node, last_epoch)
        case ("release_table", table, epoch):
            return ledger.release_table(table, epoch)
        case ("take_place", key, table, epoch, place, n, tables_max):
            return ledger.take_place(key_of("place", key), table, epoch, place, accounts[n], tables_max)
        case ("open_bank", table, epoch, seed):
            return ledger.open_bank(table, epoch, Money(seed))
        case ("close_bets", round_id, table, epoch, players, amount):
            stakes = {accounts[n]: amount for n in players}
            return ledger.close_bets(bets(stakes, round_id=round_id, table=table, epoch=epoch, exposure=100))
        case ("add_stake", key, round_id, table, epoch, kind, n, amount):
            what = {
                "key": f"round:{round_id}:{kind}:{key[-1]}",
                "round_id": round_id,
                "table": table,
                "epoch": epoch,
                "kind": kind,
            }
            return ledger.add_stake(stake(accounts[n], amount, **what))
        case ("end", round_id, table, epoch, delta, tronc):
            found = now(ledger.open_round(table))
            players = {} if found is None else dict.fromkeys((row.account for row in found.stakes), delta)
            before = now(ledger.open_bank(table, epoch, Money(0))) if players else 0
            what = {"round_id": round_id, "table": table, "epoch": epoch, "before": before, "fed": 1}
            return ledger.settle_round(end(players, tronc=tronc, **what))
        case ("void_round", round_id, table, epoch):
            return ledger.void_round(void(round_id=round_id, table=table, epoch=epoch))
        case ("settle", batch):
            return ledger.settle(
                [
                    hand(
                        hand_id,
                        {accounts[winner]: amount - rake, accounts[loser]: -amount},
                        table=table,
                        epoch=epoch,
                        by_clock=[accounts[n] for n in by_clock],
                        rake=rake,
                    )
                    for hand_id, table, epoch, winner, loser, amount, by_clock, rake in batch
                ]
            )


def _on_table(found, accounts):
    """A round in progress, with its players by their places in `accounts`."""
    if found is None:
        return None
    return found.round_id, sorted(
        (row.key, row.kind, accounts.index(row.account), row.amount) for row in found.stakes
    )


def answers(run, ledger, wishes):
    """What a ledger answers to each wish, and what it holds in the end, without its own account ids."""
    accounts = opened(run, ledger, "alice", "bob", "carol", opening=200)
    given_answers = []
    for wish in wishes:
        try:
            given_answers.append(run(make(run, ledger, accounts, wish)))
        except (LedgerRefusal, LedgerConflict, NotOwner) as refused:
            given_answers.append(type(refused).__name__)
    wallets = [run(ledger.wallet(account)) for account in accounts]
    held = [(row.table, row.seat, row.name, row.stack) for row in run(ledger.seats())]
    left = [run(ledger.left_with(table, account, 3_600)) for table in ("T1", "T2") for account in accounts]
    tables = [run(ledger.tables_of(account)) for account in accounts]
    counts = run(ledger.timeout_all_ins(0))
    by_clock = [counts.pop(account, 0) for account in accounts]
    assert counts == {}
    on_table = [_on_table(run(ledger.open_round(table)), accounts) for table in ("T1", "T2")]
    return (
        given_answers,
        wallets,
        held,
        left,
        tables,
        by_clock,
        run(ledger.owners()),
        [told_of(run, ledger, account) for account in accounts],
        run(ledger.audit()),
        on_table,
        run(ledger.rake_by_day(0, 4_000_000_000_000)),
    )


@settings(max_examples=times(10), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(wishes=st.lists(WISHES, min_size=1, max_size=25).map(as_tables_do))
def test_both_ledgers_give_the_same_answers(run, used_database, used_ledger, wishes):
    """Results, refusals, conflicts, balances, departures, histories, owners and the audit are equal in the end."""
    used_database.empty()
    real = answers(run, used_ledger, OPENING + wishes)
    assert real == answers(run, MemoryLedger(), OPENING + wishes)
    assert real[-3].differences == ()
