"""`pokerroom.ledger.migrations`: once, in order, and never over a database that is not ours."""

import psycopg
import pytest
from twisted.internet.defer import gatherResults

from pokerroom.ledger.migrations import Migration, SchemaMismatch, migrate, packaged_migrations
from pokerroom.ledger.postgres import PostgresLedger
from pokerroom.ops.bridge import deferred
from tests.ledger.contract import cash_out, hand

pytestmark = pytest.mark.services


@pytest.fixture
def apply(run, new_database):
    """Applies migrations to an empty database; returns the versions applied now."""
    address = new_database("template1")

    async def work(migrations):
        async with await psycopg.AsyncConnection.connect(address, autocommit=True) as connection:
            return await migrate(connection, migrations)

    def apply(migrations=None):
        return run(deferred(work(migrations)))

    apply.address = address
    return apply


def made(version, sql):
    return Migration(version=version, name=f"{version:03}_made.sql", sql=sql)


def test_the_files_are_applied_once_in_order(apply):
    """An empty database gets all of them; the second time there is nothing to do."""
    versions = [migration.version for migration in packaged_migrations()]
    assert versions == sorted(set(versions))
    assert apply() == versions
    assert apply() == []


def test_only_what_is_missing_is_applied(apply):
    """A database of an older version gets the newer files."""
    first, second = made(1, b"CREATE TABLE one (n int)"), made(2, b"ALTER TABLE one ADD COLUMN m int")
    assert apply([first]) == [1]
    assert apply([first, second]) == [2]


def test_a_ledger_with_a_past_is_brought_up_to_date(run, apply):
    """What was played under version 2 is kept, and goes on with departures, counts and owners from then on."""
    apply(packaged_migrations()[:2])
    with psycopg.connect(apply.address, autocommit=True) as connection:
        for name in ("alice", "bob"):
            connection.execute("SELECT create_account(%s, '', 1000)", (name,))
        for account in (1, 2):
            connection.execute("SELECT buy_in('in' || %s, 'T1', %s::smallint, %s, 300)", (account,) * 3)
        connection.execute(
            "SELECT settle_hands('{h1}', '{T1}', '{0}', '{0}', ARRAY[%s::bytea], '{1,1}', '{1,2}', '{7,-7}')",
            [hand("h1", {1: 7, 2: -7}).record],
        )
    ledger = PostgresLedger(apply.address)
    run(ledger.open())
    assert run(ledger.owners()) == []
    assert run(ledger.take_table("T1", "n1", 0)) == 1
    first = hand("h1", {1: 7, 2: -7}, by_clock=[2])
    run(ledger.settle([first, hand("h2", {1: 1, 2: -1}, by_clock=[1])]))
    assert run(ledger.timeout_all_ins(0)) == {1: 1}, "a hand that was settled before counts nothing"
    assert run(cash_out(ledger, "out", "T1", 1)) == 308
    assert run(ledger.left_with("T1", 1, 3_600)) == 308
    assert run(ledger.audit()).differences == ()
    run(ledger.close())


def test_a_file_that_fails_leaves_nothing_of_itself(apply):
    """Each file is one transaction: the database stays at the version before."""
    good, bad = made(1, b"CREATE TABLE one (n int)"), made(2, b"CREATE TABLE two (n int); SELECT 1/0")
    with pytest.raises(psycopg.errors.DivisionByZero):
        apply([good, bad])
    with psycopg.connect(apply.address) as connection:
        assert connection.execute("SELECT to_regclass('one'), to_regclass('two')").fetchone() == ("one", None)
    assert apply([good, made(2, b"CREATE TABLE two (n int)")]) == [2]


def test_a_database_newer_than_the_code_is_refused(apply):
    """The operator is told which versions meet."""
    apply([made(1, b"SELECT 1"), made(2, b"SELECT 2")])
    with pytest.raises(SchemaMismatch, match="has schema version 2, this pokerroom knows 1"):
        apply([made(1, b"SELECT 1")])


def test_a_file_changed_after_it_was_applied_is_refused(apply):
    """The checksum tells; nothing is applied."""
    apply([made(1, b"SELECT 1")])
    with pytest.raises(SchemaMismatch, match=r"001_made\.sql was changed"):
        apply([made(1, b"SELECT 1 -- better"), made(2, b"CREATE TABLE two (n int)")])
    with psycopg.connect(apply.address) as connection:
        assert connection.execute("SELECT to_regclass('two')").fetchone() == (None,)


def test_a_database_with_a_migration_we_do_not_ship_is_refused(apply):
    """A gap in our files is another room's database."""
    apply([made(1, b"SELECT 1"), made(2, b"SELECT 2")])
    with pytest.raises(SchemaMismatch, match="migration 1 that"):
        apply([made(2, b"SELECT 2")])


def test_a_database_that_cannot_hold_every_text_is_refused(run, server):
    """An encoding other than UTF8 would fail at the first name or record outside of it."""
    server.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    ledger = PostgresLedger(server.url("latin"))
    with pytest.raises(SchemaMismatch, match="UTF8"):
        run(ledger.open())


def test_nodes_that_start_together_apply_each_file_once(run, new_database):
    """One migrates, the others wait for it and find nothing to do."""
    address = new_database("template1")
    ledgers = [PostgresLedger(address) for _ in range(4)]
    run(gatherResults([ledger.open() for ledger in ledgers]))
    for ledger in ledgers:
        assert run(ledger.audit()).transfers == 1
        run(ledger.close())
