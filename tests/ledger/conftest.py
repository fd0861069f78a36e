"""A database for each test, on the PostgreSQL of the session's services."""

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from pokerroom.ledger.postgres.ledger import PostgresLedger

pytest.register_assert_rewrite(
    "tests.ledger.contract",
    "tests.ledger.contract_of_cashier",
    "tests.ledger.contract_of_ownership",
    "tests.ledger.contract_of_account_history",
    "tests.ledger.contract_of_round_ends",
    "tests.ledger.contract_of_rounds",
    "tests.ledger.contract_of_table_life",
    "tests.ledger.contract_of_tournament_hands",
    "tests.ledger.contract_of_tournaments",
)


class Server:
    """The session's PostgreSQL; `home` is the directory of its socket."""

    def __init__(self, url: str) -> None:
        self._parameters = conninfo_to_dict(url)
        self.home = self._parameters["host"]

    def url(self, database: str) -> str:
        return make_conninfo(**{**self._parameters, "dbname": database})

    def execute(self, *statements: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)


@pytest.fixture(scope="session")
def server(run, services):
    """The running server, with a template database that has the schema."""
    server = Server(services.database_url)
    server.execute("CREATE DATABASE template_ledger")
    ledger = PostgresLedger(server.url("template_ledger"))
    run(ledger.open())
    run(ledger.close())
    return server


@pytest.fixture(scope="session")
def new_database(server):
    """Makes a fresh database with the schema each time it is called, and returns its address."""
    made = iter(range(10**9))

    def make(template: str = "template_ledger") -> str:
        name = f"test_{next(made)}"
        server.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY wal_log")
        return server.url(name)

    return make


@pytest.fixture
def database(server, new_database):
    """The address of a fresh database with the schema, dropped after the test."""
    address = new_database()
    yield address
    server.execute(f"DROP DATABASE {conninfo_to_dict(address)['dbname']} WITH (FORCE)")


@pytest.fixture
def postgres(run, database):
    """An open PostgresLedger on a database of its own."""
    ledger = PostgresLedger(database, wait_s=50)  # on a loaded machine the pool's queue is long, not dead
    run(ledger.open())
    yield ledger
    run(ledger.close())


@pytest.fixture(scope="module")
def refusing(run, new_database):
    """A ledger for the tests of one module and raw statements on its database, all of which it refuses.

    So they share it. It must add up afterwards.
    """
    address = new_database()
    ledger = PostgresLedger(address, wait_s=50)
    run(ledger.open())
    with psycopg.connect(address, autocommit=True) as connection:
        yield ledger, connection.execute
    assert run(ledger.audit()).differences == ()
    run(ledger.close())
