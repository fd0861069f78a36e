"""The tables that live on a node."""

import pytest

from pokerroom.cluster.local_tables import LocalTables
from tests.poker.support import Room


@pytest.fixture
def table():
    room = Room()
    yield room.table
    room.stop()


def test_a_table_is_there_from_attach_to_detach(table):
    """Readers see a mapping by table id."""
    local = LocalTables()
    local.attach(table)
    assert dict(local) == {"t1": table}
    assert local.detach("t1") is table
    assert not local
    assert local.get("t1") is None


def test_a_table_lives_here_once(table):
    """Attaching it twice, or detaching a table of another node, is a fault of ours."""
    local = LocalTables()
    local.attach(table)
    with pytest.raises(AssertionError):
        local.attach(table)
    with pytest.raises(KeyError):
        local.detach("t2")
    assert list(local) == ["t1"]
