"""The session of the last time: kept for its owner alone, and never in the way."""

from __future__ import annotations

import json
import os
import stat
import threading

import pytest

from pokerroom.terminal import sessions
from pokerroom.terminal.sessions import NAMES_MAX, SavedSession, SessionFile, default_path

ADA = SavedSession(name="ada", token="a-secret-of-20-letters")


def test_a_session_is_found_again(tmp_path):
    """By the room's address, and by the name where one is asked for, in any case of letters."""
    path = tmp_path / "new" / "sessions.json"
    SessionFile(path, "here:1").write(ADA)

    assert SessionFile(path, "here:1").read(None) == ADA
    assert SessionFile(path, "here:1").read("ADA") == ADA
    assert SessionFile(path, "here:1").read("bob") is None
    assert SessionFile(path, "there:1").read(None) is None


def test_rooms_do_not_disturb_each_other(tmp_path):
    """One session is forgotten, the others stay."""
    here, there = (SessionFile(tmp_path / "s.json", room) for room in ("here:1", "there:1"))
    here.write(ADA)
    there.write(ADA)

    here.forget(ADA)

    assert here.read(None) is None
    assert there.read(None) == ADA


def test_names_do_not_disturb_each_other(tmp_path):
    """Each keeps its session; the last one entered is that of a start without a name."""
    bob, ada_again = (
        SavedSession(name="bob", token="another-secret"),
        SavedSession(name="Ada", token="a-new-one"),
    )
    file = SessionFile(tmp_path / "s.json", "here:1")
    file.write(ADA)
    file.write(bob)

    assert (file.read("ada"), file.read(None)) == (ADA, bob)

    file.write(ada_again)
    file.forget(bob)

    assert (file.read("ada"), file.read("bob"), file.read(None)) == (ada_again, None, ada_again)


def test_terminals_that_start_together_keep_both_names(tmp_path, monkeypatch):
    """The second waits for the file until the first has stored its name."""
    path = tmp_path / "sessions.json"
    anna, bert = SavedSession(name="anna", token="a"), SavedSession(name="bert", token="b")
    second = threading.Thread(target=lambda: SessionFile(path, "here:1").write(bert))

    def dump(rooms, file, real=json.dump):
        if second.ident is None:
            second.start()
            second.join(0.3)
        real(rooms, file)

    monkeypatch.setattr(sessions.json, "dump", dump)
    SessionFile(path, "here:1").write(anna)
    second.join()
    assert [SessionFile(path, "here:1").read(name) for name in ("anna", "bert")] == [anna, bert]


def test_a_newer_session_of_a_name_stays(tmp_path):
    """Another terminal has stored it; the room knows only the older one no more."""
    file = SessionFile(tmp_path / "s.json", "here:1")
    newer = SavedSession(name="ada", token="a-newer-one")
    file.write(newer)
    file.forget(ADA)

    assert file.read("ada") == newer


def test_a_broken_entry_costs_no_other(tmp_path):
    """The other names of the room are found, and stay."""
    path = tmp_path / "s.json"
    path.write_text('{"here:1": [5, {"name": "x"}, {"name": "ada", "token": "a-secret-of-20-letters"}]}')
    file = SessionFile(path, "here:1")
    file.write(SavedSession(name="bob", token="another-secret"))

    assert file.read("ada") == ADA


def test_only_the_last_names_are_kept(tmp_path):
    """A guest for each evening does not fill the file."""
    file = SessionFile(tmp_path / "s.json", "here:1")
    for number in range(NAMES_MAX + 1):
        file.write(SavedSession(name=f"guest{number}", token="a-secret"))

    assert file.read("guest0") is None
    assert file.read("guest1") is not None


def test_a_session_of_an_older_client_is_found(tmp_path):
    """It kept one for each room."""
    path = tmp_path / "s.json"
    path.write_text('{"here:1": {"name": "ada", "token": "a-secret-of-20-letters"}}')

    assert SessionFile(path, "here:1").read(None) == ADA


def test_only_the_owner_may_read_it(tmp_path):
    """A token is worth as much as a password: it is in no repr, and no other user's to read."""
    SessionFile(tmp_path / "s.json", "here:1").write(ADA)

    assert stat.S_IMODE((tmp_path / "s.json").stat().st_mode) == 0o600
    assert ADA.token not in repr(ADA)
    assert [path.name for path in tmp_path.iterdir()] == ["s.json"]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"here:1": 5}', '{"here:1": {"name": "x"}}', "\x00"])
def test_a_file_that_is_none_is_as_if_there_was_none(tmp_path, text):
    """A broken file does not prevent play, and is replaced."""
    path = tmp_path / "s.json"
    path.write_text(text)
    file = SessionFile(path, "here:1")

    assert file.read(None) is None
    file.write(ADA)
    assert file.read(None) == ADA


def test_where_nothing_can_be_written_one_plays_all_the_same(tmp_path):
    """A session that cannot be kept is not kept."""
    (tmp_path / "file").write_text("")
    SessionFile(tmp_path / "file" / "s.json", "here:1").write(ADA)

    assert SessionFile(tmp_path / "file" / "s.json", "here:1").read(None) is None


def test_the_place_is_the_user_s(monkeypatch, tmp_path):
    """Where programs of a user keep their state."""
    monkeypatch.setenv("XDG_STATE_HOME", os.fspath(tmp_path))

    assert default_path() == tmp_path / "pokerroom" / "sessions.json"
