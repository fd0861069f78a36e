"""The generated pages of the contract: `protocol/reference.md`, and the examples on the front page.

The reference is made from the message classes and their declarations. The front page is written by hand; an example
stands between `<!-- example: NAME -->` and `<!-- end: NAME -->`, as its file has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args

from ._declarations import CHANGES, REQUESTS
from ._schemas import meaning
from .errors import Code, Kind
from .messages import ClientMessage, ServerMessage, TableEvent

__all__ = ["reference", "with_examples"]

_EVENTS: Final = tuple(kind.__name__ for kind in get_args(TableEvent))
_CLIENT: Final = tuple(kind.__name__ for kind in get_args(ClientMessage))
_ANSWERS: Final = tuple(kind.__name__ for kind in get_args(ServerMessage) if kind.__name__ not in _EVENTS)
_REFERENCE_PREFIX: Final = "#/$defs/"
_LANGUAGES: Final = {"py": "python", "mjs": "javascript", "go": "go"}
_KINDS: Final[tuple[Kind, ...]] = ("fix", "final", "retry")

_TEXT: Final = """
# Reference

Every message with its fields. This page is generated from the message classes by `python -m pokerroom_protocol.schema`.

- [Requests](#requests), each with its answers and refusals
- [Answers](#answers), and other messages to one client
- [Events](#events), each with what it changes in the state of a table
- [Parts](#parts) of messages
- [Error codes](#error-codes)

In the column *type*, a *default* means that a client may omit the field. The room always sends every field, except
those that *may be absent*. Further refusals that many requests share, and the meaning of *fix*, *final* and *retry*,
are in [Errors](errors.md).

## Requests

{requests}

## Answers

{answers}

## Events

{events}

## Parts

{parts}

## Error codes

A code never changes its meaning. The last column has the requests that list the code as their own refusal.

{codes}
"""


def reference(definitions: dict[str, Any]) -> str:
    """Return the page with all messages, from the definitions of their schemas."""
    messages = {*_CLIENT, *_ANSWERS, *_EVENTS}
    text = _TEXT.format(
        requests=_messages(_CLIENT, definitions),
        answers=_messages(_ANSWERS, definitions),
        events=_messages(_EVENTS, definitions),
        parts=_messages((name for name in _structs(definitions) if name not in messages), definitions),
        codes=_codes(),
    )
    return text.lstrip()


def with_examples(page: str, examples: Mapping[str, str]) -> str:
    """Return the page with the examples' text in it, by file name; raise ValueError if a marker is missing."""
    for name, text in examples.items():
        begin, end = f"<!-- example: {name} -->", f"<!-- end: {name} -->"
        before, found_begin, rest = page.partition(begin)
        _, found_end, after = rest.partition(end)
        if not found_begin or not found_end:
            raise ValueError(f"README.md has no part {begin} … {end}")
        language = _LANGUAGES[name.rpartition(".")[2]]
        page = f"{before}{begin}\n\n```{language}\n{text.strip()}\n```\n\n{end}{after}"
    return page


def _structs(definitions: Mapping[str, Any]) -> list[str]:
    return [name for name, definition in definitions.items() if "properties" in definition]


def _messages(names: Iterable[str], definitions: dict[str, Any]) -> str:
    return "\n\n".join(_message(name, definitions) for name in names)


def _message(name: str, definitions: dict[str, Any]) -> str:
    definition = definitions[name]
    fields = dict(definition["properties"])
    kind = fields.pop("type", None)
    tag = kind["const"] if kind else ""
    lines = [f"### `{tag}`" if tag else f"### {name}", "", " ".join(definition["description"].split()), ""]
    lines += _beside(tag)
    if not fields:
        return "\n".join(lines).rstrip()
    lines += ["| field | type | meaning |", "|---|---|---|"]
    required = definition["required"]
    for field, schema in fields.items():
        omitted = f"default {_json(schema['default'])}" if "default" in schema else "may be absent"
        optional = "" if field in required else f"; {omitted}"
        lines.append(f"| `{field}` | {_type(schema, definitions)}{optional} | {meaning(schema)} |")
    return "\n".join(lines)


def _beside(tag: str) -> list[str]:
    """Return the lines between the sentence of a message and its fields."""
    if tag in CHANGES:
        return [f"*Changes*: {CHANGES[tag]}.", ""]
    if tag not in REQUESTS:
        return []
    rules = REQUESTS[tag]
    lines = [f"- *Allowed for*: {rules.sender}", f"- *Answer*: {_names(rules.answers)}"]
    if rules.refusals:
        by_kind = {kind: [code for code in rules.refusals if code.kind == kind] for kind in _KINDS}
        listed = "; ".join(f"*{kind}* {_names(codes)}" for kind, codes in by_kind.items() if codes)
        lines.append(f"- *Refusals*: {listed}")
    return [*lines, ""]


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _type(schema: dict[str, Any], definitions: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(option, definitions) for option in schema["anyOf"])
    if "allOf" in schema:
        return _type(schema["allOf"][0], definitions)
    if "$ref" in schema:
        return _reference_to(str(schema["$ref"]).removeprefix(_REFERENCE_PREFIX), definitions)
    kind = schema["type"]
    if isinstance(kind, list):
        return " or ".join(_type({**schema, "type": each}, definitions) for each in kind)
    if kind == "array":
        return f"list of {_type(schema['items'], definitions)}"
    return _scalar(schema)


def _reference_to(name: str, definitions: dict[str, Any]) -> str:
    definition = definitions[name]
    if "x-codes" in definition:
        return "[code](#error-codes)"
    if "enum" in definition:
        return ", ".join(_json(value) for value in definition["enum"])
    return f"[{name}](#{name.lower()})"


def _scalar(schema: dict[str, Any]) -> str:
    match schema["type"]:
        case "integer":
            return f"integer{_range(schema.get('minimum'), schema.get('maximum'))}"
        case "string":
            pattern = f" `{schema['pattern']}`" if "pattern" in schema else ""
            return f"text{_range(schema.get('minLength'), schema.get('maxLength'))}{pattern}"
        case other:
            return str(other)


def _range(low: int | None, high: int | None) -> str:
    if low is None and high is None:
        return ""
    return f" {0 if low is None else low}…{'' if high is None else _power(high)}"


def _power(number: int) -> str:
    return f"2^{(number + 1).bit_length() - 1}-1" if number > 2**30 else str(number)


def _json(value: object) -> str:
    return f"`{json.dumps(value)}`"


def _codes() -> str:
    lines = ["| code | kind | what to do | own refusal of |", "|---|---|---|---|"]
    for code in Code:
        users = [tag for tag, rules in REQUESTS.items() if code in rules.refusals]
        lines.append(f"| `{code.value}` | {code.kind} | {code.sentence} | {_names(users)} |")
    return "\n".join(lines)
