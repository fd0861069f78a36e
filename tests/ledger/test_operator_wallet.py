"""The operator's wallet in PostgreSQL: each row moves its money once, whoever ends it and in what order."""

import psycopg
import pytest
from psycopg import errors
from twisted.internet.defer import gatherResults

from pokerroom.chips import Money
from pokerroom.ledger.account_standing import AccountInUse, AccountLocked
from pokerroom.ledger.api import InsufficientBalance
from pokerroom.ledger.hosted_tables import HostedLimits
from pokerroom.ledger.operator_log import Acting, LogQuery
from pokerroom.ledger.operator_wallet import (
    UnknownWalletTransfer,
    WalletBacklog,
    WalletBusy,
    WalletInUse,
    WalletLinked,
    WalletPlayerTaken,
)
from tests.ledger.contract import buy_in, cash_out, opened

pytestmark = pytest.mark.services

ANN = Acting(who="ann", role="admin", reason="a test")


@pytest.fixture
def alice(run, postgres):
    """An account without money, linked with the operator's player `p-1`."""
    (account,) = opened(run, postgres, "alice", opening=0)
    run(postgres.link_wallet(account, "p-1", by=ANN))
    return account


@pytest.fixture(autouse=True)
def adds_up(run, request):
    """Whatever a test did, the audit finds the rows and the legs of the wallet equal."""
    ledger = request.getfixturevalue("postgres")
    yield
    assert not run(ledger.audit()).differences


@pytest.fixture
def sql(emptied_database):
    """Raw statements of the owner, each at once."""
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        yield lambda statement, *values: connection.execute(statement, values or None)


def brought(run, ledger, account, amount):
    """A debit of so much that is done; its number."""
    debit = run(ledger.ask_wallet_debit(account, "T1", Money(amount), 60))
    assert run(ledger.end_wallet_debit(debit.number, "done")) == "done"
    return debit.number


def external(sql):
    """The balance of the ledger account of the operator's wallet."""
    return sql("SELECT balance FROM ledger_accounts WHERE code = 'external'").fetchone()[0]


def states(run, ledger, **which):
    """Kind, amount and state of all transfers, oldest first."""
    asked = {"account": None, "waiting": False, "before": None, "limit": 99, **which}
    account = asked.pop("account")
    return [(row.kind, row.amount, row.state) for row in run(ledger.wallet_transfers(account, **asked))[::-1]]


def test_a_debit_is_of_what_is_lacking_and_moves_it_once(run, postgres, alice, sql):
    """Also if its end is told again, or differently."""
    number = brought(run, postgres, alice, 500)
    assert run(postgres.end_wallet_debit(number, "done")) == "done"
    assert run(postgres.end_wallet_debit(number, "undone")) == "done"
    debit = run(postgres.ask_wallet_debit(alice, "T1", Money(800), 60))
    assert (debit.player, debit.amount) == ("p-1", 300)
    assert debit.id == run(postgres.wallet_transfer(debit.number)).id
    assert run(postgres.end_wallet_debit(debit.number, "done")) == "done"
    enough = run(postgres.ask_wallet_debit(alice, "T1", Money(800), 60))
    assert (enough.number, enough.amount) == (None, 0)
    assert (run(postgres.wallet(alice)), external(sql)) == (800, -800)


def test_a_refused_debit_moves_nothing(run, postgres, alice, sql):
    """Nothing waits for it, and the player may try again."""
    debit = run(postgres.ask_wallet_debit(alice, None, Money(500), 60))
    assert run(postgres.end_wallet_debit(debit.number, "refused", "insufficient_funds")) == "refused"
    assert run(postgres.wallet_transfer(debit.number)).failure == "insufficient_funds"
    assert states(run, postgres) == [("debit", 500, "refused")]
    assert (run(postgres.wallet(alice)), external(sql)) == (0, 0)
    assert brought(run, postgres, alice, 500)


@pytest.mark.parametrize("by_deadline", [True, False])
def test_an_undone_debit_has_a_rollback_and_a_late_answer_changes_nothing(run, postgres, alice, by_deadline):
    """Whether its node gives it up, or another node finds it past its time."""
    debit = run(postgres.ask_wallet_debit(alice, "T1", Money(500), 0 if by_deadline else 60))
    if by_deadline:
        assert run(postgres.undo_late_wallet_debits()) == 1
    else:
        assert run(postgres.undo_late_wallet_debits()) == 0
        assert run(postgres.end_wallet_debit(debit.number, "undone", "no answer")) == "undone"
    assert run(postgres.end_wallet_debit(debit.number, "done")) == "undone"
    assert run(postgres.wallet(alice)) == 0
    (back,) = run(postgres.claim_wallet_transfers(9, 60))
    assert (back.kind, back.amount, back.undoes, back.player) == ("rollback", 500, debit.id, "p-1")
    run(postgres.end_wallet_transfer(back))
    run(postgres.end_wallet_transfer(back))
    assert states(run, postgres) == [("debit", 500, "undone"), ("rollback", 500, "done")]


