"""What messages of webhooks tell."""

import json

import msgspec
import pytest

from pokerroom.history.hidden_cards import HAND_RECORDS, with_hidden_cards
from pokerroom.ledger.webhooks import WebhookFact
from pokerroom.table.seal import Seal
from pokerroom.webhooks.bodies import body_of, data_of

RECORD = {
    "hand_id": "h1", "table": "t1", "game": "holdem", "structure": "no_limit", "small_blind": 50, "big_blind": 100,
    "started_ms": 1, "ended_ms": 2, "button": 1, "rake": 5,
    "seats": [
        {"seat": 1, "account": 7, "name": "anna", "stack": 1_000, "end": 1_195, "cards": ["As", "Ad"], "rake": 5},
        {"seat": 2, "account": 8, "name": "bob", "stack": 1_000, "end": 900, "cards": ["Kh", "Kd"]},
        {"seat": 3, "account": 9, "name": "carol", "stack": 1_000, "end": 900, "cards": ["7h", "2c"]},
    ],
    "events": [
        ["flop", "2d", "3d", "4d"], ["turn", "5c"], ["river", "9s"], ["show", 1], ["muck", 2],
        ["award", 0, 300, [[1, 295]], 5],
    ],
}  # fmt: skip


def fact(record, **known):
    names = {"7": "anna", "8": "gone-8", "9": "carol"}
    return WebhookFact(
        data=json.dumps({"names": names, "in_chips": False, **known}), record=json.dumps(record).encode()
    )


def test_a_message_is_an_envelope_of_json():
    """With the id that its header has, and the time of the fact."""
    body = body_of("msg_1", "account.made", 1_700_000_000_123, "Room", {"account": 7})
    assert json.loads(body) == {
        "id": "msg_1",
        "type": "account.made",
        "timestamp": "2023-11-14T22:13:20.123Z",
        "room": "Room",
        "data": {"account": 7},
    }


@pytest.mark.parametrize("sealed", [True, False])
def test_a_hand_shows_what_the_whole_table_saw(sealed):
    """Mucked and folded cards stay hidden, also those of older records, which have them in clear."""
    record = with_hidden_cards(RECORD, Seal(bytes(32)).of(HAND_RECORDS)) if sealed else RECORD
    told = data_of(fact(record))
    assert [(seat["account"], seat["name"], seat["cards"]) for seat in told["seats"]] == [
        (7, "anna", ["As", "Ad"]),
        (8, "gone-8", None),
        (9, "carol", None),
    ]
    assert told["board"] == ["2d", "3d", "4d", "5c", "9s"]
    text = json.dumps(told)
    assert not any(card in text for card in ("Kh", "Kd", "7h", "2c", "hidden", "bob"))


def test_a_hand_has_its_amounts_and_its_reference():
    """Each seat with its stack before and after; the id finds the whole hand."""
    told = data_of(fact(RECORD, in_chips=True))
    assert {name: told[name] for name in ("hand_id", "table", "rake", "in_chips", "ended_ms")} == {
        "hand_id": "h1", "table": "t1", "rake": 5, "in_chips": True, "ended_ms": 2,
    }  # fmt: skip
    assert [(seat["stack"], seat["end"], seat["rake"]) for seat in told["seats"]] == [
        (1_000, 1_195, 5), (1_000, 900, 0), (1_000, 900, 0),
    ]  # fmt: skip


def test_a_record_that_cannot_be_read_tells_nothing():
    """It is a bug of the room; no part of it is sent."""
    with pytest.raises(msgspec.ValidationError):
        data_of(fact({"seats": [{"cards": ["As"]}]}))
