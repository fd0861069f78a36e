"""`pokerroom migrate`: the upgrade of a database, by the operator and while no room uses it."""

import psycopg
import pytest
from click.testing import CliRunner

from pokerroom.cli import main
from pokerroom.ledger.postgres.calls import parameters_of

pytestmark = pytest.mark.services


@pytest.fixture
def addresses(own_database):
    """Of a database of an earlier build, for the rooms and for the owner."""
    _, owner = own_database
    with psycopg.connect(owner) as database:
        database.execute("UPDATE schema_functions SET fingerprint = 'of an earlier build'")
    return own_database


def test_an_operator_upgrades_the_database(addresses):
    """A command of the newer build is refused before, and tells what to do; it works after."""
    room, owner = addresses

    def said(*command):
        environment = {
            "POKERROOM_DATABASE_URL": room,
            "POKERROOM_OWNER_DATABASE_URL": owner,
            "POKERROOM_REDIS_URL": "redis://h",
        }
        result = CliRunner().invoke(main, command, env=environment)
        return result.exit_code, result.output

    code, advice = said("cashier", "list")
    assert (code, "run `pokerroom migrate`" in advice) == (2, True)
    for url in (room, f"{room}{'&' if '?' in room else '?'}application_name=north"):
        with psycopg.connect(**parameters_of(url)):
            code, advice = said("migrate")
            assert (code, "Stop all nodes and commands of the room" in advice) == (2, True)
    done = "The database has the version of this program. Migrations: there was none to apply.\n"
    assert [said("migrate"), said("migrate")] == [(0, done), (0, done)]
    assert said("cashier", "list")[0] == 0
