"""Fields of the hashed text, and the hashes of a record, which stand for it once it was read: a record is long."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

_DECODER: Final = json.JSONDecoder()
_FRACTION: Final = re.compile(r'"\\u0000([^"]*)\\u0000"')
_ARCHIVED: Final = re.compile(
    r'\{(?:"game": "[a-z_]{1,40}", )?"digest": "([0-9a-f]{64})", "archive": [1-9][0-9]{0,8}\}'
)
"""What is left of a record that was moved to a file: its hash stands in the place of its text."""

ELSEWHERE: Final = b"?"
"""Follows the hash of a record in a file. Of a hand it stands for the hash of encrypted cards, which the link has."""

_FAULTS: Final = (ValueError, AttributeError, IndexError, TypeError, RecursionError, StopIteration)


def fields(*values: object) -> bytes:
    """Values as fields, one after the other."""
    made = []
    for value in values:
        if value is None:
            made.append(b"-,")
        else:
            text = str(value).encode()
            made.append(b"%d:%b," % (len(text), text))
    return b"".join(made)


def hand_digest(record: str) -> bytes:
    """The hash of a hand's record without hidden cards, then that of its encrypted cards if it has any.

    Of a record in a file the hash that is in its place, then `ELSEWHERE`. Empty for a record that cannot be one.
    """
    if (archived := _ARCHIVED.fullmatch(record)) is not None:
        return bytes.fromhex(archived[1]) + ELSEWHERE
    try:
        opened, hidden = without_hidden(record)
    except _FAULTS:
        return b""
    sealed = b"" if hidden is None else sha256(fields("pokerroom hidden 1", hidden)).digest()
    return sha256(opened).digest() + sealed


def record_digest(record: str) -> bytes:
    """The hash of any other record; of one in a file that in its place, then `ELSEWHERE`."""
    if (archived := _ARCHIVED.fullmatch(record)) is not None:
        return bytes.fromhex(archived[1]) + ELSEWHERE
    return sha256(record.encode()).digest()


def without_hidden(record: str) -> tuple[bytes, str | None]:
    """A record of a hand as it is after its hidden cards were erased, and the encrypted cards.

    Raises ValueError, among others, for a record that cannot be one.
    """
    place = _member(record, "hidden")
    if place is not None:
        key, begin, end = place
        value = _DECODER.raw_decode(record, begin)[0]
        rest = record[:key] + record[end:].removeprefix(", ")
        if end == len(record) - 1:  # the last one
            rest = record[:key].removesuffix(", ") + record[end:]
        return rest.encode(), value if isinstance(value, str) else record[begin:end]
    read = json.loads(record, parse_float=lambda number: f"\0{number}\0")  # jsonb has no such text
    if not isinstance(read, dict) or not _is_plain(read.get("version", 1)):
        return record.encode(), None
    seats, events = read.get("seats"), read.get("events")
    if not (isinstance(seats, list) and isinstance(events, list)):
        return record.encode(), None
    shown = [event[1] for event in events if isinstance(event, list) and event[:1] == ["show"]]
    folded = [seat if seat.get("seat") in shown else _folded(seat) for seat in seats]
    if folded == seats:
        return record.encode(), None
    read["seats"] = folded
    return _jsonb(read).encode(), None


def _member(text: str, name: str) -> tuple[int, int, int] | None:
    """The places of a member of an object: where its name begins, and where its value begins and ends.

    The text is as PostgreSQL writes `jsonb`: with one space after each comma and colon, each name once, and shorter
    names before longer ones. None if there is no such member.
    """
    if not text.startswith('{"'):
        return None
    at = 1
    while True:
        key, begin = _DECODER.raw_decode(text, at)
        if len(key.encode()) > len(name) or text[begin : begin + 2] != ": ":
            return None
        begin += 2
        end = _DECODER.raw_decode(text, begin)[1]
        if key == name:
            return at, begin, end
        if text[end : end + 3] != ', "':
            return None
        at = end + 2


def _is_plain(version: object) -> bool:
    """Whether records of this version have cards in clear that were never shown."""
    return type(version) is int and version == 1


def _folded(seat: Mapping[str, Any]) -> dict[str, Any]:
    names = sorted({*seat, "cards"}, key=lambda name: (len(name.encode()), name.encode()))
    return {name: None if name == "cards" else seat[name] for name in names}


def _jsonb(value: object) -> str:
    return _FRACTION.sub(r"\1", json.dumps(value, ensure_ascii=False))
