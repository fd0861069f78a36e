"""How a table's entries stand in a Redis stream: keys, ids, and which entries are whole.

It knows nothing of connections, owners or what is in an entry.
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
    """`<epoch>-<n>`, in the order of Redis. n is 0 for the seal with which an owner of that epoch begins."""

    epoch: int
    n: int


def stream_key(table: str) -> bytes:
    """The braces are Redis Cluster's hash tag: all keys of a table live on one shard."""
    return b"{%b}:hand" % table.encode()


def table_of(key: bytes) -> str:
    """The table of such a key."""
    return key[1 : key.rindex(b"}")].decode()


def id_read(text: bytes) -> Id:
    """An id as Redis writes it."""
    epoch, _, n = text.partition(b"-")
    return Id(int(epoch), int(n))


def last_id(reply: object) -> Id | None:
    """From the reply to XINFO STREAM; None if there is no such stream. Raises any other error that is the reply."""
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
    """Whether the id of an entry was not above the last one."""
    return isinstance(reply, ResponseError) and "equal or smaller" in str(reply)


def entries_in(found: Sequence[Stored], table: str) -> list[bytes]:
    """The entries without seals, oldest first; none if one between them is missing, for a part of a hand is no hand."""
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
