"""Files of archives: JSON lines, compressed with gzip.

The first line is an `ArchiveHeader`, each other one an `ArchiveLine`. A record is written as PostgreSQL writes it: its
hash follows from these bytes. A file is named by its number and its SHA-256, and never changes. `SHA256SUMS` lists the
files as `sha256sum --check` reads it.
"""

from __future__ import annotations

import fcntl
import gzip
import os
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final
from zlib import error as ZlibError  # noqa: N812 -- an exception

import msgspec

from pokerroom.ledger.archives import (
    ArchivableRecord,
    ArchivedRecord,
    ArchiveFailed,
    ArchiveRow,
    WrittenArchive,
    archived,
)

SUMS: Final = "SHA256SUMS"

_NAME: Final = re.compile(r"records-([1-9][0-9]{0,8})-[0-9a-f]{16}\.jsonl\.gz")
_PART: Final = ".part"
_FORM: Final = 1
_FILES_KEPT: Final = 2
"""So many files are in memory: their lines follow each other in an audit."""


class ArchiveHeader(msgspec.Struct, frozen=True, kw_only=True):
    """The first line. `room` is the mark of the room, `last` the transfer up to which the file was filled."""

    pokerroom_archive: int
    room: str
    number: int
    last: int
    records: int


class ArchiveLine(msgspec.Struct, frozen=True, kw_only=True):
    """A record, by the transfer that has settled it; `round` tells a round from a hand."""

    transfer: int
    round: bool
    digest: str
    record: msgspec.Raw


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadArchive:
    """A file that was read whole."""

    header: ArchiveHeader
    lines: Sequence[ArchiveLine]
    sha256: bytes


