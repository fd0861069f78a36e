"""Clubs in PostgreSQL alone: what waits for what."""

import psycopg
import pytest

from pokerroom.ledger.clubs import ClubChips
from tests.ledger.contract import opened
from tests.ledger.contract_of_clubs import CLUB, TABLE
from tests.ledger.contract_of_hosted_tables import FEW, TERMS
from tests.ledger.test_schema import ROWS_READ

pytestmark = pytest.mark.services

# With the rules switched off: what counts is how much there is.
OTHERS_PLAYED = """
    SET LOCAL session_replication_role = replica;
    INSERT INTO hands (transfer, hand_id, table_id, epoch, started, ended, record)
        SELECT n, n::text, 'host:other' || n % 20, 1, now(), now(), '{}' FROM generate_series(100001, 103000) AS n;
    SET LOCAL session_replication_role = origin;
    ANALYZE hands;
"""


def test_results_of_a_club_wait_for_no_order(run, postgres, emptied_database):
    """A read takes no lock, so members who look at results do not hold up those who change the club."""
    (alice,) = opened(run, postgres, "alice")
    run(postgres.create_club(CLUB, alice, "Fridays", "code-1", 2))
    with psycopg.connect(emptied_database) as order, psycopg.connect(emptied_database) as reader:
        order.execute("SELECT club_role(%s, %s, 'owner')", (CLUB, alice))
        reader.execute("SET lock_timeout = '200ms'")
        assert reader.execute("SELECT * FROM club_results(%s, %s, 0)", (CLUB, alice)).fetchall() == []


def test_a_movement_of_chips_names_the_account_that_ordered_it(run, postgres, emptied_database):
    """The manager that issued them, and the one that ended the membership."""
    alice, bob, carol = opened(run, postgres, "alice", "bob", "carol")
    run(postgres.create_club(CLUB, alice, "Fridays", "code-1", 2))
    for member in (bob, carol):
        run(postgres.join_club("code-1", member))
    run(postgres.set_club_role(CLUB, alice, "bob", "manager", 2))
    run(postgres.move_club_chips(ClubChips(club=CLUB, manager=bob, name="carol", key="k1", amount=70)))
    run(postgres.remove_member(CLUB, alice, "carol", "code-2"))
    with psycopg.connect(emptied_database) as reader:
        moves = reader.execute(
            "SELECT account, amount, ordered_by FROM club_moves ORDER BY amount"
        ).fetchall()
    assert moves == [(carol, -70, alice), (carol, 70, bob)]


def test_results_of_a_club_read_no_hands_of_other_private_tables(run, postgres, emptied_database):
    """Among 3,000 hands elsewhere, those of the club's tables are found by an index."""
    (alice,) = opened(run, postgres, "alice")
    run(postgres.create_club(CLUB, alice, "Fridays", "code-1", 2))
    run(postgres.open_hosted_table(TABLE, alice, TERMS, "link-1", FEW, club=CLUB))
    with psycopg.connect(emptied_database) as connection:
        connection.execute(OTHERS_PLAYED)
        connection.execute("SET LOCAL enable_seqscan = off")  # the planner knows nothing of rows just made
        (before,) = connection.execute(ROWS_READ).fetchone()
        assert connection.execute("SELECT * FROM club_results(%s, %s, 0)", (CLUB, alice)).fetchall() == []
        assert 0 < connection.execute(ROWS_READ).fetchone()[0] - before < 40
        connection.rollback()