def test_one_debit_of_an_account_waits_at_a_time(run, postgres, alice):
    """A second request is told that the wallet is busy, also at the same moment."""
    run(postgres.ask_wallet_debit(alice, "T1", Money(500), 60))
    with pytest.raises(WalletBusy):
        run(postgres.ask_wallet_debit(alice, "T2", Money(500), 60))
    assert states(run, postgres) == [("debit", 500, "asked")]


def test_a_player_that_may_not_play_is_not_debited(run, postgres, alice):
    """The refusal is that of the buy-in."""
    run(postgres.lock_out(alice, by=ANN))
    with pytest.raises(AccountLocked):
        run(postgres.ask_wallet_debit(alice, "T1", Money(500), 60))
    assert states(run, postgres) == []


def test_chips_of_a_club_and_accounts_without_a_link_are_not_debited(run, postgres, alice):
    """There the operator's wallet is not asked."""
    (bob,) = opened(run, postgres, "bob", opening=0)
    assert run(postgres.ask_wallet_debit(bob, "T1", Money(500), 60)) is None
    run(postgres.create_club("a" * 10, alice, "Fridays", "code", 1))
    terms = {"name": "Friday", "small_blind": 50, "seats": 6, "chat": True}
    limits = HostedLimits(per_account=1, in_room=9)
    run(postgres.open_hosted_table("host:club", alice, terms, "link", limits, club="a" * 10))
    assert run(postgres.ask_wallet_debit(alice, "host:club", Money(500), 60)) is None
    assert states(run, postgres) == []


def test_what_returns_to_an_account_is_credited_once(run, postgres, alice, sql):
    """It leaves the account when the credit is written, and the queue sends the same one until it is done."""
    brought(run, postgres, alice, 500)
    assert run(postgres.queue_wallet_credits(3600, 9)) == 0  # a debit that was just done is about to be used
    run(buy_in(postgres, "b", "T1", 1, alice, 400))
    run(cash_out(postgres, "c", "T1", alice))
    assert run(postgres.queue_wallet_credits(0, 9)) == 1
    assert run(postgres.queue_wallet_credits(0, 9)) == 0
    assert (run(postgres.wallet(alice)), external(sql)) == (0, 0)
    with pytest.raises(InsufficientBalance):
        run(buy_in(postgres, "b2", "T1", 1, alice, 400))
    (credit,) = run(postgres.claim_wallet_transfers(9, 60))
    assert run(postgres.claim_wallet_transfers(9, 60)) == []
    run(postgres.fail_wallet_transfer(credit, "HTTP 500", 0))
    (again,) = run(postgres.claim_wallet_transfers(9, 60))
    assert (again.id, again.amount, again.tries) == (credit.id, 500, 2)
    run(postgres.fail_wallet_transfer(credit, "an older try", 3600))
    assert run(postgres.wallet_transfer(credit.number)).failure == "HTTP 500"
    backlog = run(postgres.wallet_backlog())
    assert (backlog.waiting, backlog.owed) == (1, 500)
    run(postgres.end_wallet_transfer(again))
    assert run(postgres.wallet_backlog()) == WalletBacklog(waiting=0, owed=0, oldest_s=0.0)


def test_two_nodes_that_both_look_write_one_credit(run, postgres, alice):
    """And each claims other transfers."""
    brought(run, postgres, alice, 500)
    assert sum(run(gatherResults([postgres.queue_wallet_credits(0, 9) for _ in range(6)]))) == 1
    taken = run(gatherResults([postgres.claim_wallet_transfers(9, 60) for _ in range(6)]))
    assert [len(one) for one in taken if one] == [1]


def test_money_for_bets_from_the_wallet_is_not_credited(run, postgres, alice):
    """A player at a table of Ultimate bets from the account; what it holds goes back when the place is free."""
    brought(run, postgres, alice, 500)
    run(postgres.take_place("place:" + "a" * 32, "U1", run(postgres.take_table("U1", "n1", 0)), 1, alice, 9))
    assert run(postgres.queue_wallet_credits(0, 9)) == 0
    run(postgres.cash_out("cashout:" + "a" * 32, "U1", 1, alice))
    assert run(postgres.queue_wallet_credits(0, 9)) == 1


def test_an_account_without_a_link_keeps_its_money(run, postgres, alice):
    """The queue looks at linked accounts alone, at most at so many."""
    (bob,) = opened(run, postgres, "bob", opening=700)
    with pytest.raises(WalletInUse):
        run(postgres.link_wallet(bob, "p-2", by=ANN))
    (carol,) = opened(run, postgres, "carol", opening=0)
    run(postgres.link_wallet(carol, "p-3", by=ANN))
    brought(run, postgres, carol, 700)
    brought(run, postgres, alice, 500)
    assert [run(postgres.queue_wallet_credits(0, 1)) for _ in range(3)] == [1, 1, 0]


