"""`pokerroom.ledger.postgres.migrations`: once, in order, and never over a database of another build."""

import re
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from twisted.internet.defer import gatherResults

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.api import SchemaMismatch
from pokerroom.ledger.postgres.books import PostgresBooks
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.ledger.postgres.migrations import Migration, Schema, migrate, packaged_schema
from pokerroom.ledger.tournaments import owned_as
from tests.ledger.catalogue import catalogue
from tests.ledger.contract import cash_out

pytestmark = pytest.mark.services

VERSION_9 = Path(__file__).with_name("schema_9.sql").read_text()


@pytest.fixture
def empty(new_database):
    """The address of an empty database."""
    return new_database("template1")


@pytest.fixture
def upgraded(run, server, empty):
    """A ledger on a database of schema version 9 with data, opened by this build."""
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute(VERSION_9)
    ledger = PostgresLedger(make_conninfo(empty, user=server.room), empty)
    assert run(ledger.upgrade())
    run(ledger.open())
    yield ledger
    run(ledger.close())


@pytest.fixture
def apply(run, empty):
    """Applies a schema to an empty database; returns the versions applied now."""

    async def work(schema):
        async with await psycopg.AsyncConnection.connect(empty, autocommit=True) as connection:
            return await migrate(connection, schema, upgrades=True)

    return lambda schema=None: run(deferred(work(schema)))


@pytest.fixture
def value(empty):
    """The first value of a query in that database."""

    def value(query):
        with psycopg.connect(empty, autocommit=True) as connection:
            cursor = connection.execute(query)
            return cursor.fetchone()[0] if cursor.description else None

    return value


def made(*files, functions=()):
    """A schema of these migrations, numbered from 1."""
    migrations = [
        Migration(version=version, name=f"{version:03}_made.sql", sql=sql)
        for version, sql in enumerate(files, 1)
    ]
    return Schema(migrations=migrations, functions=list(functions))


def answer(number):
    """A file with one function."""
    return f"CREATE OR REPLACE FUNCTION answer() RETURNS int LANGUAGE sql AS 'SELECT {number}';".encode()


# --- the files of this build


def test_the_files_are_applied_once_in_order(apply):
    """An empty database gets all of them; the second time there is nothing to do."""
    versions = [migration.version for migration in packaged_schema().migrations]
    assert versions == sorted(set(versions))
    assert apply() == versions
    assert apply() == []


def test_an_upgraded_database_equals_a_new_one(upgraded, empty, database):
    """Tables, columns, defaults, constraints, indexes, triggers, and functions with bodies and settings."""
    new, old = catalogue(database), catalogue(empty)
    for kind, rows in new.items():
        assert old[kind] == rows, kind
    assert len(new["functions"]) > 50, "the queries find something"


def test_every_function_has_one_definition(database):
    """The files define each function of the database, and each of them once: no declaration is left without a body."""
    texts = b"".join(packaged_schema().functions).decode()
    defined = re.findall(r"^CREATE OR REPLACE FUNCTION (\w+)", texts, re.MULTILINE)
    with psycopg.connect(database) as connection:
        rows = connection.execute("SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace")
        assert sorted(defined) == sorted(name for (name,) in rows)


def test_the_data_of_an_upgraded_database_is_kept(run, upgraded):
    """Balances, seats, histories and owners are those of before, and the ledger adds up."""
    report = run(upgraded.audit())
    assert report.differences == ()
    assert (report.accounts, report.hands, report.rounds, report.tournaments) == (3, 4, 3, 3)
    assert {row.table: row.epoch for row in run(upgraded.owners())} == {"T1": 1, "U1": 1, "six.2": 1}
    assert [(row.table, row.account, row.stack) for row in run(upgraded.seats())] == [
        ("T1", 1, 1_055),
        ("U1", 3, 0),
    ]
    assert [type(entry).__name__ for entry in run(upgraded.account_history(3, None, 9))] == [
        "PlayedTournament",
        "PlayedHand",
        "PlayedRound",
        "PlayedRound",
    ]


def test_an_upgraded_database_is_played_on(run, upgraded):
    """Hands, rounds, places and the cashier go on where they were, and the next accounts and transfers have new ids."""
    assert run(upgraded.take_table("T1", "n2", 1)) == 2
    assert run(cash_out(upgraded, "out:2", "T1", 1, epoch=2)) == 1_055
    assert run(upgraded.create_account("dora", "hash", 500)).account == 4
    run(upgraded.decide_cash(2, approve=False, note=""))
    assert run(upgraded.take_table(owned_as("six.2"), "n2", 0)) == 1, "it had the owner of its table"
    run(upgraded.roll_back_tournament("six.2", 1))
    assert run(upgraded.account_history(2, None, 1))[0].tournament == "six.2"
    assert run(upgraded.audit()).differences == ()


