"""Reading the journal of a table, and rebuilding a round from it."""

from __future__ import annotations

import pytest

from pokerroom.poker import recovery as poker_recovery
from pokerroom.rules.ultimate.bets import BoxBets
from pokerroom.rules.ultimate.data import round_to_data
from pokerroom.table.journal import UnreadableJournal
from pokerroom.ultimate import journal, recovery
from pokerroom.ultimate.play import Choice, Expired, Tipped
from pokerroom_protocol import messages as wire
from tests.poker.support import now
from tests.ultimate.support import House

LAST = {7: (BoxBets(box=1, player=7, ante=200, trips=100), BoxBets(box=4, player=7, ante=100, play=3))}


def test_between_rounds_it_knows_last_bets_and_the_operators_orders():
    """The newest entry counts; frozen and closing stand beside."""
    entry = journal.table_entry(closing=True, last_bets=LAST, keys={7: ("a-key-of-7",)})
    found = recovery.read([entry, journal.frozen_entry(frozen=True)])
    assert (found.closing, found.last_bets, found.frozen, found.round_id) == (True, LAST, True, None)
    assert found.keys == {7: ("a-key-of-7",)}
    found = recovery.read([entry, journal.closing_entry(closing=False), journal.frozen_entry(frozen=False)])
    assert (found.closing, found.frozen) == (False, False)
    assert recovery.read([]) == recovery.JournalledUltimate()


def test_neither_game_reads_the_journal_of_the_other(house):
    """A table with the id of a table of another game has no hand in progress."""
    anna = house.player("anna")
    house.deal(anna)
    assert poker_recovery.hand_in_progress(house.journal.kept) is None
    poker_entries: list[bytes] = [b"\x93\x02\xa7closing\xc3"]
    with pytest.raises(UnreadableJournal):
        recovery.read(poker_entries)


def played(house: House):
    """A round with every kind of step, in progress on the river: the journal's entries, and the ledger's answer."""
    anna, bert = house.player("anna"), house.player("bert")
    house.deal(anna, bert)
    house.answer(anna, wire.GiveTip, amount=5)
    house.decide(anna, "play", 3)
    house.decide(bert, "check")
    house.clock.advance(15)
    return list(house.journal.kept), now(house.books.open_round("u1"))


def test_a_round_is_read_as_it_was_played(house):
    """Every kind of step; entries that were stored twice are read once."""
    entries, known = played(house)
    doubled = [entries[0], *(entry for entry in entries[1:] for _ in range(2))]
    for found in (recovery.read(entries), recovery.read(doubled)):
        back = recovery.rebuild(found, "u1", known, house.table.context.seal)
        assert back.play.state == house.table.game.state.play.state
        kinds = [type(step) for step in back.steps]
        assert (kinds, back.lacking) == ([Tipped, Choice, Choice, Expired], ())
        assert back.play.groups == 4


def test_no_cards_are_legible_in_the_journal(house):
    """Nor in a repr of what was read."""
    entries, known = played(house)
    state = house.table.game.state.play.state
    # five bytes; the dealer's two may well stand in sealed ones by chance
    board = bytes(state.setup.deal.board)
    assert list(board) == round_to_data(state)["deal"]["board"]
    assert not any(board in entry for entry in entries)
    found = recovery.read(entries)
    assert "opening" not in repr(found)
    assert str(list(state.setup.deal.bank)) not in repr(
        recovery.rebuild(found, "u1", known, house.table.context.seal)
    )


def test_other_bets_than_the_ledgers_are_not_played(house):
    """The cards of one round with the money of another."""
    entries, known = played(house)
    rows = tuple(row for row in known.stakes if row.kind != "bets" or row.account == 1)
    other = type(known)(round_id=known.round_id, started_ms=known.started_ms, stakes=rows)
    with pytest.raises(UnreadableJournal, match="has other bets in the ledger"):
        recovery.rebuild(recovery.read(entries), "u1", other, house.table.context.seal)
    other = type(known)(round_id="another", started_ms=known.started_ms, stakes=known.stakes)
    with pytest.raises(UnreadableJournal, match="does not know round another"):
        recovery.rebuild(recovery.read(entries), "u1", other, house.table.context.seal)
