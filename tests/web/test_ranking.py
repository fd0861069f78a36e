"""The browser's line "You have: …" names the same hands as the rules, and its figures are those of the rulebook."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pokerroom.web
from pokerroom.rules.cards import DECK, card_text
from pokerroom.rules.ranking import category
from pokerroom.rules.ultimate.terms import Qualification
from pokerroom.rules.variants import VARIANTS
from pokerroom.simulation.ultimate.reference import PRACTICAL, SEVEN_CARD_HANDS, SHARES, TRIPS_RETURN
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


BLIND = [("royal_flush", 500, 1), ("straight_flush", 50, 1), ("four_of_a_kind", 10, 1), ("full_house", 3, 1),
         ("flush", 3, 2), ("straight", 1, 1)]  # fmt: skip
RETURNS = f"""
import {{ readFileSync }} from "node:fs";
import {{ returnOfMainBets, returnOfProgressive }} from {json.dumps(RANKING.as_uri())};
const {{ tables, progressive, meter }} = JSON.parse(readFileSync(0, "utf8"));
const main = tables.map(returnOfMainBets);
console.log(JSON.stringify({{ main, progressive: returnOfProgressive(progressive, meter) }}));
"""


def test_the_returns_of_all_bets_are_those_of_the_exact_figures():
    """Ante, Blind and Play by the practical strategy; the progressive bet by the counts of seven-card hands."""
    pays = [{"hand": hand, "pays": times, "to": to} for hand, times, to in BLIND]
    tables = [{"qualification": each.value, "blind_pays": pays} for each in Qualification]
    tables.append({"qualification": "any_pair", "blind_pays": pays[1:]})
    progressive = {
        "stake": 100,
        "prizes": [
            {"hand": "royal_flush", "amount": None, "meter_bps": 10_000},
            {"hand": "straight_flush", "amount": None, "meter_bps": 1_000},
            {"hand": "full_house", "amount": 5_000, "meter_bps": None},
        ],
    }
    stdin = json.dumps({"tables": tables, "progressive": progressive, "meter": 1_000_000})
    found = json.loads(node("--input-type=module", "--eval", RETURNS, stdin=stdin))
    stakes = 2 + sum(multiple * share for multiple, share in SHARES.items())
    for each, main in zip(Qualification, found["main"], strict=False):
        assert main["loss"] == -PRACTICAL[each].ev
        assert abs(main["share"] - (1 + PRACTICAL[each].ev / stakes)) < 1e-6
    assert found["main"][-1] is None, "the figures are for one pay table of the Blind"
    expected = (4_324 * 1_000_000 + 37_260 * 100_000 + 3_473_184 * 5_000) / SEVEN_CARD_HANDS / 100
    assert abs(found["progressive"] - expected) < 1e-9
