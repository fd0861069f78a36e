"""The browser's line "You have: …" names the same hands as the rules, and its figures are those of the rulebook."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pokerroom.web
from pokerroom.rules.cards import DECK, card_text
from pokerroom.rules.ranking import category
from pokerroom.rules.variants import VARIANTS
from pokerroom.simulation.ultimate.reference import TRIPS_RETURN
from tests.node import node

RANKING = Path(pokerroom.web.__file__).parent / "static" / "app" / "ranking.js"
HANDS = 3_000
SCRIPT = f"""
import {{ readFileSync }} from "node:fs";
import {{ bestCategory, returnOfTrips }} from {json.dumps(RANKING.as_uri())};
const {{ hands, pays }} = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify({{ named: hands.map((hand) => bestCategory(...hand)), trips: returnOfTrips(pays) }}));
"""
PAYS = {
    "royal_flush": 50, "straight_flush": 40, "four_of_a_kind": 30, "full_house": 8, "flush": 7, "straight": 4,
    "three_of_a_kind": 3,
}  # fmt: skip


def test_hands_are_named_as_by_the_rules():
    """Random hands of every variant on flop, turn and river; and Trips returns what the rules count."""
    rng = random.Random(7)
    hands, expected = [], []
    variants = list(VARIANTS.values())
    for number in range(HANDS):
        variant = variants[number % len(variants)]
        cards = rng.sample(DECK, variant.hole_cards + 3 + number % 3)
        own, board = tuple(cards[: variant.hole_cards]), tuple(cards[variant.hole_cards :])
        hands.append([[card_text(card) for card in own], [card_text(card) for card in board], variant.name])
        expected.append(category(variant.rank(own, board)).name)
    pays = [{"hand": hand, "pays": times, "to": 1} for hand, times in PAYS.items()]
    found = json.loads(
        node("--input-type=module", "--eval", SCRIPT, stdin=json.dumps({"hands": hands, "pays": pays}))
    )
    assert found["named"] == expected
    assert len(set(expected)) >= 8
    assert f"{found['trips']:.8f}" == f"{TRIPS_RETURN:.8f}"


def test_before_the_flop_only_a_pair_is_told():
    """Two cards make a pair or nothing."""
    hands = [[["As", "Ad"], [], "holdem"], [["As", "Kd"], [], "holdem"], [[], [], "holdem"]]
    found = json.loads(
        node("--input-type=module", "--eval", SCRIPT, stdin=json.dumps({"hands": hands, "pays": []}))
    )
    assert found["named"] == ["pair", "high_card", None]
