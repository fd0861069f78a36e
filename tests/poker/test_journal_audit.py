"""What would become of the hands in a journal: looked at, and never touched."""

from __future__ import annotations

from dataclasses import replace

import pytest
from twisted.internet.defer import Deferred, succeed

from pokerroom.chips import Money
from pokerroom.ledger.api import SeatRow
from pokerroom.poker.journal_audit import journalled_hands
from pokerroom.table.seal import Seal
from tests.poker.support import Room, now


@pytest.fixture
def room():
    room = Room()
    room.sit(room.client("anna"), room.client("bert"))
    yield room
    room.stop()


class Onlooker:
    """The journal of a room as one who owns none of its tables sees it."""

    def __init__(self, room, *more):
        self._entries = {"t1": list(room.journal.kept), **dict(more)}

    def tables(self):
        return succeed(sorted(self._entries))

    def peek(self, table):
        return succeed(self._entries[table])


def looked(room, journal=None, **changes):
    """Table, hand and fate of each."""
    how = {"tables": {"t1": room.settings}, "seal": Seal(room.key), **changes}
    coroutine = journalled_hands(journal or Onlooker(room), room.ledger, how["tables"], how["seal"])
    found = now(Deferred.fromCoroutine(coroutine))
    assert not any(hand.difference for hand in found)
    return [(hand.table, hand.hand_id, hand.fate) for hand in found]


def test_a_hand_that_would_be_played_on_is_in_progress(room):
    """Nothing of it changes: it is played to its end afterwards."""
    hand_id = room.turn().hand_id
    room.act("call")
    before = list(room.journal.kept)
    assert looked(room) == [("t1", hand_id, "in_progress")]
    assert room.journal.kept == before
    room.check_down()
    assert [settled.hand_id for settled in room.settler.settled] == [hand_id]


def test_between_hands_there_is_none(room):
    """The journal has the button and the seats then."""
    room.table.game.seats.closing = True
    room.act("fold")
    assert looked(room) == []


def test_i4_a_hand_whose_betting_is_complete_is_to_be_settled(room):
    """I4: by whoever takes the table."""
    hand_id = room.turn().hand_id
    room.settler.hold = True
    room.act("fold")
    assert looked(room) == [("t1", hand_id, "complete")]


def test_a_hand_that_is_in_the_ledger_is_settled(room):
    """The journal has not heard of it yet."""
    hand_id = room.turn().hand_id
    room.settler.hold = True
    room.act("fold")
    journal = Onlooker(room)
    room.settler.commit()
    room.settler.hold = False
    assert looked(room, journal) == [("t1", hand_id, "settled")]


def test_i4_what_cannot_be_read_would_be_void(room):
    """Another key, a table that the settings have not, a step that is missing, bytes that mean nothing."""
    hand_id = room.turn().hand_id
    room.act("call")
    room.act("check")
    assert looked(room, seal=Seal(b"\x07" * 32)) == [("t1", hand_id, "void")]
    assert looked(room, tables={}) == [("t1", hand_id, "void")]
    other = replace(room.settings, table="t2")
    assert looked(room, Onlooker(room, ("t2", [b"\xc1"])), tables={"t1": room.settings, "t2": other}) == [
        ("t1", hand_id, "in_progress"),
        ("t2", None, "void"),
    ]
    del room.journal.kept[-2]
    assert looked(room) == [("t1", None, "void")]


def test_tables_of_another_kind_are_left_out(room):
    """The caller knows them by their name or by what their journal says."""
    asked = []

    def is_other(table, entries):
        asked.append((table, entries))
        return table == "u1"

    journal = Onlooker(room, ("u1", [b"\xc1"]))
    coroutine = journalled_hands(journal, room.ledger, {"t1": room.settings}, Seal(room.key), is_other)

    assert [hand.table for hand in now(Deferred.fromCoroutine(coroutine))] == ["t1"]
    assert asked == [("t1", list(room.journal.kept)), ("u1", [b"\xc1"])]


def test_without_the_key_a_hand_is_counted_and_no_more(room):
    """Whoever audits from elsewhere need not have it."""
    hand_id = room.turn().hand_id
    assert looked(room, seal=None) == [("t1", hand_id, "sealed")]


def test_a_hand_that_is_played_with_more_than_its_seats_have_is_a_difference(room):
    """The ledger's stacks are those of the start of the hand, or more after a top-up."""
    seats = room.ledger.seats

    def poorer():
        return seats().addCallback(lambda rows: [replace(row, stack=Money(row.stack - 1)) for row in rows])

    room.ledger.seats = poorer
    (hand,) = now(
        Deferred.fromCoroutine(
            journalled_hands(Onlooker(room), room.ledger, {"t1": room.settings}, Seal(room.key))
        )
    )
    assert hand.fate == "in_progress"
    assert "play with more than their stacks" in hand.difference
    room.ledger.seats = seats
    assert isinstance(now(room.ledger.seats())[0], SeatRow)
