"""The room's keys: made once, kept closed, or given by the environment."""

import stat

import pytest

from pokerroom.ops.embedded import EmbeddedError, journal_keys, known_journal_keys, secret


@pytest.fixture(autouse=True)
def _no_variable(monkeypatch):
    monkeypatch.delenv("POKERROOM_JOURNAL_KEY", raising=False)


def test_a_key_is_made_once_and_kept_closed(tmp_path):
    """The first call makes 32 bytes readable by the owner only; later calls answer the same."""
    keys = journal_keys(tmp_path / "data")
    assert [len(key) for key in keys] == [32]
    assert journal_keys(tmp_path / "data") == keys
    assert stat.S_IMODE((tmp_path / "data" / "journal.key").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["journal.key"]
    assert journal_keys(tmp_path / "other") != keys


def test_who_only_looks_makes_no_key(tmp_path, monkeypatch):
    """It is known if it was made before, or given."""
    assert known_journal_keys(tmp_path / "data") is None
    assert not (tmp_path / "data").exists()
    assert known_journal_keys(tmp_path) is None
    keys = journal_keys(tmp_path)
    assert known_journal_keys(tmp_path) == keys
    monkeypatch.setenv("POKERROOM_JOURNAL_KEY", "0A" * 32)
    assert known_journal_keys(tmp_path / "data") == (b"\n" * 32,)


def test_a_key_already_in_use_is_never_replaced(tmp_path):
    """Of two that start at once the second finds the first's file in its way, and keeps it."""
    first = journal_keys(tmp_path)
    secret._create(tmp_path / "journal.key")  # private: as in a process that saw no file a moment earlier
    assert journal_keys(tmp_path) == first
    assert [path.name for path in tmp_path.iterdir()] == ["journal.key"]


def test_the_environment_comes_first(tmp_path, monkeypatch):
    """With the variable set no file is made."""
    monkeypatch.setenv("POKERROOM_JOURNAL_KEY", "0A" * 32)
    assert journal_keys(tmp_path / "data") == (b"\n" * 32,)
    assert not (tmp_path / "data").exists()


def test_earlier_keys_follow_the_one_in_use(tmp_path, monkeypatch):
    """After commas in the variable, on lines of their own in the file."""
    monkeypatch.setenv("POKERROOM_JOURNAL_KEY", "0A" * 32 + ", " + "0B" * 32)
    assert journal_keys(tmp_path) == (b"\n" * 32, b"\x0b" * 32)
    monkeypatch.delenv("POKERROOM_JOURNAL_KEY")
    (made,) = journal_keys(tmp_path)
    path = tmp_path / "journal.key"
    path.write_text("0A" * 32 + "\n" + path.read_text())
    assert journal_keys(tmp_path) == (b"\n" * 32, made)


@pytest.mark.parametrize("text", ["", "abc", "ab" * 31, "ab" * 33, "zz" * 32, "ab " * 32, "ab" * 32 + ","])
def test_a_variable_that_is_no_key_is_refused_without_showing_it(tmp_path, monkeypatch, text):
    """The error names the variable and what it should hold, never what it holds."""
    monkeypatch.setenv("POKERROOM_JOURNAL_KEY", text)
    with pytest.raises(EmbeddedError, match="POKERROOM_JOURNAL_KEY should hold 64 hex") as caught:
        journal_keys(tmp_path)
    assert not text or text not in str(caught.value)


def test_a_damaged_or_open_file_is_refused(tmp_path):
    """A key that is cut short, or that others may read, is an error and stays as it is."""
    journal_keys(tmp_path)
    path = tmp_path / "journal.key"
    path.chmod(0o640)
    with pytest.raises(EmbeddedError, match="chmod 600"):
        journal_keys(tmp_path)
    path.chmod(0o600)
    path.write_text("abcd\n")
    with pytest.raises(EmbeddedError, match=r"journal\.key should hold 64"):
        journal_keys(tmp_path)
    assert path.read_text() == "abcd\n"
