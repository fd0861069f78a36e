"""`pokerroom archive`, and the commands that read archived hands."""

from __future__ import annotations

import asyncio
import json

import psycopg
import pytest
from click.testing import CliRunner

from pokerroom.adapters import opened_ledger
from pokerroom.cli import main
from tests.audit import rooms
from tests.databases import copied_database

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def archived_room(services, ledger_template, tmp_path_factory):
    """The addresses of a room of which all hands are archived, and the directory."""
    folder = tmp_path_factory.mktemp("archives")
    with copied_database(services, ledger_template, "archive_command") as (room, owner):

        async def play():
            async with opened_ledger(room, owner) as ledger:
                await rooms.write(ledger, rooms.calls_of("holdem", 7, 6))
                await rooms.at_the_cashier(ledger)
                await rooms.counted(ledger)
                await rooms.signed(ledger)
            await rooms.archived(owner, folder, "max(id)")

        asyncio.run(play())
        environment = {
            "POKERROOM_DATABASE_URL": room,
            "POKERROOM_OWNER_DATABASE_URL": owner,
            "POKERROOM_REDIS_URL": "redis://127.0.0.1:1",
            "POKERROOM_JOURNAL_KEY": rooms.KEYS[0].hex(),
        }
        yield environment, folder


def said(room, *command):
    """What a command of a room prints."""
    return CliRunner().invoke(main, [str(word) for word in command], env=room[0])


def test_nothing_that_is_young_is_archived(archived_room, tmp_path):
    """Either of two options says what is old."""
    result = said(archived_room, "archive", "--days", 1, "--to", tmp_path)
    assert result.exit_code == 0, result.output
    assert result.stdout == "0 records in 0 new files\n"
    assert (tmp_path / "SHA256SUMS").exists()
    assert "its hidden cards are erased" in result.stderr
    for options in [(), ("--days", 1, "--before", "2026-01-01"), ("--before", "2999-01-01")]:
        assert said(archived_room, "archive", *options, "--to", tmp_path).exit_code == 2


def test_a_directory_of_another_room_is_refused(archived_room, tmp_path):
    """The text says what to do."""
    (tmp_path / f"records-9-{'0' * 16}.jsonl.gz").touch()
    result = said(archived_room, "archive", "--days", 1, "--to", tmp_path)
    assert (result.exit_code, "is of no archive in this ledger" in result.stderr) == (1, True), result.output


def test_the_audit_tells_of_archives(archived_room):
    """Without the directory the hands count as not replayable; with it they are played again."""
    with psycopg.connect(archived_room[0]["POKERROOM_OWNER_DATABASE_URL"]) as connection:
        (hands,) = connection.execute("SELECT count(*) FROM hands").fetchone()
    alone = said(archived_room, "audit", "--json", "--jobs", 1)
    facts = json.loads(alone.stdout)
    assert (alone.exit_code, facts["not_replayable"]["archived"], facts["hands_replayed"]) == (0, hands, 0)
    whole = said(archived_room, "audit", "--json", "--jobs", 1, "--archive", archived_room[1])
    facts = json.loads(whole.stdout)
    assert (whole.exit_code, facts["hands_replayed"], facts["archives_compared"]) == (0, hands, True)


def test_an_archived_hand_is_printed_from_its_file(archived_room):
    """Without the directory the command says what to do."""
    with psycopg.connect(archived_room[0]["POKERROOM_OWNER_DATABASE_URL"]) as connection:
        (hand_id,) = connection.execute("SELECT hand_id FROM hands ORDER BY transfer LIMIT 1").fetchone()
    refused = said(archived_room, "hand", hand_id)
    assert (refused.exit_code, "--archive" in refused.stderr) == (1, True)
    found = said(archived_room, "hand", hand_id, "--archive", archived_room[1])
    assert (found.exit_code, json.loads(found.stdout)["hand_id"]) == (0, hand_id)


def test_an_export_tells_what_it_has_left_out(archived_room):
    """With the directory it has all hands."""
    command = ("history", "export", "--all", "--format", "phh")
    alone = said(archived_room, *command)
    assert (alone.exit_code, alone.stdout, "hands are left out" in alone.stderr) == (0, "", True)
    whole = said(archived_room, *command, "--archive", archived_room[1])
    assert whole.exit_code == 0
    assert "left out" not in whole.stderr
    assert whole.stdout.count("finishing_stacks") > 0


def test_statistics_are_not_counted_again_without_the_records(archived_room):
    """They would lack the archived hands."""
    result = said(archived_room, "statistics", "rebuild")
    assert (result.exit_code, "hands are in archives" in result.stderr) == (1, True)
