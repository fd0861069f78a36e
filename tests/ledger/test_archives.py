"""Archives in PostgreSQL: records of old hands and rounds go to files, and money, players and proofs stay."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from pokerroom.chips import Money
from pokerroom.ledger.account_history import HandQuery
from pokerroom.ledger.archive_files import SUMS, alone_in, number_in, read_back, write_archive
from pokerroom.ledger.archives import ArchiveFailed, RecordsArchived, archived
from pokerroom.ledger.operator_log import THE_ROOM, LogQuery
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.ledger.shared_hands import ShareOptions
from tests.ledger.archive_rooms import ANNA, NOW_MS
from tests.ledger.locks import waiting_for_a_lock

pytestmark = pytest.mark.services


@pytest.fixture
def room(archive_room):
    """A room without hands."""
    return archive_room


@pytest.fixture
def old(archive_room):
    """A room with three old hands and a round, signed."""
    archive_room.play()
    return archive_room


def test_records_go_to_a_file_and_come_back_byte_for_byte(old):
    """What is left has the hash of the chain; sums, links and signatures are as before, without the file."""
    run_before = old.verified()
    before = old.records()
    sizes = {name: len(text) for name, text in before.items()}
    assert old.archive().records == 4
    after = {name: archived(text.encode()) for name, text in old.records().items()}
    assert {left.archive for left in after.values()} == {1}
    assert {name: left.game for name, left in after.items()} == {
        "h1": "holdem",
        "h2": "holdem",
        "h3": "holdem",
        "r1": "",
    }
    assert all(len(text) < sizes[name] for name, text in old.records().items() if name != "r1")
    assert list(old.files.differences()) == []
    assert old.restored() == before
    assert old.differences() == ()
    found = old.verified()
    assert (run_before.differences, found.differences, found.archived) == ((), (), 4)
    assert found.transfers == run_before.transfers
    (row,) = old.rows
    (line,) = old.run(old.ledger.log_lines(LogQuery(verb="archive")))
    assert (line.by.who, line.subject, line.by.reason) == ("anna", "archive:1", "a year has passed")
    assert json.loads(line.arguments)["sha256"] == row.sha256.hex()
    assert (old.folder / SUMS).read_text() == f"{row.sha256.hex()}  {row.file}\n"
    assert (old.folder / row.file).stat().st_mode & 0o077 == 0, "sealed cards are in it"


def test_a_file_is_of_json_lines_that_other_programs_read(old):
    """Compressed with gzip; the first line tells the room and the number."""
    old.archive()
    (row,) = old.rows
    header, *lines = map(json.loads, gzip.decompress((old.folder / row.file).read_bytes()).splitlines())
    assert (header["pokerroom_archive"], header["number"], header["records"]) == (1, 1, 4)
    assert header["room"] == old.run(old.ledger.room_mark())
    assert [line["record"].get("hand_id") for line in lines] == ["h1", "h2", None, "h3"]


def test_batches_make_a_file_each_and_a_later_run_goes_on_behind_them(old):
    """What was archived is not looked at again."""
    assert old.archive(batch=2).files == 2
    assert old.archive().files == 0
    old.settle("h4")
    old.sign()
    assert old.archive().records == 1
    rows = old.rows
    assert [(row.number, row.hands) for row in rows] == [(1, 2), (2, 1), (3, 1)]
    assert (old.folder / SUMS).read_text().count("\n") == 3
    assert old.differences() == ()


@pytest.mark.parametrize("why", ["young", "before", "unsigned", "uncounted", "cards", "shared"])
def test_records_that_are_still_needed_stay(room, why):
    """Young, of a later day, not signed, not counted, with cards that are to be erased first, or shared by a link."""
    room.settle("h1", days=0 if why == "young" else 40)
    if why != "unsigned":
        room.sign()
    if why == "uncounted":
        room.owner.execute("UPDATE statistics_mark SET counted_to = 0")
    if why == "cards":
        room.run(room.ledger.keep_cards(365))
    if why == "shared":
        share = ShareOptions(names="own", own_cards=True)
        room.run(room.ledger.share_hand(room.alice, "h1", share, bytes(32), b"sealed"))
    assert room.archive(before_ms=1_000 if why == "before" else NOW_MS).records == 0
    assert room.left("h1") is None


def test_hands_of_a_tournament_that_goes_on_stay(old):
    """Its audit follows all of them."""
    old.owner.execute("UPDATE hands SET table_id = 'six.1-1' WHERE hand_id = 'h2'")
    old.owner.execute(
        "INSERT INTO tournaments (id, offer, number, seats, buy_in, fee, prizes, terms, phase, started, stack)"
        " VALUES ('six.1', 'six', 1, 2, 100, 0, '{200}', '{}', 'running', now(), 1000)"
    )
    assert old.archive().records == 3
    assert old.left("h2") is None


def test_a_hand_with_other_players_than_its_record_stays(old):
    """Otherwise the difference could not be found any more."""
    old.owner.execute(
        "UPDATE hand_players SET delta = 11 WHERE delta = 10 AND hand = (SELECT min(transfer) FROM hands)"
    )
    assert old.archive().records == 3
    assert old.left("h1") is None


SHARE = "SELECT share_hand(%s, 'h2', 'own', true, sha256(''), 'sealed', 9)"


def test_a_hand_that_is_shared_meanwhile_stays(old, server, emptied_database):
    """The run waits for the link, sees it, and writes its file again with the other records."""
    before = old.records()
    with psycopg.connect(make_conninfo(emptied_database, user=server.room)) as player:
        player.execute(SHARE, [old.alice])
        archiving = old.archiving()
        waiting_for_a_lock(old.run, emptied_database)
    done = old.run(archiving)
    assert (done.files, done.records) == (1, 3)
    assert [name for name in before if old.left(name) is None] == ["h2"]
    assert sorted(path.name for path in old.folder.iterdir()) == [SUMS, old.rows[0].file]
    assert old.run(old.ledger.shared_hand(sha256(b"").digest())).record.decode() == before["h2"]
    assert (old.restored(), old.differences()) == (before, ())


def test_a_hand_that_is_archived_meanwhile_is_not_shared(old, emptied_database):
    """The player waits for the run, and is told what holds then."""
    records = old.run(old.ledger.records_to_archive(0, 99, 99))
    mark = old.run(old.ledger.room_mark())
    last = records[-1].transfer
    written = read_back(write_archive(old.folder, room=mark, number=1, last=last, records=records), mark)
    options = ShareOptions(names="own", own_cards=True)
    with psycopg.connect(emptied_database) as owner:
        owner.execute(
            "SELECT archive_records(1, %s, %s, %s, %s::bigint[], %s, ROW('anna', 'admin', '', '')::acting)",
            [written.file, written.sha256, last, *map(list, zip(*written.texts, strict=True))],
        )
        sharing = old.ledger.share_hand(old.alice, "h2", options, bytes(32), b"sealed")
        waiting_for_a_lock(old.run, emptied_database)
    with pytest.raises(RecordsArchived):
        old.run(sharing)
    assert old.run(old.ledger.hand_links(old.alice)) == []


class KilledError(Exception):
    """The process ends here."""


@pytest.mark.parametrize("place", ["before the ledger", "after the ledger", "in the file"])
def test_a_run_that_was_killed_is_continued(old, monkeypatch, place):
    """Between file and ledger the record is in both; the next run takes the file. No record is lost."""
    before = old.records()

    def killed(*_, **__):
        raise KilledError

    with monkeypatch.context() as patch:
        if place == "before the ledger":
            patch.setattr(PostgresLedger, "archive_records", killed)
        elif place == "after the ledger":
            patch.setattr("pokerroom.ledger.archiving.write_sums", killed)
        else:
            patch.setattr("os.fsync", killed)
        with pytest.raises(KilledError):
            old.archive()
    if place != "after the ledger":
        assert old.records() == before
    old.archive()
    assert [number_in(path.name) for path in sorted(old.folder.iterdir()) if path.name != SUMS] == [1]
    assert (list(old.files.differences()), len(old.rows)) == ([], 1)
    assert old.restored() == before
    assert (old.folder / SUMS).exists()


def test_a_full_disk_loses_nothing(old, monkeypatch):
    """The part that was written is removed."""
    before = old.records()

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(OSError, match="No space"):
            old.archive()
    assert (old.records(), list(old.folder.iterdir())) == (before, [])


def test_two_commands_do_not_work_in_one_directory(old):
    """The second one could take a new file, which the ledger does not name yet, for one that is left over."""
    before = old.records()
    with alone_in(old.folder), pytest.raises(ArchiveFailed, match="another `pokerroom archive`"):
        old.archive()
    with alone_in(old.folder), pytest.raises(ArchiveFailed, match="another `pokerroom archive`"):
        old.again()
    assert old.records() == before
    assert old.archive().records == 4


def test_what_a_killed_process_has_half_written_goes(old):
    """It may have cards that are erased later. Other files stay, and a link is not followed."""
    elsewhere = old.folder / "other.part"
    elsewhere.write_text("kept")
    for name in (f"records-1-{'a' * 16}.jsonl.gz.part", f"{SUMS}.part"):
        (old.folder / name).symlink_to(elsewhere)
    old.archive()
    assert sorted(path.name for path in old.folder.iterdir()) == [SUMS, "other.part", old.rows[0].file]
    assert elsewhere.read_text() == "kept"


def test_no_program_of_an_earlier_version_is_beside_an_archive(old, emptied_database):
    """It cannot read what is left of a record: it must not be connected, and is refused at its start later."""
    earlier = make_conninfo(emptied_database, application_name="pokerroom 76:n1")
    with psycopg.connect(earlier), pytest.raises(ArchiveFailed, match="upgrade all nodes first"):
        old.archive()
    assert old.rows == []
    old.archive()
    (left,) = old.owner.execute(
        "SELECT count(*) FROM schema_migrations WHERE version = 80 AND beside IS NOT NULL"
    )
    assert left == (0,)
    (left,) = old.owner.execute("SELECT count(*) FROM schema_functions WHERE beside < 80")
    assert left == (0,)


def test_a_missing_file_is_asked_for(old):
    """A file that cannot be read is not one that cannot be written."""
    old.archive()
    (old.folder / old.rows[0].file).unlink()
    with pytest.raises(ArchiveFailed, match="is missing: take it from a copy"):
        old.again()


def test_a_file_that_does_not_fit_the_ledger_is_refused(old, monkeypatch):
    """The ledger compares each record with the hash of what was read back: a file that was changed takes none away."""
    write = "pokerroom.ledger.archiving.write_archive"
    from pokerroom.ledger.archiving import write_archive

    def changed(folder, *, records, **named):
        other = replace(records[1], record=records[1].record.replace(b"1010", b"1011"))
        return write_archive(folder, records=[records[0], other, *records[2:]], **named)

    before = old.records()
    with monkeypatch.context() as patch:
        patch.setattr(write, changed)
        with pytest.raises(ArchiveFailed, match="not those of the ledger"):
            old.archive()
    assert (old.records(), old.rows) == (before, [])
    with pytest.raises(ArchiveFailed, match="of an interrupted run"):
        old.archive()


def test_a_directory_of_another_room_is_refused(old):
    """Its files are neither taken nor written over."""
    (old.folder / f"records-7-{'0' * 16}.jsonl.gz").write_bytes(b"theirs")
    with pytest.raises(ArchiveFailed, match="is of no archive in this ledger"):
        old.archive()
    assert old.rows == []


def test_what_of_the_files_is_wrong_is_named(old):
    """Missing, changed, foreign."""
    old.archive(batch=1)
    one, two, *_ = (old.folder / row.file for row in old.rows)
    one.unlink()
    two.write_bytes(two.read_bytes()[:-1] + b"x")
    (old.folder / f"records-9-{'0' * 16}.jsonl.gz").write_bytes(b"theirs")
    found = list(old.files.differences())
    assert [text.split(",")[0][:45] for text in found] == [
        f"archive 1: its file {one.name} is missing"[:45],
        f"archive 2: its file {two.name} was changed"[:45],
        "records-9-0000000000000000.jsonl.gz is of no "[:45],
    ]


def test_cards_that_were_erased_are_in_no_file(room):
    """With days in the settings a hand loses its hidden cards first; the audit's count of them goes on to fit."""
    room.settle("h1", "h2")
    room.sign()
    room.run(room.ledger.keep_cards(30))
    assert room.archive().records == 0
    assert room.run(room.ledger.erase_cards(9, THE_ROOM)) == (2, 2)
    assert room.archive().records == 2
    (row,) = room.rows
    assert b'"hidden"' not in gzip.decompress((room.folder / row.file).read_bytes())
    assert room.differences() == ()
    assert room.verified().differences == ()


