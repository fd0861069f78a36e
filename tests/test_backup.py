"""`pokerroom backup` and `pokerroom restore`: a room's database as one file, with real servers."""

import asyncio
import stat
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from pokerroom.cli import main
from pokerroom.ledger.api import BackupFailed, LedgerUnavailable
from pokerroom.ledger.postgres.dump import dump
from pokerroom.ops.embedded import find_dump_tool, remove_data
from tests import clusters

pytestmark = pytest.mark.services


@pytest.fixture
def new_room(tmp_path):
    """The environment of a room with servers of its own, which are not there yet."""
    data_dir = tmp_path / "new"
    with clusters.copied():
        yield {
            "POKERROOM_DATA_DIR": str(data_dir),
            "POKERROOM_DATABASE_URL": "",
            "POKERROOM_OWNER_DATABASE_URL": "",
            "POKERROOM_REDIS_URL": "",
        }
    remove_data(data_dir)


def said(environment, *command):
    result = CliRunner().invoke(main, command, env=environment)
    return result.exit_code, result.output


def test_a_backup_comes_back(own_database, new_room, tmp_path):
    """A room that was backed up while it was open is restored beside it, whole, and as it was at that moment."""
    room, owner = own_database
    file = tmp_path / "room.backup"
    old_room = {
        "POKERROOM_DATABASE_URL": room,
        "POKERROOM_OWNER_DATABASE_URL": owner,
        "POKERROOM_REDIS_URL": "redis://h",
    }

    with psycopg.connect(room, autocommit=True) as connection:
        connection.execute("SELECT create_account('anna', 'hash', 700)")
        code, output = said(old_room, "backup", str(file))
        connection.execute("SELECT create_account('bert', 'hash', 900)")
    assert (code, "Keep the room's key apart" in output) == (0, True)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert said(old_room, "backup", str(file)) == (2, f"{file} exists. Name another file, or remove it.\n")

    damaged = tmp_path / "damaged.backup"
    damaged.write_bytes(file.read_bytes()[:2_000])
    code, output = said(new_room, "restore", str(damaged))
    assert (code, "pg_restore failed" in output) == (2, True)
    code, output = said(new_room, "restore", str(file))
    assert (code, "0 differences" in output) == (0, True), output
    code, output = said(new_room, "restore", str(file))
    assert (code, "The database is not empty" in output) == (2, True)
    there = [said(new_room, "account", "recovery-code", name)[0] == 0 for name in ("anna", "bert")]
    assert there == [True, False]
    code, output = said(new_room, "audit")
    assert (code, "0 differences" in output) == (0, True)
    assert said(new_room, "migrate")[0] == 0


def test_a_database_that_is_away_has_no_backup(tmp_path):
    """It is said as of any call of the ledger, and no file is left that looks like a backup."""
    url = "postgresql://127.0.0.1:1/room?connect_timeout=2"
    with pytest.raises(LedgerUnavailable):
        asyncio.run(dump(url, tmp_path / "room.backup", find_dump_tool, lambda _: None))
    assert list(tmp_path.iterdir()) == []


def test_two_backups_to_one_file_do_not_mix(own_database, tmp_path):
    """The second is refused before it touches what the first writes, and so is one that finds the rest of another."""
    file, url = tmp_path / "room.backup", own_database[1]

    async def both():
        twice = [dump(url, file, find_dump_tool, lambda _: None) for _ in range(2)]
        return await asyncio.gather(*twice, return_exceptions=True)

    first, second = asyncio.run(both())
    assert first is None
    assert isinstance(second, BackupFailed)
    assert "another backup writes it" in str(second)
    assert [path.name for path in tmp_path.iterdir()] == ["room.backup"]
    assert file.read_bytes()[:5] == b"PGDMP"


def test_a_backup_replaces_nothing(own_database, tmp_path):
    """Not a file, and not a link to one that is not there."""
    for name in ("whole", "link"):
        (tmp_path / "whole").touch()
        (tmp_path / "link").unlink(missing_ok=True)
        (tmp_path / "link").symlink_to("nowhere")
        with pytest.raises(BackupFailed, match="exists"):
            asyncio.run(dump(own_database[1], tmp_path / name, find_dump_tool, lambda _: None))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "whole"]


@pytest.mark.slow
def test_a_backup_may_have_any_name(own_database, new_room, tmp_path, monkeypatch):
    """Also one that looks like an option."""
    monkeypatch.chdir(tmp_path)
    asyncio.run(dump(own_database[1], Path("--clean"), find_dump_tool, lambda _: None))
    code, output = said(new_room, "restore", "--", "--clean")
    assert (code, "0 differences" in output) == (0, True), output


def test_a_wrong_address_is_told_without_its_password(tmp_path):
    """As of every other command."""
    address = "postgresql://room:secret%zz@localhost/room"
    environment = {"POKERROOM_DATABASE_URL": address, "POKERROOM_REDIS_URL": "redis://h"}
    for command in ("backup", "migrate"):
        code, output = said(environment, command, *[str(tmp_path / "file")][: command == "backup"])
        assert (code, output) == (2, "the address of the database is neither a URL nor a connection string\n")


def test_a_backup_says_what_it_lacks(new_room, tmp_path):
    """A folder that cannot be written, and a file that is not there."""
    code, output = said(new_room, "restore", str(tmp_path / "none"))
    assert (code, "there is no file" in output) == (2, True)
