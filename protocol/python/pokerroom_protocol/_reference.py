"""The generated parts of `protocol/README.md`: every message's fields, the error codes, the worked hand.

Markdown from the JSON Schema, which is made from the classes; the prose around it is written by hand. Each part
stands between `<!-- generated: NAME -->` and `<!-- end: NAME -->`.
"""

from __future__ import annotations

import json
from typing import Any, Final, get_args

from .errors import Code
from .messages import (
    AccountSettings,
    BankResult,
    BetResult,
    BoxBetsView,
    BoxCards,
    BoxDecision,
    BoxResult,
    CashRequestView,
    ClientMessage,
    DecisionsView,
    HandHistorySeat,
    HandHistoryView,
    HandSeat,
    HandStep,
    HandView,
    HistoryEntry,
    LevelView,
    LightView,
    PayRow,
    PlaceView,
    PotView,
    PreActView,
    Prize,
    ProgressiveInfo,
    RefusedBet,
    RoundHistoryView,
    RoundView,
    SeatOptionsView,
    SeatView,
    Share,
    SitAndGoInfo,
    SlipBet,
    SlipView,
    SngFilling,
    SngLevel,
    SngPlace,
    SngPlayer,
    SngRunning,
    TableEvent,
    TableInfo,
    TournamentPlace,
    TournamentView,
    TurnView,
    UltimateInfo,
)

__all__ = ["with_reference"]

_EVENTS: Final = tuple(kind.__name__ for kind in get_args(TableEvent))
_CLIENT: Final = tuple(kind.__name__ for kind in get_args(ClientMessage))
_PARTS: Final = tuple(
    kind.__name__
    for kind in (
        TableInfo,
        SeatView,
        PotView,
        TurnView,
        HandView,
        PreActView,
        SeatOptionsView,
        HandSeat,
        Share,
        LevelView,
        TournamentPlace,
        TournamentView,
        SitAndGoInfo,
        SngLevel,
        SngFilling,
        SngRunning,
        SngPlayer,
        SngPlace,
        BankResult,
        BetResult,
        BoxBetsView,
        BoxCards,
        BoxResult,
        DecisionsView,
        LightView,
        PayRow,
        PlaceView,
        Prize,
        ProgressiveInfo,
        RefusedBet,
        RoundView,
        SlipBet,
        SlipView,
        UltimateInfo,
        AccountSettings,
        HistoryEntry,
        HandHistoryView,
        HandHistorySeat,
        HandStep,
        RoundHistoryView,
        BoxDecision,
        CashRequestView,
    )
)
_REFERENCE_PREFIX: Final = "#/$defs/"


def with_reference(readme: str, definitions: dict[str, Any], transcripts: dict[str, str]) -> str:
    """The README with its generated parts made anew; raises ValueError when a marker is missing."""
    server = [reference["$ref"] for reference in definitions["ServerMessage"]["oneOf"]]
    answers = [
        name for name in (ref.removeprefix(_REFERENCE_PREFIX) for ref in server) if name not in _EVENTS
    ]
    parts = {
        "requests": _messages(_CLIENT, definitions),
        "answers": _messages(answers, definitions),
        "events": _messages(_EVENTS, definitions),
        "parts": _messages(_PARTS, definitions),
        "codes": _codes(),
        **{name: _transcript(transcript) for name, transcript in transcripts.items()},
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


def _messages(names: list[str] | tuple[str, ...], definitions: dict[str, Any]) -> str:
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
        optional = "" if field in required else f"; default {_code(schema.get('default'))}"
        lines.append(f"| `{field}` | {_type(schema)}{optional} | {_meaning(schema)} |")
    return "\n".join(lines)


def _meaning(schema: dict[str, Any]) -> str:
    described = [schema, *schema.get("anyOf", []), schema.get("items", {})]
    texts = (option.get("description") for option in described)
    return next((text for text in texts if text), "")


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(option) for option in schema["anyOf"])
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REFERENCE_PREFIX)
    if "enum" in schema:
        return ", ".join(_code(value) for value in schema["enum"])
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
                pattern = str(schema["pattern"]).removesuffix(r"(?!\n)")
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


def _code(value: object) -> str:
    return f"`{json.dumps(value)}`"


def _codes() -> str:
    lines = ["| code | meaning |", "|---|---|"]
    lines += [f"| `{code.value}` | {code.sentence} |" for code in Code]
    return "\n".join(lines)


def _transcript(transcript: str) -> str:
    lines = ["```text"]
    for line in transcript.splitlines():
        entry = json.loads(line)
        arrow = {"client": "-->", "room": "<--"}[entry["from"]]
        lines.append(f"{arrow} {json.dumps(entry['message'], ensure_ascii=False)}")
    return "\n".join([*lines, "```"])
