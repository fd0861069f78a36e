"""The audit of rooms with archived records: money and chain without the files, and every hand again with them."""

from __future__ import annotations

import asyncio
import gzip
import re
from functools import partial

import psycopg
import pytest

from pokerroom.adapters import opened_ledger
from pokerroom.audit.room import audited
from pokerroom.audit.since import WHOLE, Since
from pokerroom.audit.workers import Workers
from pokerroom.bridge import as_future
from tests.audit import rooms
from tests.databases import copied_database
from tests.effort import times

pytestmark = pytest.mark.services

ROOMS = {"holdem": ("holdem", 6, times(12)), "mtt": ("mtt", 0, 10), "ultimate": ("ultimate", 0, 8)}


async def _played(url, room, folder, until):
    async with opened_ledger(url) as ledger:
        await rooms.write(ledger, rooms.calls_of(*room))
        await rooms.at_the_cashier(ledger)
        await rooms.counted(ledger)
        await rooms.signed(ledger)
    return await rooms.archived(url, folder, until)


def audit(url, archive=None, *, jobs=1, since=WHOLE):
    """Audit a room without a journal."""

    async def work():
        async with opened_ledger(url) as ledger:
            workers = Workers(
                jobs=jobs, open_ledger=partial(opened_ledger, url), keys=rooms.KEYS, archive=archive
            )
            return await audited(
                ledger,
                None,
                {},
                rooms.KEYS,
                since=since,
                archive=archive,
                workers=workers if jobs > 1 else None,
            )

    return asyncio.run(work())


@pytest.fixture(scope="module", params=ROOMS)
def played(request, services, ledger_template, tmp_path_factory):
    """A room of which the older half of the records is archived: its database, the directory, how many records."""
    folder = tmp_path_factory.mktemp("archives")
    with copied_database(services, ledger_template, f"archived_{request.param}") as (_, url):
        yield url, folder, asyncio.run(_played(url, ROOMS[request.param], folder, "max(id) / 2"))


def test_nothing_differs_without_the_files(played):
    """Archived hands are counted as such; the others are played again."""
    url, _, count = played
    found = audit(url)
    assert found.differences == ()
    assert found.books.not_played == {"archived": count}
    assert found.books.hands + found.books.rounds + count == found.ledger.hands + found.ledger.rounds
    assert found.chain.archived == count > 0


def test_with_the_files_every_hand_is_played_again(played):
    """As before."""
    every_hand_is_played_again(played, jobs=1)


@pytest.mark.parametrize("played", ["holdem"], indirect=True, scope="module")
def test_other_processes_play_every_hand_again(played, monkeypatch):
    """They have the files, too. One room is enough: a process takes a second to begin."""
    monkeypatch.setattr("pokerroom.audit.room.RUN", 10)
    every_hand_is_played_again(played, jobs=2)


def every_hand_is_played_again(played, jobs):
    url, folder, _ = played
    found = audit(url, folder, jobs=jobs)
    assert found.differences == ()
    assert found.books.not_played == {}
    assert found.books.hands + found.books.rounds == found.ledger.hands + found.ledger.rounds


def test_an_incremental_audit_goes_on_after_archived_hands(played):
    """From a number between them, with the files and without."""
    url, folder, _ = played
    last = audit(url).books.last
    for archive in (None, folder):
        assert audit(url, archive, since=Since(number=last - 3)).differences == ()


def test_a_missing_file_is_named_once(played):
    """And its hands count as archived."""
    url, folder, _ = played
    first = min(folder.glob("records-1-*"))
    away = first.rename(folder / "away")
    try:
        found = audit(url, folder)
    finally:
        away.rename(first)
    (difference,) = found.differences
    assert re.match(
        rf"archive 1: its file {first.name} is missing, with the records of \d+ hands and \d+ rounds$",
        difference,
    )
    assert found.books.not_played["archived"] > 0


NO_FILE = {
    "archive 1 lacks its record": 1,
    "its record is said to be in archive 99, which does not exist": 99,
}


@pytest.mark.parametrize("sentence", NO_FILE)
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_record_that_no_file_has_is_named_by_its_hand(played, sentence, jobs, monkeypatch):
    """A user with the owner's role can mark a record past the triggers, and the database sees no files."""
    url, folder, _ = played
    monkeypatch.setattr("pokerroom.audit.room.RUN", 10)
    table, name = ("round_ends", "round") if "ultimate" in url else ("hands", "hand")
    change = "UPDATE {0} SET record = {1} WHERE transfer = (SELECT max(transfer) FROM {0})"
    left = f"archived_record(record, {name == 'round'}, {NO_FILE[sentence]})"
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("SET session_replication_role = replica")
        kept = owner.execute(
            f"SELECT max(record::text) FROM {table} WHERE transfer = (SELECT max(transfer) FROM {table})"
        )
        record = kept.fetchone()[0]
        owner.execute(change.format(table, left))
        try:
            found = audit(url, folder, jobs=jobs)
        finally:
            owner.execute(change.format(table, "%s::jsonb"), [record])
    assert [text for text in found.differences if text.startswith(name) and text.endswith(f": {sentence}")]


def test_a_changed_record_is_named_by_its_hand(played):
    """And the file that has it."""
    url, folder, _ = played
    first = min(folder.glob("records-1-*"))
    kept = first.read_bytes()
    header, line, *rest = gzip.decompress(kept).splitlines()
    first.write_bytes(
        gzip.compress(b"\n".join([header, line.replace(b'"started_ms": ', b'"started_ms": 1'), *rest, b""]))
    )
    try:
        found = audit(url, folder)
    finally:
        first.write_bytes(kept)
    assert f"archive 1: its file {first.name} was changed" in found.differences
    assert any("its record in archive 1 was changed" in text for text in found.differences)


def test_the_schema_is_as_it_was(played):
    """The helper of this test leaves nothing behind."""

    async def work():
        async with opened_ledger(played[0]) as ledger:
            return await as_future(ledger.schema_differences())

    assert asyncio.run(work()) == []
