"""`pokerroom.tournament.director`: what the journal hears of a break or a pause, in which no hand is played."""

import pytest

from pokerroom.tournament.director import KEPT_S
from pokerroom_protocol import messages as wire
from tests.tournament.playing import Room, level, now


@pytest.fixture
def make():
    rooms = []

    def made(**changes):
        room = Room(**changes)
        rooms.append(room)
        return room

    yield made
    for room in rooms:
        room.stop()


def test_a_break_goes_on_near_where_it_stood_when_its_owner_dies(make):
    """The journal hears now and then how much of it is left: no more than that is rested twice."""
    room = make(levels=(level(10, break_s=30), level(20)))
    room.begin()
    room.after(61)
    room.fold_out()
    until_ms = room.players[0].last(wire.BreakStarted).until_ms
    room.after(23)
    room.restart()
    room.ask(room.players[0], wire.Observe)
    assert 0 <= room.snapshot().tournament.break_until_ms - until_ms <= KEPT_S * 1000


def test_a_redis_that_has_lost_everything_knows_of_a_pause_again(make):
    """For the next owner: the one that has the table tells the journal now and then."""
    room = make()
    room.begin()
    now(room.table.pause())
    room.fold_out()
    room.journal.kept.clear()
    room.after(KEPT_S + 1)
    room.restart()
    room.ask(room.players[0], wire.Observe)
    room.after(30)
    assert (room.table.state_name, room.snapshot().tournament.paused) == ("paused", True)