def test_hosts_and_roles_of_before_are_in_the_books_after_an_upgrade(run, apply, empty):
    """Whoever is one at the upgrade; a function of the build before refuses none. Earlier refills have no terms."""
    whole = packaged_schema()
    before = [migration for migration in whole.migrations if migration.version < 64]
    with psycopg.connect(empty, autocommit=True) as connection:  # functions of tables that are made later
        name = sql.Identifier(connection.info.dbname)
        connection.execute(sql.SQL("ALTER DATABASE {} SET check_function_bodies = off").format(name))
    later = (b"note_host", b"daily_games", b"RETURNS announcements", b"archive_goes_on")  # or declared later
    functions = [file for file in whole.functions if not any(name in file for name in later)]
    apply(replace(whole, migrations=before, functions=functions))
    with psycopg.connect(empty) as connection:
        connection.execute(
            "INSERT INTO accounts (name, password_hash) VALUES ('alice', '-'), ('bob', '-');"
            "INSERT INTO cash_sources VALUES ('desk', true);"
            "INSERT INTO cash_requests (account, key, kind, amount, source)"
            " VALUES (2, 'refill:1', 'deposit', 5, 'desk');"
            "INSERT INTO clubs (club, name) VALUES ('abcdefghij', 'x');"
            "INSERT INTO club_members VALUES ('abcdefghij', 1, 'owner'), ('abcdefghij', 2, 'member');"
            "INSERT INTO hosted_tables (table_id, host, terms, code) VALUES ('host:1', 2, '{}', 'x');"
            "CREATE OR REPLACE FUNCTION transfer_fits(kind text, key text, legs text, account bigint, place text)"
            " RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT false'"
        )
    assert 64 in apply(whole)
    with psycopg.connect(empty) as connection:
        rows = connection.execute("SELECT key FROM transfers WHERE kind <> 'genesis' ORDER BY id").fetchall()
    assert [key.rpartition(":")[0] for (key,) in rows] == [
        "host:host:1:2",
        "role:abcdefghij:1:owner",
        "role:abcdefghij:2:member",
        "refill_terms",
    ]

    async def without_terms():
        async with await psycopg.AsyncConnection.connect(empty) as connection:
            return (await PostgresBooks.of(connection)).refills_without_terms_to

    assert run(deferred(without_terms())) == 5, "the transfer that the migration has written"
    with psycopg.connect(empty) as connection:
        connection.execute(
            "UPDATE schema_migrations SET applied = applied + interval '1 day' WHERE version = 64"
        )
    assert run(deferred(without_terms())) == 0


# --- databases of other builds


def test_a_database_older_than_the_baseline_is_refused(apply):
    """The operator is told which version upgrades it; nothing is applied."""
    apply(made(b"SELECT 1"))
    with pytest.raises(SchemaMismatch, match="has schema version 1; this build upgrades from version 9 on"):
        apply()


def test_a_database_newer_than_the_code_is_refused(apply):
    """The operator is told which versions meet."""
    apply(made(b"SELECT 1", b"SELECT 2"))
    with pytest.raises(SchemaMismatch, match="has schema version 2; this build knows 1"):
        apply(made(b"SELECT 1"))


def test_a_file_changed_after_it_was_applied_is_refused(apply, value):
    """The checksum tells; nothing is applied."""
    apply(made(b"SELECT 1"))
    with pytest.raises(SchemaMismatch, match=r"001_made\.sql was changed"):
        apply(made(b"SELECT 1 -- better", b"CREATE TABLE two (n int)"))
    assert value("SELECT to_regclass('two')") is None


def test_a_database_with_a_migration_we_do_not_ship_is_refused(apply):
    """A gap in our files, before the first one too, is the database of another build."""
    schema = made(b"SELECT 1", b"SELECT 2", b"SELECT 3")
    apply(schema)
    first, second, third = schema.migrations
    with pytest.raises(SchemaMismatch, match="migration 1 that"):
        apply(Schema(migrations=[second, third]))
    with pytest.raises(SchemaMismatch, match="migration 2 that"):
        apply(Schema(migrations=[first, third]))


