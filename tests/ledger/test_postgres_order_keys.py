"""Keys of operators' orders in PostgreSQL, claimed and released through several connections at once."""

import os
import time
from threading import Thread

import psycopg
import pytest

SECONDS = 1.5
CLAIM = "SELECT request FROM claim_order_key('ann', 'k', %b, false, 86400)"


@pytest.mark.services
def test_a_claim_that_meets_a_release_has_the_key(emptied_database):
    """A claim that is told nothing has a row; before, the row of another could go between its two looks."""
    without, claims, ends = [], [], time.monotonic() + SECONDS

    def claim_and_release():
        with psycopg.connect(emptied_database, autocommit=True) as connection:
            while time.monotonic() < ends:
                mine = os.urandom(32)
                if connection.execute(CLAIM, (mine,)).fetchone() is not None:
                    continue
                gone = connection.execute("DELETE FROM order_keys WHERE request = %b RETURNING 1", (mine,))
                (claims if gone.fetchone() else without).append(mine)

    threads = [Thread(target=claim_and_release) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert claims
    assert without == []
