"""The bots' practical strategy decides as the simulation's, which has a known expectation."""

from __future__ import annotations

import random

import pytest

from pokerroom.bots.ultimate_strategy import multiple
from pokerroom.rules.cards import DECK, card_text
from pokerroom.rules.ultimate.round import Play
from pokerroom.simulation.ultimate.practical import decide


@pytest.mark.parametrize("cards", [0, 3, 5])
def test_it_decides_as_the_simulation_does(cards):
    """On every street, over hands at random; before the flop over all pairs of cards."""
    draw = random.Random(7)
    deals = (
        [[a, b] for a in DECK for b in DECK if a < b]
        if not cards
        else [draw.sample(DECK, 2 + cards) for _ in range(4_000)]
    )
    for deal in deals:
        holes, board = (deal[0], deal[1]), tuple(deal[2:])
        expected = decide(holes, board)
        texts = [card_text(card) for card in deal]
        assert multiple(texts[:2], texts[2:]) == (expected.multiple if isinstance(expected, Play) else 0), (
            texts
        )


@pytest.mark.parametrize(
    ("holes", "board", "played"),
    [
        ("As 2d", "", 4),
        ("2c 2d", "", 0),
        ("3c 3d", "", 4),
        ("Kc 5d", "", 4),
        ("Kc 4d", "", 0),
        ("Js 8s", "", 4),
        ("Jc 9d", "", 0),
        ("9c 4d", "9h 2s 3c", 2),
        ("2c 2d", "9h 7s 3c", 0),
        ("Tc 4d", "9c 2c 3c", 2),
        ("9c 4d", "Tc 2c 3c", 0),
        ("4c 3d", "As Ks Qd Jh 2c", 0),
        ("2c 2d", "As Ks Qd Jh 9c", 1),
    ],
)
def test_cases_as_they_are_written_down(holes, board, played):
    """As the rules of the strategy say them."""
    assert multiple(holes.split(), board.split()) == played
