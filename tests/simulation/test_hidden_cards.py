"""`checks/cards.py`: texts of hands show what is public and the player's own cards, in every format."""

from __future__ import annotations

import pytest

from pokerroom.simulation.checks.cards import HiddenCardChecker
from pokerroom_protocol import messages as wire

HEADS = {
    "phh": 'hand = \'h1\'\nactions = ["d dh p1 {own}", "d dh p2 {other}", "d db {flop}"]',
    "ohh": '{{"ohh":{{"game_number":"h1","cards":["{own}","{other}","{flop}"]}}}}',
    "pokerstars": "PokerStars Hand #12: Hold'em\nDealt to ann [{own}]\n*** FLOP *** [{flop}]\nbob shows [{other}]",
}


@pytest.mark.parametrize("form", HEADS)
@pytest.mark.parametrize(("other", "wrong"), [("", 0), ("2c2d", 1)])
def test_a_text_with_cards_of_another_player_is_found(form, other, wrong):
    """PokerStars text has no id of the room: one of the hands must explain all of its cards."""
    blamed = []
    checker = HiddenCardChecker(lambda *line: blamed.append(line))
    hands = {"h1": ("As", "Ks"), "h2": ("2c", "2d")}
    for hand_id, own in hands.items():
        checker.dealt(hand_id, [own], ("3c", "4c", "5c", "6c", "7c"))
        seats = [{"seat": 1, "name": "ann" if hand_id == "h1" else "bob", "cards": list(own)}]
        checker.settled("t1", hand_id, {"seats": seats, "events": [["flop", "3c", "4c", "5c"]]})
    text = HEADS[form].format(own="AsKs", other=other, flop="3c4c5c")
    checker.told("ann", wire.HandTexts(re=1, text=text, hands=1, left_out=[], after=None, more=False), ())
    assert len(blamed) == wrong
