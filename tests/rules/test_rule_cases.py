"""The rule cases of `rule_cases.json`, one test each: small hands, each for the clause of the rulebook that it shows.

Players p1, p2 ... stand from the first left of the button, who is the last; heads-up p1 is the big blind. `cbr` raises
to a total of the street, `cc` checks or calls, `f` folds. A probe is what the player to act may do at that point.
"""

import json
from pathlib import Path

import pytest

from pokerroom.rules.betting import BettingStructure, FixedLimit, NoLimit, PotLimit
from pokerroom.rules.button import Candidate, plan_hand
from pokerroom.rules.cards import DECK, card_text
from pokerroom.rules.hand import HandState
from pokerroom.rules.places import bust_order
from pokerroom.rules.planned_hand import Positions
from pokerroom.rules.stakes import Stakes
from tests.rules.playing import Hand, hand

CASES = json.loads(Path(__file__).with_name("rule_cases.json").read_text())
HANDS = [case for case in CASES if "structure" in case]
MOVES = [case for case in CASES if "structure" not in case]


def structure_of(case) -> BettingStructure:
    if case["structure"] == "FL":
        cap_heads_up = case.get("options", {}).get("limit_cap_heads_up", True)
        return FixedLimit(
            small_bet=case["small_bet"],
            big_bet=case["big_bet"],
            raises_max=case.get("raises_max", 3),
            cap_heads_up=cap_heads_up,
        )
    return {"NL": NoLimit(), "PL": PotLimit()}[case["structure"]]


def start_of(case) -> Hand:
    """The case's hand, with cards it does not name filled in from the rest of the deck."""
    given = case.get("holes", {})
    board = case.get("board", "").replace(" ", "")
    named = "".join(given.values()) + board
    rest = iter([card_text(card) for card in DECK if card_text(card) not in named])
    players = range(1, len(case["stacks"]) + 1)
    return hand(
        *case["stacks"],
        blinds=case["blinds"],
        antes=case.get("antes", ()),
        structure=structure_of(case),
        big_blind=case.get("min_bet") or case["small_bet"],
        holes=[given.get(f"p{player}") or next(rest) + next(rest) for player in players],
        board=board or "".join(next(rest) for _ in range(5)),
    )


def check_probe(played: Hand, probe) -> None:
    legal = played.legal(int(probe["actor"][1:]) - 1)
    found = {
        "actor": probe["actor"],
        "can_raise": legal.min_raise_to is not None,
        "call": legal.call_amount,
        "min_raise_to": legal.min_raise_to,
        "max_raise_to": legal.max_raise_to,
    }
    assert {key: found[key] for key in probe} == probe


def play(played: Hand, move: str) -> None:
    player, word, *amount = move.split()
    index = int(player[1:]) - 1
    if word == "cc":
        word = "check" if played.legal(index).check else "call"
    words = {"f": "fold", "cbr": "to"}
    played.play(" ".join([str(index), words.get(word, word), *amount]))


def ranking(state: HandState) -> list[list[str]]:
    """The last player, and behind them the tiers of those who went out (I2)."""
    busted = {
        player: setup.stack for player, setup in enumerate(state.setup.players) if not state.stacks[player]
    }
    left = [player for player in range(len(state.stacks)) if player not in busted]
    return [[f"p{player + 1}" for player in tier] for tier in [left, *bust_order(busted)]]


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case['clause']}-{case['id']}") for case in HANDS])
def test_hand(case):
    """Each hand offers what its probes say and ends with its stacks."""
    played = start_of(case)
    for action in case["actions"]:
        if isinstance(action, dict):
            check_probe(played, action["probe"])
        else:
            play(played, action)

    if case["expected_stacks"] is not None:
        assert played.state.finished
        assert played.state.stacks == case["expected_stacks"]
    if "expected_ranking" in case:
        assert ranking(played.state) == case["expected_ranking"]


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case['clause']}-{case['id']}") for case in MOVES])
def test_button(case):
    """Each move of button and blinds ends where the case says."""
    data = case["data"]
    left = [Candidate(seat=seat) for seat in data["seats"] if seat not in data["busted"]]
    previous = Positions(button=data["button"], small_blind=data["sb"], big_blind=data["bb"])

    plan = plan_hand(previous, left, 9, Stakes(small_blind=50, big_blind=100))

    assert plan is not None
    expected = data["next"]
    positions = plan.positions
    assert [positions.button, positions.small_blind, positions.big_blind] == [
        expected["button"],
        expected["sb"],
        expected["bb"],
    ]
    assert (positions.button not in plan.order) is expected.get("button_is_dead", False)


def test_e2_fl07_by_the_default_cap():
    """D5, E2 [D]: with three raises, the half bet being the third, no player raises where fl07 expects a fourth."""
    (case,) = [case for case in HANDS if case["id"] == "fl07"]
    *actions, probe = case["actions"]
    played = start_of(case | {"raises_max": 3})
    for action in actions:
        play(played, action)

    assert probe["probe"]["can_raise"]
    assert played.raises(0) == (None, None)
