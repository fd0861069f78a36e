"""Journals of a tournament and its table of another shape, at any level: the tournament plays on."""

from __future__ import annotations

from typing import Any

import msgpack
import msgspec
import pytest
from structlog.testing import capture_logs

from pokerroom.poker.journal import SeatingFacts
from pokerroom.poker.recovery import JournalledPoker
from pokerroom.table.journal import UnreadableJournal
from pokerroom.tournament.journal import TournamentFacts, decode_facts, encode_facts
from pokerroom.tournament.seating import settings_of_hand
from tests.effort import part
from tests.poker.test_journal_shapes import places, spoilt
from tests.tournament.playing import Room, now
from tests.tournament.support import in_version_before

STEP = 7
"""An everyday run has one in so many of the places and wrong values."""

SAYS_SO = {"hand.void", "journal.unreadable", "tournament.unreadable"}


def three() -> Room:
    room = Room(seats=3, prizes=(400, 220, 100))
    room.begin()
    return room


def read(journal: Any) -> list[Any]:
    return [msgpack.unpackb(entry, strict_map_key=False) for entry in journal.kept]


def test_i4_whatever_is_wrong_in_a_tables_journal_the_tournament_plays_on():
    """I4: no chip moves, nothing is a fault, and where the hand is lost an error of the log says so."""
    room = three()
    hand_id = room.table.game.play.hand_id()
    kept = read(room.journal)
    kept.append({"entry": "facts", "facts": kept[0]["facts"], "version": 3})
    failed = [
        (at, wrong, found)
        for at, wrong in part(places(kept), STEP)
        if not (len(at) == 1 and wrong is KeyError)
        and (found := harm(room, hand_id, spoilt(kept, at, wrong), room.tournament_journal.kept))
    ]
    assert failed == []
    assert now(room.ledger.audit()).differences == ()
    room.stop()


def test_whatever_is_wrong_in_a_tournaments_journal_the_tournament_plays_on():
    """The hand goes on, as its table knows it; what is not known of the tournament is rebuilt from the ledger."""
    room = three()
    hand_id = room.table.game.play.hand_id()
    kept = read(room.tournament_journal)
    failed = [
        (at, wrong, found)
        for at, wrong in part(places(kept), STEP)
        if (found := harm(room, hand_id, read(room.journal), pack(spoilt(kept, at, wrong))))
    ]
    assert failed == []
    assert now(room.ledger.audit()).differences == ()
    room.stop()


@pytest.mark.parametrize("clock", [[0, 0, 10**15], [1, 0, 10**15], [1, 0, -5], [0, -(10**15), 0]])
def test_a_clock_that_the_schedule_does_not_have_holds_no_tournament_up(clock):
    """No break without an end, no level without one, and no timer that is due for ever."""
    room = three()
    kept = read(room.tournament_journal)
    for entry in kept:
        entry["state"]["clock"] = clock
    room.tournament_journal.kept[:] = pack(kept)
    with capture_logs() as logs:
        room.restart()
    assert "tournament.unreadable" in {line["event"] for line in logs}
    assert room.tournament.game.director.here.clock.level == 0
    assert room.tournament.game.director.here.clock.break_left_ms == 0
    room.stop()


def test_whatever_is_wrong_in_a_journal_of_the_version_before_the_tournament_plays_on():
    """The table kept the tournament's state then, and the tournament had no journal of its own."""
    room = three()
    hand_id = room.table.game.play.hand_id()
    kept = in_version_before(read(room.journal), read(room.tournament_journal))
    failed = [
        (at, wrong, found)
        for at, wrong in part(places(kept), STEP)
        if not (len(at) == 1 and wrong is KeyError)
        and (found := harm(room, hand_id, spoilt(kept, at, wrong), []))
    ]
    assert failed == []
    assert now(room.ledger.audit()).differences == ()
    room.stop()


def pack(entries: list[Any]) -> list[bytes]:
    return [msgpack.packb(one) for one in entries]


def harm(room: Room, hand_id: str | None, table: list[Any], tournament: list[bytes]) -> list[Any]:
    """What a new table and a new tournament make of these journals that they should not."""
    room.journal.kept[:] = pack(table)
    room.tournament_journal.kept[:] = tournament
    crashes = room.counts.crashes
    with capture_logs() as logs:
        room.restart()
    if room.counts.crashes != crashes:
        return [line.get("exc_info") for line in logs]
    over = room.table.game.play.hand_id() != hand_id
    said = {line["event"] for line in logs if line["log_level"] == "error"}
    return ["the hand is lost"] if over and not said & SAYS_SO else []


@pytest.mark.parametrize("level", [None, -1, 99])
def test_a_hand_of_a_level_that_there_is_not_cannot_be_read(level):
    """It would be played for other stakes than those it was dealt for."""
    room = three()
    settings = room.table.game.seating.view.settings_now()
    facts = encode_facts(TournamentFacts(level=level))
    with pytest.raises(UnreadableJournal):
        settings_of_hand(settings, JournalledPoker(facts=facts))
    last = len(settings.terms.schedule.levels) - 1
    found = settings_of_hand(settings, JournalledPoker(facts=encode_facts(TournamentFacts(level=last))))
    assert found.stakes == settings.terms.schedule.levels[last].stakes
    room.stop()


def test_facts_with_a_state_of_several_tables_tell_the_level_of_the_hand():
    """A version before wrote both: that of the first table's hand."""
    room = three()
    room.fold_out()
    (state,) = [entry["state"] for entry in read(room.tournament_journal)]
    number, positions, _, hands = state["tables"][0]
    assert hands == 1
    state["tables"] = [[number, positions, 4, hands]]
    facts = decode_facts(SeatingFacts(seats=msgspec.Raw(msgpack.packb({"tournament": state}))))
    assert facts.level == 4
    room.stop()


def test_a_tournament_with_an_unreadable_journal_is_not_frozen():
    """No order of the operator can be read there; the ledger says the rest."""
    room = three()
    room.tournament_journal.kept[:] = [b"\xc1"]
    with capture_logs() as logs:
        room.restart_tournament()
    assert [line["event"] for line in logs if line["log_level"] == "error"] == ["journal.unreadable"]
    assert room.tournament.state_name == "playing"
    room.stop()