def test_a_baseline_stands_for_the_migrations_that_it_replaces(apply, value):
    """A database that has the last of them has the tables of the baseline; one with another last one is refused."""
    old = made(b"CREATE TABLE one (n int)", b"CREATE TABLE two (n int)")
    apply(old)
    base = Migration(version=2, name="002_base.sql", sql=b"SELECT 1/0", replaces=old.migrations[1].checksum)
    third = Migration(version=3, name="003_made.sql", sql=b"CREATE TABLE three (n int)")
    assert apply(Schema(migrations=[base, third])) == [3]
    with pytest.raises(SchemaMismatch, match=r"002_base\.sql was changed"):
        apply(Schema(migrations=[replace(base, replaces="another"), third]))


def test_a_database_that_cannot_hold_every_text_is_refused(run, server):
    """An encoding other than UTF8 would fail at the first name or record outside of it."""
    server.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    ledger = PostgresLedger(server.url("latin"))
    with pytest.raises(SchemaMismatch, match="UTF8"):
        run(ledger.open())


# --- how files are applied


def test_only_what_is_missing_is_applied(apply):
    """A database of an older version gets the newer files."""
    assert apply(made(b"CREATE TABLE one (n int)")) == [1]
    assert apply(made(b"CREATE TABLE one (n int)", b"ALTER TABLE one ADD COLUMN m int")) == [2]


def test_a_file_that_fails_leaves_nothing_of_any(apply, value):
    """All of it is one transaction, with the functions: the database stays at the version before."""
    with pytest.raises(psycopg.errors.DivisionByZero):
        apply(made(b"CREATE TABLE one (n int)", b"SELECT 1/0"))
    with pytest.raises(psycopg.errors.UndefinedTable):
        apply(made(b"CREATE TABLE one (n int)", functions=[answer("1 FROM two")]))
    assert value("SELECT to_regclass('one')") is None
    assert apply(made(b"CREATE TABLE one (n int)")) == [1]


def test_nodes_that_start_together_apply_each_file_once(run, empty):
    """One migrates, the others wait for it and find nothing to do."""
    ledgers = [PostgresLedger(empty) for _ in range(4)]
    run(gatherResults([ledger.open() for ledger in ledgers]))
    for ledger in ledgers:
        assert run(ledger.audit()).transfers == 1
        run(ledger.close())


# --- functions


def test_changed_functions_are_applied_without_a_migration(apply, value):
    """Once: a build whose functions are there applies nothing."""
    apply(made(functions=[answer(1)]))
    assert apply(made(functions=[answer(2)])) == []
    assert value("SELECT answer()") == 2
    value("DROP FUNCTION answer")
    apply(made(functions=[answer(2)]))
    assert value("SELECT to_regproc('answer')") is None


def test_functions_follow_the_tables_of_their_migration(apply, value):
    """All of them are applied again with a migration, which drops what changes its result."""
    apply(made(b"CREATE TABLE one (n int)", functions=[answer("count(*)::int FROM one")]))
    text = answer("count(*)::text FROM two").replace(b"int LANG", b"text LANG")
    files = b"CREATE TABLE one (n int)", b"DROP FUNCTION answer; ALTER TABLE one RENAME TO two"
    assert apply(made(*files, functions=[text])) == [2]
    assert value("SELECT answer()") == "0"


def test_a_build_whose_functions_were_replaced_is_refused(apply, value):
    """A node of an older build does not undo those of a newer one, unless the operator says so."""
    apply(made(functions=[answer(1)]))
    apply(made(functions=[answer(2)]))
    with pytest.raises(SchemaMismatch, match="another build after this one"):
        apply(made(functions=[answer(1)]))
    assert value("SELECT answer()") == 2
    value("DELETE FROM schema_functions")
    apply(made(functions=[answer(1)]))
    apply(made(functions=[answer(2)]))
    assert value("SELECT answer()") == 2


# --- upgrades


def test_a_newer_build_leaves_the_database_of_a_room_alone(run, database, monkeypatch):
    """Its node is refused, and its `upgrade` too while a node of the older build uses the database."""
    old, new = PostgresLedger(database), PostgresLedger(database)
    run(old.open())
    ships = packaged_schema()
    newer = replace(ships, functions=[*ships.functions, answer(1)])
    monkeypatch.setattr("pokerroom.ledger.postgres.migrations.packaged_schema", lambda: newer)
    with pytest.raises(SchemaMismatch, match="then run `pokerroom migrate`"):
        run(new.open())
    with pytest.raises(SchemaMismatch, match="Stop all nodes and commands of the room"):
        run(new.upgrade())
    run(old.create_account("anna", "hash", Money(100)))
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT to_regproc('answer')").fetchone() == (None,)
    run(old.close())
    assert run(new.upgrade()) == [], "the functions changed, and no migration"
    run(new.open())
    run(new.close())


