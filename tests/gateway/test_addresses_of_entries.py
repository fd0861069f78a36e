"""Entries of one address to a tournament with a start, over sessions at two nodes."""

import pytest

from pokerroom.tournament.address_permits import HOLD_MS
from pokerroom_protocol import messages as wire
from tests.cluster.rooms import rooms
from tests.cluster.test_scheduled_tournaments import NAME, text
from tests.gateway import test_session_sit_and_gos as sessions


class House(sessions.House):
    """Two nodes, and clients of one address."""

    def __init__(self, made):
        self.rooms = made
        limit = text().replace('id = "sun"', 'id = "sun"\nseats_per_address = 1')
        self.nodes = [made.start(name, limit) for name in "ab"]
        made.pass_s(5)


@pytest.fixture
def house():
    made = rooms()
    yield House(next(made))
    with pytest.raises(StopIteration):
        next(made)


def test_accounts_of_one_address_enter_apart(house):
    """At any node. The address itself is not kept. A permit without its entry is free a minute after it was taken."""
    anna, bert = house.player("anna", 0), house.player("bert", 1)
    assert anna.ask(wire.RegisterTournament, tournament=NAME).entry == 1
    assert bert.ask(wire.RegisterTournament, tournament=NAME).code == "address_seated"
    assert bert.ask(wire.GetAccount).balance == 1_000
    assert "192.0.2.1" not in str(house.rooms.permits)
    assert isinstance(anna.ask(wire.UnregisterTournament, tournament=NAME), wire.Ok)
    house.rooms.pass_s(HOLD_MS / 1000)
    assert bert.ask(wire.RegisterTournament, tournament=NAME).entry == 1
