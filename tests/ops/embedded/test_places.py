"""Where files lie and which user may read them: no server is started here."""

import os
import tempfile
from pathlib import Path

import pytest

from pokerroom.ops.embedded import EmbeddedError, default_data_dir, places, remove_data
from pokerroom.ops.embedded.locks import Lock
from pokerroom.ops.embedded.places import ServerUser, choose_places, make_data_dir, places_of, shelter_of


@pytest.fixture
def shelters(monkeypatch):
    """A place for shelters that the test may do with as it likes; its path is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="pokerroom-", dir="/var/tmp") as directory:
        monkeypatch.setattr(places, "SHELTERS", Path(directory))
        monkeypatch.setattr(places, "_server_user", ServerUser)  # private: it depends on who runs the tests
        yield Path(directory)


def test_the_default_data_directory_follows_the_environment(monkeypatch):
    """The variable of the room, then the XDG base directory, then the home directory."""
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("POKERROOM_DATA_DIR", raising=False)
    assert default_data_dir() == Path("/home/ann/.local/share/pokerroom")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_data_dir() == Path("/data/pokerroom")
    monkeypatch.setenv("POKERROOM_DATA_DIR", "~/room")
    assert default_data_dir() == Path("/home/ann/room")


def test_a_short_reachable_data_directory_holds_everything(shelters):
    """Nothing is put elsewhere unless it must be, and a moved data directory is still found."""
    data = make_data_dir(shelters / "data")
    chosen = choose_places(data)
    assert (chosen.home, chosen.sockets) == (data, data / "run")
    assert not shelter_of(data).exists()
    moved = data.rename(shelters / "moved")
    assert places_of(moved).home == moved


def test_a_long_path_has_its_sockets_in_the_shelter(shelters):
    """A socket's path has at most 103 bytes: past that only the sockets move, the data stay."""
    data = make_data_dir(shelters / ("d" * 50) / ("e" * 60))
    chosen = choose_places(data)
    assert chosen.home == data
    assert chosen.sockets == shelter_of(data) / "run"
    assert len(os.fsencode(shelter_of(data))) - len(os.fsencode(shelters)) < 40


def test_the_choice_is_kept_whatever_changes_later(shelters, monkeypatch):
    """Money that lies in the shelter is looked for there even when the data directory could hold it by now."""
    data = make_data_dir(shelters / "data")
    monkeypatch.setattr(places, "reachable", lambda path, user: False)
    chosen = choose_places(data)
    assert chosen.home == shelter_of(data)
    monkeypatch.setattr(places, "reachable", lambda path, user: True)
    assert choose_places(data) == chosen == places_of(data)


def test_a_lost_shelter_is_an_error_not_an_empty_ledger(shelters, monkeypatch):
    """When the databases are gone from their place, no new ones are made silently."""
    data = make_data_dir(shelters / "data")
    monkeypatch.setattr(places, "reachable", lambda path, user: False)
    choose_places(data)
    shelter_of(data).rmdir()
    with pytest.raises(EmbeddedError, match="which is gone"):
        choose_places(data)


@pytest.mark.parametrize("what", ["writable by others", "a link", "a file"])
def test_a_shelter_that_another_may_control_is_refused(shelters, monkeypatch, what):
    """Anybody may make names in /var/tmp: only a real directory that we alone may write to is used."""
    data = make_data_dir(shelters / "data")
    monkeypatch.setattr(places, "reachable", lambda path, user: False)
    shelter = shelter_of(data)
    if what == "a link":
        shelter.symlink_to(data)
    elif what == "a file":
        shelter.touch()
    else:
        shelter.mkdir()
        shelter.chmod(0o777)
    with pytest.raises(EmbeddedError, match="only user"):
        choose_places(data)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a directory of another user")
def test_a_shelter_of_another_user_is_refused(shelters, monkeypatch):
    """A directory of our name that another user made is not used."""
    data = make_data_dir(shelters / "data")
    monkeypatch.setattr(places, "reachable", lambda path, user: False)
    shelter_of(data).mkdir(mode=0o700)
    os.chown(shelter_of(data), 65534, 65534)
    with pytest.raises(EmbeddedError, match="belongs to user 65534"):
        choose_places(data)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act for another user")
def test_another_users_room_is_refused_even_to_root(shelters):
    """Root would change the owner of the files in an ordinary user's room; the message names the user to be."""
    data = make_data_dir(shelters / "data")
    choose_places(data)
    os.chown(data / "services.place", 1234, 1234)
    with pytest.raises(EmbeddedError, match="user 1234"):
        places_of(data)


@pytest.mark.skipif(os.geteuid() != 0, reason="asks as another user")
def test_reachable_asks_as_the_other_user(tmp_path):
    """A file below a directory that `nobody` may not enter is reachable for us alone."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    nobody = ServerUser(uid=65534, gid=65534, groups=())
    assert not places.reachable(closed, nobody)
    assert places.reachable(closed, ServerUser())
    assert places.reachable(Path("/bin/sh"), nobody)


def test_an_unusable_data_directory_is_a_clear_error(tmp_path):
    """A file where the data directory should be is the operator's mistake, not a traceback."""
    (tmp_path / "file").touch()
    with pytest.raises(EmbeddedError, match="cannot make the data directory"):
        make_data_dir(tmp_path / "file")


def test_removing_data_in_use_is_refused(shelters):
    """Data are deleted only when no room and no server holds them; doing it twice does nothing."""
    data = make_data_dir(shelters / "data")
    choose_places(data)
    lock = Lock(data / "room.lock")
    assert lock.acquire()
    lock.name_holder()
    with pytest.raises(EmbeddedError, match=f"process {os.getpid()} holds"):
        remove_data(data)
    lock.release()
    remove_data(data)
    assert not data.exists()
    remove_data(data)
