"""`pokerroom.ledger.postgres`: the contract, and what only a real server can do: fail, and serve many at once."""

import asyncio
import json
import traceback

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from twisted.internet.defer import DeferredList, gatherResults

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.api import InsufficientBalance, LedgerConflict, LedgerRefusal, LedgerUnavailable
from pokerroom.ledger.postgres.calls import ATTEMPTS_MAX, CONNECTIONS_MAX
from pokerroom.ledger.postgres.ledger import PostgresLedger
from tests.ledger.contract import buy_in, cash_out, hand, key_of, opened, seated, stacks, top_up
from tests.ledger.locks import cut_every_connection, locked_stacks, terminate, waiting_for_a_lock
from tests.ledger.whole_contract import WholeContract

pytestmark = pytest.mark.services

CHAINED_AGAIN = """
DO $$
DECLARE
    line   operator_log;
    before bytea := decode(repeat('00', 32), 'hex');
BEGIN
    FOR line IN SELECT * FROM operator_log ORDER BY n LOOP
        line.prev_hash := before;
        before := line_hash(line);
        UPDATE operator_log SET prev_hash = line.prev_hash, hash = before WHERE n = line.n;
    END LOOP;
    UPDATE operator_log_head SET hash = before;
END $$
"""
"""The chain of the operators' log after its times were moved."""

OTHER_BACKENDS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


class TestPostgresLedger(WholeContract):
    """The contract, in PostgreSQL."""

    @pytest.fixture
    def ledger(self, postgres):
        return postgres

    @pytest.fixture
    def later(self, emptied_database):
        """The clock is the server's: what it noted is moved into the past instead."""

        def pass_by(seconds):
            with psycopg.connect(emptied_database, autocommit=True) as connection:
                connection.execute("SET session_replication_role = replica")  # no trigger keeps the past
                for table, moment in (
                    ("departures", "departed"),
                    ("account_limits", "wanted_from"),
                    ("cash_requests", "asked"),
                    ("cash_requests", "decided"),
                    ("order_keys", "begun"),
                    ("play_results", "ended"),
                    ("play_time", "noted"),
                    ("exclusions", "since"),
                    ("exclusions", "until"),
                    ("accounts", "logged_in"),
                    ("adjustments", "proposed"),
                    ("adjustments", "decided"),
                    ("hosted_tables", "opened"),
                    ("hosted_tables", "used"),
                    ("hosted_tables", "raised"),
                    ("hosted_tables", "closing"),
                    ("hosted_tables", "closed"),
                    ("chat_mutes", "until"),
                    ("clubs", "opened"),
                    ("clubs", "code_until"),
                    ("wallet_transfers", "ended"),
                ):
                    connection.execute(
                        f"UPDATE {table} SET {moment} = {moment} - make_interval(secs => %s)", (seconds,)
                    )
                connection.execute("UPDATE operator_log SET at_ms = at_ms - 1000 * %s", (int(seconds),))
                connection.execute(CHAINED_AGAIN)

        return pass_by


def test_the_record_of_a_hand_is_kept_as_a_document(run, postgres, emptied_database):
    """The record can be read and queried as JSON, with the times of the hand to the millisecond."""
    alice, bob = seated(run, postgres, "alice", "bob")
    record = {"board": ["As", "Td"], "note": 'quo"te, {brace}, \\back, Ünï'}
    run(postgres.settle([hand("h1", {alice: 1, bob: -1}, record=json.dumps(record).encode())]))
    with psycopg.connect(emptied_database) as connection:
        row = connection.execute(
            "SELECT record, (extract(epoch FROM started) * 1000)::bigint,"
            " (extract(epoch FROM ended) * 1000)::bigint FROM hands"
        ).fetchone()
    assert row == (record, 1_700_000_000_123, 1_700_000_030_456)


