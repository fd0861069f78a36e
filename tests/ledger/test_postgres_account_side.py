"""Histories and the cashier in PostgreSQL alone: indexes, rules of the schema, what the audit finds, many at once."""

import psycopg
import pytest
from psycopg import errors
from twisted.internet.defer import DeferredList

from pokerroom.ledger.account_standing import AccountLocked
from pokerroom.ledger.cashier import CashDecided
from pokerroom.ledger.operators import Role
from pokerroom.ledger.postgres.account_history import (
    HANDS,
    NUMBERS,
    NUMBERS_OF_ACCOUNT,
    NUMBERS_OF_TABLE,
    TRANSFERS,
)
from pokerroom.ledger.postgres.ledger import PostgresLedger
from tests.ledger.contract import opened
from tests.ledger.contract_of_account_history import round_of
from tests.ledger.contract_of_adjustments import ANN, to_wallet
from tests.ledger.contract_of_cashier import WAITING_MAX, asked, funded
from tests.ledger.locks import waiting_for_a_lock

pytestmark = pytest.mark.services

MANY = 100_000

# With the rules switched off: what counts is how much there is.
_PLAYED_LONG = """
    SET session_replication_role = replica;
    INSERT INTO transfers (key, kind) SELECT 'hand:' || n, 'hand' FROM generate_series(1, {many}) AS n;
    INSERT INTO hands (transfer, hand_id, table_id, epoch, started, ended, record)
        SELECT id, substr(key, 6), 'T1', 1, now(), now(), '{{}}' FROM transfers WHERE kind = 'hand';
    INSERT INTO hand_players (account, hand, delta)
        SELECT account, transfer, 0 FROM hands, unnest(ARRAY[1, 2]) AS account;
    SET session_replication_role = origin;
    ANALYZE;
"""