def test_a_link_is_of_one_account_and_one_player(run, postgres, alice):
    """It goes when nothing of the account is in the room or on its way; each change has a line in the log."""
    (bob,) = opened(run, postgres, "bob", opening=0)
    run(postgres.link_wallet(alice, "p-1", by=ANN))
    with pytest.raises(WalletLinked):
        run(postgres.link_wallet(alice, "p-2", by=ANN))
    with pytest.raises(WalletPlayerTaken):
        run(postgres.link_wallet(bob, "p-1", by=ANN))
    with pytest.raises(LookupError):
        run(postgres.link_wallet(999, "p-9", by=ANN))
    number = run(postgres.ask_wallet_debit(alice, None, Money(5), 60)).number
    for end in (None, "done"):
        if end:
            run(postgres.end_wallet_debit(number, end))
        with pytest.raises(WalletInUse):
            run(postgres.unlink_wallet(alice, by=ANN))
    run(postgres.queue_wallet_credits(0, 9))
    (credit,) = run(postgres.claim_wallet_transfers(9, 60))
    with pytest.raises(AccountInUse):
        run(postgres.delete_account(alice, None, by=ANN))
    run(postgres.end_wallet_transfer(credit))
    run(postgres.unlink_wallet(alice, by=ANN))
    run(postgres.unlink_wallet(alice, by=ANN))
    assert run(postgres.wallet_player(alice)) is None
    lines = run(postgres.log_lines(LogQuery()))
    assert sorted(line.verb for line in lines) == ["wallet.link", "wallet.unlink"]
    assert "p-1" not in str(lines)


def test_a_deleted_account_has_no_player(run, postgres, alice):
    """The operator's id of a player tells of a person; the transfers stay."""
    run(
        postgres.end_wallet_debit(run(postgres.ask_wallet_debit(alice, None, Money(5), 60)).number, "refused")
    )
    run(postgres.delete_account(alice, None, by=ANN))
    assert run(postgres.wallet_player(alice)) is None
    assert states(run, postgres, account=alice) == [("debit", 5, "refused")]


def test_an_operator_lists_and_retries_what_waits(run, postgres, alice):
    """A retry makes it due, with a line in the log; debits are not retried."""
    brought(run, postgres, alice, 500)
    run(postgres.queue_wallet_credits(0, 9))
    (credit,) = run(postgres.claim_wallet_transfers(9, 3600))
    assert states(run, postgres, waiting=True) == [("credit", 500, "asked")]
    assert states(run, postgres, before=credit.number) == [("debit", 500, "done")]
    assert run(postgres.retry_wallet_transfers(credit.number, by=ANN)) == 1
    assert [one.number for one in run(postgres.claim_wallet_transfers(9, 60))] == [credit.number]
    run(postgres.end_wallet_transfer(credit))
    assert run(postgres.retry_wallet_transfers(None, by=ANN)) == 0
    for unknown in (postgres.wallet_transfer(99), postgres.retry_wallet_transfers(99, by=ANN)):
        with pytest.raises(UnknownWalletTransfer):
            run(unknown)
    assert [line.verb for line in run(postgres.log_lines(LogQuery(verb="wallet.retry")))] == ["wallet.retry"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE wallet_transfers SET amount = 1",
        "UPDATE wallet_transfers SET state = 'refused'",
        "UPDATE wallet_transfers SET state = 'asked', ended = NULL",
        "DELETE FROM wallet_transfers",
    ],
)
def test_what_was_written_stays(run, postgres, alice, sql, change):
    """The database refuses another amount, a second end and a removal, also for the owner of the tables."""
    brought(run, postgres, alice, 500)
    with pytest.raises(errors.IntegrityError):
        sql(change)


@pytest.mark.parametrize(
    "forgery",
    [
        ("UPDATE wallet_transfers SET amount = 400 WHERE kind = 'debit' AND state = 'done'", "wallet moves"),
        ("UPDATE wallet_transfers SET state = 'refused' WHERE state = 'done'", "wallet moves"),
        ("UPDATE wallet_transfers SET state = 'done' WHERE kind = 'debit'", "wallet moves"),
        ("UPDATE wallet_transfers SET amount = 1 WHERE kind = 'rollback'", "as its rollback"),
        ("DELETE FROM wallet_transfers WHERE kind = 'rollback'", "as its rollback"),
    ],
)
def test_the_audit_compares_rows_and_legs(run, postgres, alice, emptied_database, forgery):
    """A row that a superuser changes past every trigger is a difference."""
    forged, difference = forgery
    brought(run, postgres, alice, 500)
    number = run(postgres.ask_wallet_debit(alice, None, Money(600), 60)).number
    run(postgres.end_wallet_debit(number, "undone"))
    with psycopg.connect(emptied_database) as connection:
        connection.execute("SET session_replication_role = replica")
        before = connection.execute("CREATE TEMPORARY TABLE kept AS SELECT * FROM wallet_transfers")
        assert before.rowcount == 2 + 1
        connection.execute(forged)
        connection.commit()
        try:
            assert any(difference in one for one in run(postgres.audit()).differences)
        finally:
            connection.execute("DELETE FROM wallet_transfers")
            connection.execute("INSERT INTO wallet_transfers OVERRIDING SYSTEM VALUE SELECT * FROM kept")
            connection.commit()
