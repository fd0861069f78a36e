"""The role of the rooms: what it may do is enough for a room, and it cannot undo what the ledger protects."""

import psycopg
import pytest
from psycopg import errors
from psycopg.conninfo import make_conninfo

from pokerroom.chips import Money
from pokerroom.ledger.api import SchemaMismatch
from pokerroom.ledger.postgres.ledger import PostgresLedger

pytestmark = pytest.mark.services

PERMANENT = (
    "transfers",
    "legs",
    "hands",
    "hand_players",
    "timeout_all_ins",
    "rounds",
    "round_stakes",
    "round_ends",
    "round_players",
    "account_history",
    "play_results",
    "operator_log",
    "chain_links",
    "checkpoints",
    "offer_changes",
)


@pytest.fixture(scope="module")
def opened(run, server, new_database):
    """The addresses of one database for the room and for its owner, with an account. The tests change nothing there."""
    owner = new_database()
    room = make_conninfo(owner, user=server.room)
    ledger = PostgresLedger(room, owner)
    run(ledger.open())
    assert not ledger.owns_tables
    run(ledger.create_account("anna", "hash", Money(100)))
    run(ledger.close())
    return room, owner


@pytest.fixture(scope="module")
def sql(opened):
    """Executes a statement as the role of the rooms, in a transaction that is rolled back."""
    with psycopg.connect(opened[0]) as connection:

        def execute(statement):
            try:
                return connection.execute(statement).fetchall()
            finally:
                connection.rollback()

        yield execute


@pytest.mark.parametrize(
    "statement",
    [
        *(
            f"UPDATE {table} SET {column} = {column}"
            for table, column in (("legs", "amount"), ("transfers", "key"))
        ),
        *(f"UPDATE {table} SET ended = ended" for table in ("hands", "round_ends", "account_history")),
        *(f"DELETE FROM {table}" for table in (*PERMANENT, "accounts", "ledger_accounts", "cash_requests")),
        *(f"TRUNCATE {table}" for table in (*PERMANENT, "sessions")),
        "UPDATE ledger_accounts SET code = 'wallet:7'",
        "UPDATE hands SET record = without_hidden_cards(record)",
        "UPDATE retention SET hands_days = 1",
        "UPDATE round_ends SET record = archived_record(record, true, 1)",
        "INSERT INTO archives SELECT 1, '', '', 0, 0, 0, ''",
        "UPDATE archives SET last = 1",
        "DELETE FROM archives",
        "SELECT archive_again(1, '', '', '', ROW('x', '', '', '')::acting)",
        "UPDATE tournament_heads SET heads = 1",
        "INSERT INTO schema_functions (fingerprint) VALUES ('x')",
        "INSERT INTO transfers (id, key, kind) OVERRIDING SYSTEM VALUE VALUES (9, 'place:x', 'place')",
        "INSERT INTO transfers (key, kind, created) VALUES ('place:x', 'place', '2000-01-01')",
        "SET session_replication_role = replica",
        "SET ROLE pokerroom",
        "CREATE TABLE more (n integer)",
        "CREATE TEMPORARY TABLE more (n integer)",
        "CREATE SCHEMA more",
        "CREATE FUNCTION sum_of(amounts bigint[]) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint'",
    ],
)
def test_it_may_not(sql, statement):
    """PostgreSQL refuses by its privileges, before any trigger is asked."""
    with pytest.raises(errors.InsufficientPrivilege):
        sql(statement)


@pytest.mark.parametrize(
    "statement",
    [
        *(f"ALTER TABLE {table} DISABLE TRIGGER ALL" for table in ("legs", "hands", "ledger_accounts")),
        "DROP TRIGGER legs_are_for_ever ON legs",
        "ALTER TABLE ledger_accounts DROP CONSTRAINT balance_is_not_negative",
        "CREATE TRIGGER more BEFORE INSERT ON legs EXECUTE FUNCTION refuse_change('no')",
        "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
        "DROP TABLE sessions",
    ],
)
def test_it_cannot_change_what_it_does_not_own(sql, statement):
    """Triggers, constraints, functions and tables are the owner's."""
    with pytest.raises(errors.InsufficientPrivilege):
        sql(statement)