def test_players_are_listed_with_their_changes(run, postgres, emptied_database):
    """Each player of a hand has a row, also without a change of the stack."""
    alice, bob, carol = seated(run, postgres, "alice", "bob", "carol")
    run(postgres.settle([hand("h1", {alice: 1, bob: -1, carol: 0})]))
    with psycopg.connect(emptied_database) as connection:
        rows = connection.execute("SELECT account, delta FROM hand_players ORDER BY account").fetchall()
    assert rows == [(alice, 1), (bob, -1), (carol, 0)]


def test_a_batch_cut_in_the_middle_is_unknown_and_settles_once_when_repeated(run, postgres, database):
    """When the backend is killed in mid-batch the caller hears LedgerUnavailable; repeating settles."""
    alice, bob = seated(run, postgres, "alice", "bob")
    batch = [hand("h1", {alice: 10, bob: -10}), hand("h2", {alice: 5, bob: -5})]
    run(postgres.settle([hand("h0", {alice: 0, bob: 0})]))
    with locked_stacks(database):
        settling = postgres.settle(batch)
        terminate(database, waiting_for_a_lock(run, database))
        with pytest.raises(LedgerUnavailable):
            run(settling)
    assert stacks(run, postgres) == {alice: 1_000, bob: 1_000}
    run(postgres.settle(batch))
    run(postgres.settle(batch))
    assert stacks(run, postgres) == {alice: 1_015, bob: 985}
    assert run(postgres.audit()).differences == ()


class Proxy:
    """Stands between ledger and server; cuts the line instead of the answer to what contains `cut_after`."""

    def __init__(self, server, home):
        self.home = str(home)
        self.cut_after = None
        self._cut = False
        self._target = f"{server.home}/.s.PGSQL.5432"
        self._path = f"{home}/.s.PGSQL.5432"
        self._tasks = set()

    async def open(self):
        self._listening = await asyncio.start_unix_server(self._serve, self._path)

    async def close(self):
        self._listening.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        try:
            upstream_reader, upstream_writer = await asyncio.open_unix_connection(self._target)
            forward = asyncio.create_task(self._copy(reader, upstream_writer))
            self._tasks.add(forward)
            while answer := await upstream_reader.read(65536):
                if self._cut:
                    self._cut = False
                    break
                writer.write(answer)
        finally:
            upstream_writer.close()
            writer.close()

    async def _copy(self, reader, writer):
        while part := await reader.read(65536):
            if self.cut_after is not None and self.cut_after in part:
                self.cut_after, self._cut = None, True
            writer.write(part)


def test_a_commit_whose_answer_is_lost_is_unknown_and_is_not_done_twice(
    run, server, postgres, database, tmp_path_factory
):
    """The server commits and the line is cut before it says so: repeated, nothing moves again."""
    alice, bob = seated(run, postgres, "alice", "bob")
    proxy = Proxy(server, tmp_path_factory.mktemp("pg"))
    run(deferred(proxy.open()))
    ledger = PostgresLedger(make_conninfo(database, host=proxy.home))
    run(ledger.open())
    run(ledger.settle([hand("h1", {alice: 1, bob: -1})]))
    proxy.cut_after = b"h2"
    with pytest.raises(LedgerUnavailable):
        run(ledger.settle([hand("h2", {alice: 10, bob: -10})]))
    assert stacks(run, postgres) == {alice: 1_011, bob: 989}, "it was committed"
    run(ledger.settle([hand("h2", {alice: 10, bob: -10})]))
    proxy.cut_after = b"cash_out"
    with pytest.raises(LedgerUnavailable):
        run(cash_out(ledger, "out", "T1", alice))
    assert run(cash_out(ledger, "out", "T1", alice)) == 1_011
    assert stacks(run, postgres) == {bob: 989}
    assert run(postgres.audit()).differences == ()
    run(ledger.close())
    run(deferred(proxy.close()))


def test_connections_that_were_cut_are_replaced(run, postgres, database):
    """After a restart of the server calls and batches go on."""
    alice, bob = seated(run, postgres, "alice", "bob")
    run(postgres.settle([hand("h1", {alice: 1, bob: -1})]))
    cut_every_connection(database)
    assert run(postgres.find_account("alice")).account == alice
    run(postgres.settle([hand("h2", {alice: 1, bob: -1})]))
    assert stacks(run, postgres) == {alice: 1_002, bob: 998}


