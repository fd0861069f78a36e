"""What a node does with an operator's wish for a table that it has."""

import pytest

from pokerroom.lobby.operated import OperatedTables
from pokerroom.ops.reports import OrderRefused
from tests.tournament.playing import NAME, Room, now


class Here:
    """A lobby with one table."""

    def __init__(self, table):
        self.settings = {NAME: table.settings}
        self._table = table

    def here(self, name):
        return self._table if name == NAME else None


@pytest.fixture
def room():
    room = Room()
    room.begin()
    yield room
    room.stop()


@pytest.fixture
def operated(room):
    return OperatedTables(Here(room.table), room.ledger, room.timeouts, "n1", lambda _table, _node: True)


@pytest.mark.parametrize("asked", ["close", "open"])
def test_a_sit_and_gos_table_is_not_closed_or_opened(room, operated, asked):
    """It would be promised, and nothing would come of it: there is nobody who may be sent away."""
    seq = room.snapshot().seq
    with pytest.raises(OrderRefused) as refused:
        now(operated.order(NAME, asked, None))
    assert refused.value.refused.code == "tournament_table"
    assert room.snapshot().seq == seq, "nobody was told anything"


def test_a_sit_and_gos_table_is_frozen_and_goes_on(room, operated):
    """As any table."""
    now(operated.order(NAME, "freeze", None))
    assert room.table.state_name == "frozen"
    now(operated.order(NAME, "resume", None))
    assert room.table.state_name != "frozen"
