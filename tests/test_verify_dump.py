"""`pokerroom verify-dump`: from a backup and the public key alone."""

import asyncio
import json

import psycopg
import pytest
from click.testing import CliRunner

from pokerroom.adapters import opened_ledger
from pokerroom.chips import Money
from pokerroom.cli import main
from pokerroom.ledger.checkpoints import CheckpointKey
from pokerroom.ops.checkpoint_writer import publish
from pokerroom.ops.config import default_config_path

pytestmark = pytest.mark.services

SECRET = bytes(range(32))
KEY = CheckpointKey(SECRET)


def said(*command, **environment):
    result = CliRunner().invoke(main, command, env={"POKERROOM_JOURNAL_KEY": SECRET.hex(), **environment})
    return result.exit_code, result.output


@pytest.fixture
def room(own_database):
    """A database with two accounts, each signed in a checkpoint of its own; its addresses and the checkpoints."""
    url, owner = own_database

    async def work():
        loop = asyncio.get_running_loop()
        written = []
        async with opened_ledger(url, owner) as ledger:
            for name in "añna", "bob\\\t\n":
                await ledger.create_account(name, "-", Money(500)).asFuture(loop)
                written.append(await ledger.write_checkpoint(KEY, open_s=0).asFuture(loop))
        return written

    return url, owner, asyncio.run(work())


@pytest.fixture
def public(tmp_path):
    """The file with the public key, as the command prints it."""
    file = tmp_path / "public.pem"
    code, output = said("checkpoint", "public-key")
    assert code == 0
    file.write_text(output)
    return str(file)


def test_a_backup_is_verified_with_the_public_key(room, public, tmp_path):
    """What was proven is said. A changed row is named, and so is one that is gone."""
    url, owner, _ = room
    services = {
        "POKERROOM_DATABASE_URL": url,
        "POKERROOM_OWNER_DATABASE_URL": owner,
        "POKERROOM_REDIS_URL": "redis://h",
    }
    good, bad = str(tmp_path / "good"), str(tmp_path / "bad")
    assert said("backup", good, **services)[0] == 0
    code, output = said("verify-dump", good, "--key", public)
    assert (code, output.splitlines()[0][:33]) == (0, "2 checkpoints, the last one of 20"), output
    assert output.splitlines()[1:] == [
        "3 transfers with their hands and rounds, 0 lines of the operators' log",
        "0 differences",
    ]
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("UPDATE legs SET amount = 2 * amount WHERE transfer = 2")
        connection.execute("DELETE FROM transfers WHERE id = 3")
    assert said("backup", bad, **services)[0] == 0
    code, output = said("verify-dump", bad, "--key", public)
    assert code == 1
    assert "stream transfers, number 2 (transfer 2, opening:1): it was changed\n" in output
    assert "stream transfers, number 3 (transfer 3): it was removed\n" in output
    assert output.endswith("2 differences\n")


def test_tables_of_another_name_do_not_stand_for_those_of_the_room(room, public, tmp_path):
    """Rows that were moved to another schema are gone, and a view is no table."""
    url, owner, _ = room
    services = {
        "POKERROOM_DATABASE_URL": url,
        "POKERROOM_OWNER_DATABASE_URL": owner,
        "POKERROOM_REDIS_URL": "redis://h",
    }
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("CREATE SCHEMA other")
        for table, column in ("legs", "transfer"), ("transfers", "id"):
            connection.execute(f"CREATE TABLE other.{table} AS SELECT * FROM {table} WHERE {column} = 3")
            connection.execute(f"DELETE FROM {table} WHERE {column} = 3")
        connection.execute("INSERT INTO legs SELECT 77, ledger_account, amount FROM legs WHERE transfer = 2")
        name = connection.info.dbname
        connection.execute(f'ALTER DATABASE "{name}" SET search_path = other, public')
    assert said("backup", str(tmp_path / "moved"), **services)[0] == 0
    for source in owner, str(tmp_path / "moved"):
        code, output = said("verify-dump", source, "--key", public)
        assert (code, "stream transfers, number 3 (transfer 3): it was removed\n" in output) == (1, True), (
            output
        )
        assert "transfer 77: legs has it, and there is no such transfer\n" in output
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("ALTER TABLE public.hands RENAME TO those")
        connection.execute("CREATE VIEW public.hands AS SELECT * FROM public.those")
    code, output = said("verify-dump", owner, "--key", public)
    assert (code, "there is no table public.hands\n" in output) == (2, True), output


def test_a_database_is_verified_beside_the_room(room, public, tmp_path):
    """By its address. With another key nothing is proven."""
    _, owner, _ = room
    assert said("verify-dump", owner, "--key", public)[0] == 0
    other = tmp_path / "other.pem"
    other.write_text(CheckpointKey(bytes(32)).pem())
    code, output = said("verify-dump", owner, "--key", str(other))
    wrong = (
        f"none of the 2 checkpoints is signed with the key that was given ({CheckpointKey(bytes(32)).key_id})"
    )
    assert code == 1
    assert output.count("checkpoints") == 3, "one line of differences"
    assert f"{wrong}, but with {KEY.key_id}: it is not the public key of this room" in output
    assert output.endswith("\n1 differences\n")
    other.write_text(CheckpointKey(bytes(32)).pem() + KEY.pem().strip())
    assert said("verify-dump", owner, "--key", str(other))[0] == 0


