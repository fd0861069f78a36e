"""Statistics in PostgreSQL alone: writers that commit late, several nodes, and the cost of a page."""

import psycopg
import pytest

from pokerroom.ledger.statistics import HandTally, Months
from tests.ledger.contract import opened, seated
from tests.ledger.contract_of_statistics import counted_all, results, settled

pytestmark = pytest.mark.services


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


def test_nothing_was_played(run, postgres):
    """A new room has nothing to count."""
    opened(run, postgres, "alice")
    assert (
        run(postgres.count_statistics(lambda hands: HandTally() if not hands else results(hands))).hands == 0
    )
