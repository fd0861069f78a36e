"""The AsyncAPI 3.0 document: the messages as JSON Schema, and which of them answers which.

Made of the message classes, their examples and the README's table of requests. It describes the room: what it receives
and what it sends, over one connection. How bytes are framed, and in which order things come, only the README says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args

import msgspec

from ._meanings import described_schemas
from ._requests_table import RequestRow
from .messages import PROTOCOL_VERSION, ClientMessage, Event, ServerMessage

__all__ = ["asyncapi_document"]

_CHANNEL: Final = {"$ref": "#/channels/connection"}
_ERROR: Final = "error"

_SERVERS: Final = {
    "websocket": {
        "host": "{host}:{port}",
        "pathname": "/ws",
        "protocol": "ws",
        "description": "Subprotocol `pokerroom.v1.json`: one text message is one message in JSON. Subprotocol "
        "`pokerroom.v1.msgpack`: one binary message is one message in msgpack.",
        "variables": {"host": {"default": "127.0.0.1"}, "port": {"default": "4191"}},
    },
    "tcp": {
        "host": "{host}:{port}",
        "protocol": "tcp",
        "description": "One message is one frame: four bytes of length, unsigned and big-endian, then so many bytes of "
        "msgpack.",
        "variables": {"host": {"default": "127.0.0.1"}, "port": {"default": "4190"}},
    },
}


def asyncapi_document(examples: Iterable[msgspec.Struct], rows: Mapping[str, RequestRow]) -> dict[str, Any]:
    """The document. A message without an example, or a request without a row, is told of by a KeyError."""
    kinds = (*get_args(ClientMessage), *get_args(ServerMessage))
    by_kind: dict[type, list[msgspec.Struct]] = {kind: [] for kind in kinds}
    for example in examples:
        by_kind[type(example)].append(example)
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "pokerroom protocol",
            "version": f"{PROTOCOL_VERSION}.0.0",
            "description": "Generated from the message classes by `python -m pokerroom_protocol.schema`. The contract "
            "is the README beside it: order, repetition, resumption and times are described there.",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": _SERVERS,
        "channels": {
            "connection": {
                "address": None,
                "description": "One connection of a client, with all its tables. A client ignores message types and "
                "fields that it does not know.",
                "servers": [{"$ref": f"#/servers/{name}"} for name in _SERVERS],
                "messages": {_tag(kind): {"$ref": f"#/components/messages/{_tag(kind)}"} for kind in kinds},
            }
        },
        "operations": {
            **{_tag(kind): _received(kind, rows[_tag(kind)]) for kind in get_args(ClientMessage)},
            "tell_event": _sent("What happens at a table, numbered by `seq`.", _events()),
            "tell_unasked": _sent("What is said to one client without a request of his.", _unasked()),
        },
        "components": {
            "messages": {_tag(kind): _message(kind, by_kind[kind]) for kind in kinds},
            "schemas": described_schemas(kinds, "#/components/schemas/{name}"),
        },
    }


def _received(kind: type, row: RequestRow) -> dict[str, Any]:
    return {
        "action": "receive",
        "channel": _CHANNEL,
        "summary": _sentence(kind),
        "description": f"Who may send it: {row.sender}.",
        "messages": [_of_channel(_tag(kind))],
        "reply": {
            "channel": _CHANNEL,
            "messages": [_of_channel(answer) for answer in (*row.answers, _ERROR)],
        },
        "x-refusals": list(row.refusals),
    }


def _sent(summary: str, kinds: Iterable[type]) -> dict[str, Any]:
    return {
        "action": "send",
        "channel": _CHANNEL,
        "summary": summary,
        "messages": [_of_channel(_tag(kind)) for kind in kinds],
    }


def _message(kind: type, examples: list[msgspec.Struct]) -> dict[str, Any]:
    if not examples:
        raise KeyError(f"{kind.__name__} has no example")
    fields = [field.name for field in msgspec.structs.fields(kind)]
    number = next((name for name in ("re", "id") if name in fields), None)
    correlation = {"correlationId": {"location": f"$message.payload#/{number}"}} if number else {}
    return {
        "name": _tag(kind),
        "summary": _sentence(kind),
        **correlation,
        "payload": {"$ref": f"#/components/schemas/{kind.__name__}"},
        "examples": [{"payload": msgspec.to_builtins(example)} for example in examples],
    }


def _events() -> list[type]:
    return [kind for kind in get_args(ServerMessage) if issubclass(kind, Event)]


def _unasked() -> list[type]:
    """What is no event and has no `re`, or has none where nobody has asked."""
    return [
        kind
        for kind in get_args(ServerMessage)
        if not issubclass(kind, Event)
        and not any(field.name == "re" and field.required for field in msgspec.structs.fields(kind))
    ]


def _of_channel(tag: str) -> dict[str, str]:
    return {"$ref": f"#/channels/connection/messages/{tag}"}


def _sentence(kind: type) -> str:
    return " ".join((kind.__doc__ or "").split())


def _tag(kind: type) -> str:
    return str(kind.__struct_config__.tag)  # type: ignore[attr-defined] # Structs
