"""`pokerroom.tournament.table`: who watches while the table comes to its next owner."""

from dataclasses import replace

import pytest
from msgspec import structs
from twisted.internet.defer import Deferred

from pokerroom.ledger.tournament_entries import seat_number
from pokerroom.tournament.messages import SeatPlan
from pokerroom_protocol import messages as wire
from tests.tournament.playing import NAME, Room, now


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


def test_a_player_who_came_while_the_ledger_answered_has_the_chips_of_the_plan(room, monkeypatch):
    """The answer is of before: there the player still sits at another table, with other chips."""
    plan = next(letter for letter in reversed(room.letters) if isinstance(letter, SeatPlan))
    coming = plan.seats[0]
    row = now(room.ledger.tournament(NAME))
    elsewhere = tuple(
        replace(entry, seat=seat_number(2, 1), chips=100) if entry.account == coming.account else entry
        for entry in row.entries
    )
    answers = []
    monkeypatch.setattr(room.ledger, "tournament", lambda _: answers.append(Deferred()) or answers[-1])
    room.journal.kept.clear()
    room.lost = lambda _: True
    restore = come_over(room)
    room.table.hear(structs.replace(plan, number=plan.number + 100, seats=plan.seats[1:], order=None))
    restore()
    room.table.hear(structs.replace(plan, number=plan.number + 101, order=None))
    answers[-1].callback(replace(row, entries=elsewhere))
    stacks = {seat.seat: seat.stack for seat in room.snapshot().seats}
    assert stacks == {one.seat: one.chips for one in plan.seats}
    assert coming.chips != 100


def test_a_player_who_left_before_the_ledger_answered_has_no_seat(room, monkeypatch):
    """The plan is of before: in the ledger the player sits at another table already."""
    plan = next(letter for letter in reversed(room.letters) if isinstance(letter, SeatPlan))
    gone = plan.seats[0]
    row = now(room.ledger.tournament(NAME))
    elsewhere = tuple(
        replace(entry, seat=seat_number(2, 1)) if entry.account == gone.account else entry
        for entry in row.entries
    )
    answers = []
    monkeypatch.setattr(room.ledger, "tournament", lambda _: answers.append(Deferred()) or answers[-1])
    room.journal.kept.clear()
    room.lost = lambda _: True
    restore = come_over(room)
    room.table.hear(structs.replace(plan, number=plan.number + 100, order=None))
    restore()
    answers[-1].callback(replace(row, entries=elsewhere))
    assert {seat.seat for seat in room.snapshot().seats} == {one.seat for one in plan.seats[1:]}