def test_calls_that_fail_give_their_connections_back(run, database):
    """Many at once, refused or answered: the next one finds a connection, and the end of the ledger closes all."""
    ledger = PostgresLedger(database, wait_s=20)
    run(ledger.open())
    (alice,) = seated(run, ledger, "alice")
    for _ in range(2):
        calls = [top_up(ledger, str(n), "T1", alice, 10**9) for n in range(2 * CONNECTIONS_MAX)]
        answers = run(DeferredList([*calls, ledger.find_account("alice")], consumeErrors=True))
        *refused, (_, found) = answers
        assert {failure.type for _, failure in refused} == {InsufficientBalance}
        assert found.account == alice
    run(ledger.close())
    with psycopg.connect(database) as connection:
        (others,) = connection.execute(OTHER_BACKENDS).fetchone()
    assert others == 0


def test_a_server_that_is_not_there_is_unavailable(run, tmp_path):
    """Opening a ledger without a server fails with LedgerUnavailable, for the operator to read."""
    ledger = PostgresLedger(f"host={tmp_path} user=postgres dbname=none", wait_s=0.2)
    with pytest.raises(LedgerUnavailable, match="cannot be reached"):
        run(ledger.open())
    with pytest.raises(LedgerUnavailable):
        run(ledger.settle([hand("h1", {1: 0})]))
    run(ledger.close())


