"""Encode and decode messages strictly: anything but a message of protocol v1 is refused with a code.

A body is one whole value of the connection's encoding. This module knows the message classes and two
encodings. It knows nothing of frames (see `framing`), of connections, or of what a message asks for.

Decoding has two steps. The first reads one map of the encoding and refuses what the encoding's libraries
let pass: duplicate keys, extension types, NaN, a second value behind the first, text that is not UTF-8. The
second checks that map against the message class named by its `type`, without any conversion (`true` is no
integer, `1.0` neither).
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Any, Final, NoReturn, TypeVar, get_args

import msgpack
import msgspec
from msgspec import Struct

from .errors import Code
from .messages import Act, ClientMessage, ServerMessage

__all__ = ["CodecError", "Encoding", "decode_map", "decode_request", "decode_server", "encode"]

_M = TypeVar("_M")

RE_MAX: Final = 2**31 - 1

# No message needs more; a hostile frame is refused before it costs memory. No message has binary data.
_REQUEST_LIMITS: Final = {
    "max_str_len": 4096,
    "max_bin_len": 0,
    "max_array_len": 64,
    "max_map_len": 64,
    "max_ext_len": 0,
}
# The room's lobby may be long, and later versions may send longer texts.
_SERVER_LIMITS: Final = {
    "max_str_len": 2**16,
    "max_bin_len": 0,
    "max_array_len": 2**17,
    "max_map_len": 1024,
    "max_ext_len": 0,
}

_FIELD_PATH = re.compile(r" - at `(\$[A-Za-z0-9_.\[\]]*)`$")
_PLAIN_NAME = re.compile(r"^[a-z_]{1,30}\Z")


class Encoding(StrEnum):
    """The encoding of a connection; all its messages use the same."""

    MSGPACK = "msgpack"
    JSON = "json"


class CodecError(Exception):
    """Raised when bytes are not a message; the connection can go on with the next one.

    `code` is BAD_ENCODING, BAD_MESSAGE or UNKNOWN_MESSAGE. `message` names the problem and the field. It never repeats
    a value, which may be a password. `re` is the request's `id` if it could be read, and `path` the wrong field, as
    `$.amount`, if it is known.
    """

    def __init__(self, code: Code, message: str, re: int | None = None, path: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.re = re
        self.path = path


class _NotOneValueError(ValueError):
    """Raised in the first step; its text is safe to send."""


def encode(message: Struct, encoding: Encoding) -> bytes:
    """Encode `message`; every field is written, absent ones as null, but for those that are `UNSET`."""
    return _encode_msgpack(message) if encoding is _MSGPACK else msgspec.json.encode(message)


def decode_request(body: bytes, encoding: Encoding) -> ClientMessage:
    """Decode a client's message. Unknown fields are refused; raise `CodecError`."""
    if encoding is _MSGPACK and body.startswith(_ACT_BEGINS, 1):
        act = _usual_act(body)
        if act is not None:
            return act
    value = _read_map(body, encoding, _REQUEST_LIMITS)
    request_id = value.get("id")
    message_class = _class_of(value, _CLIENT_CLASSES, request_id)
    try:
        return msgspec.convert(value, message_class, strict=True)
    except msgspec.ValidationError as failure:
        raise _bad_message(_without_values(str(failure)), request_id, _path_of(str(failure))) from None


def _usual_act(body: bytes) -> Act | None:
    """Return the decision if the body is the one that `encode` makes of it; None if both steps must look at it.

    Then the first step has nothing to refuse: no key occurs twice, and nothing follows. Most requests are decisions,
    and this takes a third of the time.
    """
    try:
        act = _decode_act(body)
    except (msgspec.DecodeError, ValueError):
        return None
    return act if _encode_msgpack(act) == body else None


def decode_server(body: bytes, encoding: Encoding) -> ServerMessage:
    """Decode a message of the room. Unknown fields are ignored; raise `CodecError`."""
    value = _read_map(body, encoding, _SERVER_LIMITS)
    request_id = value.get("re")
    message_class = _class_of(value, _SERVER_CLASSES, request_id)
    try:
        return msgspec.convert(value, message_class, strict=True)
    except msgspec.ValidationError as failure:
        raise _bad_message(_without_values(str(failure)), request_id, _path_of(str(failure))) from None


