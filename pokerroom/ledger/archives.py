"""The contract of archives: files with the records of old hands and rounds, of which the ledger keeps a hash.

Transfers, legs, players and links of the chain stay, so money and checkpoints are proven without the files. The ledger
in memory has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import msgspec
from twisted.internet.defer import Deferred

from pokerroom.ledger.api import LedgerRefusal
from pokerroom.ledger.operator_log import Acting

BATCH: Final = 5_000
"""Records of a file [D]: one transaction marks them, in about a second."""

_LEFT_MAX: Final = 160
"""What is left of a record has no more bytes."""


class RecordsArchived(LedgerRefusal):
    """What was asked for needs records that are in archives."""

    code = "record_archived"


class ArchiveFailed(Exception):  # noqa: N818 -- says what is the case
    """Raised if records cannot be archived, or an archive cannot be read. The message says why, and what to do."""


class RecordsChanged(ArchiveFailed):
    """Raised if a record is no more what its file has, or was shared since: another file may have what may go now."""


class ArchivedRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is left of a record in the ledger.

    `digest` is the hash by which the chain knows it, in hex, `archive` the number of its file, `game` that of a hand.
    """

    digest: str
    archive: int
    game: str = ""


def archived(record: bytes) -> ArchivedRecord | None:
    """Return what is left of a record; None for one that is there."""
    if len(record) > _LEFT_MAX or b'"archive"' not in record:
        return None
    try:
        return msgspec.json.decode(record, type=ArchivedRecord)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveRow:
    """An archive: its file, the hash of it, and up to which transfer it was filled."""

    number: int
    file: str
    sha256: bytes
    last: int
    hands: int
    rounds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivableRecord:
    """A record by the transfer that has settled it, with its hash as in `ArchivedRecord`. No repr shows cards."""

    transfer: int
    is_round: bool
    digest: str
    record: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenArchive:
    """A file of records that is durable. `texts` are the SHA-256 of the records as they were read back, by transfer."""

    number: int
    file: str
    sha256: bytes
    last: int
    texts: Sequence[tuple[int, bytes]]


class ArchiveLedger(Protocol):
    """The contract. Every method may fail with `LedgerUnavailable`."""

    def archives(self) -> Deferred[list[ArchiveRow]]:
        """All archives, by number."""

    def room_mark(self) -> Deferred[str]:
        """What names this room in its files: 16 hex digits of the hash of its first checkpoint; empty without one."""

    def archive_bound(self, before_ms: int) -> Deferred[int]:
        """Up to which transfer records may be archived, of those booked before this time in Unix milliseconds.

        They are a day old at least, counted in the statistics, and signed by a checkpoint. Where `[retention]` has days
        for hidden cards, hands have lost them.
        """

    def records_to_archive(self, after: int, until: int, at_most: int) -> Deferred[list[ArchivableRecord]]:
        """The next records, by transfer. Those of tournaments that go on and of shared hands are left out."""

    def archive_records(self, written: WrittenArchive, by: Acting) -> Deferred[None]:
        """Puts what is left of them in the place of these records, all or none.

        Raises `RecordsChanged` if a record is not as the file has it, `ArchiveFailed` if the number is not the next
        one, and without the owner of the tables.
        """

    def cards_erased_to(self) -> Deferred[int]:
        """Up to which transfer hands have lost their hidden cards; 0 where these are kept for ever."""

    def without_cards(self, records: Sequence[bytes]) -> Deferred[list[tuple[bytes, str]]]:
        """These records of hands without their hidden cards, each with its hash as in `ArchivedRecord`."""

    def archive_again(self, old_file: str, written: WrittenArchive, by: Acting) -> Deferred[None]:
        """Names another file for an archive, with the same records. Raises `ArchiveFailed` as `archive_records`."""