def rows_read(plan):
    """How many rows the nodes of an executed plan went over, all in all."""
    read = (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * plan["Actual Loops"]
    return read + sum(rows_read(child) for child in plan.get("Plans", []))


@pytest.fixture(scope="module")
def long_history(run, new_database):
    """An account with 100,000 hands, the open ledger and the address of its database."""
    address = new_database()
    ledger = PostgresLedger(address, wait_s=50)
    run(ledger.open())
    alice, _ = opened(run, ledger, "alice", "bob")
    with psycopg.connect(address, autocommit=True) as connection:
        for statement in _PLAYED_LONG.format(many=MANY).strip().split(";")[:-1]:
            connection.execute(statement)
    yield alice, ledger, address
    run(ledger.close())


@pytest.mark.parametrize("before", [2**63 - 1, MANY // 2, 5])
def test_a_page_of_a_long_history_reads_no_more_than_a_page(run, long_history, before):
    """With 100,000 hands of the account, from anywhere, also with a plan made for any account."""
    alice, ledger, address = long_history
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SET plan_cache_mode = force_generic_plan")
        page = {"account": alice, "before": before, "limit": 20}
        plan = explained(connection, NUMBERS, page)
        assert rows_read(plan) <= 6 * 20
        numbers = [number for number, _ in connection.execute(NUMBERS, page)]
        among = HANDS + " AND hands.transfer = ANY(%(numbers)s::bigint[])"
        plan = explained(connection, among, {"account": alice, "numbers": numbers})
        assert rows_read(plan) <= 6 * 20
    assert len(run(ledger.account_history(alice, before, 20))) == len(numbers) == min(20, before - 4)


_MOVED_LONG = """
    INSERT INTO transfers (key, kind) SELECT 'buyin:' || md5(n::text), 'buy_in' FROM generate_series(1, %(many)s) AS n;
    INSERT INTO legs SELECT transfers.id, ledger_account_of('wallet:' || 1 + transfers.id %% 2), -1
        FROM transfers WHERE kind = 'buy_in';
    INSERT INTO legs SELECT transfers.id, ledger_account_of('bank'), 1 FROM transfers WHERE kind = 'buy_in';
    INSERT INTO account_transfers SELECT 1 + transfers.id %% 2, transfers.id FROM transfers WHERE kind = 'buy_in'
"""


def test_a_page_of_transfers_reads_no_more_than_a_page(run, postgres, emptied_database):
    """However many the player and others have."""
    opened(run, postgres, "alice", "bob")
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # false legs, which no trigger sees
        for statement in _MOVED_LONG.split(";"):
            connection.execute(statement, {"many": 30_000})
        connection.execute("ANALYZE")
        connection.execute("SET plan_cache_mode = force_generic_plan")
        for before in (2**63 - 1, 15_000, 5):
            page = {"account": 1, "before": before, "limit": 20}
            assert rows_read(explained(connection, TRANSFERS, page)) <= 20 * 25
    found = run(postgres.account_transfers(1, None, 20))
    assert [one.wallet for one in found] == [-1] * 20
    assert found == sorted(found, key=lambda one: -one.number)


@pytest.mark.parametrize("after", [0, MANY // 2, MANY - 5])
def test_a_page_of_an_export_reads_no_more_than_a_page(run, long_history, after):
    """Of an account, and of a table on which most hands were played, wherever the page begins."""
    alice, _, address = long_history
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("SET plan_cache_mode = force_generic_plan")
        for query, which in ((NUMBERS_OF_ACCOUNT, {"account": alice}), (NUMBERS_OF_TABLE, {"table": "T1"})):
            bounds = {"after": after, "end": 2**63 - 1, "limit": 200}
            plan = explained(connection, query, {**which, **bounds})
            assert rows_read(plan) <= 3 * 200


@pytest.mark.parametrize("late_s", [0, 40, 99_999, 200_000])
def test_the_numbers_of_a_period_are_found_without_an_index(long_history, late_s):
    """The first number booked at a time or later, in steps that halve the ledger. Gaps do no harm."""
    _, _, address = long_history
    with psycopg.connect(address) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("DELETE FROM transfers WHERE id % 3 = 0 OR id BETWEEN 1000 AND 2000")
        connection.execute("UPDATE transfers SET created = to_timestamp(id)")
        at = {"at": late_s}
        (first,) = connection.execute(
            "SELECT min(id) FROM transfers WHERE created >= to_timestamp(%(at)s)", at
        ).fetchone()
        (found,) = connection.execute("SELECT number_booked_at(to_timestamp(%(at)s))", at).fetchone()
        (between,) = connection.execute(
            "SELECT count(*) FROM transfers WHERE id < %(found)s AND created >= to_timestamp(%(at)s)"
            " OR id >= %(found)s AND created < to_timestamp(%(at)s)",
            {"found": found, **at},
        ).fetchone()
        assert between == 0
        assert first is None or found <= first
        connection.rollback()


def explained(connection, query, values):
    """The plan that is kept for any values, run with these."""
    names = list(values)
    types = {"account": "bigint", "before": "bigint", "limit": "bigint", "numbers": "bigint[]"}
    types |= {"after": "bigint", "end": "bigint", "table": "text", "seen": "bigint[]", "game": "text"}
    places = {name: f"${n}" for n, name in enumerate(names, 1)}
    connection.execute(f"PREPARE p ({', '.join(types[name] for name in names)}) AS {query % places}")
    given = ", ".join(
        f"'{{{','.join(map(str, value))}}}'" if isinstance(value, list) else f"'{value}'"
        for value in values.values()
    )
    (plan,) = connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE p ({given})").fetchone()[0]
    connection.execute("DEALLOCATE p")
    return plan["Plan"]


def test_of_many_who_decide_at_once_one_does(run, postgres):
    """Half of them approve and half refuse: all of one kind are told so, the money has moved once."""
    funded(run, postgres)
    (alice,) = opened(run, postgres, "alice")
    row = run(postgres.request_cash(asked(alice, 700, kind="withdrawal"), WAITING_MAX))
    decisions = [postgres.decide_cash(row.number, approve=n % 2 == 0, note="") for n in range(10)]
    results = run(DeferredList(decisions, consumeErrors=True))
    states = {result.state for good, result in results if good}
    assert len(states) == 1
    assert sum(good for good, _ in results) == 5
    assert all(result.check(CashDecided) for good, result in results if not good)
    assert run(postgres.wallet(alice)) == (10_000 if states == {"refused"} else 9_300)
    assert run(postgres.audit()).differences == ()


def test_of_many_withdrawals_at_once_no_more_go_than_there_is(run, postgres):
    """Each of ten asks for a third of the wallet."""
    funded(run, postgres)
    (alice,) = opened(run, postgres, "alice")
    wishes = [
        postgres.request_cash(asked(alice, 3_000, kind="withdrawal", key=f"key-{n:04}"), 99)
        for n in range(10)
    ]
    results = run(DeferredList(wishes, consumeErrors=True))
    assert sum(good for good, _ in results) == 3
    assert (run(postgres.wallet(alice)), run(postgres.held(alice))) == (1_000, 9_000)
    assert run(postgres.audit()).differences == ()


def test_an_account_that_is_locked_during_a_log_in_gets_no_session(run, postgres, emptied_database):
    """Else its token would let the player in again and again until it expires."""
    (alice,) = opened(run, postgres, "alice")
    with psycopg.connect(emptied_database) as other:
        other.execute("SELECT FROM lock_out(%s, ROW('ella', 'support', '', '')::acting)", (alice,))
        log_in = postgres.open_session(alice, b"1" * 32, password_hash="hash of alice")
        waiting_for_a_lock(run, emptied_database)
        other.commit()
    with pytest.raises(AccountLocked):
        run(log_in)
    assert run(postgres.sessions_of(alice)) == []


@pytest.mark.parametrize(
    "held", ["ledger_accounts WHERE code = 'source:cash'", "sessions"], ids=["source", "sessions"]
)
def test_a_deletion_that_waits_keeps_no_one_else_from_the_log(run, postgres, emptied_database, held):
    """The head of the log is locked last: else a decision of the cashier and a deletion wait for each other."""
    funded(run, postgres)
    (alice,) = opened(run, postgres, "alice")
    run(postgres.open_session(alice, b"1" * 32))
    with psycopg.connect(emptied_database) as other:
        other.execute(f"SELECT FROM {held} FOR UPDATE")
        deleting = postgres.delete_account(alice, "cash", by=ANN)
        waiting_for_a_lock(run, emptied_database)
        assert other.execute("SELECT FROM operator_log_head FOR UPDATE SKIP LOCKED").rowcount == 1
        other.rollback()
    assert len(run(deleting)) == 1
    assert run(postgres.audit()).differences == ()


def with_requests(run, ledger):
    """A deposit that is approved, a withdrawal that is pending, and a round."""
    funded(run, ledger)
    alice, _ = opened(run, ledger, "alice", "bob")
    row = run(ledger.request_cash(asked(alice, 700), WAITING_MAX))
    run(ledger.decide_cash(row.number, approve=True, note=""))
    pending = asked(alice, 300, key="key-0002", kind="withdrawal")
    run(ledger.request_cash(pending, WAITING_MAX))
    run(ledger.adjust(to_wallet(alice), by=ANN))
    run(ledger.set_four_eyes(on=True))
    run(ledger.add_operator(ANN.who, Role.CASHIER, b"ann"))
    run(ledger.adjust(to_wallet(alice, key="fix-2"), by=ANN))
    round_of(run, ledger, alice, "r1")


@pytest.fixture(scope="module")
def sql(run, refusing):
    """Raw statements against a ledger with requests."""
    ledger, execute = refusing
    with_requests(run, ledger)
    return execute


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE cash_requests SET state = 'refused' WHERE number = 1",
        "UPDATE cash_requests SET note = 'x' WHERE number = 1",
        "UPDATE cash_requests SET amount = 1 WHERE number = 2",
        "UPDATE cash_requests SET source = 'wire' WHERE number = 2",
        "DELETE FROM cash_requests",
        "DELETE FROM cash_sources",
        "UPDATE adjustments SET state = 'refused' WHERE number = 1",
        "UPDATE adjustments SET amount = 1 WHERE number = 2",
        "UPDATE adjustments SET proposed_by = 'ben' WHERE number = 2",
        "UPDATE adjustments SET proposed = now() WHERE number = 2",
        "DELETE FROM adjustments",
        "TRUNCATE adjustments",
        "UPDATE account_history SET ended = now()",
        "DELETE FROM account_history",
        "TRUNCATE account_history",
    ],
)
def test_what_was_decided_and_played_stays(sql, statement):
    """For any program that writes to the database."""
    with pytest.raises(errors.RestrictViolation):
        sql(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE cash_requests SET state = 'approved' WHERE number = 2",
        "INSERT INTO cash_requests (account, key, kind, amount, source) VALUES (1, 'key-0001', 'deposit', 1, 'cash')",
        "INSERT INTO cash_requests (account, key, kind, amount, source) VALUES (1, 'k', 'deposit', 1, 'none')",
        "INSERT INTO cash_requests (account, key, kind, amount, source) VALUES (1, 'k', 'gift', 1, 'cash')",
        "UPDATE adjustments SET state = 'made' WHERE number = 2",
        "INSERT INTO adjustments VALUES (DEFAULT, 1, 'k', 0, 'cash', 'proposed', now(), 'ann', 'x')",
        "INSERT INTO adjustments VALUES (DEFAULT, 1, 'k', 1, 'cash', 'proposed', now(), 'ann', '')",
        "INSERT INTO account_settings VALUES (1, 'key', '{}')",
        "INSERT INTO account_settings VALUES (1, '', '1')",
        "INSERT INTO account_history (account, number, ended) VALUES (1, 1, now())",
    ],
)
def test_what_cannot_be_is_refused(sql, statement):
    """A decision without its time, a key used twice, a source that is none, a setting that is a document."""
    with pytest.raises(psycopg.IntegrityError):
        sql(statement)


@pytest.mark.parametrize(
    ("statement", "sentences"),
    [
        (
            "UPDATE cash_requests SET state = 'waiting', decided = NULL WHERE number = 1",
            [
                "a cashier request moves 0 of source:cash",
                "a cashier request moves 0 of wallet:1",
            ],
        ),
        (
            "UPDATE cash_requests SET amount = 301 WHERE number = 2",
            ["held holds 300, pending withdrawals are 301", *["a cashier request moves"] * 2],
        ),
        (
            "UPDATE cash_requests SET state = 'refused', decided = now() WHERE number = 2",
            [
                "held holds 300, pending withdrawals are 0",
                *["a cashier request moves"] * 2,
                "cashier request 2 is refused, and the operators' log has no such decision",
            ],
        ),
        (
            "UPDATE adjustments SET amount = 701 WHERE number = 1",
            [
                "an adjustment moves -701 of source:cash by transfer adjust:1:fix-1, its legs say -700",
                "an adjustment moves 701 of wallet:1 by transfer adjust:1:fix-1, its legs say 700",
                "adjustment 1 is made, and the operators' log does not say so",
            ],
        ),
        (
            "UPDATE adjustments SET state = 'made', decided = now(), decided_by = 'eve' WHERE number = 2",
            [*["an adjustment moves"] * 2, "adjustment 2 is made, and the operators' log does not say so"],
        ),
        ("DELETE FROM adjustments WHERE number = 1", ["an adjustment moves 0 of"] * 2),
        ("DELETE FROM account_history", ["account 1 has round"]),
        (
            "INSERT INTO account_history SELECT 2, number, ended, round FROM account_history",
            ["account 2 has round"],
        ),
    ],
)
def test_the_audit_names_what_was_changed(run, postgres, emptied_database, statement, sentences):
    """By a program that has switched the rules off."""
    with_requests(run, postgres)
    assert run(postgres.audit()).differences == ()
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(statement)
    found = run(postgres.audit()).differences
    assert len(found) == len(sentences)
    for sentence in sentences:
        assert any(sentence in difference for difference in found)