def decode_map(body: bytes, encoding: Encoding) -> dict[str, Any]:
    """Decode a message of the room to a plain map, without the class check; raise `CodecError`."""
    return _read_map(body, encoding, _SERVER_LIMITS)


def _read_map(body: bytes, encoding: Encoding, limits: dict[str, int]) -> dict[str, Any]:
    try:
        if encoding is Encoding.MSGPACK:
            value = msgpack.unpackb(
                body,
                raw=False,
                strict_map_key=True,
                object_pairs_hook=_unique,
                ext_hook=_no_extension,
                **limits,
            )
        else:
            value = _read_json(body)
    except _NotOneValueError as failure:
        raise CodecError(Code.BAD_ENCODING, str(failure)) from None
    except (ValueError, RecursionError, msgpack.UnpackException):
        # The libraries' texts are not repeated: some quote the input.
        raise CodecError(Code.BAD_ENCODING, f"The frame is not one valid {encoding} value.") from None
    if type(value) is not dict:
        raise CodecError(Code.BAD_MESSAGE, "A message is a map of fields.")
    return value


def _read_json(body: bytes) -> object:
    # json.loads would guess UTF-16 from bytes; only UTF-8 is the protocol's.
    text = body.decode("utf-8")
    value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    if "\\u" in text:
        # An escaped lone surrogate is no character and could not be sent on.
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def _unique(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _NotOneValueError("A key occurs twice in one map.")
    return result


def _no_extension(_code: int, _data: bytes) -> NoReturn:
    raise _NotOneValueError("Extension types are not used.")


def _no_constant(_name: str) -> NoReturn:
    raise _NotOneValueError("NaN and infinity are not JSON.")


def _class_of(value: dict[str, Any], classes: dict[str, type[_M]], request_id: object) -> type[_M]:
    # By a table of our own: msgspec rebuilds its table of a union's classes at every convert (14 µs).
    kind = value.get("type")
    if type(kind) is not str:
        raise _bad_message("The field `type` is missing or no text.", request_id)
    message_class = classes.get(kind)
    if message_class is None:
        raise CodecError(Code.UNKNOWN_MESSAGE, Code.UNKNOWN_MESSAGE.sentence, _readable(request_id))
    return message_class


def _bad_message(message: str, request_id: object, path: str | None = None) -> CodecError:
    return CodecError(Code.BAD_MESSAGE, message, _readable(request_id), path)


def _path_of(text: str) -> str | None:
    """Return the path of the field that msgspec's text is about."""
    found = _FIELD_PATH.search(text)
    path = found[1] if found else None
    if text.startswith(("Object missing required field ", "Object contains unknown field ")):
        name = text.partition("`")[2].partition("`")[0]
        return f"{path or '$'}.{name}" if _PLAIN_NAME.match(name) else path
    return path


def _readable(request_id: object) -> int | None:
    return request_id if type(request_id) is int and 0 <= request_id <= RE_MAX else None


def _without_values(text: str) -> str:
    """Return the text of msgspec without quoted input: field names and types stay, values go."""
    path = _FIELD_PATH.search(text)
    where = f" at `{path[1]}`" if path else ""
    if text.startswith("Expected "):
        return f"{text.partition(' - at ')[0]}{where}."
    if text.startswith("Object missing required field "):
        return f"{text.partition(' - at ')[0]}{where}."
    if text.startswith("Object contains unknown field "):
        # The name helps against a misspelling, but is the sender's own text: only a plain one goes back.
        name = text.partition("`")[2].partition("`")[0]
        return f"Unknown field{f' `{name}`' if _PLAIN_NAME.match(name) else ''}{where}."
    return f"Not one of the allowed values{where}."


def _by_type(union: object) -> dict[str, Any]:
    return {str(kind.__struct_config__.tag): kind for kind in get_args(union)}


_ACT_BEGINS: Final = b"\xa4type\xa3act"  # behind one byte, the number of fields
_decode_act: Final = msgspec.msgpack.Decoder(Act).decode
_encode_msgpack: Final = msgspec.msgpack.Encoder().encode
_MSGPACK: Final = Encoding.MSGPACK  # reading an enum's member takes three times as long as reading a name
_CLIENT_CLASSES: Final[dict[str, type[ClientMessage]]] = _by_type(ClientMessage)
_SERVER_CLASSES: Final[dict[str, type[ServerMessage]]] = _by_type(ServerMessage)
