"""What messages of webhooks tell, as JSON.

Of a hand a message tells what the whole table saw: `history.redaction` removes the hidden cards. Names are those of
today.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from pokerroom.history.record import STREETS, HandRecord
from pokerroom.history.redaction import set_names, visible_hand
from pokerroom.ledger.webhooks import WebhookFact

TEST_KIND: Final = "test"
"""The kind of the message that an operator sends to try an endpoint."""


class _Names(msgspec.Struct):
    names: dict[str, str] = {}
    in_chips: bool = False


def body_of(message: str, kind: str, at_ms: int, room: str, data: dict[str, Any]) -> bytes:
    """Return the body of a message about something that happened at this time."""
    at = datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds")
    told = {"id": message, "type": kind, "timestamp": at.replace("+00:00", "Z"), "room": room, "data": data}
    return msgspec.json.encode(told)


def data_of(fact: WebhookFact) -> dict[str, Any]:
    """Return what a message tells of a fact. Raises `msgspec.ValidationError` for an invalid record: a bug."""
    if fact.record is None:
        return msgspec.json.decode(fact.data, type=dict[str, Any])
    known = msgspec.json.decode(fact.data, type=_Names)
    hand = visible_hand(fact.record, None, None)
    set_names(hand, {int(account): name for account, name in known.names.items()})
    return _hand(hand, in_chips=known.in_chips)


def _hand(hand: HandRecord, *, in_chips: bool) -> dict[str, Any]:
    return {
        "hand_id": hand.hand_id,
        "table": hand.table,
        "game": hand.game,
        "structure": hand.structure,
        "small_blind": hand.small_blind,
        "big_blind": hand.big_blind,
        "in_chips": in_chips,
        "started_ms": hand.started_ms,
        "ended_ms": hand.ended_ms,
        "button": hand.button,
        "board": [card for event in hand.events if event[0] in STREETS for card in event[1:]],
        "rake": hand.rake,
        "seats": [
            {
                "seat": seat.seat,
                "account": seat.account,
                "name": seat.name,
                "stack": seat.stack,
                "end": seat.end,
                "rake": seat.rake,
                "cards": seat.cards,
            }
            for seat in hand.seats
        ],
    }
