"""What fields mean, by their names: a field of one name means the same in every message.

For fields whose class says nothing itself. `Class.field` is for one whose name alone does not tell. A test finds the
field that nobody explains.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

__all__ = ["MEANINGS", "described_schemas", "meaning"]

MEANINGS: Final[dict[str, str]] = {
    "account": "Number of the account, for ever the same",
    "action": "What is decided; see *Deciding* and *Deciding in advance*",
    "all_in": "No chip is left behind; or the clock has decided so",
    "any_table": "Any table of the same game, structure and stakes will do",
    "big_blind": "The seat that owes the big blind",
    "board": "The board cards so far, in the order in which they were dealt",
    "button": "The seat of the button; it may be empty",
    "by_clock": "The room has decided, since the time was up",
    "call_amount": "Chips that a call adds; 0 when a check is possible",
    "cards": "Cards that are dealt or shown",
    "check": "Whether a check is legal",
    "code": "Stable, for programs: see *Reference: error codes*",
    "connected": "Whether the holder's client is connected",
    "game": "What is played",
    "hand": "Null between hands",
    "hand_id": "Names a hand, for ever",
    "in_hand": "Dealt in, and not folded",
    "in_time_bank": "The time bank runs: the deadline is its end",
    "info": "The table as in the lobby",
    "kind": "Which forced bet it is",
    "message": "For people, in English; no part of the contract",
    "muck_losing": "A beaten hand is not shown at the showdown",
    "name": "Of a player",
    "occupied": "Seats that are taken or held",
    "password": "A secret; the room keeps only a hash of it",
    "post": "Post a big blind, and what was missed, at once instead of waiting for the big blind",
    "pots": "The main pot first; bets of the present street are not in them",
    "reason": "Why it has ended",
    "seat": "Number of a seat, clockwise from 1",
    "server": "Name and version of the room, for people",
    "shares": "Who wins how much of it",
    "sits_out_next_big_blind": "Plays on until the big blind would be his",
    "small_blind": "The seat that posts the small blind; null: nobody posts it in this hand",
    "stacks": "Of all who were dealt in, after the hand",
    "state": "See the table of states in *A table*",
    "status": "What the seat does: see *Seats*",
    "straddle": "Posts a straddle whenever first left of the big blind",
    "street": "Where the hand is",
    "structure": "How much may be bet",
    "table": "Names a table",
    "text": "What is said, in one line",
    "time_bank_ms": "What is left of the player's time bank, milliseconds",
    "token": "The secret of the session",
    "turn": "The decision that is awaited; null while none is",
    "version": "Of the protocol: 1",
    "void": "The hand did not count: every stack is as at its start",
    "your_options": "Null without a seat",
    "your_pre_act": "Null where nothing is decided in advance",
    "your_seat": "Null without a seat",
    "Account.tables": "Where the account has a seat",
    "Authenticated.tables": "Where the account has a seat: `observe` them",
    "HandStarted.seats": "Who is dealt in, from the first left of the button",
    "HoleCards.cards": "Your two cards; null in the copies of all others",
    "Register.name": "How others see you; unique without regard to upper and lower case",
    "Snapshot.seats": "The taken seats, in the order of their numbers",
    "StreetDealt.cards": "The board cards that are new",
    "TableInfo.name": "What the table is called, for people",
    "TableInfo.seats": "How many seats the table has",
    "Tables.tables": "All tables of the room, in the order of its settings",
}


def described_schemas(kinds: Iterable[Any], ref_template: str) -> dict[str, dict[str, Any]]:
    """JSON Schemas of the classes and of their parts, by class; every field has a description."""
    _, definitions = msgspec.json.schema_components(kinds, ref_template=ref_template)
    for name, definition in definitions.items():
        for field, schema in definition.get("properties", {}).items():
            said = MEANINGS.get(f"{name}.{field}") or MEANINGS.get(field)
            if field != "type" and said is not None and not meaning(schema):
                schema["description"] = said
    return dict(sorted(definitions.items()))


def meaning(schema: dict[str, Any]) -> str:
    """What a field's schema says of it, be it inside; empty if nothing."""
    described = [schema, *schema.get("anyOf", []), schema.get("items", {})]
    texts = (option.get("description") for option in described)
    return next((text for text in texts if text), "")
