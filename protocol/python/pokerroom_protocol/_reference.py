"""The generated parts of `protocol/README.md`: requests, fields of all messages, error codes, transcripts.

The text is Markdown, made from the message classes and their declarations; the prose around it is written by hand. Each
part stands between `<!-- generated: NAME -->` and `<!-- end: NAME -->`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args

from ._declarations import CHANGES, REQUESTS
from ._schemas import meaning
from .errors import Code
from .messages import ClientMessage, ServerMessage, TableEvent

__all__ = ["with_reference"]

_EVENTS: Final = tuple(kind.__name__ for kind in get_args(TableEvent))
_CLIENT: Final = tuple(kind.__name__ for kind in get_args(ClientMessage))
_ANSWERS: Final = tuple(kind.__name__ for kind in get_args(ServerMessage) if kind.__name__ not in _EVENTS)
_REFERENCE_PREFIX: Final = "#/$defs/"


def with_reference(readme: str, definitions: dict[str, Any], transcripts: Mapping[str, str]) -> str:
    """Return the README with its generated parts replaced; raise ValueError if a marker is missing.

    `transcripts` are the contents of the files, by name.
    """
    messages = {*_CLIENT, *_ANSWERS, *_EVENTS}
    parts = {
        "request table": _request_table(),
        "event table": _event_table(),
        "requests": _messages(_CLIENT, definitions),
        "answers": _messages(_ANSWERS, definitions),
        "events": _messages(_EVENTS, definitions),
        "parts": _messages((name for name in _structs(definitions) if name not in messages), definitions),
        "codes": _codes(),
        **{f"transcript {name}": _transcript(text) for name, text in transcripts.items()},
    }
    for name, text in parts.items():
        readme = _between(readme, name, text)
    return readme


def _between(readme: str, name: str, text: str) -> str:
    begin, end = f"<!-- generated: {name} -->", f"<!-- end: {name} -->"
    before, found_begin, rest = readme.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise ValueError(f"README.md has no part {begin} … {end}")
    return f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}"


def _request_table() -> str:
    lines = ["| request | allowed for | answers | own refusals |", "|---|---|---|---|"]
    for kind in get_args(ClientMessage):
        rules = REQUESTS[str(kind.__struct_config__.tag)]
        answers, refusals = _names(rules.answers), _names(rules.refusals)
        lines.append(f"| `{kind.__struct_config__.tag}` | {rules.sender} | {answers} | {refusals} |")
    return "\n".join(lines)


def _event_table() -> str:
    tags = [str(kind.__struct_config__.tag) for kind in get_args(TableEvent)]
    return "\n".join(["| event | changes |", "|---|---|", *(f"| `{tag}` | {CHANGES[tag]} |" for tag in tags)])


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _structs(definitions: Mapping[str, Any]) -> list[str]:
    return [name for name, definition in definitions.items() if "properties" in definition]


def _messages(names: Iterable[str], definitions: dict[str, Any]) -> str:
    return "\n\n".join(_message(name, definitions[name]) for name in names)


def _message(name: str, definition: dict[str, Any]) -> str:
    fields = dict(definition["properties"])
    kind = fields.pop("type", None)
    title = f"`{kind['enum'][0]}`" if kind else name
    lines = [f"#### {title}", "", " ".join(definition["description"].split()), ""]
    if not fields:
        return "\n".join(lines)
    lines += ["| field | type | meaning |", "|---|---|---|"]
    required = definition["required"]
    for field, schema in fields.items():
        optional = "" if field in required else f"; default {_json(schema.get('default'))}"
        lines.append(f"| `{field}` | {_type(schema)}{optional} | {meaning(schema)} |")
    return "\n".join(lines)


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(option) for option in schema["anyOf"])
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REFERENCE_PREFIX)
    if "enum" in schema:
        return ", ".join(_json(value) for value in schema["enum"])
    match schema["type"]:
        case "null":
            return "null"
        case "array":
            return f"list of {_type(schema['items'])}"
        case "integer":
            return f"integer{_range(schema.get('minimum'), schema.get('maximum'))}"
        case "string":
            if "pattern" in schema:
                # The look-ahead only repairs Python's `$`; other readers need not see it.
                pattern = str(schema["pattern"])
                return f"text{_range(schema.get('minLength'), schema.get('maxLength'))} `{pattern}`"
            return f"text{_range(schema.get('minLength'), schema.get('maxLength'))}"
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
    lines = ["| code | kind | meaning |", "|---|---|---|"]
    lines += [f"| `{code.value}` | {code.kind} | {code.sentence} |" for code in Code]
    return "\n".join(lines)


def _transcript(transcript: str) -> str:
    lines = ["```text"]
    for line in transcript.splitlines():
        entry = json.loads(line)
        if entry["from"] == "note":
            lines.append(f"    ({entry['message']})")
            continue
        arrow = {"client": "-->", "room": "<--"}[entry["from"]]
        lines.append(f"{arrow} {json.dumps(entry['message'], ensure_ascii=False)}")
    return "\n".join([*lines, "```"])
