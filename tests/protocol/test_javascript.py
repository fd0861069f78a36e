"""The JavaScript client: its own tests under node, and that it sees what the Python client sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom_protocol import ClientSession, Encoding
from pokerroom_protocol.messages import Snapshot, TableEvent, UltimateSnapshot
from tests.effort import times
from tests.node import node
from tests.protocol import strategies

HERE = Path(__file__).parent / "javascript"
TABLE = "t1"
AMOUNT_MAX = 10**12  # JavaScript's numbers are whole up to 2^53, sums of amounts included


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_under_node(name):
    """The tests of the JavaScript client pass."""
    node("--test", HERE / name)


def transcripts() -> list[Path]:
    return sorted((Path(__file__).parents[2] / "protocol" / "transcripts").glob("*.jsonl"))


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem)
def test_both_clients_see_the_same_of_a_transcript(path):
    """After every message of the room both clients have the same tables."""
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    messages = [entry["message"] for entry in entries if entry["from"] == "room"]
    check_same(messages)


def tamed(value: Any) -> Any:
    """The same with smaller numbers. What must be 1 or more does not become 0."""
    match value:
        case bool():
            return value
        case int():
            return value and 1 + (value - 1) % AMOUNT_MAX
        case list():
            return [tamed(each) for each in value]
        case dict():
            return {key: tamed(each) for key, each in value.items()}
    return value


@st.composite
def courses(draw) -> list[dict[str, Any]]:
    """A snapshot and events after it, mostly without gaps; what they say need not make sense."""
    kind = draw(st.sampled_from([Snapshot, UltimateSnapshot]))
    messages = [tamed(msgspec.to_builtins(draw(strategies.of_class(kind)))) | {"table": TABLE, "seq": 10}]
    seq = 10
    events = st.one_of([strategies.of_class(kind) for kind in get_args(TableEvent)])
    for event in draw(st.lists(events, max_size=12)):
        seq += draw(st.sampled_from([1, 1, 1, 1, 1, 1, 1, 0, 2]))
        messages.append(tamed(msgspec.to_builtins(event)) | {"table": TABLE, "seq": seq})
    return messages


def test_a_tamed_number_is_still_one_that_the_protocol_takes():
    """A number of a level is at least 1, also if it was a multiple of the largest amount."""
    assert tamed([0, 1, AMOUNT_MAX, 2 * AMOUNT_MAX, AMOUNT_MAX + 7]) == [0, 1, AMOUNT_MAX, AMOUNT_MAX, 7]


@settings(max_examples=times(4), deadline=None)
@given(courses())
def test_both_clients_see_the_same_of_anything(messages):
    """Whatever events come, with or without gaps: same tables, same happenings, same wish for a snapshot."""
    check_same(messages)


def check_same(messages: list[dict[str, Any]]) -> None:
    session = ClientSession(Encoding.JSON)
    theirs = json.loads(node(HERE / "replay.mjs", stdin=json.dumps(messages)))
    for message, state in zip(messages, theirs, strict=True):
        happenings = session.receive(json.dumps(message).encode())
        ours = {**session.tables, **session.ultimate_tables}
        assert msgspec.to_builtins(ours) == with_defaults(state["tables"]), message
        assert len(state["told"]) == len(happenings)
        assert state["asks"] == [json.loads(body) for body in session.bodies_to_send()]


def with_defaults(tables: dict[str, Any]) -> dict[str, Any]:
    """As Python writes them: with every field that it knows, and no other."""
    return {
        name: msgspec.to_builtins(msgspec.convert(table, Snapshot | UltimateSnapshot))
        for name, table in tables.items()
    }