def test_a_balance_that_it_may_update_still_follows_from_legs_alone(sql):
    """The trigger needs the privilege; a statement of its own is refused by another trigger."""
    with pytest.raises(errors.RestrictViolation):
        sql("UPDATE ledger_accounts SET balance = balance + 1")


def test_what_triggers_keep_is_kept_from_it_too(sql):
    """A table with permanent rows is in the list of `grant_to_room`."""
    rows = sql(
        "SELECT relname, has_table_privilege(relid, 'UPDATE') OR has_table_privilege(relid, 'DELETE') FROM ("
        " SELECT relname, tgrelid AS relid, bit_or(tgtype) AS kinds"
        " FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid"
        " WHERE tgfoid = 'refuse_change'::regproc AND tgqual IS NULL GROUP BY 1, 2) AS kept"
        " WHERE kinds & 24 = 24 OR (kinds & 8 = 8 AND has_table_privilege(relid, 'DELETE'))"  # update and delete
    )
    assert {name for name, _ in rows} >= {"transfers", "legs", "rounds"}
    assert [name for name, may in rows if may] == []


def test_functions_of_the_owner_are_for_the_rooms_alone(sql):
    """Each has a search path of its own, so the caller's objects do not stand for the owner's."""
    rows = sql(
        "SELECT proname, proconfig::text LIKE '%search_path=public, pg_temp%', EXISTS ("
        " SELECT FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE grantee = 0)"
        " FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace ORDER BY proname"
    )
    assert rows == [("erase_cards", True, False), ("hold_hand", True, False), ("sum_up_heads", True, False)]


def test_without_the_owner_a_database_of_this_build_is_used(run, opened):
    """So the nodes need not know the address of the owner."""
    ledger = PostgresLedger(opened[0])
    run(ledger.open())
    assert not ledger.owns_tables
    assert run(ledger.find_account("anna")).name == "anna"
    assert run(ledger.audit()).differences == ()
    run(ledger.close())


@pytest.mark.parametrize(
    "older", ["DELETE FROM schema_functions", "DELETE FROM schema_migrations WHERE version > 14"]
)
def test_without_the_owner_an_older_database_is_refused(run, server, new_database, older):
    """The operator is told which address to set."""
    owner = new_database()
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(older)
    ledger = PostgresLedger(make_conninfo(owner, user=server.room))
    with pytest.raises(SchemaMismatch, match="Set POKERROOM_OWNER_DATABASE_URL"):
        run(ledger.open())
    run(ledger.close())


def test_the_owner_need_not_be_a_superuser(run, server):
    """Two roles and a database as an operator makes them; the role of the rooms alone is told what to set."""
    roles = ("CREATE ROLE test_owner LOGIN", "CREATE ROLE test_room LOGIN")
    server.execute(*roles, "CREATE DATABASE test_owned OWNER test_owner ENCODING 'UTF8' TEMPLATE template0")
    room, owner = (make_conninfo(server.url("test_owned"), user=user) for user in ("test_room", "test_owner"))
    alone = PostgresLedger(room)
    with pytest.raises(SchemaMismatch, match="Set POKERROOM_OWNER_DATABASE_URL"):
        run(alone.open())
    run(alone.close())
    ledger = PostgresLedger(room, owner)
    run(ledger.open())
    run(ledger.create_account("anna", "hash", Money(100)))
    assert not ledger.owns_tables
    run(ledger.close())
    with psycopg.connect(room) as connection, pytest.raises(errors.InsufficientPrivilege):
        connection.execute("CREATE TEMPORARY TABLE more (n integer)")
    server.execute("DROP DATABASE test_owned WITH (FORCE)", "DROP ROLE test_owner", "DROP ROLE test_room")


def test_a_role_that_came_later_gets_its_privileges(run, server, new_database):
    """As after an upgrade of a data directory: one role has done both until now, and keeps what it owns."""
    owner = new_database("template1")
    ledger = PostgresLedger(owner)
    run(ledger.open())
    assert ledger.owns_tables
    run(ledger.create_account("anna", "hash", Money(100)))
    run(ledger.close())
    for role in (owner, make_conninfo(owner, user=server.room)):
        ledger = PostgresLedger(role, owner)
        run(ledger.open())
        assert ledger.owns_tables == (role == owner)
        assert run(ledger.audit()).accounts == 1
        run(ledger.close())
