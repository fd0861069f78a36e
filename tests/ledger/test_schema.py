"""The rules of the schema hold for every program, also with raw SQL and as the owner of the database."""

import psycopg
import pytest
from psycopg import errors

from tests.ledger.contract import hand, seated
from tests.ledger.contract_of_bounties import played

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def sql(run, refusing):
    """Raw statements against a ledger with two seated players and one hand."""
    ledger, execute = refusing
    alice, bob = seated(run, ledger, "alice", "bob")
    run(ledger.settle([hand("h1", {alice: 10, bob: -10}, by_clock=[alice])]))
    return execute


NEW_TRANSFER = (
    "WITH made AS (INSERT INTO transfers (key, kind) VALUES ('topup:T1:1:raw', 'top_up') RETURNING id)"
    " INSERT INTO legs SELECT made.id, ledger_accounts.id, amount"
    " FROM made, (VALUES {legs}) AS leg (code, amount) JOIN ledger_accounts USING (code)"
)


def test_a_balanced_transfer_is_written_and_moves_the_balances(sql):
    """The rules allow what is right."""
    sql("BEGIN")
    sql(NEW_TRANSFER.format(legs="('wallet:1', -5), ('stack:T1:1', 5)"))
    rows = sql("SELECT balance FROM ledger_accounts WHERE code IN ('wallet:1', 'stack:T1:1') ORDER BY id")
    assert rows.fetchall() == [(8_995,), (1_015,)]
    sql("ROLLBACK")


OTHER_OPENING = """
WITH zoe AS (INSERT INTO accounts (name, password_hash) VALUES ('zoe', '') RETURNING id),
    wallet AS (INSERT INTO ledger_accounts (kind, owner) SELECT 'wallet', id FROM zoe RETURNING id),
    booked AS (INSERT INTO transfers (key, kind) SELECT 'opening:' || id, 'opening' FROM zoe RETURNING id)
INSERT INTO legs SELECT booked.id, ledger_accounts.id, -5 FROM booked, ledger_accounts WHERE code = 'bank'
    UNION ALL SELECT booked.id, wallet.id, 5 FROM booked, wallet
"""


@pytest.mark.parametrize(
    ("legs", "constraint"),
    [
        ("('wallet:1', -5), ('stack:T1:1', 4)", "transfer_sums_to_zero"),
        ("('house', 5)", "transfer_sums_to_zero"),
        ("('wallet:1', -9001), ('stack:T1:1', 9001)", "balance_is_not_negative"),
        ("('bank', -5), ('house', 5)", "transfer_is_of_its_kind"),
        ("('wallet:1', 0), ('stack:T1:1', 0)", "legs_amount_check"),
        ("('wallet:1', -5), ('wallet:1', 5)", "legs_pkey"),
    ],
)
def test_a_transfer_that_is_wrong_is_refused(sql, legs, constraint):
    """Unbalanced, beyond a balance, of nothing, or one account twice: the name of the rule is told."""
    with pytest.raises(psycopg.IntegrityError) as refused:
        sql(NEW_TRANSFER.format(legs=legs))
    assert refused.value.diag.constraint_name == constraint
    assert sql("SELECT count(*) FROM transfers WHERE key = 'topup:T1:1:raw'").fetchone() == (0,)


def test_legs_cannot_be_added_to_a_transfer_later(sql):
    """Not even balanced ones: a transfer is written whole."""
    with pytest.raises(errors.CheckViolation) as refused:
        sql(
            "INSERT INTO legs SELECT transfers.id, ledger_accounts.id, amount"
            " FROM transfers, (VALUES ('bank', -5), ('house', 5)) AS leg (code, amount)"
            " JOIN ledger_accounts USING (code) WHERE transfers.kind = 'buy_in' LIMIT 2"
        )
    assert refused.value.diag.constraint_name == "transfer_sums_to_zero"


def test_two_transfers_cannot_balance_each_other(sql):
    """One statement with two transfers that are wrong by the same amount is refused."""
    with pytest.raises(errors.CheckViolation):
        sql(
            "WITH made AS (INSERT INTO transfers (key, kind) VALUES ('r1', 'hand'), ('r2', 'hand') RETURNING *)"
            " INSERT INTO legs SELECT made.id, ledger_accounts.id, amount"
            " FROM (VALUES ('r1', 'bank', -5), ('r2', 'house', 5)) AS leg (key, code, amount)"
            " JOIN made USING (key) JOIN ledger_accounts USING (code)"
        )


