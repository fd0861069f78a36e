"""The operator's wallet in PostgreSQL: two nodes at once, and what the database refuses whichever program writes.

The contract is in `contract_of_operator_wallet`.
"""

import psycopg
import pytest
from psycopg import errors
from twisted.internet.defer import Deferred, gatherResults

from pokerroom.chips import Money
from pokerroom.ledger.credentials import SessionLifetime
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.retention import Erased, Retention, erase_old
from tests.ledger.contract_of_operator_wallet import ANN, brought, link_alice, refused, states

pytestmark = pytest.mark.services

LIFETIME = SessionLifetime(idle_s=1, absolute_s=1)


@pytest.fixture
def alice(run, postgres):
    """An account without money, linked with the operator's player `p-1`."""
    return link_alice(run, postgres)


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


def test_two_nodes_that_both_look_write_one_credit(run, postgres, alice):
    """And each claims other transfers."""
    brought(run, postgres, alice, 500)
    assert sum(run(gatherResults([postgres.queue_wallet_credits(0, 9) for _ in range(6)]))) == 1
    taken = run(gatherResults([postgres.claim_wallet_transfers(9, 60) for _ in range(6)]))
    assert [len(one) for one in taken if one] == [1]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE wallet_transfers SET amount = 1",
        "UPDATE wallet_transfers SET state = 'refused'",
        "UPDATE wallet_transfers SET state = 'asked', ended = NULL",
        "DELETE FROM wallet_transfers",
        "TRUNCATE wallet_transfers CASCADE",
    ],
)
def test_what_was_written_stays(run, postgres, alice, sql, change):
    """The database refuses another amount, a second end and a removal, also for the owner of the tables."""
    brought(run, postgres, alice, 500)
    with pytest.raises(errors.IntegrityError):
        sql(change)


DELETE_REFUSED = "DELETE FROM wallet_transfers WHERE state = 'refused'"


def passes(emptied_database, days):
    """So many days ago all transfers have ended."""
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # no trigger keeps the past
        connection.execute(
            "UPDATE wallet_transfers SET ended = now() - make_interval(days => %s) WHERE ended IS NOT NULL",
            (days,),
        )


def test_old_refused_debits_are_removed_and_nothing_else(run, postgres, alice, emptied_database):
    """They have moved nothing, so the audit finds no difference; the removal is a line of the log."""
    brought(run, postgres, alice, 500)
    run(
        postgres.end_wallet_debit(
            run(postgres.ask_wallet_debit(alice, None, Money(600), 60)).number, "undone"
        )
    )
    for amount in range(1_009, 1_000, -1):
        refused(run, postgres, alice, amount)
    passes(emptied_database, 29)
    retention = Retention(hands_days=0, sessions_days=0, wallet_days=30)

    def erased():
        return run(Deferred.fromCoroutine(erase_old(postgres, retention, LIFETIME)))

    assert erased() == Erased(hands=0, sessions=0)
    passes(emptied_database, 31)
    refused(run, postgres, alice, 1_010)
    assert erased() == Erased(hands=0, sessions=0, debits=9)
    assert states(run, postgres) == [
        ("debit", 500, "done"),
        ("debit", 100, "undone"),
        ("rollback", 100, "asked"),
        ("debit", 510, "refused"),
    ]
    (line,) = run(postgres.log_lines(LogQuery(verb="retention")))
    assert line.named() == {"debits": 9}


def test_a_debit_that_was_refused_today_stays(run, postgres, alice, sql, emptied_database):
    """The brake counts it. The database refuses to remove it sooner, whatever the caller says."""
    refused(run, postgres, alice, 500)
    assert run(postgres.remove_old_refused_debits(0, 9, ANN)) == 0
    with pytest.raises(errors.RestrictViolation):
        sql(DELETE_REFUSED)
    passes(emptied_database, 2)
    assert sql(DELETE_REFUSED).rowcount == 1


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