def number_in(name: str) -> int | None:
    """Return the number in the name of a file; None for a name that no archive has."""
    found = _NAME.fullmatch(name)
    return None if found is None else int(found[1])


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Let no other command write in a directory of archives, and remove what one that was killed has left half written.

    Raises `ArchiveFailed` if another one is there, and OSError.
    """
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ArchiveFailed(
                f"another `pokerroom archive` works in {folder}: repeat this one when it has ended"
            ) from None
        for path in folder.iterdir():
            whole = path.name.removesuffix(_PART)
            if whole != path.name and (whole == SUMS or number_in(whole) is not None):
                path.unlink()
        yield
    finally:
        os.close(held)


def write_archive(
    folder: Path, *, room: str, number: int, last: int, records: Sequence[ArchivableRecord]
) -> Path:
    """Write a file that is durable when this returns. Only its owner may read it. Raises OSError."""
    encode = msgspec.json.encode
    header = ArchiveHeader(pokerroom_archive=_FORM, room=room, number=number, last=last, records=len(records))
    lines = [encode(header)]
    lines += [
        encode(
            ArchiveLine(
                transfer=one.transfer,
                round=one.is_round,
                digest=one.digest,
                record=msgspec.Raw(one.record),
            )
        )
        for one in records
    ]
    content = gzip.compress(b"\n".join([*lines, b""]), mtime=0)  # the same records make the same file
    path = folder / f"records-{number}-{sha256(content).hexdigest()[:16]}.jsonl.gz"
    write_durable(path, content)
    return path


def write_durable(path: Path, content: bytes) -> None:
    """Write a file that is whole or not there, and survives a loss of power. Raises OSError."""
    part = path.with_name(f"{path.name}{_PART}")
    flags = os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_WRONLY
    try:
        with os.fdopen(os.open(part, flags, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_sums(folder: Path, rows: Sequence[ArchiveRow]) -> None:
    """Write the list of all files, if it is another one. Raises OSError."""
    content = "".join(f"{row.sha256.hex()}  {row.file}\n" for row in rows).encode()
    path = folder / SUMS
    if rows and (not path.exists() or path.read_bytes() != content):
        write_durable(path, content)


def read_archive(path: Path) -> ReadArchive:
    """Read a file. Raises `ArchiveFailed` for one that is no archive, and OSError."""
    content = path.read_bytes()
    try:
        first, *rest = gzip.decompress(content).splitlines()
        header = msgspec.json.decode(first, type=ArchiveHeader)
        decoder = msgspec.json.Decoder(ArchiveLine)
        lines = [decoder.decode(line) for line in rest]
    except (EOFError, ValueError, ZlibError, gzip.BadGzipFile, msgspec.MsgspecError) as error:
        raise ArchiveFailed(f"{path} is no archive, or a part of one: {error}") from error
    if header.pokerroom_archive != _FORM or len(lines) != header.records:
        raise ArchiveFailed(f"{path} is an archive of another version, or lacks records")
    return ReadArchive(header=header, lines=lines, sha256=sha256(content).digest())


def read_back(path: Path, room: str) -> WrittenArchive:
    """Read a file that was written for this room. Raises `ArchiveFailed`, OSError."""
    found = read_archive(path)
    header = found.header
    if header.room != room or number_in(path.name) != header.number:
        raise ArchiveFailed(f"{path} is of another room, or has another name than it was written with")
    return WrittenArchive(
        number=header.number,
        file=path.name,
        sha256=found.sha256,
        last=header.last,
        texts=[(line.transfer, sha256(bytes(line.record)).digest()) for line in found.lines],
    )


def unknown_files(folder: Path, rows: Sequence[ArchiveRow]) -> list[Path]:
    """Return the files with the name of an archive that are of none of these, sorted. Raises OSError."""
    known = {row.file for row in rows}
    return sorted(
        path for path in folder.iterdir() if number_in(path.name) is not None and path.name not in known
    )


def _is_of(path: Path, row: ArchiveRow) -> bool:
    """Whether a file is the whole of this archive, and has no record twice."""
    try:
        found = read_archive(path)
    except ArchiveFailed:
        return False
    header, rounds = found.header, sum(line.round for line in found.lines)
    return (
        (header.number, header.last, header.records - rounds, rounds)
        == (row.number, row.last, row.hands, row.rounds)
    ) and len({line.digest for line in found.lines}) == header.records


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lines:
    sha256: bytes
    by_digest: Mapping[str, ArchiveLine]


class ArchiveFolder:
    """The files of a room's archives in a directory. Reads them when a record is asked for."""

    def __init__(self, folder: Path, rows: Sequence[ArchiveRow]) -> None:
        self._folder = folder
        self._rows = {row.number: row for row in rows}
        self._read: OrderedDict[int, _Lines | None] = OrderedDict()

    def differences(self) -> Iterator[str]:
        """Name each file that is missing, was changed, is of another archive than its name says, or of none.

        The hash in the ledger may be forged together with a file, so what the file says of itself is compared, too.
        Raises OSError.
        """
        for number, row in sorted(self._rows.items()):
            path = self._folder / row.file
            if not path.is_file():
                yield (
                    f"archive {number}: its file {row.file} is missing, with the records of {row.hands} hands and"
                    f" {row.rounds} rounds"
                )
            elif sha256(path.read_bytes()).digest() != row.sha256:
                yield f"archive {number}: its file {row.file} was changed"
            elif not _is_of(path, row):
                yield f"archive {number}: its file {row.file} cannot be read, or has other records than the ledger says"
        for path in unknown_files(self._folder, list(self._rows.values())):
            yield (
                f"{path.name} is of no archive in the ledger: it is of another room, or of an interrupted"
                " `pokerroom archive`, or the database is an older one"
            )

    def names(self, number: int) -> bool:
        """Whether the ledger has a row of an archive with this number."""
        return number in self._rows

    def has(self, number: int) -> bool:
        """Whether the file of an archive is there, and can be read."""
        return self._lines(number) is not None

    def record(self, left: ArchivedRecord, transfer: int | None = None) -> bytes | None:
        """Return a record by what is left of it; None if its file lacks it. The caller compares the hash.

        With a transfer, the file must have it as the one of this record.
        """
        lines = self._lines(left.archive)
        line = None if lines is None else lines.by_digest.get(left.digest)
        if line is None or line.round == bool(left.game) or transfer not in {None, line.transfer}:
            return None
        return bytes(line.record)

    def restored(self, record: bytes) -> bytes:
        """Return a record, from its file if it was archived. Raises `ArchiveFailed`."""
        left = archived(record)
        if left is None:
            return record
        row, lines = self._rows.get(left.archive), self._lines(left.archive)
        if row is None or lines is None:
            raise ArchiveFailed(
                f"{self._folder} lacks the file of archive {left.archive}, or it cannot be read"
            )
        found = self.record(left)
        if found is None or lines.sha256 != row.sha256:
            raise ArchiveFailed(f"{self._folder / row.file} was changed: take it from a copy")
        return found

    def _lines(self, number: int) -> _Lines | None:
        """Return the lines of a file; None if it cannot be read, which `differences` tells."""
        if number not in self._read:
            row, lines = self._rows.get(number), None
            if row is not None:
                with suppress(ArchiveFailed, OSError):
                    found = read_archive(self._folder / row.file)
                    lines = _Lines(sha256=found.sha256, by_digest={line.digest: line for line in found.lines})
            self._read[number] = lines
            if len(self._read) > _FILES_KEPT:
                self._read.popitem(last=False)
        return self._read[number]