def test_cards_that_are_erased_later_leave_the_files(old):
    """With days that are set after the archive; the hash of a record is the same, and the log tells of the cards."""
    old.archive(batch=2)
    first = old.rows[0]
    assert b'"hidden"' in gzip.decompress((old.folder / first.file).read_bytes())
    assert old.again().records == 0
    old.run(old.ledger.keep_cards(30))
    assert old.run(old.ledger.erase_cards(9, THE_ROOM)) == (3, 3)
    done = old.again()
    assert (done.files, done.records) == (2, 3)
    for row in old.rows:
        assert b'"hidden"' not in gzip.decompress((old.folder / row.file).read_bytes())
    assert not (old.folder / first.file).exists()
    assert list(old.files.differences()) == []
    restored = old.restored()
    assert "As" in restored["h1"]
    assert (old.differences(), old.verified().differences) == ((), ())
    assert old.again().files == 0
    verbs = [line.verb for line in old.run(old.ledger.log_lines(LogQuery(verb="archive.again")))]
    assert verbs == ["archive.again", "archive.again"]


@pytest.mark.parametrize("place", ["before the ledger", "after the ledger"])
def test_a_run_again_that_was_killed_leaves_no_cards(old, monkeypatch, place):
    """The file that the ledger does not name goes with the next run, once the other one is whole."""
    old.archive()
    old.run(old.ledger.keep_cards(30))
    old.run(old.ledger.erase_cards(9, THE_ROOM))

    def killed(*_, **__):
        raise KilledError

    with monkeypatch.context() as patch:
        if place == "before the ledger":
            patch.setattr(PostgresLedger, "archive_again", killed)
        else:
            patch.setattr(Path, "unlink", killed)
        with pytest.raises(KilledError):
            old.again()
    old.again()
    (row,) = old.rows
    assert sorted(path.name for path in old.folder.iterdir()) == [SUMS, row.file]
    assert b'"hidden"' not in gzip.decompress((old.folder / row.file).read_bytes())
    assert old.differences() == ()