@pytest.mark.parametrize("failures", [ATTEMPTS_MAX - 1, ATTEMPTS_MAX])
def test_a_transaction_that_loses_to_others_is_tried_again(run, postgres, database, failures):
    """A few times at once, without telling the caller; then it is unavailable, and nothing has changed."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE SEQUENCE tries")  # a sequence counts attempts that are rolled back, too
        connection.execute(
            "CREATE OR REPLACE FUNCTION open_source(new_name text, actor acting) RETURNS void LANGUAGE plpgsql"
            " AS $$ BEGIN"
            " INSERT INTO cash_sources VALUES (new_name, true);"
            f" IF nextval('tries') <= {failures} THEN"
            " RAISE EXCEPTION USING ERRCODE = 'serialization_failure'; END IF; END $$"
        )
        opening = postgres.open_source("cash")
        if failures < ATTEMPTS_MAX:
            run(opening)
        else:
            with pytest.raises(LedgerUnavailable, match="too often"):
                run(opening)
        assert connection.execute("SELECT last_value FROM tries").fetchone() == (ATTEMPTS_MAX,)
        (sources,) = connection.execute("SELECT count(*) FROM cash_sources").fetchone()
    assert sources == (failures < ATTEMPTS_MAX)


@pytest.mark.parametrize("address", ["secret", "postgresql://h?secret=secret", "host=h secret"])
def test_an_address_that_cannot_be_read_is_unavailable(address):
    """The operator reads what is wrong, and nothing of it, which may be a password."""
    with pytest.raises(LedgerUnavailable, match="neither a URL nor a connection string") as refused:
        PostgresLedger(address)
    assert "secret" not in "".join(traceback.format_exception(refused.value))


def test_stacks_are_locked_in_the_order_of_their_ids(run, postgres, emptied_database):
    """Whatever the order of the legs: a batch that waits for a stack holds those before it and none after."""
    accounts = seated(run, postgres, *(f"p{n}" for n in range(9)))
    mixed = [accounts[n] for n in (8, 2, 5, 0, 7, 3, 6, 1, 4)]
    deltas = {account: 1 if n % 2 else -1 for n, account in enumerate(mixed[:8])} | {mixed[8]: 0}
    deltas[mixed[0]], deltas[mixed[8]] = -2, 1  # all nine have a leg, and the sum is zero
    run(postgres.settle([hand(f"warm{n}", deltas) for n in range(6)]))
    with (
        psycopg.connect(emptied_database) as holder,
        psycopg.connect(emptied_database, autocommit=True) as looker,
    ):
        holder.execute(
            "SELECT FROM ledger_accounts WHERE owner = %s AND kind = 'stack' FOR UPDATE", (accounts[4],)
        )
        settling = postgres.settle([hand("h1", deltas)])
        waiting_for_a_lock(run, emptied_database)
        free = looker.execute(
            "SELECT owner FROM ledger_accounts WHERE kind = 'stack' ORDER BY id FOR UPDATE SKIP LOCKED"
        ).fetchall()
        holder.rollback()
    run(settling)
    assert [owner for (owner,) in free] == accounts[5:]


def test_many_connections_move_money_at_once(run, postgres, emptied_database):
    """Two nodes settle the same players in opposite orders while others top up, leave and come: all adds up."""
    names = [f"p{n}" for n in range(6)]
    accounts = opened(run, postgres, *names, opening=100_000)
    tables = [f"T{n}" for n in range(4)]
    run(
        gatherResults(
            buy_in(postgres, f"buyin:{table}:{account}", table, seat, account, Money(1_000))
            for table in tables
            for seat, account in enumerate(accounts, 1)
        )
    )
    other = PostgresLedger(emptied_database, wait_s=50)
    run(other.open())
    moves = []
    for turn in range(15):
        one = [
            hand(f"a{turn}{table}", {accounts[n]: 5, accounts[n + 1]: -5}, table=table)
            for n, table in enumerate(tables)
        ]
        two = [
            hand(f"b{turn}{table}", {accounts[n]: -5, accounts[n + 1]: 5}, table=table)
            for n, table in reversed(list(enumerate(tables)))
        ]
        moves += [postgres.settle(one), other.settle(two), other.settle(two)]
        for n, account in enumerate(accounts):
            moves.append(top_up(postgres, f"top{turn}:{n}", tables[turn % 4], account, Money(10)))
            moves.append(buy_in(other, f"in{turn}:{n}", f"X{turn % 3}", 1 + turn % 2, account, Money(7)))
            moves.append(cash_out(postgres, f"out{turn}:{n}", f"X{turn % 3}", account))
    outcomes = run(DeferredList(moves, consumeErrors=True))
    for succeeded, failure in outcomes:
        assert succeeded or failure.check(LedgerRefusal), failure
    report = run(postgres.audit())
    assert report.differences == ()
    assert report.hands == 15 * 4 * 2
    expected = dict.fromkeys(accounts, 1_000 + 40)
    assert stacks(run, postgres, "T0") == expected
    run(other.close())


def test_a_buy_in_in_the_middle_of_a_cash_out_leaves_with_it(run, postgres, emptied_database):
    """The seat that a cash-out frees and the stack that it moves are of one moment, the account's first here too."""
    (alice,) = opened(run, postgres, "alice")
    with psycopg.connect(emptied_database) as other:
        other.execute("INSERT INTO transfers (key, kind) VALUES (%s, 'cash_out')", [key_of("cashout", "out")])
        leaving = cash_out(postgres, "out", "T1", alice)
        waiting_for_a_lock(run, emptied_database)
        run(buy_in(postgres, "in", "T1", 1, alice, Money(300)))
        other.rollback()
    assert run(leaving) == 300
    assert run(postgres.left_with("T1", alice, 60)) == 300
    assert run(postgres.audit()).differences == ()


def test_a_hand_and_a_cash_out_at_once_never_leave_chips_without_a_seat(run, postgres):
    """Either the hand comes first and its result leaves with the player, or it is refused as a whole."""
    alice, bob = seated(run, postgres, "alice", "bob", stack=100)
    for turn in range(40):
        outcomes = run(
            DeferredList(
                [
                    postgres.settle([hand(f"h{turn}", {alice: -1, bob: 1})]),
                    cash_out(postgres, f"out{turn}", "T1", bob),
                ],
                consumeErrors=True,
            )
        )
        (settled, why), (left, amount) = outcomes
        assert left
        assert amount == (101 if settled else 100)
        assert settled or why.check(LedgerConflict)
        assert run(postgres.audit()).differences == ()
        run(buy_in(postgres, f"in{turn}", "T1", 2, bob, Money(100)))
