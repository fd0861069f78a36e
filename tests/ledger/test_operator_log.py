"""The operators' log in PostgreSQL: it is append-only, its chain names what was changed, and writers take turns."""

import re
import threading

import psycopg
import pytest
from psycopg import errors

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import RARE_PER_HOUR, SAME_PER_HOUR, Acting, LoggedAct, LogQuery, legible
from pokerroom.ledger.postgres.migrations import packaged_schema
from tests.ledger.contract_of_operator_log import ANN, CHANGES, freeze, prepared, refused
from tests.ledger.tampering import Inside

pytestmark = pytest.mark.services

CHANGED = (
    *("accounts", "sessions", "recovery_codes", "second_factors", "operators", "operator_log", "transfers"),
    *("ledger_accounts", "cash_sources", "cash_requests", "adjustments", "cashier_settings"),
)


@pytest.fixture
def tamper(run, postgres, emptied_database):
    """Writes five lines, then changes the tables with all triggers off; returns what the audit finds."""
    for number in range(1, 6):
        run(postgres.record(freeze(f"T{number}")))
    assert run(postgres.audit()).differences == ()

    def change(*statements):
        with psycopg.connect(emptied_database, autocommit=True) as connection:
            connection.execute("SET session_replication_role = replica")
            for statement in statements:
                connection.execute(statement)
        return run(postgres.audit()).differences

    return change


COLUMNS = "at_ms, who, role, verb, subject, args, reason, result, address, prev_hash, hash"
COPY = f"INSERT INTO operator_log SELECT 6, {COLUMNS} FROM operator_log WHERE n = 5"
EVE = "UPDATE operator_log SET who = 'eve' WHERE n = 3"
HASH = "UPDATE operator_log AS line SET hash = line_hash(line) WHERE n = {n}"
REWRITE = """
DO $$ DECLARE line operator_log; before bytea := decode(repeat('00', 32), 'hex'); BEGIN
    FOR line IN SELECT * FROM operator_log ORDER BY n LOOP
        line.prev_hash := before;
        line.hash := line_hash(line);
        UPDATE operator_log SET prev_hash = line.prev_hash, hash = line.hash WHERE n = line.n;
        before := line.hash;
    END LOOP;
END $$
"""


@pytest.mark.parametrize(
    ("statements", "sentence"),
    [
        (["UPDATE operator_log SET who = 'eve' WHERE n = 3"], "line 3 of the operators' log was changed"),
        (
            ["UPDATE operator_log SET at_ms = at_ms - 1 WHERE n = 1"],
            "line 1 of the operators' log was changed",
        ),
        (
            ["""UPDATE operator_log SET args = '{"n":4}' WHERE n = 2"""],
            "line 2 of the operators' log was changed",
        ),
        (
            ["UPDATE operator_log SET verb = 'table.freez', subject = 'eT2' WHERE n = 2"],
            "line 2 of the operators' log was changed",
        ),
        (["DELETE FROM operator_log WHERE n = 2"], "line 2 of the operators' log is missing"),
        (["DELETE FROM operator_log WHERE n = 5"], "the operators' log ends with line 4, its head is line 5"),
        (["DELETE FROM operator_log"], "the operators' log ends with line 0, its head is line 5"),
        ([COPY], "line 6 of the operators' log was changed"),
        ([COPY, HASH.format(n=6)], "line 6 of the operators' log does not follow line 5"),
        (
            [
                "UPDATE operator_log SET n = CASE n WHEN 2 THEN 30 ELSE 20 END WHERE n IN (2, 3)",
                "UPDATE operator_log SET n = n / 10 WHERE n > 9",
            ],
            "line 2 of the operators' log was changed",
        ),
        ([EVE, HASH.format(n=3)], "line 4 of the operators' log does not follow line 3"),
        ([EVE, REWRITE], "the operators' log ends with line 5, its head is line 5 with another hash"),
    ],
    ids=[
        "who",
        "time",
        "args",
        "shift",
        "delete",
        "last",
        "all",
        "insert",
        "chained",
        "swap",
        "rehash",
        "rewrite",
    ],
)
def test_the_audit_names_the_first_line_that_does_not_fit(tamper, statements, sentence):
    """A line changed, removed, added or moved, also by someone who knows how hashes are made."""
    assert tamper(*statements) == (sentence,)


def test_the_audit_in_memory_names_it_too(run):
    """The adapter of the simulation follows the same chain."""
    ledger = MemoryLedger()
    for number in range(3):
        run(ledger.record(freeze(f"T{number}")))
    del Inside(ledger).lines[1]
    assert run(ledger.audit()).differences == ("line 2 of the operators' log is missing",)


