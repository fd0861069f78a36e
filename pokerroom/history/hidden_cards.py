"""Hides the cards of a hand that not all players saw: the one place that seals them, and the one that opens them.

A record in the ledger has in clear what the whole table saw. The other hole cards are in `hidden`: the id of a
key, and the cards, encrypted with it. So the database alone tells no hidden card. Removing `hidden` forgets them.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final, Protocol

import msgspec
from cryptography.exceptions import InvalidTag

HAND_RECORDS: Final = "hand records"
"""The purpose of the seal of these cards (`Seal.of`)."""

Hidden = tuple[str, str]
"""The id of the key, and the sealed cards in base64."""


class CardSeal(Protocol):
    """What is needed of `table.seal.Seal`."""

    key_id: str

    def close(self, plain: bytes, about: str) -> bytes:
        """See `Seal.close`."""

    def open(self, sealed: bytes, about: str) -> bytes:
        """See `Seal.open`."""


def with_hidden_cards(record: dict[str, Any], seal: CardSeal) -> dict[str, Any]:
    """Return the record of a hand as the ledger stores it: cards that were not turned up (G4) are sealed."""
    shown = {event[1] for event in record["events"] if event[0] == "show"}
    holes = {seat["seat"]: seat["cards"] for seat in record["seats"] if seat["seat"] not in shown}
    if not holes:
        return record
    seats = [seat | {"cards": None} if seat["seat"] in holes else seat for seat in record["seats"]]
    sealed = seal.close(msgspec.json.encode(holes), _about(record["hand_id"]))
    return record | {"seats": seats, "hidden": (seal.key_id, base64.b64encode(sealed).decode())}


def with_all_cards(record: dict[str, Any], seal: CardSeal) -> dict[str, Any]:
    """Return the record with all cards in clear that can be opened: for the operator, never for a player."""
    found = hidden_cards(record["hand_id"], record.get("hidden"), seal) or {}
    seats = [seat | {"cards": found.get(seat["seat"], seat["cards"])} for seat in record["seats"]]
    return {**record, "seats": seats}


def hidden_cards(hand_id: str, hidden: Hidden | None, seal: CardSeal) -> Mapping[int, list[str]] | None:
    """Return the sealed cards of a hand by seat; None if their key is not known. Erased cards are in no seat."""
    if hidden is None:
        return {}
    _, text = hidden
    try:
        plain = seal.open(base64.b64decode(text), _about(hand_id))
    except InvalidTag:
        return None
    return msgspec.json.decode(plain, type=dict[int, list[str]])


def _about(hand_id: str) -> str:
    return f"hand {hand_id}"
