"""The AsyncAPI 3.0 document: the messages as JSON Schema, and the answers to each request.

It is made from the message classes and their declarations. It describes what the room receives and sends over one
connection. Framing and order are described in the pages of the contract only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args

import msgspec

from ._declarations import RequestRules
from ._schemas import described_schemas
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


def asyncapi_document(
    examples: Mapping[type[msgspec.Struct], Iterable[msgspec.Struct]], requests: Mapping[str, RequestRules]
) -> dict[str, Any]:
    """Return the document; raise KeyError for a message that is not declared."""
    kinds = (*get_args(ClientMessage), *get_args(ServerMessage))
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "pokerroom protocol",
            "version": f"{PROTOCOL_VERSION}.0.0",
            "description": "Generated from the message classes by `python -m pokerroom_protocol.schema`. The pages "
            "of the contract, from README.md on, describe order, repetition, resumption and times.",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": _SERVERS,
        "channels": {
            "connection": {
                "address": None,
                "description": "One connection of a client, with all its tables. A client must ignore unknown message "
                "types and fields.",
                "servers": [{"$ref": f"#/servers/{name}"} for name in _SERVERS],
                "messages": {_tag(kind): {"$ref": f"#/components/messages/{_tag(kind)}"} for kind in kinds},
            }
        },
        "operations": {
            **{_tag(kind): _received(kind, requests[_tag(kind)]) for kind in get_args(ClientMessage)},
            "tell_event": _sent("Events of a table, numbered by `seq`.", _events()),
            "tell_unasked": _sent("Messages to one client that answer no request.", _unasked()),
        },
        "components": {
            "messages": {_tag(kind): _message(kind, examples[kind]) for kind in kinds},
            "schemas": described_schemas(
                kinds, "#/components/schemas/{name}", requests=get_args(ClientMessage), bare=True
            ),
        },
    }


def _received(kind: type, rules: RequestRules) -> dict[str, Any]:
    return {
        "action": "receive",
        "channel": _CHANNEL,
        "summary": _sentence(kind),
        "description": f"Allowed for: {rules.sender}.",
        "messages": [_of_channel(_tag(kind))],
        "reply": {
            "channel": _CHANNEL,
            "messages": [_of_channel(answer) for answer in (*rules.answers, _ERROR)],
        },
        "x-refusals": [code.value for code in rules.refusals],
    }


def _sent(summary: str, kinds: Iterable[type]) -> dict[str, Any]:
    return {
        "action": "send",
        "channel": _CHANNEL,
        "summary": summary,
        "messages": [_of_channel(_tag(kind)) for kind in kinds],
    }


def _message(kind: type, examples: Iterable[msgspec.Struct]) -> dict[str, Any]:
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
    """Return the messages that are no events and may come without a request."""
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
