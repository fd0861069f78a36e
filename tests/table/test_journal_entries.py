"""`pokerroom.table.journal`: entries of this version, and lists of the version before, however long they are."""

import msgspec
import pytest
from msgspec import Struct

from pokerroom.table.journal import EntryDecoder, UnreadableJournal


class Entry(Struct, frozen=True, kw_only=True):
    """An entry of version 3."""

    values: int
    version: int = 3


decode = EntryDecoder[Entry](Entry, 3, lambda values: Entry(values=len(values))).decode


@pytest.mark.parametrize("length", [0, 1, 15, 16, 70_000])
def test_a_list_is_an_entry_of_the_version_before(length):
    """The first byte of a list tells how long it is."""
    assert decode(msgspec.msgpack.encode([None] * length)) == Entry(values=length)


def test_an_entry_of_another_version_or_of_no_shape_cannot_be_read():
    """One of this version can."""
    assert decode(msgspec.msgpack.encode(Entry(values=7))) == Entry(values=7)
    for wrong in (
        msgspec.msgpack.encode(Entry(values=7, version=2)),
        msgspec.msgpack.encode(Entry(values=7, version=4)),
        msgspec.msgpack.encode({"version": 3}),
        msgspec.msgpack.encode({"values": 7}),
        msgspec.msgpack.encode("list"),
        b"",
    ):
        with pytest.raises(UnreadableJournal):
            decode(wrong)
