"""Moves the records of old hands and rounds to files: first a durable file, read back, then what is left in the ledger.

It may be interrupted anywhere. A file that the ledger does not know yet is taken by the next run. A command runs it: it
writes files without letting other work go on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pokerroom.ledger.archive_files import number_in, read_back, unknown_files, write_archive, write_sums
from pokerroom.ledger.archives import BATCH, ArchiveFailed, ArchiveLedger, WrittenArchive
from pokerroom.ledger.operator_log import Acting


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

    left = unknown_files(folder, rows)
    if [number_in(path.name) for path in left] not in ([], [number]):
        raise ArchiveFailed(
            f"{left[0]} is of no archive in this ledger: it is of another room, or the database is older than the"
            " directory. Name another directory, or move such files away"
        )
    for path in left:
        written = read_back(path, room)
        try:
            await enter(written)
        except ArchiveFailed as failed:
            raise ArchiveFailed(f"{path} is of an interrupted run. {failed}. Or move it away") from failed
    while after < until:
        records = await ledger.records_to_archive(after, until, batch)
        if not records:
            break
        last = records[-1].transfer if len(records) == batch else until
        path = write_archive(folder, room=room, number=number, last=last, records=records)
        await enter(read_back(path, room))
    write_sums(folder, await ledger.archives())
    return done