@pytest.mark.parametrize(
    ("legs", "error"),
    [
        ("(999999, 1, -5), (999999, 2, 5)", errors.CheckViolation),
        (
            "((SELECT id FROM made), 777777, -5), ((SELECT id FROM made), 888888, 5)",
            errors.ForeignKeyViolation,
        ),
    ],
    ids=["transfer", "ledger account"],
)
def test_legs_of_what_does_not_exist_are_refused(sql, legs, error):
    """A leg belongs to a transfer and a ledger account that are there."""
    with pytest.raises(error):
        sql(
            "WITH made AS (INSERT INTO transfers (key, kind) VALUES ('raw', 'top_up') RETURNING id)"
            f" INSERT INTO legs VALUES {legs}"
        )


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE legs SET amount = amount * 2",
        "DELETE FROM legs",
        "TRUNCATE legs",
        "UPDATE transfers SET key = key || '!'",
        "DELETE FROM transfers",
        "TRUNCATE transfers CASCADE",
        "UPDATE hands SET record = '{}'",
        "DELETE FROM hands",
        "TRUNCATE hands",
        "UPDATE hand_players SET delta = 0",
        "DELETE FROM hand_players",
        "TRUNCATE hand_players",
        "UPDATE timeout_all_ins SET account = 2",
        "DELETE FROM timeout_all_ins",
        "TRUNCATE timeout_all_ins",
        "DELETE FROM table_owners",
        "TRUNCATE table_owners",
        "UPDATE table_owners SET epoch = 0 WHERE table_id = 'T1'",
        "UPDATE table_owners SET node = 'n2' WHERE table_id = 'T1'",
        "UPDATE table_owners SET table_id = 'T8' WHERE table_id = 'T1'",
        "UPDATE ledger_accounts SET balance = balance + 1 WHERE code = 'wallet:1'",
        "UPDATE ledger_accounts SET kind = 'issuer', owner = NULL WHERE code = 'wallet:1'",
        "DELETE FROM ledger_accounts",
        "TRUNCATE ledger_accounts",
        "INSERT INTO ledger_accounts (kind, owner, table_id, balance) VALUES ('stack', 1, 'T7', 5)",
        "UPDATE accounts SET opening = opening + 1",
    ],
)
def test_what_was_written_stays(sql, statement):
    """No update, delete or truncate of the past, and no balance but by legs."""
    with pytest.raises(errors.RestrictViolation):
        sql(statement)


@pytest.mark.parametrize(
    ("statement", "constraint"),
    [
        ("INSERT INTO ledger_accounts (kind) VALUES ('issuer')", "ledger_account_code_is_unique"),
        ("INSERT INTO ledger_accounts (kind, owner) VALUES ('house', 1)", "ledger_account_owner"),
        ("INSERT INTO ledger_accounts (kind, table_id) VALUES ('bank', 'T1')", "ledger_account_table"),
        ("INSERT INTO ledger_accounts (kind) VALUES ('vault')", "ledger_accounts_kind_check"),
        ("INSERT INTO transfers (key, kind) VALUES ('genesis', 'genesis')", "transfer_key_is_unique"),
        ("INSERT INTO accounts (name, password_hash) VALUES ('ALICE', '')", "account_name_is_unique"),
        (
            "INSERT INTO accounts (name, password_hash, opening) VALUES ('zoe', '', 5)",
            "opening_is_as_declared",
        ),
        (OTHER_OPENING, "opening_is_as_declared"),
        ("INSERT INTO seats VALUES ('T1', 2, 1)", "account_has_one_seat"),
        ("INSERT INTO seats VALUES ('T1', 9, 1)", "account_has_one_seat"),
        ("INSERT INTO seats VALUES ('T1', 9, 99)", "seats_account_fkey"),
        ("INSERT INTO departures VALUES ('T1', 99, now(), 5)", "departures_account_fkey"),
        ("INSERT INTO departures VALUES ('T1', 1, now(), -5)", "departures_amount_check"),
        ("INSERT INTO table_owners VALUES ('T1', 1, 'n2')", "table_owners_pkey"),
        ("INSERT INTO table_owners VALUES ('T8', 0, 'n2')", "table_owners_epoch_check"),
        ("INSERT INTO timeout_all_ins SELECT * FROM timeout_all_ins", "timeout_all_ins_pkey"),
    ],
)
def test_rows_that_cannot_be_are_refused(sql, statement, constraint):
    """One issuer, owners where they belong, unique names and keys, one seat per account and table."""
    with pytest.raises(psycopg.IntegrityError) as refused:
        sql(statement)
    assert refused.value.diag.constraint_name == constraint


