"""`pokerroom.history.hidden_cards`: what a stored record tells without a key, and with which keys it tells the rest."""

import json

import pytest

from pokerroom.history.hidden_cards import hidden_cards, with_all_cards, with_hidden_cards
from pokerroom.table.seal import Seal

OLD, NEW, OTHER = (Seal(bytes([n]) * 32).of("hand records") for n in (1, 2, 3))
BOTH = Seal(bytes([2]) * 32, bytes([1]) * 32).of("hand records")
HOLES = {4: ["As", "Ad"], 6: ["Kh", "Kd"], 9: ["7c", "2d"]}


def record(*shown):
    """Three players; those of the seats `shown` turn their cards up."""
    return {
        "hand_id": "h1",
        "seats": [{"seat": seat, "name": f"p{seat}", "cards": cards} for seat, cards in HOLES.items()],
        "events": [["flop", "2c", "3c", "4c"], *(["show", seat] for seat in shown), ["muck", 9]],
    }


def stored(*shown, seal=OLD):
    """As it comes back from the ledger."""
    return json.loads(json.dumps(with_hidden_cards(record(*shown), seal)))


@pytest.mark.parametrize("shown", [(), (4,), (4, 6)])
def test_the_database_holds_in_clear_what_was_turned_up_and_no_other_card(shown):
    """G4; the board and the events stay as they are."""
    held = stored(*shown)
    assert {seat["seat"]: seat["cards"] for seat in held["seats"]} == {
        seat: cards if seat in shown else None for seat, cards in HOLES.items()
    }
    text = json.dumps(held)
    assert [card for seat in HOLES if seat not in shown for card in HOLES[seat] if f'"{card}"' in text] == []
    assert held["events"] == record(*shown)["events"]
    assert held["hidden"][0] == OLD.key_id


def test_a_hand_in_which_all_cards_were_turned_up_has_nothing_sealed():
    """It is stored as it is, and reads alike."""
    assert stored(4, 6, 9) == record(4, 6, 9)
    assert with_all_cards(stored(4, 6, 9), OTHER)["seats"] == record()["seats"]


def test_the_key_gives_all_cards_back():
    """Also after a change of the key, as long as the earlier one is kept; the record says which one that is."""
    for seal in (OLD, BOTH):
        assert with_all_cards(stored(4), seal)["seats"] == record()["seats"]
    new = stored(4, seal=BOTH)
    assert new["hidden"][0] == NEW.key_id
    assert with_all_cards(new, NEW)["seats"] == record()["seats"]


def test_without_its_key_a_record_tells_what_is_public():
    """Which is not the same as a record without hidden cards."""
    assert with_all_cards(stored(4), NEW)["seats"] == stored(4)["seats"]
    assert hidden_cards("h1", stored(4)["hidden"], NEW) is None
    assert hidden_cards("h1", None, NEW) == {}


def test_sealed_cards_cannot_be_moved_to_another_hand():
    """The id of the hand is authenticated with them."""
    assert hidden_cards("h1", stored()["hidden"], OLD) == HOLES
    assert hidden_cards("h2", stored()["hidden"], OLD) is None


def test_erased_cards_and_records_of_older_builds_are_read():
    """Without `hidden` there is what stands in the record."""
    erased = stored(4)
    del erased["hidden"]
    assert with_all_cards(erased, OLD)["seats"] == stored(4)["seats"]
    assert with_all_cards(record(4), OLD)["seats"] == record()["seats"]
