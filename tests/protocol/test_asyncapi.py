"""The AsyncAPI document: its structure as AsyncAPI 3.0 asks for it, and that it says all that there is to say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from pokerroom_protocol._asyncapi import asyncapi_document
from pokerroom_protocol._declarations import EXAMPLES, REQUESTS
from pokerroom_protocol.messages import ClientMessage, Event, Ping, ServerMessage

PROTOCOL = Path(__file__).parents[2] / "protocol"
DOCUMENT = json.loads((PROTOCOL / "schema" / "asyncapi.v1.json").read_text(encoding="utf-8"))
SCHEMA = json.loads((PROTOCOL / "schema" / "protocol.v1.json").read_text(encoding="utf-8"))

# The fixed fields of AsyncAPI 3.0 that this document uses, by object.
ALLOWED = {
    "root": {
        "asyncapi",
        "info",
        "defaultContentType",
        "servers",
        "channels",
        "operations",
        "components",
    },
    "info": {"title", "version", "description", "license"},
    "server": {"host", "pathname", "protocol", "description", "variables"},
    "channel": {"address", "description", "servers", "messages"},
    "operation": {"action", "channel", "summary", "description", "messages", "reply"},
    "reply": {"channel", "messages"},
    "message": {"name", "summary", "correlationId", "payload", "examples"},
    "components": {"messages", "schemas"},
}


def tags(kinds) -> set[str]:
    return {kind.__struct_config__.tag for kind in kinds}


def target(reference: str):
    """What a reference within the document names; a KeyError where there is nothing."""
    found = DOCUMENT
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return found


def references(value):
    match value:
        case dict():
            for key, each in value.items():
                if key == "$ref":
                    yield each
                else:
                    yield from references(each)
        case list():
            for each in value:
                yield from references(each)


def named(value: str) -> str:
    return value.rsplit("/", 1)[1]


def check_fields(value: dict, kind: str) -> None:
    assert {name for name in value if not name.startswith("x-")} <= ALLOWED[kind], value


def test_the_structure_is_that_of_asyncapi_3():
    """Every object has the fields that AsyncAPI 3.0 gives it and no others, and what it asks for is there."""
    check_fields(DOCUMENT, "root")
    check_fields(DOCUMENT["info"], "info")
    check_fields(DOCUMENT["components"], "components")
    assert DOCUMENT["asyncapi"] == "3.0.0"
    assert DOCUMENT["info"]["title"]
    assert DOCUMENT["info"]["version"]
    for server in DOCUMENT["servers"].values():
        check_fields(server, "server")
        assert server["host"]
        assert server["protocol"] in {"ws", "tcp"}
        assert set(re.findall(r"\{(\w+)\}", server["host"])) == set(server["variables"])
        assert all(set(variable) == {"default"} for variable in server["variables"].values())
    for channel in DOCUMENT["channels"].values():
        check_fields(channel, "channel")
    for name, operation in DOCUMENT["operations"].items():
        check_fields(operation, "operation")
        assert re.fullmatch(r"[A-Za-z0-9_-]+", name)
        assert operation["action"] in {"send", "receive"}
    for message in DOCUMENT["components"]["messages"].values():
        check_fields(message, "message")


def test_every_reference_has_its_target_in_the_right_place():
    """References lead to something; operations name messages of their channel, as AsyncAPI asks."""
    for reference in references(DOCUMENT):
        assert target(reference) is not None
    for operation in DOCUMENT["operations"].values():
        for part in (operation, operation.get("reply", {"channel": operation["channel"], "messages": []})):
            assert part["channel"] == {"$ref": "#/channels/connection"}
            for message in part["messages"]:
                assert message["$ref"].startswith("#/channels/connection/messages/")


def test_every_message_is_received_answered_or_told():
    """Each request is an operation with its answers, and each message of the room is in some operation."""
    operations = DOCUMENT["operations"]
    received = {name for name, operation in operations.items() if operation["action"] == "receive"}
    replies = {
        named(message["$ref"]) for name in received for message in operations[name]["reply"]["messages"]
    }
    told = {
        named(message["$ref"])
        for operation in operations.values()
        if operation["action"] == "send"
        for message in operation["messages"]
    }

    assert received == tags(get_args(ClientMessage))
    assert replies | told == tags(get_args(ServerMessage))
    assert {named(message["$ref"]) for message in operations["tell_event"]["messages"]} == tags(
        kind for kind in get_args(ServerMessage) if issubclass(kind, Event)
    )


def test_a_generator_finds_a_name_for_every_schema():
    """No enumeration and no choice stands in a message without a title: a generator would number its types."""

    def inner(part):
        match part:
            case dict():
                yield part
                for each in part.values():
                    yield from inner(each)
            case list():
                for each in part:
                    yield from inner(each)

    nameless = [
        part
        for schema in DOCUMENT["components"]["schemas"].values()
        for part in inner(schema)
        if ("anyOf" in part or "enum" in part) and "title" not in part and "properties" not in part
    ]

    assert nameless == []


@pytest.mark.parametrize("request_type", sorted(tags(get_args(ClientMessage))))
def test_a_request_has_its_answers_and_refusals(request_type):
    """Each request is declared with its sender, real answers, and real codes, none of them twice."""
    rules = REQUESTS[request_type]

    assert rules.sender
    assert rules.answers
    assert set(rules.answers) <= tags(get_args(ServerMessage))
    assert len(set(rules.refusals)) == len(rules.refusals)
    assert DOCUMENT["operations"][request_type]["x-refusals"] == [code.value for code in rules.refusals]


@pytest.mark.parametrize("name", sorted(DOCUMENT["components"]["messages"]))
def test_examples_are_valid_by_the_schema(name):
    """A validator that knows nothing of the project takes every example, in either document."""
    message = DOCUMENT["components"]["messages"][name]
    payload = {**message["payload"], "components": DOCUMENT["components"]}
    definition = named(message["payload"]["$ref"])
    validator = Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": SCHEMA["$defs"]})

    assert message["examples"]
    for example in message["examples"]:
        Draft7Validator(payload).validate(example["payload"])
        validator.validate(example["payload"])


def test_both_documents_are_schemas():
    """The schemas themselves are valid JSON Schema."""
    Draft202012Validator.check_schema(SCHEMA)
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft7Validator.check_schema(schema)


def test_a_message_that_is_not_declared_is_an_error():
    """A new message class cannot be forgotten: the document is not made without its example, or its rules."""
    without_example = {kind: examples for kind, examples in EXAMPLES.items() if kind is not Ping}
    without_rules = {kind: rules for kind, rules in REQUESTS.items() if kind != "ping"}

    with pytest.raises(KeyError, match="Ping"):
        asyncapi_document(without_example, REQUESTS)
    with pytest.raises(KeyError, match="ping"):
        asyncapi_document(EXAMPLES, without_rules)
