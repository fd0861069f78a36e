"""The encrypted cards of a record in a file are those that the chain has, unless they were erased."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pokerroom.audit.examine import Examiner
from pokerroom.ledger.archive_files import ArchiveFolder, read_back, write_archive
from pokerroom.ledger.archives import ArchivableRecord, ArchiveRow
from pokerroom.ledger.books import BookedHand, BookedTransfer
from pokerroom.verifier.records import hand_digest

OPEN = '{"game": "holdem", "seats": [], "events": [], "hand_id": "h1"}'
SIGNED = OPEN.replace('"hand_id"', '"hidden": ["0123456789abcdef", "AAAA"], "hand_id"')
OTHER = SIGNED.replace("AAAA", "BBBB")
WITHOUT = OPEN
DIFFERS = "its encrypted cards in archive 1 are not those that were signed"


@pytest.fixture
def examined(tmp_path):
    """Archive a record in a file as transfer 7, and return what the audit takes from it, and says of it."""

    def work(in_file, signed, *, erased_to=0):
        digest = hand_digest(in_file)[:32].hex()
        records = [ArchivableRecord(transfer=7, is_round=False, digest=digest, record=in_file.encode())]
        written = read_back(write_archive(tmp_path, room="", number=1, last=9, records=records), "")
        row = ArchiveRow(number=1, file=written.file, sha256=written.sha256, last=9, hands=1, rounds=0)
        left = f'{{"game": "holdem", "digest": "{digest}", "archive": 1}}'.encode()
        hand = BookedHand(
            hand_id="h1",
            table="t1",
            epoch=1,
            started_ms=0,
            ended_ms=0,
            record=left,
            by_clock=frozenset(),
            in_chips=False,
            sealed=None if signed is None else hand_digest(signed)[32:],
        )
        transfer = BookedTransfer(number=7, key="hand:h1", kind="hand", created_ms=0, legs={}, hand=hand)
        examiner = Examiner(SimpleNamespace(erased_to=erased_to), None, ArchiveFolder(tmp_path, [row]))
        return examiner.restored(left, of=transfer)

    return work


@pytest.mark.parametrize(
    ("in_file", "signed", "erased_to"),
    [(SIGNED, SIGNED, 0), (SIGNED, SIGNED, 7), (WITHOUT, SIGNED, 7), (WITHOUT, None, 0)],
)
def test_a_record_is_taken_with_the_cards_that_were_signed(examined, in_file, signed, erased_to):
    """Or without them, once cards of its time were erased. A file that was not written again still has them."""
    assert examined(in_file, signed, erased_to=erased_to) == (in_file.encode(), None)


@pytest.mark.parametrize(
    ("in_file", "signed", "erased_to"),
    [(OTHER, SIGNED, 0), (OTHER, SIGNED, 7), (WITHOUT, SIGNED, 6), (SIGNED, None, 0), (SIGNED, None, 7)],
)
def test_other_cards_are_named(examined, in_file, signed, erased_to):
    """The hash that is left in the ledger is the same: it does not have them. No key is needed."""
    assert examined(in_file, signed, erased_to=erased_to) == (None, DIFFERS)
