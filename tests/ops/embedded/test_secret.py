"""The journal's key: made once, kept closed, or given by the environment."""

import stat

import pytest

from pokerroom.ops.embedded import EmbeddedError, journal_key, known_journal_key, secret


@pytest.fixture(autouse=True)
def _no_variable(monkeypatch):
    monkeypatch.delenv("POKERROOM_JOURNAL_KEY", raising=False)


def test_a_key_is_made_once_and_kept_closed(tmp_path):
    """The first call makes 32 bytes readable by the owner only; later calls answer the same."""
    key = journal_key(tmp_path / "data")
    assert len(key) == 32
    assert journal_key(tmp_path / "data") == key
    assert stat.S_IMODE((tmp_path / "data" / "journal.key").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["journal.key"]
    assert journal_key(tmp_path / "other") != key


def test_who_only_looks_makes_no_key(tmp_path, monkeypatch):
    """It is known if it was made before, or given."""
    assert known_journal_key(tmp_path / "data") is None
    assert not (tmp_path / "data").exists()
    assert known_journal_key(tmp_path) is None
    key = journal_key(tmp_path)
    assert known_journal_key(tmp_path) == key
    monkeypatch.setenv("POKERROOM_JOURNAL_KEY", "0A" * 32)
    assert known_journal_key(tmp_path / "data") == b"\n" * 32


def test_a_key_already_in_use_is_never_replaced(tmp_path):
    """Of two that start at once the second finds the first's file in its way, and keeps it."""
    first = journal_key(tmp_path)
    secret._create(tmp_path / "journal.key")  # private: as in a process that saw no file a moment earlier
    assert journal_key(tmp_path) == first
    assert [path.name for path in tmp_path.iterdir()] == ["journal.key"]


def test_the_environment_comes_first(tmp_path, monkeypatch):
    """With the variable set no file is made."""
    monkeypatch.setenv("POKERROOM_JOURNAL_KEY", "0A" * 32)
    assert journal_key(tmp_path / "data") == b"\n" * 32
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("text", ["", "abc", "ab" * 31, "ab" * 33, "zz" * 32, "ab " * 32])
def test_a_variable_that_is_no_key_is_refused_without_showing_it(tmp_path, monkeypatch, text):
    """The error names the variable and what it should hold, never what it holds."""
    monkeypatch.setenv("POKERROOM_JOURNAL_KEY", text)
    with pytest.raises(EmbeddedError, match="POKERROOM_JOURNAL_KEY should hold 64 hex") as caught:
        journal_key(tmp_path)
    assert not text or text not in str(caught.value)


def test_a_damaged_or_open_file_is_refused(tmp_path):
    """A key that is cut short, or that others may read, is an error and stays as it is."""
    journal_key(tmp_path)
    path = tmp_path / "journal.key"
    path.chmod(0o640)
    with pytest.raises(EmbeddedError, match="chmod 600"):
        journal_key(tmp_path)
    path.chmod(0o600)
    path.write_text("abcd\n")
    with pytest.raises(EmbeddedError, match=r"journal\.key should hold 64"):
        journal_key(tmp_path)
    assert path.read_text() == "abcd\n"
