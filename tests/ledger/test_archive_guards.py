"""What the database refuses of records that go to archives, and what an audit finds without their files."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import errors

from pokerroom.bridge import as_future, deferred
from pokerroom.ledger.archives import ArchiveFailed
from pokerroom.ledger.archiving import archive_old
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.ledger.shared_hands import ShareOptions
from tests.ledger.archive_rooms import ANNA, NOW_MS

pytestmark = pytest.mark.services


@pytest.fixture
def old(archive_room):
    """A room with three old hands and a round, signed."""
    archive_room.play()
    return archive_room


CHANGES = [
    "UPDATE hands SET record = archived_record(record, false, 1) WHERE hand_id = 'young'",
    "UPDATE hands SET record = archived_record(record, false, 2) WHERE hand_id = 'late'",
    "UPDATE hands SET record = archived_record(record, true, 1) WHERE hand_id = 'late'",
    "UPDATE hands SET record = record WHERE hand_id = 'h1'",
    "UPDATE hands SET record = jsonb_set(record, '{archive}', '2') WHERE hand_id = 'h1'",
    "UPDATE round_ends SET void = NOT void",
    "UPDATE round_ends SET record = '{}'",
    "DELETE FROM round_ends",
    "DELETE FROM archives",
    "UPDATE archives SET hands = hands + 1",
    "UPDATE archives SET last = last + 1",
]


def test_the_triggers_let_no_record_go_without_its_file(old):
    """Not to the owner of the tables either; a young record never goes."""
    old.archive()
    old.settle("late", days=40)
    old.settle("young", days=0)
    old.owner.execute("SET session_replication_role = origin")
    for change in CHANGES:
        with pytest.raises((errors.RestrictViolation, errors.CheckViolation)):
            old.owner.execute(change)


LATER = {
    "a mark alone": [],
    "the row written again": ["UPDATE archives SET file = file"],
    "a row of its own with another count": [
        "INSERT INTO archives SELECT 2, replace(file, '-1-', '-2-'), sha256, last, 2, 0, players FROM archives"
    ],
}


@pytest.mark.parametrize("first", LATER)
def test_a_record_that_stayed_goes_to_no_archive_later(old, emptied_database, first):
    """Old and signed, and up to where the archive goes: the row of the archive does not count it."""
    share = ShareOptions(names="own", own_cards=True)
    old.run(old.ledger.share_hand(old.alice, "h2", share, bytes(32), b"sealed"))
    old.archive()
    number = 2 if "own" in first else 1
    mark = f"UPDATE hands SET record = archived_record(record, false, {number}) WHERE hand_id = 'h2'"
    with psycopg.connect(emptied_database) as owner:
        with pytest.raises(errors.IntegrityError):  # noqa: PT012 -- the last one is refused at the end
            for statement in (*LATER[first], mark, "COMMIT"):
                owner.execute(statement)
        owner.rollback()
    assert old.left("h2") is None
    assert len(old.rows) == 1


def test_the_role_of_the_rooms_may_not_archive(old, server, emptied_database):
    """Neither by the command nor by the function."""
    room = psycopg.conninfo.make_conninfo(emptied_database, user=server.room)
    ledger = PostgresLedger(room)

    async def work():
        await as_future(ledger.open())
        try:
            return await as_future(archive_old(ledger, old.folder, NOW_MS, ANNA))
        finally:
            await as_future(ledger.close())

    with pytest.raises(ArchiveFailed, match="POKERROOM_OWNER_DATABASE_URL"):
        old.run(deferred(work()))
    with psycopg.connect(room) as connection, pytest.raises(errors.InsufficientPrivilege):
        connection.execute("SELECT archive_records(1, '', '', 1, '{}', '{}', ROW('x', '', '', '')::acting)")


FORGERIES = {
    "a hand that was moved": "UPDATE hands SET record = archived_record(record, false, 1) WHERE hand_id = 'h4'",
    "an archive without a line": "INSERT INTO archives SELECT 2, replace(file, '-1-', '-2-'), sha256, last, 1, 0,"
    " players FROM archives",
    "another hash of a file": "UPDATE archives SET sha256 = overlay(sha256 PLACING '\\x000000' FROM 30)",
    "an archive that is gone": "DELETE FROM archives",
    "a player of an archived hand": "UPDATE hand_players SET delta = 0 WHERE delta > 0",
    "one more player": "INSERT INTO hand_players SELECT 99, transfer, 0 FROM hands WHERE hand_id = 'h1'",
    "a clock that was not": "DELETE FROM timeout_all_ins",
    "another game": "UPDATE hands SET record = jsonb_set(record, '{game}', '\"omaha\"') WHERE hand_id = 'h1'",
    "another archive": "UPDATE hands SET record = jsonb_set(record, '{archive}', '7') WHERE hand_id = 'h1'",
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_the_audit_finds_forgeries_without_the_files(old, forgery):
    """Of rows that tell of archived hands."""
    old.archive()
    old.settle("h4")
    old.sign()
    assert old.differences() == ()
    assert old.owner.execute(FORGERIES[forgery]).rowcount > 0
    assert any("archive" in text for text in old.differences())


def test_another_hash_of_an_archived_record_is_named(old):
    """The link of the chain has it, and a checkpoint has signed that."""
    old.archive()
    old.owner.execute(
        "UPDATE hands SET record = jsonb_set(record, '{digest}', to_jsonb(repeat('0', 64))) WHERE hand_id = 'h2'"
    )
    (difference,) = old.verified().differences
    assert "hand:h2): it was changed" in difference
