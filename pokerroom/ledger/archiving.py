"""Moves the records of old hands and rounds to files: first a durable file, read back, then what is left in the ledger.

It may be interrupted anywhere. A file that the ledger does not know yet is taken by the next run. A command runs it: it
writes files without letting other work go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from pokerroom.ledger.archive_files import (
    alone_in,
    number_in,
    read_archive,
    read_back,
    unknown_files,
    write_archive,
    write_sums,
)
from pokerroom.ledger.archives import (
    BATCH,
    ArchivableRecord,
    ArchiveFailed,
    ArchiveLedger,
    ArchiveRow,
    RecordsChanged,
    WrittenArchive,
)
from pokerroom.ledger.operator_log import Acting

TRIES: Final = 5
"""A file is written so often if the ledger refuses it because a record was changed or shared meanwhile [D]."""


@dataclass(slots=True)
class Archiving:
    """How many files were written, and how many records are in them."""

    files: int = 0
    records: int = 0


async def archive_old(
    ledger: ArchiveLedger,
    folder: Path,
    before_ms: int,
    by: Acting,
    *,
    batch: int = BATCH,
    told: Callable[[Archiving], None] = lambda _: None,
) -> Archiving:
    """Archive all records that were booked before this time and may go; `told` is called after each file.

    Raises `ArchiveFailed`, `LedgerUnavailable`, and OSError if a file cannot be written: then no record is lost, and
    the next run goes on.
    """
    with alone_in(folder):
        return await _archive_old(ledger, folder, before_ms, by, batch=batch, told=told)


async def _archive_old(
    ledger: ArchiveLedger,
    folder: Path,
    before_ms: int,
    by: Acting,
    *,
    batch: int,
    told: Callable[[Archiving], None],
) -> Archiving:
    room = await ledger.room_mark()
    rows = await ledger.archives()
    done = Archiving()
    number, after = len(rows) + 1, rows[-1].last if rows else 0
    until = await ledger.archive_bound(before_ms)

    async def enter(written: WrittenArchive) -> None:
        nonlocal number, after
        await ledger.archive_records(written, by)
        number, after = number + 1, written.last
        done.files += 1
        done.records += len(written.texts)
        told(done)

    for path in _left_behind(folder, rows, room):
        written = read_back(path, room)
        try:
            await enter(written)
        except ArchiveFailed as failed:
            raise ArchiveFailed(f"{path} is of an interrupted run. {failed}. Or move it away") from failed
    tries = TRIES
    while after < until:
        records = await ledger.records_to_archive(after, until, batch)
        if not records:
            break
        last = records[-1].transfer if len(records) == batch else until
        path = write_archive(folder, room=room, number=number, last=last, records=records)
        try:
            await enter(read_back(path, room))
            tries = TRIES
        except RecordsChanged:
            tries -= 1
            if not tries:
                raise
            path.unlink()  # a player has shared one of its hands: all records are still in the ledger
    write_sums(folder, await ledger.archives())
    return done


async def archive_again(ledger: ArchiveLedger, folder: Path, by: Acting) -> Archiving:
    """Write files again that have hidden cards which the ledger has erased since, without these.

    Returns how many files and records that were. Raises as `archive_old`.
    """
    with alone_in(folder):
        return await _archive_again(ledger, folder, by)


async def _archive_again(ledger: ArchiveLedger, folder: Path, by: Acting) -> Archiving:
    room, erased_to, done = await ledger.room_mark(), await ledger.cards_erased_to(), Archiving()
    rows = await ledger.archives()
    _left_behind(folder, rows, room)
    for row in rows:
        path = folder / row.file
        if not path.is_file():
            raise ArchiveFailed(f"{path} is missing: take it from a copy")
        found = read_archive(path)
        if found.sha256 != row.sha256:
            raise ArchiveFailed(f"{path} was changed: take it from a copy")
        due = [line for line in found.lines if not line.round and line.transfer <= erased_to]
        opened = await ledger.without_cards([bytes(line.record) for line in due])
        new = {
            line.transfer: record
            for line, (record, digest) in zip(due, opened, strict=True)
            if digest == line.digest and record != bytes(line.record)
        }
        if not new:
            continue
        records = [
            ArchivableRecord(
                transfer=line.transfer,
                is_round=line.round,
                digest=line.digest,
                record=new.get(line.transfer, bytes(line.record)),
            )
            for line in found.lines
        ]
        written = write_archive(folder, room=room, number=row.number, last=found.header.last, records=records)
        back = read_back(written, room)
        if [text for _, text in back.texts] != [sha256(one.record).digest() for one in records]:
            raise ArchiveFailed(f"{written} is not as it was written: look at the disk")
        await ledger.archive_again(row.file, back, by)
        path.unlink()
        done.files += 1
        done.records += len(new)
    write_sums(folder, await ledger.archives())
    return done


def _left_behind(folder: Path, rows: Sequence[ArchiveRow], room: str) -> list[Path]:
    """Return the file of the next number, if an interrupted run has left one, and remove those that others replace.

    Raises `ArchiveFailed` for a file that may be of another room.
    """
    known, found = {row.number: row for row in rows}, list[Path]()
    for path in unknown_files(folder, rows):
        number = number_in(path.name)
        if number == len(rows) + 1 and not found:
            found.append(path)
            continue
        row = known.get(number or 0)
        kept = None if row is None else folder / row.file
        if row is None or kept is None or not kept.is_file() or _sum(kept) != row.sha256:
            raise ArchiveFailed(
                f"{path} is of no archive in this ledger: it is of another room, or the database is older than the"
                " directory. Name another directory, or move such files away"
            )
        read_back(path, room)  # of this room, so its records are in the other file, with fewer cards or more
        path.unlink()
    return found


def _sum(path: Path) -> bytes:
    return sha256(path.read_bytes()).digest()