def test_a_file_that_was_replaced_stays_while_the_other_is_not_whole(old):
    """Its records would be nowhere."""
    old.archive()
    (row,) = old.rows
    kept = old.folder / row.file
    kept.with_name(f"records-1-{'0' * 16}.jsonl.gz").write_bytes(kept.read_bytes())
    kept.write_bytes(b"x")
    with pytest.raises(ArchiveFailed, match="is of no archive in this ledger"):
        old.archive()
    assert len(list(old.folder.glob("records-1-*"))) == 2


def test_histories_and_exports_tell_that_a_hand_is_archived(old):
    """The entry stays, and the rest is refused."""
    old.archive()
    found = old.run(old.ledger.hand_of(old.alice, "h1"))
    assert (found.delta, archived(found.record).game) == (10, "holdem")
    page = old.run(old.ledger.hands_page(HandQuery(account=old.alice), 0, 9))
    assert [(one.hand_id, archived(one.record) is not None) for one in page.hands] == [
        ("h1", True),
        ("h2", True),
        ("h3", True),
    ]
    (entry,) = [
        each for each in old.run(old.ledger.account_history(old.carol, None, 9)) if hasattr(each, "round_id")
    ]
    assert (entry.archived, entry.staked) == (True, Money(200))
    with pytest.raises(RecordsArchived):
        old.run(
            old.ledger.share_hand(
                old.alice, "h1", ShareOptions(names="own", own_cards=True), bytes(32), b"sealed"
            )
        )
    with pytest.raises(RecordsArchived):
        old.run(old.ledger.reset_statistics(by=ANNA))
