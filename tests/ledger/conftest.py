"""A database for each test, on the PostgreSQL of the session's services."""

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.ops.embedded import Addresses
from tests.databases import UsedDatabase
from tests.ledger.archive_rooms import Room


class Server:
    """The session's PostgreSQL; `home` is the directory of its socket, `room` the role of the rooms."""

    def __init__(self, services: Addresses) -> None:
        self._parameters = conninfo_to_dict(services.owner_database_url)
        self.home = self._parameters["host"]
        self.room = conninfo_to_dict(services.database_url)["user"]

    def url(self, database: str) -> str:
        return make_conninfo(**{**self._parameters, "dbname": database})

    def execute(self, *statements: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)


@pytest.fixture(scope="session")
def server(services, ledger_template):
    """The running server, with a template database that has the schema."""
    return Server(services)


@pytest.fixture(scope="session")
def new_database(server, ledger_template):
    """Makes a fresh database with the schema each time it is called, and returns its address."""
    made = iter(range(10**9))

    def make(template: str = ledger_template) -> str:
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


@pytest.fixture(scope="session")
def used_database(new_database):
    used = UsedDatabase(new_database())
    yield used
    used.close()


@pytest.fixture(scope="session")
def used_ledger(run, server, used_database):
    """The open ledger of all tests that have `emptied_database`: a connection takes longer than most of them.

    It has the role of the rooms, so the tests need no more than that may do.
    """
    address = used_database.address
    ledger = PostgresLedger(make_conninfo(address, user=server.room), address, wait_s=50)
    run(ledger.open())
    yield ledger
    run(ledger.close())


@pytest.fixture
def emptied_database(used_database):
    """The address of a database with the schema and no rows of a test. The schema must stay as it is."""
    used_database.empty()
    return used_database.address


@pytest.fixture
def postgres(run, request):
    """An open PostgresLedger: of the test's own on `database` if it asks for that, else `used_ledger`.

    A test that cuts connections or changes the schema must ask for `database`.
    """
    if "database" not in request.fixturenames:
        request.getfixturevalue("emptied_database")
        yield request.getfixturevalue("used_ledger")
        return
    # on a loaded machine the pool's queue is long, not dead
    ledger = PostgresLedger(request.getfixturevalue("database"), wait_s=50)
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


@pytest.fixture
def archive_room(run, postgres, emptied_database, tmp_path):
    """A room without hands, and a directory for its archives."""
    with psycopg.connect(emptied_database, autocommit=True) as owner:
        owner.execute("SET session_replication_role = replica")
        yield Room(run, postgres, owner, tmp_path)
