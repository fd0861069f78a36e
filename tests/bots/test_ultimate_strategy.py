"""The practical strategy, sentence by sentence of its description. The simulation's fast path is held against it."""

from __future__ import annotations

from itertools import combinations

import pytest

from pokerroom.bots.ultimate_strategy import multiple

DECK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]


def cards(text):
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def test_before_the_flop_how_often():
    """4x with 500 of the 1,326 hands: the 37.7074 % of the reference."""
    assert sum(multiple(holes, []) == 4 for holes in combinations(DECK, 2)) == 500


@pytest.mark.parametrize(
    ("last", "first_not"),
    [
        ("Ah2d", "2h3d"),
        ("3h3d", "2h2d"),
        ("Kh2h", "Qh2h"),
        ("Kh5d", "Kh4d"),
        ("Qh6h", "Qh5h"),
        ("Qh8d", "Qh7d"),
        ("Jh8h", "Jh7h"),
        ("JhTd", "Jh9d"),
        ("JhTh", "Th9h"),
    ],
)
def test_before_the_flop_where_it_ends(last, first_not):
    """4x: any ace; pairs from threes; K2s, K5o; Q6s, Q8o; J8s, JTo; nothing less."""
    assert multiple(cards(last), []) == multiple(cards(last)[::-1], []) == 4
    assert multiple(cards(first_not), []) == 0


@pytest.mark.parametrize(
    ("holes", "flop", "plays"),
    [
        ("9h4d", "9s4cKd", True),  # two pair
        ("9h4d", "7s7c7d", True),  # trips wholly on the flop
        ("9h4d", "7s7cKd", False),  # a pair on the flop is not hidden
        ("9h4d", "9s7cKd", True),  # a hidden pair
        ("2h4d", "2s7cKd", True),  # a pair of twos with a hole card
        ("2h2d", "4s7cKd", False),  # pocket twos
        ("2h2d", "4s7c7d", True),  # pocket twos are two pair here
        ("Th4d", "2h7hKh", True),  # four to a flush with a hidden ten
        ("9h4d", "2h7hKh", False),  # with a hidden nine
        ("Th4h", "2h7hKc", True),  # four to a flush, two of them hidden
        ("9h4h", "2h7hKc", False),
        ("9hTd", "2h7hKh", False),  # the ten is of another suit
        ("9hJs", "Td8c2d", False),  # a straight draw
        ("9hJs", "Td8c7d", True),  # a straight
    ],
)
def test_on_the_flop(holes, flop, plays):
    """2x: two pair or better, a hidden pair but pocket twos, four to a flush with a hidden ten or better."""
    assert multiple(cards(holes), cards(flop)) == (2 if plays else 0)


@pytest.mark.parametrize(
    ("holes", "board", "plays"),
    [
        ("2h2d", "4s7cKd9hJs", True),  # a pocket pair
        ("4h3d", "4s7cKd9hJs", True),  # a hole rank on the board
        ("9h3d", "TsJcQd8h2s", True),  # a straight that beats the board alone
        ("2h3d", "TsJcQdKhAs", True),  # the board plays: no card beats it
        ("2h3d", "4s7cKd9hJs", False),  # too many outs
        ("Qh3d", "4s7cKd9hJs", True),  # 19 outs: fifteen that pair the board, and the aces
        ("4cTs", "3c7h3s7c2d", True),  # 20 outs, the most; 21 or 22 are never met without a hidden pair
        ("Qh3d", "4s7c2d9hTs", False),  # 23 outs: fifteen that pair the board, aces and kings
        ("Th3d", "7s7cKd9h2s", False),
        ("Qh8d", "7s7cKdKh2s", True),
        ("9h3d", "AsKsQs7s2c", False),  # any spade beats it
    ],
)
def test_on_the_river(holes, board, plays):
    """1x: a hidden pair or better, or fewer than 21 outs of the bank's."""
    assert multiple(cards(holes), cards(board)) == (1 if plays else 0)
