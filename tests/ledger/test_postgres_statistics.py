"""Statistics in PostgreSQL alone: writers that commit late, several nodes, and the cost of a page."""

import psycopg
import pytest

from pokerroom.ledger.postgres.statistics import OPPONENTS
from pokerroom.ledger.statistics import HandTally, Months
from tests.ledger.contract import opened, seated
from tests.ledger.contract_of_statistics import counted_all, results, settled
from tests.ledger.test_postgres_account_side import explained, rows_read

pytestmark = pytest.mark.services

MANY = 3_000

# Players that the account has met in twelve months.
MET = """
    WITH met AS (
        INSERT INTO accounts (name, password_hash) SELECT 'met' || n, '-' FROM generate_series(1, %(many)s) AS n
        RETURNING id
    ), at AS (
        INSERT INTO statistics_stakes (game, structure, in_chips, small_blind, big_blind)
        VALUES ('holdem', 'no_limit', false, 50, 100) RETURNING id
    )
    INSERT INTO player_statistics
    SELECT %(account)s, met.id, month, at.id, 'button',
           1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21
    FROM met, at, generate_series(202601, 202612) AS month
"""


def mark(address):
    """The number up to which is counted."""
    with psycopg.connect(address, autocommit=True) as connection:
        return connection.execute("SELECT counted_to FROM statistics_mark").fetchone()[0]


@pytest.mark.parametrize(
    "number_taken",
    [
        "INSERT INTO transfers (key, kind) VALUES ('hand:late', 'hand')",
        "SELECT nextval(pg_get_serial_sequence('transfers', 'id')) FROM account_history FOR UPDATE",
    ],
)
def test_a_number_that_is_not_committed_yet_is_waited_for(run, postgres, emptied_database, number_taken):
    """A hand with a lower number can appear after one with a higher number: until then nothing is counted."""
    alice, bob = seated(run, postgres, "alice", "bob")
    counted_all(run, postgres)
    before = mark(emptied_database)
    with psycopg.connect(emptied_database) as late:
        late.execute("LOCK TABLE account_history IN ROW EXCLUSIVE MODE")
        late.execute(number_taken)
        settled(run, postgres, "h1", {alice: 10, bob: -10})
        assert run(postgres.count_statistics(results)).hands == 0
        assert mark(emptied_database) == before
        late.rollback()
    assert counted_all(run, postgres) == [1]


def test_one_node_counts_at_a_time(run, postgres, emptied_database):
    """The others do not wait for it."""
    alice, bob = seated(run, postgres, "alice", "bob")
    settled(run, postgres, "h1", {alice: 10, bob: -10})
    with psycopg.connect(emptied_database) as other:
        other.execute("SELECT FROM statistics_mark FOR UPDATE")
        assert run(postgres.count_statistics(results)) is None
    assert counted_all(run, postgres) == [1]


def test_a_node_that_dies_has_counted_nothing(run, postgres, emptied_database):
    """The connection is lost after the hands were added up: sums and mark are as before."""
    alice, bob = seated(run, postgres, "alice", "bob")
    settled(run, postgres, "h1", {alice: 10, bob: -10})
    before = mark(emptied_database)

    def cut(hands):
        with psycopg.connect(emptied_database, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND state = 'idle in transaction'"
            )
        return results(hands)

    with pytest.raises(Exception, match="cannot be reached"):
        run(postgres.count_statistics(cut))
    assert mark(emptied_database) == before
    assert run(postgres.player_statistics(alice, alice, Months())) == []
    assert counted_all(run, postgres) == [1]
    (own,) = run(postgres.player_statistics(alice, alice, Months()))
    assert own.counters.hands == 1


def test_a_table_of_players_reads_no_others(run, postgres, emptied_database):
    """An account that has met thousands is told of some of them, whoever they are, without reading all."""
    alice, *_ = opened(run, postgres, "alice")
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        connection.execute(MET, {"account": alice, "many": MANY})
        connection.execute("ANALYZE")
        connection.execute("SET plan_cache_mode = force_generic_plan")
        (last,) = connection.execute("SELECT max(id) FROM accounts").fetchone()
        asked = {"account": alice, "seen": [last - 1, last], "game": "holdem"}
        assert rows_read(explained(connection, OPPONENTS, asked)) <= 6 * 2 * 12
    found = run(postgres.opponents(alice, [f"MET{MANY}", "met1", "alice"], "holdem"))
    assert [(row.player, row.hands, row.vpip) for row in found] == [("met1", 12, 36), (f"met{MANY}", 12, 36)]


def test_nothing_was_played(run, postgres):
    """A new room has nothing to count."""
    opened(run, postgres, "alice")
    assert (
        run(postgres.count_statistics(lambda hands: HandTally() if not hands else results(hands))).hands == 0
    )
