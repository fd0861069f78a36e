"""A table that events have kept up to date against the room's own snapshot of the same moment, in every story."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from pokerroom_protocol import ClientSession, Encoding, decode_request
from tests.protocol import transcripts
from tests.protocol.scripted import Entry, Script

NUMBER = 900_000
"""Of a request that the stories have not."""

# What no event carries, by the contract; and the request that a snapshot answers.
UNTOLD = {"re", "your_slip", "your_options", "your_pre_act"}
UNTOLD_OF_INFO = {"occupied", "players", "waiting", "closing"}


@pytest.mark.parametrize("name", sorted(transcripts.STORIES))
def test_what_is_kept_is_what_a_new_snapshot_says(name, monkeypatch):
    """After every request of any client its kept tables equal a new snapshot."""
    compared = []
    asks = Script.ask

    def ask(script: Script, kind: str, **fields: Any) -> Entry:
        answer = asks(script, kind, **fields)
        for kept in followed(script):
            fresh = snapshot(script, kept["table"])
            if fresh.get("code") == "unknown_table":
                assert kept["tournament"]["phase"] != "running", "a table ends with its tournament alone"
                continue
            assert told(kept) == told(fresh), (kind, script.name)
            compared.append(fresh["seq"])
        return answer

    monkeypatch.setattr(Script, "ask", ask)
    transcripts.STORIES[name]()

    assert len(set(compared)) >= 4


def followed(script: Script) -> list[dict[str, Any]]:
    """The tables of the present connection, as a session has kept them."""
    session = ClientSession(Encoding.JSON)
    for entry in script.entries:
        if entry["from"] == "note":
            session = ClientSession(Encoding.JSON)
        elif entry["from"] == "client":
            session.request(decode_request(json.dumps(entry["message"]).encode(), Encoding.JSON))
        else:
            session.receive(json.dumps(entry["message"]).encode())
    tables = {**session.tables, **session.ultimate_tables}
    return [msgspec.to_builtins(table) for table in tables.values()]


def snapshot(script: Script, table: str) -> dict[str, Any]:
    """What the room shows now; the story does not have it."""
    before = len(script.entries)
    request = {"type": "get_snapshot", "id": NUMBER, "table": table}
    script.session.received(json.dumps(request).encode())
    [entry] = script.entries[before:]
    del script.entries[before:]
    assert entry["message"]["re"] == NUMBER
    return entry["message"]


def told(table: dict[str, Any]) -> dict[str, Any]:
    """Without what no event tells."""
    info = {key: value for key, value in table["info"].items() if key not in UNTOLD_OF_INFO}
    known = {key: value for key, value in table.items() if key not in UNTOLD} | {"info": info}
    tournament = known.get("tournament")
    if tournament is not None and tournament["phase"] != "running":
        known["tournament"] = {key: value for key, value in tournament.items() if key != "level"}
    return known
