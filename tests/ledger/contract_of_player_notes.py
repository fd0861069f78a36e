"""The part of every ledger's contract about notes on other players. `Noting` is mixed into `Contract`."""

import pytest

from pokerroom.ledger.account_standing import AccountLocked
from pokerroom.ledger.memory import player_notes as memory
from pokerroom.ledger.operator_log import THE_ROOM
from pokerroom.ledger.player_notes import TooManyPlayerNotes, UnknownPlayer
from pokerroom.ledger.postgres import player_notes as postgres
from tests.ledger.contract import opened


def noted(run, ledger, account, *players):
    """What the account is told of its notes: about these players, or about all."""
    rows = run(ledger.notes_about(account, players) if players else ledger.player_notes(account, None, 100))
    return [(row.player, row.text, row.color) for row in rows]


class Noting:
    """The names are those of today, and found whatever their case."""

    def test_a_note_is_its_writers_alone(self, run, ledger):
        """It replaces the one before, in its place; without text and colour it is gone. Names need no case."""
        alice, bob, carol = opened(run, ledger, "alice", "bob", "carol")
        run(ledger.set_player_note(alice, "BOB", "loose", None))
        run(ledger.set_player_note(alice, "carol", None, "red"))
        run(ledger.set_player_note(alice, "bob", "tight", "blue"))
        run(ledger.set_player_note(bob, "alice", "my neighbour", None))
        assert noted(run, ledger, alice) == [("carol", None, "red"), ("bob", "tight", "blue")]
        assert noted(run, ledger, alice, "Bob", "dave", "alice") == [("bob", "tight", "blue")]
        assert noted(run, ledger, bob) == [("alice", "my neighbour", None)]
        assert noted(run, ledger, carol) == []
        for _ in range(2):
            run(ledger.set_player_note(alice, "bob", None, None))
        assert noted(run, ledger, alice) == [("carol", None, "red")]
        assert noted(run, ledger, bob) == [("alice", "my neighbour", None)]

    def test_notes_come_in_pages(self, run, ledger):
        """The latest begun first; a page begins below the last number of the page before."""
        (alice, *_) = opened(run, ledger, "alice", *(f"player{number}" for number in range(5)))
        for number in range(5):
            run(ledger.set_player_note(alice, f"player{number}", f"{number}", "green"))
        told, before = [], None
        while page := run(ledger.player_notes(alice, before, 2)):
            assert len(page) <= 2
            told += [row.text for row in page]
            before = page[-1].number
        assert told == ["4", "3", "2", "1", "0"]
        assert "green" not in repr(run(ledger.player_notes(alice, None, 1)))

    def test_only_another_player_can_be_noted(self, run, ledger):
        """Not oneself, not a name of no player, not a deleted one; a refusal changes nothing."""
        alice, bob = opened(run, ledger, "alice", "bob", opening=0)
        run(ledger.delete_account(bob, None, by=THE_ROOM))
        for name in ("alice", "ALICE", "no.body", "bob", f"gone-{bob}"):
            with pytest.raises(UnknownPlayer):
                run(ledger.set_player_note(alice, name, "text", None))
        with pytest.raises(LookupError):
            run(ledger.set_player_note(99, "alice", "text", None))
        (carol,) = opened(run, ledger, "carol")
        run(ledger.lock_out(alice, by=THE_ROOM))
        with pytest.raises(AccountLocked):
            run(ledger.set_player_note(alice, "carol", "text", None))
        assert (noted(run, ledger, alice), noted(run, ledger, carol)) == ([], [])

    def test_an_account_has_few_notes(self, run, ledger, monkeypatch):
        """At the limit a note may change or go; then there is room for another."""
        for module in (memory, postgres):
            monkeypatch.setattr(module, "NOTES_MAX", 2)
        alice, *_ = opened(run, ledger, "alice", "bob", "carol", "dave")
        for name in ("bob", "carol"):
            run(ledger.set_player_note(alice, name, name, None))
        with pytest.raises(TooManyPlayerNotes):
            run(ledger.set_player_note(alice, "dave", "dave", None))
        run(ledger.set_player_note(alice, "bob", "other", None))
        assert noted(run, ledger, alice) == [("carol", "carol", None), ("bob", "other", None)]
        run(ledger.set_player_note(alice, "bob", None, None))
        run(ledger.set_player_note(alice, "dave", "dave", None))

    def test_notes_go_with_either_account(self, run, ledger):
        """With the writer's, and with that of the player who was noted; all others stay."""
        alice, bob, carol = opened(run, ledger, "alice", "bob", "carol", opening=0)
        for account, name in [(alice, "bob"), (bob, "alice"), (carol, "bob"), (carol, "alice")]:
            run(ledger.set_player_note(account, name, "text", "red"))
        run(ledger.delete_account(bob, None, by=THE_ROOM))
        assert [noted(run, ledger, one) for one in (alice, bob, carol)] == [
            [],
            [],
            [("alice", "text", "red")],
        ]
