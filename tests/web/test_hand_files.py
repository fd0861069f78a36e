"""The page of a hand reads what the room writes: PHH and Open Hand History, under node."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pokerroom.history.ohh_text import ohh_text
from pokerroom.history.phh_text import phh_text
from tests.effort import times
from tests.history.dealt import GAMES, SIT_AND_GO, dealt_hands
from tests.node import node

READER = Path(__file__).parent / "javascript" / "read_hands.mjs"
HANDS = times(60)
ACTIONS = {"fold", "check", "call", "bet", "raise"}


def read(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(node(READER, stdin=json.dumps(text)))
    return found


@pytest.mark.parametrize("chips", [False, True])
@pytest.mark.parametrize("game", GAMES)
def test_a_file_of_the_room_is_read_as_it_was_played(game, chips):
    """Every seat with its stacks, every action with its chips, every board; of many hands in one file."""
    hands = list(dealt_hands(11, game, HANDS, clock=False))
    stories = [dealt.story(dealt.play.seats[0].account, of=SIT_AND_GO if chips else None) for dealt in hands]
    phh = "\n".join(f"[{number}]\n{phh_text(story)}" for number, story in enumerate(stories, 1))
    ohh = "\n\n".join(map(ohh_text, stories))
    for form in (phh, ohh):
        views = read(form)
        assert len(views) == HANDS
        for view, story, dealt in zip(views, stories, hands, strict=True):
            record = story.record
            assert (view["game"], view["structure"], view["big_blind"]) == (
                record.game,
                record.structure,
                record.big_blind,
            )
            assert {seat["seat"]: seat["end"] for seat in view["seats"]} == dealt.stacks
            assert {seat["seat"]: seat["stack"] for seat in view["seats"]} == {
                seat.seat: seat.stack for seat in record.seats
            }
            assert acted(view) == [
                (event[0], event[1], event[2]) for event in record.events if event[0] in ACTIONS
            ]
            board = [card for step in view["steps"] if step["what"] == "street" for card in step["cards"]]
            assert board == [card for street in story.streets for card in street.cards]
            assert {seat["seat"]: seat["cards"] for seat in view["seats"]} == {
                seat.seat: seat.cards for seat in record.seats
            }


def acted(view: dict[str, Any]) -> list[tuple[str, int, int]]:
    return [(step["what"], step["seat"], step["amount"]) for step in view["steps"] if step["what"] in ACTIONS]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "{",
        '{"ohh": {}}',
        '{"ohh": {"players": []}}',
        "variant = 'NT'\nactions = []",
        "variant = 'F7S'",
        "[1]\n",
    ],
)
def test_a_file_without_a_hand_is_refused(text):
    """With one kind of error, whatever is in it."""
    assert read(text) == [{"unreadable": True}]


@pytest.mark.parametrize("text", ["\n" * 500_000, "a=[\n" * 120_000, "[\n1" * 200_000])
def test_a_large_file_without_a_hand_is_refused_at_once(text):
    """Each character is read once. Read again for each line, these would hold the page for minutes."""
    assert read(text) == [{"unreadable": True}]


PHH = "variant = 'NT'\nblinds_or_straddles = [1, 2]\nmin_bet = 2\nstarting_stacks = [9, 9]\n"


@pytest.mark.parametrize(
    "actions", ["'p2 f', " + "'d dh p1 AsAd', " * 300_000, "'p2 f'] #" + "\na = 1" * 3_000]
)
def test_a_large_hand_is_refused_before_all_of_it_is_read(actions):
    """More values than a hand has: reading all of 4 MB took seconds, in which the page did nothing else."""
    assert read(f"{PHH}actions = ['p2 f']\n") != [{"unreadable": True}]
    assert read(f"{PHH}actions = [{actions}\n") == [{"unreadable": True}]


def a_hand(**changed: Any) -> str:
    players = [
        {"id": seat, "seat": seat, "name": f"player {seat}", "starting_stack": 10, "cards": []}
        for seat in (1, 2)
    ]
    hand = {
        "game_number": "1",
        "table_name": "one",
        "table_size": 6,
        "game_type": "Holdem",
        "bet_limit": {"bet_type": "NL"},
        "small_blind_amount": 1,
        "big_blind_amount": 2,
        "dealer_seat": 1,
        "players": players,
        "rounds": [{"street": "Preflop", "actions": []}],
        "pots": [],
    }
    return json.dumps({"ohh": hand | changed})


def actions(what: str, count: int) -> list[dict[str, Any]]:
    return [{"actions": [{"action": what, "player_id": 1, "amount": 0}] * count}]


def test_texts_of_a_file_stay_texts():
    """A name that is a list would be taken for the description of an element of the page."""
    element = {"tag": "iframe", "props": {"src": "/"}, "children": []}
    players = [{"id": seat, "seat": seat, "name": element, "starting_stack": 10} for seat in (1, 2)]
    (hand,) = read(a_hand(players=players, table_name=element))
    assert [hand["table"], *(seat["name"] for seat in hand["seats"])] == ["[object Object]"] * 3
    (hand,) = read(a_hand(table_name="a\n\u202eb\u2028 c"))
    assert hand["table"] == "a b c", "a text is one line, and turns no other text around"
    (hand,) = read(a_hand(rounds=actions("toString", 3)))
    assert hand["steps"] == []


@pytest.mark.parametrize(
    "changed",
    [
        {"table_size": 10**9},
        {"rounds": actions("Check", 501)},
        {"rounds": [{"street": "Flop", "cards": ["2c", "3c", "4c", "5c", "6c", "7c"], "actions": []}]},
    ],
)
def test_what_no_table_has_is_refused(changed):
    """The page would draw every seat, step and card."""
    assert read(a_hand()) != [{"unreadable": True}]
    assert read(a_hand(**changed)) == [{"unreadable": True}]
