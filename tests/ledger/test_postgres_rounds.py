"""Rounds against the house in PostgreSQL: real concurrency, and the rules of the database."""

import json

import psycopg
import pytest
from twisted.internet.defer import gatherResults

from pokerroom.chips import Money
from pokerroom.ledger.transfers import GENESIS
from tests.ledger.contract import buy_in, cash_out, opened, stacks
from tests.ledger.contract_of_rounds import bets, end, stake, void, wallets
from tests.ledger.locks import cut_every_connection

pytestmark = pytest.mark.services


def test_the_record_of_a_round_is_kept_as_a_document(run, postgres, emptied_database):
    """With its players, their stakes, tips and payments, and the times to the millisecond."""
    alice, bob = opened(run, postgres, "alice", "bob")
    run(postgres.close_bets(bets({alice: 200, bob: 300})))
    run(postgres.add_stake(stake(bob, 25, key="round:r1:tip:1", kind="tip")))
    record = {"board": ["As", "Td"], "note": 'quo"te'}
    run(postgres.settle_round(end({alice: 500, bob: -325}, tronc=25, record=json.dumps(record).encode())))
    with psycopg.connect(emptied_database) as connection:
        row = connection.execute(
            "SELECT record, (extract(epoch FROM started) * 1000)::bigint, (extract(epoch FROM ended) * 1000)::bigint"
            " FROM rounds JOIN round_ends ON round = rounds.transfer"
        ).fetchone()
        played = connection.execute(
            "SELECT account, staked, tipped, paid FROM round_players ORDER BY account"
        ).fetchall()
    assert row == (record, 1_700_000_000_123, 1_700_000_030_456)
    assert played == [(alice, 200, 0, 700), (bob, 300, 25, 0)]


def test_the_same_players_at_many_tables_at_once(run, postgres):
    """Bets, Plays, ends and buy-ins of the same wallets, all at the same time: none is lost, and no chip is."""
    accounts = opened(run, postgres, "alice", "bob", "carol", "dave")
    tables = ("T0", "T1", "T2", "T3")
    for turn in range(3):
        names = {table: f"{table}-{turn}" for table in tables}
        orders = {table: accounts[n:] + accounts[:n] for n, table in enumerate(tables)}
        run(
            gatherResults(
                [
                    *(
                        postgres.close_bets(
                            bets(dict.fromkeys(orders[table], 100), round_id=names[table], table=table)
                        )
                        for table in tables
                    ),
                    *(
                        buy_in(postgres, f"in:{turn}:{n}", "T9", n, account, Money(100))
                        for n, account in enumerate(accounts)
                    ),
                ]
            )
        )
        run(
            gatherResults(
                postgres.add_stake(
                    stake(
                        account,
                        200,
                        key=f"round:{names[table]}:play:{account}",
                        round_id=names[table],
                        table=table,
                    )
                )
                for table in tables
                for account in orders[table]
            )
        )
        ends = [
            postgres.settle_round(end(dict.fromkeys(orders[table], 10), round_id=names[table], table=table))
            for table in tables[1:]
        ]
        given_back = postgres.void_round(void(round_id=names["T0"], table="T0"))
        run(gatherResults([*ends, given_back]))
        run(gatherResults([cash_out(postgres, f"out:{turn}:{a}", "T9", a) for a in accounts]))
    assert wallets(run, postgres, *accounts) == [10_090] * 4
    assert stacks(run, postgres, "T9") == {}
    report = run(postgres.audit())
    assert (report.differences, report.rounds, report.total) == ((), 12, GENESIS)


@pytest.fixture(scope="module")
def sql(run, refusing):
    """Raw statements against a ledger with one round."""
    ledger, execute = refusing
    (alice,) = opened(run, ledger, "alice")
    run(ledger.close_bets(bets({alice: 100})))
    run(ledger.settle_round(end({alice: 0})))
    return execute


@pytest.mark.parametrize(
    "statement", ["UPDATE {} SET round = round", "DELETE FROM {}", "TRUNCATE {} CASCADE"]
)
@pytest.mark.parametrize("table", ["round_stakes", "round_ends", "round_players"])
def test_what_was_written_of_a_round_stays(sql, table, statement):
    """No update, no delete, no truncate."""
    with pytest.raises(psycopg.errors.RestrictViolation):
        sql(statement.format(table))


@pytest.mark.parametrize(
    ("kind", "table"),
    [("stakes:T1", "T2"), ("stakes:T1", None), ("tronc", "T1"), ("pot", None), ("jar:T1", "T1")],
)
def test_an_account_of_a_table_is_what_its_code_says(run, postgres, emptied_database, kind, table):
    """The kinds that there are, and no account of one table under another's name."""
    with (
        psycopg.connect(emptied_database, autocommit=True) as connection,
        pytest.raises(psycopg.errors.IntegrityError),
    ):
        connection.execute("INSERT INTO ledger_accounts (kind, table_id) VALUES (%s, %s)", (kind, table))


def test_bets_meet_no_dead_connection(run, postgres, database):
    """After a restart of the server they go on over another one, once: nothing is said twice, nothing unavailable."""
    (alice,) = opened(run, postgres, "alice")
    run(postgres.close_bets(bets({alice: 100})))
    calls = [
        lambda: postgres.wallets([alice]),
        lambda: postgres.add_stake(stake(alice, 300)),
        lambda: postgres.settle_round(end({alice: -400})),
        postgres.next_round,
        lambda: postgres.close_bets(bets({alice: 100}, round_id="r2")),
    ]
    for call in calls:
        cut_every_connection(database)
        run(call())
    assert run(postgres.wallets([alice])) == {alice: 9_500}
    assert run(postgres.audit()).differences == ()
