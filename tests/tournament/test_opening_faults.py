"""`pokerroom.tournament.seating`: a fault before the ledger has said who sits here, and what waits for that."""

from __future__ import annotations

import pytest
from twisted.internet.defer import Deferred

from pokerroom.ops.reports import OrderRefused
from pokerroom.table.restarts import DELAY_S
from pokerroom_protocol import messages as wire
from tests.tournament.playing import Room, now


@pytest.fixture
def room():
    room = Room()
    yield room
    room.stop()


def held(room, method):
    """The ledger's answers of this kind wait; call what is returned to let them come."""
    asked, original = [], getattr(room.ledger, method)

    def slow(*args, **others):
        asked.append(Deferred())
        return asked[-1].addCallback(lambda _: original(*args, **others))

    setattr(room.ledger, method, slow)

    def answer():
        setattr(room.ledger, method, original)
        for one in asked:
            one.callback(None)

    return answer


def connected(room):
    return {seat.name for seat in room.snapshot().seats if seat.connected}


def test_a_player_who_looked_before_the_fault_is_connected_after_it(room):
    """What waits for the ledger is for the game that is there by then; who is gone by then is gone."""
    answer = held(room, "tournament")
    anna, bert, *_ = room.players
    room.table.restore([], [], frozenset())
    for client in (anna, bert):
        room.ask(client, wire.Observe)
    bert.connected = False
    room.table.viewer_gone(bert)
    room.table.mailbox.post(lambda: 1 / 0)
    answer()
    room.after(DELAY_S)
    assert len(anna.all(wire.Snapshot)) == 1
    assert connected(room) == {anna.name}


def test_a_player_who_looks_at_a_frozen_table_does_not_let_it_go_on_at_its_next_owner(room):
    """H5: the player is back; the operator's order stays in the journal."""
    room.begin()
    anna = room.players[0]
    now(room.table.pause())
    room.fold_out()
    assert room.table.state_name == "paused"
    room.ask(anna, wire.SitOut)
    now(room.table.freeze())
    room.ask(anna, wire.Observe)
    room.restart()
    assert room.table.state_name == "frozen"
    now(room.table.resume())
    room.after(DELAY_S)
    assert {seat.status for seat in room.snapshot().seats if seat.name == anna.name} == {"playing"}


def test_an_order_is_answered_though_a_fault_comes_before_the_ledger(room):
    """I3: the ledger has it all the same, and the table begins anew at its end."""
    room.begin()
    answer = held(room, "give_places")
    done = room.table.roll_forward()
    room.table.mailbox.post(lambda: 1 / 0)
    assert not done.called
    answer()
    assert now(done) is None
    room.after(DELAY_S)
    assert room.row().phase == "rolled_forward"


def test_an_order_that_waits_for_places_is_refused_after_a_fault(room):
    """It is not left without an answer."""
    room.begin()
    answer = held(room, "give_places")
    room.all_in()
    room.clock.advance(0.01)
    done = room.table.roll_back()
    room.table.mailbox.post(lambda: 1 / 0)
    answer()
    with pytest.raises(OrderRefused) as refused:
        now(done)
    assert refused.value.code == "table_frozen"
