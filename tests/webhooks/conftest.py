"""Receivers of webhooks, and a ledger of the test's own."""

import pytest
from psycopg import connect

from pokerroom.bridge import deferred
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.postgres.ledger import PostgresLedger
from tests.webhooks.receiver import Receiver

ANN = Acting(who="ann", role="admin", reason="a test")


@pytest.fixture
def receiver(run):
    """Opens a receiver with these answers; all are closed after the test."""
    opened = []

    def open_one(*answers, tls=None):
        made = Receiver(*answers, tls=tls)
        run(deferred(made.open()))
        opened.append(made)
        return made

    yield open_one
    for one in opened:
        run(deferred(one.close()))


@pytest.fixture
def new_ledger(run, own_rows):
    """Opens one more ledger on the database of the test, as one more node has it."""
    opened = []

    def open_one():
        ledger = PostgresLedger(*own_rows, wait_s=50)
        run(ledger.open())
        opened.append(ledger)
        return ledger

    yield open_one
    for ledger in opened:
        run(ledger.close())


@pytest.fixture
def ledger(new_ledger):
    return new_ledger()


@pytest.fixture
def sql(own_rows):
    """Raw statements of the owner, each at once."""
    with connect(own_rows[1], autocommit=True) as connection:
        yield connection.execute
