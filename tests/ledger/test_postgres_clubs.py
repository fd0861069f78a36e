"""Clubs in PostgreSQL alone: what waits for what."""

import psycopg
import pytest

from tests.ledger.contract import opened
from tests.ledger.contract_of_clubs import CLUB

pytestmark = pytest.mark.services


def test_results_of_a_club_wait_for_no_order(run, postgres, emptied_database):
    """A read takes no lock, so members who look at results do not hold up those who change the club."""
    (alice,) = opened(run, postgres, "alice")
    run(postgres.create_club(CLUB, alice, "Fridays", "code-1", 2))
    with psycopg.connect(emptied_database) as order, psycopg.connect(emptied_database) as reader:
        order.execute("SELECT club_role(%s, %s, 'owner')", (CLUB, alice))
        reader.execute("SET lock_timeout = '200ms'")
        assert reader.execute("SELECT * FROM club_results(%s, %s, 0)", (CLUB, alice)).fetchall() == []
