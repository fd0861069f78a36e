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
