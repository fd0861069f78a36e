"""What would become of rounds in progress: looked at, and never touched."""

from __future__ import annotations

import pytest
from twisted.internet.defer import Deferred, succeed

from pokerroom.poker.journal_audit import journalled_hands
from pokerroom.table.seal import Seal
from pokerroom.ultimate.journal_audit import is_ultimate, journalled_rounds
from tests.poker.support import now
from tests.ultimate.support import House


class Onlooker:
    """The journal of a room, for a reader that owns none of its tables."""

    def __init__(self, house: House, **more: list[bytes]) -> None:
        self._entries = {"u1": list(house.journal.kept), **more}

    def tables(self):
        return succeed(sorted(self._entries))

    def peek(self, table):
        return succeed(self._entries.get(table, []))


def looked(house: House, journal: Onlooker | None = None, **changes):
    """Number and fate of each."""
    how = {"tables": {"u1"}, "seal": Seal(house.key), **changes}
    coroutine = journalled_rounds(journal or Onlooker(house), house.books, how["tables"], how["seal"])
    found = now(Deferred.fromCoroutine(coroutine))
    assert not any(one.difference for one in found)
    return [(one.table, one.hand_id, one.fate) for one in found]


def test_a_round_that_would_be_played_on_is_in_progress(house):
    """Nothing of it changes: it is played to its end afterwards."""
    anna = house.player("anna")
    assert looked(house) == []
    round_id = house.deal(anna)
    assert looked(house) == [("u1", round_id, "in_progress")]
    house.play_out(anna)
    assert looked(house) == []


def test_a_round_that_ends_between_two_looks_is_none(house):
    """The journal is read first, and the ledger has no open round by then."""
    house.deal(house.player("anna"))
    open_round, house.books.open_round = house.books.open_round, lambda _: succeed(None)
    assert looked(house) == []
    house.books.open_round = open_round


def test_a_round_that_is_decided_is_complete(house):
    """It would be settled."""
    anna = house.player("anna")
    round_id = house.deal(anna)
    house.ledger.hold = {"settle_round"}
    for decision in ("check", "check", "fold"):
        house.decide_later(anna, decision)
    assert looked(house) == [("u1", round_id, "complete")]
    house.ledger.answer()


def test_a_round_that_the_ledger_has_ended_is_settled(house):
    """The journal does not have the end; a round that no player has paid for is none."""
    anna = house.player("anna")
    round_id = house.deal(anna)
    before = list(house.journal.kept)
    house.play_out(anna)
    assert looked(house, Onlooker(house, u1=before)) == [("u1", round_id, "settled")]
    house.rest()
    house.bet(anna)
    house.ledger.hold = {"close_bets"}
    house.close_betting()
    assert looked(house) == []
    house.ledger.answer()


@pytest.mark.parametrize("lost", ["journal", "key", "settings"])
def test_a_round_that_cannot_be_played_on_would_be_void(house, lost):
    """Without its cards, the key to them, or the table; without any key its fate is not known."""
    anna = house.player("anna")
    round_id = house.deal(anna)
    journal = Onlooker(house, u1=[]) if lost == "journal" else None
    changes = {"key": {"seal": Seal(bytes([1]) * 32)}, "settings": {"tables": set()}}.get(lost, {})
    assert looked(house, journal, **changes) == [("u1", round_id, "void")]
    assert looked(house, seal=None) == [("u1", round_id, "sealed")]


def test_each_kind_of_table_is_looked_at_once(house):
    """Hold'em's own audit leaves out what is not its own."""
    anna = house.player("anna")
    house.deal(anna)
    journal = Onlooker(house, t1=[b"\x93\x02\xa7closing\xc3"], broken=[b"\xc1"])
    coroutine = journalled_hands(
        journal, house.books, {}, Seal(house.key), lambda _, found: is_ultimate(found)
    )
    assert [one.table for one in now(Deferred.fromCoroutine(coroutine))] == ["broken"]
