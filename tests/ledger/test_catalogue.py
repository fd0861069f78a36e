"""`pokerroom.ledger.postgres.catalogue`: what was changed in the schema is named."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psycopg
import pytest
from psycopg import AsyncConnection

from pokerroom.ledger.postgres.catalogue import as_text, defined, listed, objects, schema_differences
from pokerroom.ledger.postgres.migrations import packaged_schema

pytestmark = pytest.mark.services

WRITTEN = Path("build/catalogue.txt")


def on(url, work):
    async def opened():
        async with await AsyncConnection.connect(url, autocommit=True) as connection:
            return await work(connection)

    return asyncio.run(opened())


def test_the_list_is_what_the_migrations_make(own_database):
    """If it is not, the list of now is written to build/, to be copied."""
    found = as_text(on(own_database[1], objects))
    if found != as_text(listed()):
        WRITTEN.parent.mkdir(exist_ok=True)
        WRITTEN.write_text(found)
        pytest.fail(f"cp {WRITTEN} pokerroom/ledger/schema/catalogue.txt")


def test_every_function_of_the_files_is_read():
    """With its body."""
    texts = b"".join(packaged_schema().functions).decode()
    assert len(dict(defined())) == texts.count("CREATE OR REPLACE FUNCTION ")
    assert all(function.body for function in dict(defined()).values())


def test_a_new_database_has_no_difference(own_database):
    """For the owner and for the room. A plain index, a table and a view of an administrator are none."""
    _, owner = own_database
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(
            "CREATE INDEX own_look ON hands (epoch); CREATE TABLE own_notes (n int PRIMARY KEY CHECK (n > 0));"
            "CREATE VIEW own_view AS SELECT * FROM accounts; GRANT SELECT ON legs TO PUBLIC"
        )
    assert [on(each, schema_differences) for each in own_database] == [[], []]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            "ALTER TABLE operator_log DISABLE TRIGGER line_is_chained",
            "the trigger operator_log.line_is_chained was changed",
        ),
        (
            "DROP TRIGGER operator_log_is_for_ever ON operator_log",
            "the trigger operator_log.operator_log_is_for_ever is missing",
        ),
        (
            "CREATE TRIGGER forged BEFORE INSERT ON legs FOR EACH ROW EXECUTE FUNCTION fill_in_code()",
            "the trigger legs.forged is not of this build: CREATE TRIGGER forged",
        ),
        (
            "ALTER TABLE seats DISABLE TRIGGER ALL",
            "the switched-off check of references seats.seats_account_fkey is not of",
        ),
        (
            "ALTER TABLE transfers DROP CONSTRAINT transfer_key_is_unique",
            "the constraint transfers.transfer_key_is_unique is missing",
        ),
        (
            "ALTER TABLE legs DROP CONSTRAINT legs_amount_check, ADD CONSTRAINT legs_amount_check CHECK (amount <> 7)",
            "the constraint legs.legs_amount_check was changed: CHECK ((amount <> 7))",
        ),
        (
            "ALTER TABLE legs DROP CONSTRAINT legs_amount_check, ADD CHECK (amount <> 0) NOT VALID",
            "the constraint legs.legs_amount_check was changed: CHECK ((amount <> 0)) NOT VALID",
        ),
        ("ALTER TABLE hands ALTER epoch SET DEFAULT 7", "the column hands.epoch was changed: bigint 7"),
        ("ALTER TABLE hands ADD forged bigint", "the column hands.forged is not of this build: bigint"),
        ("CREATE UNIQUE INDEX forged ON hands (transfer, epoch)", "the index hands.forged is not of this build: "),
        ("DROP INDEX operator_log_by_verb", "the index operator_log.operator_log_by_verb is missing"),
        ("CREATE RULE forged AS ON DELETE TO hands DO INSTEAD NOTHING", "the rule hands.forged is not of this build: "),
        ("ALTER TABLE hands ENABLE ROW LEVEL SECURITY", "the table hands was changed: p row security"),
        ("CREATE POLICY forged ON hands USING (false)", "the policy hands.forged is not of this build: "),
        ("CREATE TABLE forged () INHERITS (legs)", "the table that inherits legs < forged is not of this build"),
        (
            "ALTER TABLE hands RENAME TO those; CREATE VIEW hands AS SELECT * FROM those",
            "the other relation hands is not of this build: v",
        ),
        (
            "CREATE OR REPLACE FUNCTION lock_account(of_account bigint) RETURNS void LANGUAGE plpgsql AS 'BEGIN END'",
            "the function lock_account was replaced",
        ),
        ("ALTER FUNCTION lock_account(bigint) SECURITY DEFINER", "the function lock_account was replaced"),
        ("ALTER FUNCTION lock_account(bigint) SET role = postgres", "the function lock_account was replaced"),
        ("ALTER FUNCTION lock_account(bigint) RENAME TO other", "the function lock_account is missing"),
        (
            "CREATE FUNCTION lock_account(of_account int) RETURNS void LANGUAGE plpgsql AS 'BEGIN END'",
            "there are 2 functions lock_account",
        ),
        ("CREATE ROLE forger; ALTER TABLE legs OWNER TO forger", "the owner legs is not of this build: forger"),
        (
            "CREATE ROLE forger; ALTER FUNCTION lock_account(bigint) OWNER TO forger",
            "the owner of function lock_account is not of this build: forger",
        ),
        ("GRANT UPDATE ON legs TO PUBLIC", "the grant legs UPDATE is not of this build"),
        ("GRANT INSERT (created) ON transfers TO PUBLIC", "the grant transfers.created INSERT is not of this build"),
        (
            ("CREATE SCHEMA forger; CREATE TABLE forger.legs (); GRANT USAGE ON SCHEMA forger TO PUBLIC;"
            " ALTER DATABASE test_own SET search_path = forger, public"),
            "the relation of another schema legs is not of this build: forger",
        ),
        (
            "ALTER DATABASE test_own SET session_replication_role = replica",
            "the setting all roles is not of this build: session_replication_role=replica",
        ),
    ],
)  # fmt: skip
def test_each_change_of_the_schema_is_named(own_database, change, sentence):
    """In one line, which says what it is now."""
    url, owner = own_database
    with psycopg.connect(owner, autocommit=True) as connection:
        try:
            connection.execute(change)
            found = on(url, schema_differences)
        finally:
            connection.execute(
                "DO $$ BEGIN IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'forger') THEN"
                " REASSIGN OWNED BY forger TO CURRENT_USER; DROP OWNED BY forger; DROP ROLE forger; END IF; END $$"
            )
    assert any(one.startswith(f"schema: {sentence}") for one in found), found
