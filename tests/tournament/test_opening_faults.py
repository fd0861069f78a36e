"""`pokerroom.tournament.seating`: a fault before the ledger has said who sits here, and what waits for that."""

from __future__ import annotations

from unittest import mock

import pytest

from pokerroom.ops.reports import OrderRefused
from pokerroom.poker.hands import HandRunner
from pokerroom.table.restarts import DELAY_S
from pokerroom.tournament.director import Director
from pokerroom.tournament.seating import TournamentRecovery, TournamentSeating, TournamentSeatingView
from pokerroom.tournament.seats import TournamentSeats
from pokerroom_protocol import messages as wire
from tests.compiled import replaces_parts
from tests.tournament.playing import Room, held, now


@pytest.fixture
def room():
    room = Room()
    yield room
    room.stop()


def connected(room):
    return {seat.name for seat in room.snapshot().seats if seat.connected}


def test_a_player_who_looked_before_the_fault_is_connected_after_it(room):
    """What waits for the ledger is for the game that is there by then; a viewer that left by then is gone."""
    answer = held(room, "tournament")
    anna, bert, *_ = room.players
    room.restore()
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
    now(room.tournament.pause())
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
    """I3: the ledger has it all the same, and the table begins again at its end."""
    room.begin()
    answer = held(room, "give_places")
    done = room.tournament.roll_forward()
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
    done = room.tournament.roll_back()
    room.table.mailbox.post(lambda: 1 / 0)
    answer()
    with pytest.raises(OrderRefused) as refused:
        now(done)
    assert refused.value.code == "table_frozen"


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("owner", "method"),
    [
        (TournamentSeating, "__init__"),
        (TournamentRecovery, "sit_again"),
        (TournamentSeats, "sit"),
        (TournamentRecovery, "plays_on"),
        (Director, "begin"),
        pytest.param(HandRunner, "resume", marks=replaces_parts),
        (TournamentSeatingView, "opened"),
    ],
    ids=lambda place: getattr(place, "__name__", place),
)
def test_a_fault_while_the_tournament_is_made_again_is_made_good(room, owner, method, after):
    """A viewer that looked at the table before is shown it once it is there, and all chips are there."""
    answer = held(room, "tournament")
    anna, *_ = room.players
    room.restore()
    room.ask(anna, wire.Observe)
    room.table.mailbox.post(lambda: 1 / 0)
    original, failed = getattr(owner, method), []

    def once(*args, **others):
        if after or failed:
            original(*args, **others)
        if not failed:
            failed.append(True)
            raise ZeroDivisionError

    with mock.patch.object(owner, method, once):
        answer()
        room.after(3 * DELAY_S)
    assert (failed, room.counts.crashes) == ([True], 2)
    assert connected(room) == {anna.name}
    assert anna.all(wire.Snapshot)
    for client in room.players:
        room.ask(client, wire.Observe)
    room.play_out()
    assert room.row().phase == "finished"
    assert now(room.ledger.audit()).differences == ()


def test_who_has_come_while_the_seats_were_drawn_is_drawn_one(room):
    """A player left after the ledger had said who plays, and another one took the free place."""
    anna, late = room.players[0], room.client("late")
    answer = held(room, "account_names")
    room.tournament.restore([], [], frozenset())
    now(room.ledger.return_entry("six.1", anna.account, 1))
    now(room.ledger.enter("six.1", late.account, 1))
    answer()
    row = room.row()
    assert row.phase == "running"
    assert late.account in row.players
    assert anna.account not in row.players
    assert (room.tournament.state_name, room.counts.crashes) == ("playing", 0)
