"""`pokerroom.tournament.table`: who watches while the table comes to its next owner."""

import pytest

from pokerroom_protocol import messages as wire
from tests.tournament.playing import Room


@pytest.fixture
def room():
    room = Room()
    room.begin()
    yield room
    room.stop()


def come_over(room, *watching):
    """Another owner has the table, and knows who watches before the ledger has said who sits there."""
    room.table.stop()
    entries = list(room.journal.kept)
    room.table = room.open()
    for client in watching:
        room.table.rejoin(client)
    return lambda: room.table.restore([], entries, frozenset(hand.hand_id for hand in room.settler.settled))


def connected(room):
    return {seat.name for seat in room.snapshot().seats if seat.connected}


def test_who_watches_on_is_connected_at_the_next_owner(room):
    """Otherwise all players would be shown as gone, and hands would be dealt without waiting for them."""
    anna, bert, *_ = room.players
    come_over(room, anna, bert)()
    assert connected(room) == {anna.name, bert.name}
    shown = anna.last(wire.Snapshot)
    assert {seat.name for seat in shown.seats if seat.connected} >= {anna.name}


def test_who_went_before_the_ledger_had_answered_is_not(room):
    anna, bert, *_ = room.players
    restore = come_over(room, anna, bert)
    bert.connected = False
    room.table.viewer_gone(bert)
    restore()
    assert connected(room) == {anna.name}
