"""The format of a table's stream in Redis: keys, ids, and gaps between entries.

It knows no connections and no owners, and does not look into an entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias, cast

import structlog
from redis.exceptions import ResponseError

_log = structlog.get_logger()

Stored: TypeAlias = tuple[bytes, dict[bytes, bytes]]
"""An entry as redis-py reads it."""


class Id(NamedTuple):
    """The id `<epoch>-<n>`, in the order of Redis. n is 0 for the seal that an owner of the epoch writes first."""

    epoch: int
    n: int


def stream_key(table: str) -> bytes:
    """The key of a stream. The braces are a hash tag of Redis Cluster: all keys of a table are on one shard."""
    return b"{%b}:hand" % table.encode()


def table_of(key: bytes) -> str:
    """The table of a stream key."""
    return key[1 : key.rindex(b"}")].decode()


def id_read(text: bytes) -> Id:
    """Parses an id."""
    epoch, _, n = text.partition(b"-")
    return Id(int(epoch), int(n))


def last_id(reply: object) -> Id | None:
    """The last id from the reply to XINFO STREAM, or None without a stream. Raises any other error in the reply."""
    if isinstance(reply, Exception):
        if isinstance(reply, ResponseError) and "no such key" in str(reply):
            return None
        raise reply
    match reply:
        case {"last-generated-id": bytes(found)}:  # as a client of redis-py reads it
            return id_read(found)
        case [*pairs]:
            return id_read(cast("bytes", pairs[pairs.index(b"last-generated-id") + 1]))
        case _:
            raise TypeError(f"no reply to XINFO STREAM: {type(reply)}")


def is_refused(reply: object) -> bool:
    """Whether Redis refused an entry because its id is not above the last one."""
    return isinstance(reply, ResponseError) and "equal or smaller" in str(reply)


def entries_in(found: Sequence[Stored], table: str) -> list[bytes]:
    """The entries without seals, oldest first. None at all if one is missing: part of a hand cannot be played on."""
    entries: list[bytes] = []
    last: Id | None = None
    for text, fields in found:
        own = id_read(text)
        if (
            last is not None
            and own != (last.epoch, last.n + 1)
            and not (own.epoch > last.epoch and own.n == 0)
        ):
            _log.error("journal.torn", table=table, missing_after=last, found=own)
            return []
        last = own
        if own.n > 0:
            entries.extend(fields.values())
    return entries
