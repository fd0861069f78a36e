"""What an audit finds of the hands of sit-and-gos that are in the journal."""

from __future__ import annotations

import pytest
from twisted.internet.defer import Deferred, succeed

from pokerroom.ledger.tournaments import owned_as
from pokerroom.poker.journal_audit import journalled_hands
from pokerroom.table.journal_audit import JournalledHand
from pokerroom.table.seal import Seal
from pokerroom.tournament.journal_audit import is_tournament, journalled_tournament_hands
from tests.poker.support import now
from tests.tournament.playing import NAME, Room


class Onlooker:
    """The journal of a room as one who owns none of its tables sees it."""

    def __init__(self, room, table=NAME, *, entries=None):
        self._entries = {table: list(room.journal.kept if entries is None else entries)}

    def add(self, table, entries):
        self._entries[table] = list(entries)

    def tables(self):
        return succeed(sorted(self._entries))

    def peek(self, table):
        return succeed(self._entries[table])


@pytest.fixture
def room():
    room = Room()
    room.begin()
    yield room
    room.stop()


def looked(room, *, journal=None, seal=None):
    coroutine = journalled_tournament_hands(journal or Onlooker(room), room.ledger, seal)
    return now(Deferred.fromCoroutine(coroutine))


def test_a_hand_that_would_be_played_on_is_in_progress(room):
    """At the level that it was dealt at; without the key it is sealed, and it is no cash table's."""
    hand_id = room.turn().hand_id
    room.act("call")
    seal = Seal(room.key)
    assert looked(room, seal=seal) == [JournalledHand(table=NAME, hand_id=hand_id, fate="in_progress")]
    assert [hand.fate for hand in looked(room)] == ["sealed"]
    cash = journalled_hands(Onlooker(room), room.ledger, {}, seal, lambda table, _: is_tournament(table))
    assert now(Deferred.fromCoroutine(cash)) == []


def test_other_tables_and_the_tournament_itself_have_no_hands_here(room):
    """A cash table's are another audit's; the tournament's own journal has none."""
    hand_id = room.turn().hand_id
    journal = Onlooker(room)
    journal.add("t1", room.journal.kept)
    journal.add(owned_as(NAME), room.journal.kept)
    found = looked(room, journal=journal, seal=Seal(room.key))
    assert [(hand.table, hand.hand_id) for hand in found] == [(NAME, hand_id)]


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_hand_that_the_ledger_has_is_settled(make, goes_on):
    """Its entries are forgotten a moment later, whether the tournament goes on or not."""
    room = make(seats=2, prizes=(480,))
    room.begin()
    entries = list(room.journal.kept)
    if goes_on:
        room.fold_out()
    else:
        room.play_out()
    assert room.row().phase == ("running" if goes_on else "finished")
    [hand] = looked(room, journal=Onlooker(room, entries=entries), seal=Seal(room.key))
    assert hand.fate == "settled"


def test_a_hand_of_a_tournament_that_is_over_is_void(room):
    """It was rolled back in the middle of the hand."""
    entries = list(room.journal.kept)
    now(room.tournament.roll_back())
    [hand] = looked(room, journal=Onlooker(room, entries=entries), seal=Seal(room.key))
    assert (hand.fate, hand.reason) == ("void", "the tournament is rolled_back")


def test_a_table_without_a_hand_has_none(room):
    """The journal has seats and plan alone."""
    now(room.tournament.pause())
    room.fold_out()
    assert room.journal.kept
    assert looked(room, seal=Seal(room.key)) == []


def test_a_later_hand_is_compared_with_the_chips_of_the_ledger(room):
    """After hands that have changed them."""
    for _ in range(2):
        room.fold_out()
    room.act("call")
    [hand] = looked(room, seal=Seal(room.key))
    assert (hand.fate, hand.difference) == ("in_progress", None)


def test_a_hand_of_another_journal_or_without_its_key_would_be_void(room):
    """It says why."""
    [lost] = looked(room, seal=Seal(b"\x07" * 32))
    assert (lost.fate, lost.reason) == ("void", "the cards of a hand cannot be opened: InvalidTag")
    [other] = looked(room, journal=Onlooker(room, "six.9"), seal=Seal(room.key))
    assert (other.fate, other.reason) == ("void", "there is no such tournament")


def test_tables_of_the_settings_are_none():
    """Their ids have no full stop."""
    assert not is_tournament("six-1")
    assert is_tournament("six.1")
