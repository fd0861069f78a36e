"""Inputs that must be refused: the source of `protocol/vectors/malformed.json`. Plain data."""

from __future__ import annotations

from typing import Final

from .errors import Code

__all__ = ["MALFORMED_JSON", "MALFORMED_MSGPACK"]

# Requests that must be refused: the reason, the bytes, the code, and the request's id where it can be read.
# `81 a4 "type" a4 "ping"` is a map of one field; `82 … a2 "id" 05` of two.
_PING: Final = b"\x82\xa4type\xa4ping\xa2id"

MALFORMED_MSGPACK: Final[tuple[tuple[str, bytes, Code, int | None], ...]] = (
    ("no bytes at all", b"", Code.BAD_ENCODING, None),
    ("cut short", _PING, Code.BAD_ENCODING, None),
    ("a byte behind the message", _PING + b"\x05\xc0", Code.BAD_ENCODING, None),
    ("the byte msgpack never uses", b"\xc1", Code.BAD_ENCODING, None),
    ("not a map: an array", b"\x91\x05", Code.BAD_MESSAGE, None),
    ("not a map: nil", b"\xc0", Code.BAD_MESSAGE, None),
    ("not a map: a number", b"\x05", Code.BAD_MESSAGE, None),
    ("text that is not UTF-8", b"\x82\xa4type\xa4ping\xa2id\xa1\xff", Code.BAD_ENCODING, None),
    ("a surrogate in UTF-8", b"\x82\xa4type\xa4ping\xa2id\xa3\xed\xa0\x80", Code.BAD_ENCODING, None),
    ("a key that is no text", b"\x83\xa4type\xa4ping\xa2id\x05\x01\x02", Code.BAD_ENCODING, None),
    ("the same key twice", b"\x83\xa4type\xa4ping\xa2id\x05\xa2id\x06", Code.BAD_ENCODING, None),
    ("an extension type", _PING + b"\xd4\x01\x00", Code.BAD_ENCODING, None),
    ("a timestamp extension", _PING + b"\xd6\xff\x00\x00\x00\x00", Code.BAD_ENCODING, None),
    ("an extension of no bytes", _PING + b"\xc7\x00\x01", Code.BAD_ENCODING, None),
    ("binary in place of text", b"\x82\xa4type\xc4\x04ping\xa2id\x05", Code.BAD_ENCODING, None),
    ("nested a thousand deep", b"\x91" * 1100 + b"\xc0", Code.BAD_ENCODING, None),
    ("an array that announces 4 GiB", _PING + b"\xdd\xff\xff\xff\xff", Code.BAD_ENCODING, None),
    ("no type", b"\x81\xa2id\x05", Code.BAD_MESSAGE, 5),
    ("a type that is no text", b"\x82\xa4type\x05\xa2id\x05", Code.BAD_MESSAGE, 5),
    ("an unknown type", b"\x82\xa4type\xa4pong\xa2id\x05", Code.UNKNOWN_MESSAGE, 5),
    ("no id", b"\x81\xa4type\xa4ping", Code.BAD_MESSAGE, None),
    ("a boolean for an integer", _PING + b"\xc3", Code.BAD_MESSAGE, None),
    ("a float for an integer", _PING + b"\xcb\x40\x14\x00\x00\x00\x00\x00\x00", Code.BAD_MESSAGE, None),
    ("NaN for an integer", _PING + b"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00", Code.BAD_MESSAGE, None),
    ("infinity for an integer", _PING + b"\xca\x7f\x80\x00\x00", Code.BAD_MESSAGE, None),
    ("a negative id", _PING + b"\xff", Code.BAD_MESSAGE, None),
    ("an id of 2^31", _PING + b"\xce\x80\x00\x00\x00", Code.BAD_MESSAGE, None),
    ("an id of 2^64-1", _PING + b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", Code.BAD_MESSAGE, None),
    ("an unknown field", b"\x83\xa4type\xa4ping\xa2id\x05\xa1x\xc0", Code.BAD_MESSAGE, 5),
    ("a missing field", b"\x82\xa4type\xa7observe\xa2id\x05", Code.BAD_MESSAGE, 5),
    (
        "a line break behind a table's name",
        b"\x83\xa4type\xa7observe\xa2id\x05\xa5table\xa2a\n",
        Code.BAD_MESSAGE,
        5,
    ),
)

MALFORMED_JSON: Final[tuple[tuple[str, bytes, Code, int | None], ...]] = (
    ("no bytes at all", b"", Code.BAD_ENCODING, None),
    ("cut short", b'{"type":"ping","id":5', Code.BAD_ENCODING, None),
    ("a second value", b'{"type":"ping","id":5}{}', Code.BAD_ENCODING, None),
    ("not a map", b"[5]", Code.BAD_MESSAGE, None),
    ("the same key twice", b'{"type":"ping","id":5,"id":6}', Code.BAD_ENCODING, None),
    ("NaN", b'{"type":"ping","id":NaN}', Code.BAD_ENCODING, None),
    ("a number beyond every float", b'{"type":"ping","id":1e999}', Code.BAD_MESSAGE, None),
    ("a number with a point", b'{"type":"ping","id":5.0}', Code.BAD_MESSAGE, None),
    ("a boolean for an integer", b'{"type":"ping","id":true}', Code.BAD_MESSAGE, None),
    ("a numeral as text", b'{"type":"ping","id":"5"}', Code.BAD_MESSAGE, None),
    ("an integer of 400 digits", b'{"type":"ping","id":' + b"9" * 400 + b"}", Code.BAD_MESSAGE, None),
    ("UTF-16", '{"type":"ping","id":5}'.encode("utf-16"), Code.BAD_ENCODING, None),
    ("a byte order mark", b'\xef\xbb\xbf{"type":"ping","id":5}', Code.BAD_ENCODING, None),
    ("text that is not UTF-8", b'{"type":"ping","id":"\xff"}', Code.BAD_ENCODING, None),
    (
        "half a surrogate pair",
        b'{"type":"chat","id":5,"table":"t","text":"\\ud800"}',
        Code.BAD_ENCODING,
        None,
    ),
    ("nested ten thousand deep", b"[" * 10_000, Code.BAD_ENCODING, None),
    ("an unknown type", b'{"type":"sit","id":5}', Code.UNKNOWN_MESSAGE, 5),
    ("an unknown field", b'{"type":"ping","id":5,"x":1}', Code.BAD_MESSAGE, 5),
    (
        "an action that does not exist",
        b'{"type":"act","id":5,"table":"t","hand_id":"h","seq":1,"action":"all_in"}',
        Code.BAD_MESSAGE,
        5,
    ),
    ("a hand's id with a zero byte", b'{"type":"get_hand","id":5,"hand_id":"\\u0000"}', Code.BAD_MESSAGE, 5),
    (
        "a round's id with a zero byte",
        b'{"type":"get_round","id":5,"round_id":"\\u0000"}',
        Code.BAD_MESSAGE,
        5,
    ),
)