ROWS_READ = (
    "SELECT coalesce(sum(seq_tup_read), 0) + coalesce(sum(idx_tup_fetch), 0) FROM pg_stat_xact_user_tables"
)

SCANNED = "SELECT relname, seq_scan FROM pg_stat_xact_user_tables WHERE seq_scan > 0 ORDER BY relname"


def test_a_new_name_is_not_compared_with_each_account(run, postgres, database):
    """Among 2,000 accounts the one that looks like it is found by an index."""
    with psycopg.connect(database) as connection:
        connection.execute(
            "INSERT INTO accounts (name, password_hash) SELECT 'p' || n, '' FROM generate_series(1, 2000) AS n"
        )
        connection.execute("ANALYZE accounts")
        before = connection.execute(ROWS_READ).fetchone()[0]
        connection.execute("SELECT create_account('Zoe', '', 10)")
        assert 0 < connection.execute(ROWS_READ).fetchone()[0] - before < 40
        with pytest.raises(errors.UniqueViolation):
            connection.execute("SELECT create_account('plO2', '', 10)")


def test_a_batch_reads_its_own_rows_and_no_table_as_a_whole(run, postgres, database):
    """After many hands the next one still reads a handful of rows, on plans made when the tables were small."""
    seated(run, postgres, "alice", "bob")
    one_hand = (
        "SELECT settle_hands(ARRAY[%(hand)s], ARRAY['T1'], '{1}', '{0}', '{0}', ARRAY[%(record)s::bytea],"
        " '{1,1}', '{1,2}', '{1,-1}', '{t,f}', '{0}', '{}', '{}', '{}')"
    )
    record = hand("any", {1: 1, 2: -1}).record

    def reads_of_one_hand(connection, name, times):
        for n in range(times):
            before, scanned = (
                connection.execute(ROWS_READ).fetchone()[0],
                connection.execute(SCANNED).fetchall(),
            )
            connection.execute(one_hand, {"hand": f"{name}{n}", "record": record})
            assert (
                connection.execute(SCANNED).fetchall() == scanned
            )  # nor one that is empty: it has no index for that
            last = connection.execute(ROWS_READ).fetchone()[0] - before
        return last

    with psycopg.connect(database, prepare_threshold=0) as connection:
        reads_of_one_hand(connection, "early", 200)
        connection.execute("SELECT create_account('p' || n, '', 10) FROM generate_series(1, 300) AS n")
        assert 0 < reads_of_one_hand(connection, "late", 2) < 60


def test_a_hand_with_a_knockout_reads_no_table_as_a_whole(run, postgres, database):
    """Heads, entries and bounties are found by indexes, whatever other tournaments have."""
    alice, bob, *_ = played(run, postgres)
    record = hand("any", {alice: 1, bob: -1}).record
    with psycopg.connect(database) as connection:
        connection.execute(
            "SELECT settle_hands('{h1}', '{sun.1}', '{1}', '{0}', '{0}', ARRAY[%s::bytea], '{1,1}', %s::bigint[],"
            " '{1500,-1500}', '{f,f}', '{0}', '{1}', %s::bigint[], %s::bigint[])",
            [record, [alice, bob], [bob], [alice]],
        )
        assert connection.execute(SCANNED).fetchall() == []
        assert connection.execute("SELECT count(*) FROM tournament_bounties").fetchone() == (1,)


@pytest.mark.parametrize("statement", ["UPDATE exclusions SET until = now()", "DELETE FROM exclusions"])
def test_an_exclusion_cannot_be_lifted(sql, statement):
    """Not by any program, and not one for ever either."""
    sql("INSERT INTO exclusions (account) SELECT id FROM accounts LIMIT 1")
    with pytest.raises(errors.RestrictViolation):
        sql(statement)
