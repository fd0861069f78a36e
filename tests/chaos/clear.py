"""C7 where no client looks: cards in the clear in the nodes' logs, in Redis, and in what nodes say to each other.

Two letters such as `Ah` are in any text, so what is looked for are the forms in which this room writes cards down:

- two or more cards one behind the other, as the views pack them (msgpack), as JSON or Python shows a list of them
  (`["As", "Ah"]`), with a space between them (`As Ah`), or with nothing (`AsAh`; in Redis, where sealed bytes can look
  like that by chance, from four cards on);
- the names of the fields of a dealt hand (`holes`, `board`) as the journal packs them: the cards of that are numbers,
  which alone cannot be told from other bytes.

Not looked for: one card alone, cards as numbers in any other shape, anything that is compressed or encrypted, and
PostgreSQL, where records of settled hands have all cards. Redis is looked at every few seconds and at the end, all its
databases and its append-only file; what nodes publish is listened to for a moment each time.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import redis

LISTEN_S: Final = 0.5

_CARD: Final = rb"[2-9TJQKA][cdhs]"
_PACKED: Final = rb"(?:\xa2" + _CARD + rb"){2,}"
_LISTED: Final = rb"""(['"])""" + _CARD + rb"""\1,\s?\1""" + _CARD + rb"""\1"""
_FIELDS: Final = rb"\xa5(?:holes|board)[\x90-\x9f]"
_BEGIN: Final = rb"(?<![A-Za-z0-9])"
_END: Final = rb"(?![A-Za-z0-9])"
_SPACED: Final = _BEGIN + _CARD + rb" " + _CARD + _END
_TEXT: Final = rb"|".join([_PACKED, _LISTED, _FIELDS, _SPACED, _BEGIN + rb"(?:" + _CARD + rb"){2,}" + _END])
_BYTES: Final = rb"|".join([_PACKED, _LISTED, _FIELDS, _BEGIN + rb"(?:" + _CARD + rb"){4,}" + _END])

_IN_TEXT: Final = re.compile(_TEXT)
_IN_BYTES: Final = re.compile(_BYTES)
_NODE: Final = re.compile(rb"-\d+-[0-9a-f]{6}(?![0-9a-z])")
"""The end of a node's name, which may look like cards."""


def in_log(line: str) -> bool:
    """Whether a line of a log shows cards."""
    return _IN_TEXT.search(_NODE.sub(b"", line.encode())) is not None


def in_bytes(value: bytes) -> bool:
    """Whether something that is kept or sent shows cards."""
    return _IN_BYTES.search(value) is not None


def in_logs(lines: Iterable[str]) -> list[str]:
    """What is wrong."""
    count = sum(map(in_log, lines))
    return [f"{count} lines of the nodes' logs show cards"] if count else []


def in_files(directory: Path) -> list[str]:
    """What is wrong in the files below a directory. Blocks."""
    return [
        f"the file {path.name} shows cards"
        for path in sorted(directory.rglob("*"))
        if path.is_file() and in_bytes(path.read_bytes())
    ]


def in_redis(url: str) -> list[str]:
    """What is wrong in any database of a Redis, and in what is published for a moment. Blocks.

    Raises `redis.RedisError` and `OSError` if it is away.
    """
    with redis.Redis.from_url(url, socket_timeout=5) as client:
        known = sorted(int(name.removeprefix("db")) for name in client.info("keyspace"))
    found = []
    for database in known:
        with redis.Redis.from_url(url, db=database, socket_timeout=5) as client:
            found += [
                f"database {database} of Redis shows cards at {key!r}"
                for key in client.scan_iter(count=1000)
                if any(map(in_bytes, [key, *_values(client, key)]))
            ]
    return found + _published(url)


def _values(client: Any, key: bytes) -> Iterator[bytes]:  # noqa: C901 -- one case per type
    match client.type(key):
        case b"string":
            yield client.get(key) or b""
        case b"hash":
            for pair in client.hgetall(key).items():
                yield from pair
        case b"list":
            yield from client.lrange(key, 0, -1)
        case b"set":
            yield from client.smembers(key)
        case b"zset":
            yield from client.zrange(key, 0, -1)
        case b"stream":
            for _, fields in client.xrange(key):
                for pair in fields.items():
                    yield from pair
        case b"none":  # it is gone meanwhile
            return
        case other:
            raise TypeError(f"a key of type {other!r}")


def _published(url: str) -> list[str]:
    with redis.Redis.from_url(url, socket_timeout=5) as client, client.pubsub() as heard:
        heard.psubscribe("*")
        until, found = time.monotonic() + LISTEN_S, set()
        while (left := until - time.monotonic()) > 0:
            message = heard.get_message(ignore_subscribe_messages=True, timeout=left)
            if message is not None and in_bytes(message["data"]):
                found.add(message["channel"])
    return [f"what is published on {channel!r} shows cards" for channel in sorted(found)]