@pytest.fixture(scope="module")
def sql(run, refusing):
    """Raw statements against a ledger with a line."""
    ledger, execute = refusing
    run(ledger.record(freeze("T1")))
    return execute


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE operator_log SET who = 'eve'",
        "DELETE FROM operator_log",
        "TRUNCATE operator_log",
        "UPDATE operator_log_head SET n = 0",
        "DELETE FROM operator_log_head",
        "TRUNCATE operator_log_head",
    ],
)
def test_what_was_written_stays(sql, statement):
    """For every program, also for the owner of the database."""
    with pytest.raises(errors.RestrictViolation):
        sql(statement)


def test_a_line_of_another_program_is_chained_too(sql):
    """It chooses neither number, time nor hash."""
    sql(
        "INSERT INTO operator_log VALUES (99, 5, 'eve', '', 'x', '', '{}', '', 'done', '',"
        " decode(repeat('11', 32), 'hex'), decode(repeat('22', 32), 'hex'))"
    )
    n, at_ms = sql("SELECT n, at_ms FROM operator_log WHERE who = 'eve'").fetchone()
    assert n == 2
    assert at_ms > 10**12


def test_two_writers_take_turns(postgres, run, emptied_database):
    """Each on a connection of its own; the second one waits for the end of the first one's transaction."""
    statement = "SELECT log_act(ROW('ann', '', '', '')::acting, 'x', '', '{}')"

    def write():
        with psycopg.connect(emptied_database, autocommit=True) as connection:
            for _ in range(20):
                connection.execute(statement)

    with psycopg.connect(emptied_database) as slow:
        slow.execute(statement)
        writers = [threading.Thread(target=write) for _ in range(2)]
        for writer in writers:
            writer.start()
        assert run(postgres.log_head()).n == 0
        slow.commit()
    for writer in writers:
        writer.join(20)
    assert run(postgres.log_head()).n == 41
    assert run(postgres.audit()).differences == ()


def test_a_change_that_is_taken_back_leaves_no_line_and_no_gap(postgres, run, emptied_database):
    """The line is part of the transaction."""
    with psycopg.connect(emptied_database) as connection:
        connection.execute("SELECT log_act(ROW('ann', '', '', '')::acting, 'x', '', '{}')")
        connection.rollback()
    assert run(postgres.record(freeze("T1"))) == 1


@pytest.mark.parametrize("change", [row[0] for row in CHANGES], ids=[row[1] for row in CHANGES])
def test_a_change_without_its_line_is_not_made(run, postgres, emptied_database, change):
    """Here the database refuses the line: all tables are as before."""
    prepared(run, postgres)

    def rows():
        with psycopg.connect(emptied_database) as connection:
            return [
                connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in CHANGED
            ]

    before = rows()
    with pytest.raises(psycopg.IntegrityError):
        run(change(postgres, Acting(who="x" * 201, reason="x")))
    assert rows() == before


def test_the_bound_is_of_an_hour(postgres, run, emptied_database):
    """Lines that are older do not count."""
    for _ in range(SAME_PER_HOUR):
        run(postgres.record_rarely(refused("192.0.2.1")))
    assert run(postgres.record_rarely(refused("192.0.2.1"))) is None
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("UPDATE operator_log SET at_ms = at_ms - 3600001")
    assert run(postgres.record_rarely(refused("192.0.2.1"))) == SAME_PER_HOUR + 1


def test_a_storm_on_two_connections_is_bounded_as_one(postgres, run, emptied_database):
    """Both ask at the same time for the last places."""
    address = "gen_random_uuid()::text"
    statement = (
        f"SELECT log_rarely(ROW('stranger', '', '', {address})::acting, 'x', '', '{{}}', 'refused', 10, 100)"
    )

    def storm():
        with psycopg.connect(emptied_database, autocommit=True) as connection:
            for _ in range(RARE_PER_HOUR):
                connection.execute(statement)

    writers = [threading.Thread(target=storm) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(30)
    assert run(postgres.log_head()).n == RARE_PER_HOUR


def test_a_page_of_the_log_begins_before_a_number(postgres, run):
    """So a reader of the whole log asks again and again."""
    for number in range(5):
        run(postgres.record(freeze(f"T{number}")))
    assert [line.n for line in run(postgres.log_lines(LogQuery(before=4, limit=2)))] == [3, 2]


@pytest.mark.parametrize("text", ["", "é" * 400, "\0\n\x1b[31m", "\ud800 cut", "a\u202eb", "🂡"])
def test_text_from_outside_fits_into_a_line(text):
    """It is short, and each character can be shown and stored."""
    shown = legible(text)
    assert len(shown) == min(200, len(text))
    assert shown.isprintable()
    shown.encode()


def test_no_function_of_the_database_logs_a_secret():
    """The names of all arguments that it writes pass the check that those of the room pass."""
    written = {
        name
        for functions in packaged_schema().functions
        for arguments in re.findall(r"json_build_object\(([^;]*)\)", functions.decode())
        for name in re.findall(r"'(\w+)',", arguments)
    }
    assert {"amount", "sessions_ended", "note", "on"} <= written
    LoggedAct(by=ANN, verb="x", arguments=dict.fromkeys(written, 0))
