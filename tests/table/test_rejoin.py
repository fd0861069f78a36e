"""A client that watched the table at its last owner, or has missed events, is shown it without having asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def test_it_is_shown_the_table_unasked(room):
    """Under no request, and from there on it gets every event."""
    anna, bert, carl = (room.client(name) for name in ("anna", "bert", "carl"))
    room.sit(anna, bert)

    room.table.rejoin(carl)

    assert (carl.last(wire.Snapshot).re, carl.last(wire.Snapshot).seq) == (None, room.table.announcer.seq)
    room.act("call")
    assert carl.all(wire.Acted) == anna.all(wire.Acted)


def test_the_holder_of_a_seat_is_back(room):
    """As if the client had asked to observe."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.table.viewer_gone(anna)
    assert not bert.last(wire.SeatChanged).connected
    again = Client("anna", anna.account)

    room.table.rejoin(again)

    assert bert.last(wire.SeatChanged).connected
    assert again.last(wire.Snapshot).your_seat == 1


def test_a_player_who_watches_already_is_shown_it_again(room):
    """The client may have missed something; nothing else changes."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    told = len(bert.got)

    room.table.rejoin(anna)

    assert anna.got[-1] is anna.last(wire.Snapshot)
    assert anna.last(wire.Snapshot).seq == room.table.announcer.seq
    assert len(bert.got) == told


def test_a_player_who_is_gone_meanwhile_is_not_shown_anything(room):
    """The connection ended while the table was on its way."""
    carl = room.client("carl")
    carl.connected = False

    room.table.rejoin(carl)

    assert carl.got == []
    assert not room.table.outbox.watches(carl)


def test_the_newer_connection_goes_on_when_the_one_before_is_shown_the_table_unasked(room):
    """A node that has just died may still be taken for living: its client came back over another node already."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    again = Client("anna", anna.account)
    room.ask(again, wire.Observe)

    room.table.rejoin(anna)
    room.table.viewer_gone(anna)

    room.act("call")
    assert again.last(wire.Acted) == bert.last(wire.Acted)
    assert again.last(wire.Turn).seq == bert.last(wire.Turn).seq
    assert not [event for event in bert.all(wire.SeatChanged) if not event.connected]


def test_a_table_that_may_not_act_shows_nothing_of_the_past_until_it_goes_on(room):
    """Another node may have taken it and dealt on: a client that was there must not be told of the hand before."""
    anna, bert, carl = (room.client(name) for name in ("anna", "bert", "carl"))
    room.sit(anna, bert)
    lease = room.table.context.lease
    lease.acts = lease.deals = False
    room.table.suspended()

    room.table.rejoin(carl)
    assert carl.got == []

    lease.acts = lease.deals = True
    room.table.lease_renewed(whole_clocks=True)
    assert carl.last(wire.Snapshot).seq == room.table.announcer.seq
    room.act("call")
    assert carl.last(wire.Acted) == anna.last(wire.Acted)
