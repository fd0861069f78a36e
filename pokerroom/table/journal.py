"""The common part of every game's journal: entries are tagged structs with a version. Knows no game's entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")


class UnreadableJournal(Exception):  # noqa: N818 -- the journal is unreadable, not the program
    """Raised if the journal does not tell how to play on: another key, a gap, an entry of another version."""


class _OnlyVersion(Struct):
    version: int = 0


_only_version = msgspec.msgpack.Decoder(_OnlyVersion)


class EntryDecoder(Generic[T]):
    """Decodes the entries of one game, which have `version`.

    `entries` is the union of their structs. `of_list` reads an entry of the version before, which was a list of values;
    it may raise `UnreadableJournal`, LookupError, TypeError or ValueError.
    """

    def __init__(self, entries: Any, version: int, of_list: Callable[[Sequence[Any]], T]) -> None:
        self._decoder: msgspec.msgpack.Decoder[T] = msgspec.msgpack.Decoder(entries)
        self._version = version
        self._of_list = of_list

    def decode(self, entry: bytes) -> T:
        """Return the entry. Raises `UnreadableJournal` for another version or another shape."""
        try:
            if _is_list(entry):
                # decoded again as an entry of this version: that checks the types of all values
                entry = msgspec.msgpack.encode(self._of_list(msgspec.msgpack.decode(entry)))
            version = _only_version.decode(entry).version
            if version != self._version:
                raise UnreadableJournal(f"an entry of version {version}, not {self._version}")
            return self._decoder.decode(entry)
        except (msgspec.DecodeError, LookupError, TypeError, ValueError) as error:
            # the cause is not chained: it may quote the entry
            raise UnreadableJournal(f"an entry of another shape: {type(error).__name__}") from None


def _is_list(entry: bytes) -> bool:
    """Return whether this is a list in msgpack, as entries were before they were structs."""
    first = entry[:1]
    return b"\x90" <= first <= b"\x9f" or first in {b"\xdc", b"\xdd"}