def test_a_published_checkpoint_must_be_there(room, public, tmp_path):
    """So the newest history cannot go with its checkpoint. A line that is still being written does not count."""
    _, owner, written = room
    file = tmp_path / "published"
    publish(file, written)
    with file.open("a") as lines:
        lines.write('{"checkpoint": "{')
    command = ("verify-dump", owner, "--key", public, "--published", str(file))
    assert said(*command)[0] == 0
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("DELETE FROM checkpoints WHERE number = 2")
        for table, column in ("chain_links", "transfer"), ("legs", "transfer"), ("transfers", "id"):
            connection.execute(f"DELETE FROM {table} WHERE {column} = 3")
    assert said(*command[:4])[0] == 0, "the database alone does not tell"
    code, output = said(*command)
    lost = "checkpoints up to 2 were published, and the last one here is 1: later ones were removed"
    assert (code, lost in output) == (1, True)
    line = json.loads(file.read_text().splitlines()[0])
    line["signature"] = line["signature"][2:] + "00"
    file.write_text(json.dumps(line) + "\n")
    assert "published checkpoint 1: its signature does not fit\n" in said(*command)[1]


def test_an_audit_compares_what_was_published(room, tmp_path):
    """By the file of the settings, or another one. Without the file it says so."""
    url, owner, written = room
    file, settings = tmp_path / "published", tmp_path / "room.toml"
    shipped = default_config_path().read_text()
    assert shipped.count('\nfile = ""') == 1
    settings.write_text(shipped.replace('\nfile = ""', f'\nfile = "{file}"'))
    services = {
        "POKERROOM_DATABASE_URL": url,
        "POKERROOM_OWNER_DATABASE_URL": owner,
        "POKERROOM_REDIS_URL": "redis://127.0.0.1:1",
    }

    def audited(*options):
        code, output = said("audit", "--json", "--jobs", "1", *options, **services)
        facts = next(json.loads(line) for line in output.splitlines() if line.startswith("{"))
        return code, facts["published_compared"], output

    code, compared, output = audited("--config", str(settings))
    assert (code, compared) == (0, False)
    assert f"published checkpoints are not compared: there is no {file} here." in output
    publish(file, written)
    with file.open("a") as lines:
        lines.write('{"checkpoint": "{')
    assert audited("--config", str(settings))[:2] == (0, True)
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("DELETE FROM checkpoints WHERE number = 2")
        connection.execute("DELETE FROM chain_links WHERE transfer = 3")
    assert audited()[:2] == (0, False), "the database alone does not tell"
    for options in (
        ("--config", str(settings)),
        ("--published", str(file)),
        ("--published", str(file), "--since", "3"),
    ):
        code, compared, output = audited(*options)
        assert (code, compared) == (1, True)
        assert "checkpoints up to 2 were published, and the last one here is 1: " in output
    file.write_text("text\n")
    code, output = said("audit", "--published", str(file), **services)
    assert (code, f"{file}, line 1: this is no published checkpoint\n" in output) == (2, True), output


def test_what_is_not_signed_yet_is_said(room, public):
    """How many transfers and lines of the operators' log, since when, and how often a checkpoint comes."""
    url, owner, _ = room

    async def work():
        loop = asyncio.get_running_loop()
        async with opened_ledger(url, owner) as ledger:
            await ledger.create_account("carl", "-", Money(500)).asFuture(loop)
            await ledger.open_source("desk").asFuture(loop)

    services = {
        "POKERROOM_DATABASE_URL": url,
        "POKERROOM_OWNER_DATABASE_URL": owner,
        "POKERROOM_REDIS_URL": "redis://127.0.0.1:1",
    }
    assert (
        "\nnot signed yet: 0 transfers, and 0 lines of the operators' log; of these"
        in said("audit", **services)[1]
    )
    assert "not signed yet" not in said("verify-dump", owner, "--key", public)[1]
    asyncio.run(work())
    code, output = said("audit", **services)
    assert code == 0
    assert "2 checkpoints signed, by the settings one every 60 seconds: 3 transfers,\n" in output
    assert "\nnot signed yet: 1 transfers since 20" in output
    assert " UTC, and 1 lines of the operators' log; of these only the rules are proven,\n" in output
    code, output = said("verify-dump", owner, "--key", public)
    assert (code, "\nnot signed yet: 1 transfers after the last checkpoint, the first of 20" in output) == (
        0,
        True,
    )


def test_an_audit_since_a_transfer_that_is_not_there_says_so(room):
    """The number of an earlier audit: the books do not end before it, unless an earlier state was put back."""
    url, owner, _ = room
    services = {
        "POKERROOM_DATABASE_URL": url,
        "POKERROOM_OWNER_DATABASE_URL": owner,
        "POKERROOM_REDIS_URL": "redis://127.0.0.1:1",
    }
    assert said("audit", "--since", "3", **services)[0] == 0
    code, output = said("audit", "--since", "4", **services)
    assert (code, "the last transfer is 3, and the audit was to begin after 4: " in output) == (1, True)
    code, output = said("audit", "--since", "2999-01-01", **services)
    assert (code, "no transfer is as new as --since: none was followed\n" in output) == (0, True)


def test_what_cannot_be_verified_is_refused_with_its_reason(own_database, public, tmp_path):
    """No checkpoint, no dump, no key."""
    code, output = said("verify-dump", own_database[1], "--key", public)
    assert (code, output) == (1, "there is no checkpoint: nothing is proven\n0 differences\n")
    none = tmp_path / "none"
    none.write_text("text")
    for source, key, reason in (
        (str(none), public, "pg_restore failed"),
        (str(tmp_path / "away"), public, "there is no file"),
        (str(none), str(none), "has no public key"),
    ):
        code, output = said("verify-dump", source, "--key", key)
        assert (code, reason in output) == (2, True), output
