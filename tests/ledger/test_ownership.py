"""Owners of tables in PostgreSQL: many nodes at once, and a take in the middle of a write."""

import psycopg
import pytest
from twisted.internet.defer import DeferredList, gatherResults

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict, LedgerRefusal, LedgerUnavailable, NotOwner, TooManyTables
from pokerroom.ledger.postgres.ledger import PostgresLedger
from tests.ledger.contract import TABLES, buy_in, cash_out, hand, opened, seated, stacks, top_up
from tests.ledger.locks import locked_stacks, waiting_for_a_lock

pytestmark = pytest.mark.services


@pytest.fixture
def other(run, postgres, emptied_database):
    """Another node's ledger on the same database."""
    ledger = PostgresLedger(emptied_database, wait_s=50)
    run(ledger.open())
    yield ledger
    run(ledger.close())


def test_a_node_that_takes_a_table_waits_for_what_its_owner_is_writing(run, postgres, emptied_database):
    """A settlement under way comes before the next epoch, and what the next owner reads has it."""
    alice, bob = seated(run, postgres, "alice", "bob")
    run(postgres.settle([hand("h1", {alice: 1, bob: -1})]))
    with locked_stacks(emptied_database) as holder:
        settling = postgres.settle([hand("h2", {alice: 10, bob: -10})])
        waiting_for_a_lock(run, emptied_database)
        taking = postgres.take_table("T1", "n2", 1)
        waiting_for_a_lock(run, emptied_database, count=2)
        holder.rollback()
        assert run(taking) == 2
        assert stacks(run, postgres) == {alice: 1_011, bob: 989}
    run(settling)
    with pytest.raises(NotOwner):
        run(postgres.settle([hand("h3", {alice: 100, bob: -100})]))
    assert run(postgres.settled_hands(["h1", "h2", "h3"])) == {"h1", "h2"}
    assert stacks(run, postgres) == {alice: 1_011, bob: 989}


def test_a_write_that_does_not_end_makes_a_take_fail_and_not_hang(run, postgres, database):
    """The node tries again if it still wants the table."""
    alice, bob = seated(run, postgres, "alice", "bob")
    with psycopg.connect(database, autocommit=True) as connection:
        (limit,) = connection.execute("SELECT proconfig FROM pg_proc WHERE proname = 'take_table'").fetchone()
        assert limit == ["lock_timeout=2s"]
        connection.execute("ALTER FUNCTION take_table SET lock_timeout = '20ms'")
    with locked_stacks(database):
        settling = postgres.settle([hand("h1", {alice: 10, bob: -10})])
        waiting_for_a_lock(run, database)
        with pytest.raises(LedgerUnavailable):
            run(postgres.take_table("T1", "n2", 1))
    run(settling)
    assert run(postgres.take_table("T1", "n2", 1)) == 2


def test_of_many_nodes_that_take_a_table_at_once_one_has_it(run, postgres, other):
    """Epoch by epoch, the first one too: each is given once."""
    for epoch in range(6):
        taken = run(
            gatherResults(
                ledger.take_table("T1", f"n{node}", epoch)
                for node, ledger in enumerate([postgres, other] * 3)
            )
        )
        assert sorted(taken, key=str) == [epoch + 1, *[None] * 5]
        assert run(postgres.owners())[0].node == f"n{taken.index(epoch + 1)}"


def test_an_account_that_buys_in_everywhere_at_once_gets_so_many_tables(
    run, postgres, other, emptied_database
):
    """The limit is exact, also between the nodes: none counts before the one in front of it is done."""
    (alice,) = opened(run, postgres, "alice")
    with psycopg.connect(emptied_database) as holder:
        holder.execute("SELECT FROM ledger_accounts WHERE code = %s FOR UPDATE", (f"wallet:{alice}",))
        moves = DeferredList(
            [
                buy_in(ledger, f"in{table}", table, 1, alice, Money(100), tables_max=3)
                for table, ledger in zip(TABLES, [postgres, other] * 9, strict=False)
            ],
            consumeErrors=True,
        )
        waiting_for_a_lock(run, emptied_database, count=5)
        holder.rollback()
    outcomes = run(moves)
    assert sum(succeeded for succeeded, _ in outcomes) == 3
    assert all(succeeded or why.check(TooManyTables) for succeeded, why in outcomes)
    assert len(run(postgres.tables_of(alice))) == 3
    assert run(postgres.wallet(alice)) == 10_000 - 300


def test_tables_change_hands_in_the_middle_of_everything(run, postgres, other):
    """Two nodes take the tables from each other while both write to all of them: no deadlock, and all adds up."""
    tables = TABLES[:4]
    accounts = opened(run, postgres, *(f"p{n}" for n in range(4)), opening=100_000)
    for table in tables:
        for seat, account in enumerate(accounts, 1):
            run(buy_in(postgres, f"in:{table}:{account}", table, seat, account, Money(1_000)))
    one, two, three, four = accounts
    for epoch in range(1, 16):
        run(postgres.settle([hand(f"before{epoch}", {one: 1, two: -1}, table=tables[0], epoch=epoch)]))
        moves = []
        for n, ledger in enumerate((postgres, other)):
            hands = [
                hand(f"{epoch}{n}{table}", {one: 5, two: -5, three: 1, four: -1}, table=table, epoch=epoch)
                for table in (tables if n else reversed(tables))
            ]
            moves += [ledger.settle(hands)]
            moves += [
                top_up(ledger, f"top{epoch}{n}{table}", table, one, Money(1), epoch=epoch) for table in tables
            ]
            moves += [cash_out(ledger, f"out{epoch}{n}", tables[epoch % 4], four, epoch=epoch)]
            moves += [
                buy_in(ledger, f"in{epoch}{n}", tables[epoch % 4], 4, four, Money(1_000), epoch=epoch + 1)
            ]
            moves += [ledger.take_table(table, f"n{n}", epoch) for table in tables]
            moves += [ledger.settle(hands)]
        outcomes = run(DeferredList(moves, consumeErrors=True))
        for succeeded, failure in outcomes:
            assert succeeded or failure.check(LedgerRefusal, LedgerConflict, NotOwner), failure
        assert {row.epoch for row in run(postgres.owners()) if row.table in tables} == {epoch + 1}
        with pytest.raises(NotOwner):
            run(other.settle([hand(f"after{epoch}", {one: 1, two: -1}, table=tables[0], epoch=epoch)]))
    assert run(postgres.audit()).differences == ()
