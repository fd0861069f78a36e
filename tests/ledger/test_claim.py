"""`pokerroom.ledger.claim`: one room per database."""

import asyncio

import psycopg
import pytest

from pokerroom.ledger import claim
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.postgres import PostgresLedger
from pokerroom.ops.bridge import deferred

pytestmark = pytest.mark.services

HOLDER = f"SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid = {claim.ROOM_LOCK & 0xFFFFFFFF}"


@pytest.fixture(autouse=True)
def wait_ms(monkeypatch):
    """Sets how long a claim waits for its predecessor: not at all, unless a test expects it to succeed."""

    def wait_ms(limit):
        monkeypatch.setattr(claim, "PREDECESSOR_MS", limit)

    wait_ms(10)
    monkeypatch.setattr(claim, "RETAKE_DELAY_S", 0.01)
    return wait_ms


@pytest.fixture
def rooms(run, database):
    """Two ledgers on one database."""
    ledgers = [PostgresLedger(database), PostgresLedger(database)]
    for ledger in ledgers:
        run(ledger.open())
    yield ledgers
    for ledger in ledgers:
        run(ledger.close())


def never():
    raise AssertionError("the claim was not lost")


def holder(database):
    with psycopg.connect(database, autocommit=True) as connection:
        return connection.execute(HOLDER).fetchone()


def until(run, true):
    """Drives the loop until `true()` holds."""

    async def wait():
        while not true():  # noqa: ASYNC110 -- what is waited for happens in the server
            await asyncio.sleep(0.005)

    run(deferred(wait()))


def test_a_second_room_is_refused_until_the_first_has_closed(run, rooms, wait_ms):
    """The claim is exclusive, can be asked for again by its holder, and ends with `close`."""
    first, second = rooms
    assert run(first.claim_room(never)) is True
    assert run(first.claim_room(never)) is True
    assert run(second.claim_room(never)) is False
    run(first.close())
    wait_ms(30_000)  # the server may take a moment to see that the first is gone
    assert run(second.claim_room(never)) is True


def test_rooms_on_two_databases_do_not_meet(run, new_database, rooms):
    """The claim is to the database, not to the server."""
    elsewhere = PostgresLedger(new_database())
    assert run(rooms[0].claim_room(never)) is True
    assert run(elsewhere.claim_room(never)) is True
    run(elsewhere.close())


def test_a_claim_survives_its_connection(run, database, rooms, wait_ms):
    """When the connection is cut the claim is taken again, and the second room is still refused."""
    first, second = rooms
    run(first.claim_room(never))
    (cut,) = holder(database)
    wait_ms(30_000)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", (cut,))
    until(run, lambda: holder(database) not in {None, (cut,)})
    wait_ms(10)
    assert run(second.claim_room(never)) is False


def test_a_claim_that_another_took_is_told_once(run, database, rooms, wait_ms):
    """The room that lost its claim is told, so that it stops; it can be had again later."""
    first, second = rooms
    told = []
    run(first.claim_room(lambda: told.append("lost")))
    (cut,) = holder(database)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", (cut,))
        connection.execute("SELECT pg_advisory_lock(%s)", (claim.ROOM_LOCK,))  # before the loop runs again
        until(run, lambda: told)
        assert run(second.claim_room(never)) is False
    wait_ms(30_000)
    assert run(first.claim_room(never)) is True
    assert told == ["lost"]


def test_a_claim_without_a_server_is_unavailable(run, tmp_path):
    """The operator reads that the database cannot be reached, not that another room holds it."""
    ledger = PostgresLedger(f"host={tmp_path} user=postgres dbname=none")
    with pytest.raises(LedgerUnavailable):
        run(ledger.claim_room(never))
    run(ledger.close())