def test_an_empty_database_needs_no_upgrade(run, empty):
    """A node makes the tables at its first start."""
    ledger = PostgresLedger(empty)
    run(ledger.open())
    run(ledger.create_account("anna", "hash", Money(100)))
    run(ledger.close())


# --- versions beside each other


RELEASED = 73
"""The schema of the last release, v0.2.0."""


def test_nodes_of_the_last_release_go_on_beside_every_later_migration():
    """Or the upgrade from it stops the room. `make upgrade` plays it."""
    later = {one.name: one.beside for one in packaged_schema().migrations if one.version > RELEASED}
    assert later
    assert {name for name, beside in later.items() if beside is None or beside > RELEASED} == set()


ADDS = b"-- beside 1\nCREATE TABLE two (n int)"


def test_a_build_goes_on_beside_a_later_one_that_only_adds(apply, value):
    """It starts, and its functions stay replaced; the later one starts, too, in any order."""
    old = made(b"CREATE TABLE one (n int)", functions=[answer(1)])
    new = made(b"CREATE TABLE one (n int)", ADDS, functions=[answer(2)])
    assert apply(old) == [1]
    assert apply(new) == [2]
    assert apply(old) == []
    assert apply(new) == []
    assert value("SELECT answer()") == 2


def test_a_build_does_not_go_on_beside_what_takes_something_away(apply):
    """Nor beside one that needs a later version, nor beside other functions that came without a migration."""
    first = b"CREATE TABLE one (n int)"
    old = made(first, functions=[answer(1)])
    apply(old)
    apply(made(first, ADDS, functions=[answer(2)]))
    later = made(first, ADDS, b"-- beside 2\nALTER TABLE one DROP COLUMN n", functions=[answer(2)])
    apply(later)
    with pytest.raises(SchemaMismatch, match="has schema version 3; this build knows 1"):
        apply(old)
    apply(made(first, ADDS, functions=[answer(2)]))
    apply(replace(later, functions=[answer(3)]))
    with pytest.raises(SchemaMismatch, match="another build after this one"):
        apply(made(first, ADDS, functions=[answer(2)]))


def test_a_build_that_never_ran_on_a_database_does_not_replace_its_functions(apply, value):
    """A newer build has made it."""
    apply(made(b"CREATE TABLE one (n int)", ADDS, functions=[answer(2)]))
    with pytest.raises(SchemaMismatch, match="this one has never run on it"):
        apply(made(b"CREATE TABLE one (n int)", functions=[answer(1)]))
    assert value("SELECT answer()") == 2


def test_an_upgrade_that_only_adds_waits_for_no_node_that_can_go_on(run, database, monkeypatch):
    """Nodes of this build play on; one that knows less has to end first."""
    ships = packaged_schema()
    migration = Migration(
        version=ships.newest + 1,
        name="999_adds.sql",
        sql=f"-- beside {ships.newest}\nCREATE TABLE added (n int)".encode(),
    )
    newer = replace(ships, migrations=[*ships.migrations, migration], functions=[*ships.functions, answer(1)])
    old, new = PostgresLedger(database), PostgresLedger(database)
    run(old.open())
    with monkeypatch.context() as patch:
        patch.setattr("pokerroom.ledger.postgres.migrations.packaged_schema", lambda: newer)
        with pytest.raises(SchemaMismatch, match="The nodes may go on"):
            run(new.open())
        earlier = make_conninfo(database, application_name=f"pokerroom {ships.newest - 1}:n1")
        with psycopg.connect(earlier), pytest.raises(SchemaMismatch, match="Stop all nodes"):
            run(new.upgrade())
        assert run(new.upgrade()) == [migration.version]
        run(new.open())
    run(old.create_account("anna", "hash", Money(100)))
    another = PostgresLedger(database)
    run(another.open())
    for ledger in (old, new, another):
        run(ledger.close())


def test_an_upgrade_gives_up_on_a_table_that_stays_in_use(apply, value, empty, monkeypatch):
    """The nodes would wait behind it; nothing is changed."""
    monkeypatch.setattr("pokerroom.ledger.postgres.migrations.LOCK_S", 1)
    first = b"CREATE TABLE one (n int)"
    apply(made(first))
    with psycopg.connect(empty) as reader:
        reader.execute("SELECT FROM one")
        with pytest.raises(SchemaMismatch, match="was in use for 1 seconds, and nothing is changed"):
            apply(made(first, b"-- beside 1\nALTER TABLE one ADD COLUMN m int"))
    assert apply(made(first, b"-- beside 1\nALTER TABLE one ADD COLUMN m int")) == [2]
