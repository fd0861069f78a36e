"""What a node tells the other nodes of its tables."""

from __future__ import annotations

from pokerroom.cluster.node_facts import OwnedTable
from pokerroom.cluster.owned_tables import OwnedTables
from pokerroom_protocol import messages as wire
from tests.poker.support import Room


def test_a_table_is_told_as_it_is_now():
    """With its epoch, its occupied seats, and a load that grows with the players who are dealt in."""
    room = Room()
    owned = OwnedTables({"t1": room.table})
    assert owned.now() == {"t1": OwnedTable(epoch=1, seats=0, load=1)}

    anna, ben = room.client("anna"), room.client("ben")
    room.sit(anna, ben)
    assert owned.now() == {"t1": OwnedTable(epoch=1, seats=2, load=21)}

    room.answer(ben, wire.StandUp)
    room.act("fold")
    assert owned.now() == {"t1": OwnedTable(epoch=1, seats=1, load=1)}
    room.stop()


def test_a_table_at_rest_is_not_looked_at_again(monkeypatch):
    """A heartbeat of a node with thousands of tables would cost as much as the play at hundreds of them."""
    room = Room()
    room.sit(room.client("anna"), room.client("ben"))
    owned = OwnedTables({"t1": room.table})
    told = owned.now()
    looked = []
    monkeypatch.setattr(room.table, "holders", lambda: looked.append("holders") or [1])

    assert owned.now() == told
    assert not looked
    room.act("call")
    assert owned.now()["t1"].seats == 1
    assert looked == ["holders"]
    room.stop()


def test_a_table_that_comes_back_is_looked_at():
    """It has a new actor and another epoch, be there as many messages as at the last one."""
    room = Room()
    tables = {"t1": room.table}
    owned = OwnedTables(tables)
    assert owned.now()["t1"].epoch == 1

    room.stop()
    tables["t1"] = room.open()

    assert owned.now()["t1"].epoch == 2
    del tables["t1"]
    assert owned.now() == {}
    room.stop()
