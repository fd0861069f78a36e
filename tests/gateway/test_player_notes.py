"""Notes on other players over whole sessions: what their writer is told, and what no other is."""

from __future__ import annotations

from structlog.testing import capture_logs

from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code
from tests.gateway.session_parties import player
from tests.gateway.test_account_service import play_a_hand


def test_an_account_notes_players(sessions):
    """In place of what it noted before; without text and colour the note is gone."""
    anna, bob, _ = (player(sessions, name) for name in ("anna", "bob", "carol"))
    assert isinstance(anna.ask(wire.SetPlayerNote, player="bob", text="calls", color="green"), wire.Ok)
    anna.ask(wire.SetPlayerNote, player="carol", color="red")
    anna.ask(wire.SetPlayerNote, player="bob", text="calls too much")
    about_bob = wire.PlayerNoteView(player="bob", text="calls too much", color=None)
    about_carol = wire.PlayerNoteView(player="carol", text=None, color="red")
    told = anna.ask(wire.GetPlayerNotes)
    assert (told.notes, told.before) == ([about_carol, about_bob], None)
    assert anna.ask(wire.GetPlayerNotes, players=["Bob", "anna", "no.body"]).notes == [about_bob]
    assert bob.ask(wire.GetPlayerNotes).notes == []
    anna.ask(wire.SetPlayerNote, player="bob")
    assert anna.ask(wire.GetPlayerNotes).notes == [about_carol]
    assert anna.ask(wire.GetPlayerNotes, players=[]).notes == []


def test_the_noted_player_hears_nothing(sessions, room):
    """Neither an answer nor an event, with both at one table; and no log has the text."""
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    play_a_hand(room, anna, bob, folds=True)
    heard = len(bob.got)
    with capture_logs() as logs:
        anna.ask(wire.SetPlayerNote, player="bob", text="a secret", color="red")
    assert len(bob.got) == heard
    assert "a secret" not in str(logs)


def test_notes_in_pages(sessions):
    """Each page tells where the next one begins; the last has no more."""
    anna = player(sessions, "anna")
    for number in range(5):
        player(sessions, f"other{number}")
        anna.ask(wire.SetPlayerNote, player=f"other{number}", color="blue")
    pages = [anna.ask(wire.GetPlayerNotes, limit=2)]
    while pages[-1].before is not None:
        pages.append(anna.ask(wire.GetPlayerNotes, limit=2, before=pages[-1].before))
    assert [[note.player[-1] for note in page.notes] for page in pages] == [["4", "3"], ["2", "1"], ["0"]]


def test_no_note_about_oneself(sessions):
    """Nor about a name of no player."""
    anna = player(sessions, "anna")
    for name in ("anna", "no.body"):
        assert anna.ask(wire.SetPlayerNote, player=name, text="x").code == Code.UNKNOWN_PLAYER
    assert anna.ask(wire.GetPlayerNotes).notes == []
