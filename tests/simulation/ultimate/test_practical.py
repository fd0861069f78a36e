"""The practical strategy, sentence by sentence of its description."""

from itertools import combinations

import pytest

from pokerroom.rules.actions import Check, Fold
from pokerroom.rules.cards import DECK, parse_cards
from pokerroom.rules.ultimate.round import Play
from pokerroom.simulation.ultimate.practical import decide, plays_before_flop, plays_on_flop, plays_on_river


def test_before_the_flop_how_often():
    """4x with 500 of the 1,326 hands: the 37.7074 % of the reference."""
    played = [cards for cards in combinations(DECK, 2) if plays_before_flop(cards)]

    assert len(played) == 500


@pytest.mark.parametrize(
    ("last", "first_not"),
    [
        ("Ah2d", None),
        ("3h3d", "2h2d"),
        ("Kh2h", None),
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
    first, second = parse_cards(last)
    assert plays_before_flop((first, second))
    assert plays_before_flop((second, first))
    assert first_not is None or not plays_before_flop(parse_cards(first_not))


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
    assert plays_on_flop(parse_cards(holes), parse_cards(flop)) is plays


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
    assert plays_on_river(parse_cards(holes), parse_cards(board)) is plays


def test_what_is_decided():
    """4x or check, 2x or check, 1x or fold."""
    good, bad = parse_cards("AhAd"), parse_cards("2h3d")
    flop, board = parse_cards("Ks9c7d"), parse_cards("Ks9c7dJh5s")

    assert [decide(good, seen) for seen in ((), flop, board)] == [
        Play(multiple=4),
        Check(),
        Play(multiple=1),
    ]
    assert [decide(bad, seen) for seen in ((), flop, board)] == [Check(), Check(), Fold()]
    assert decide(parse_cards("9h3d"), flop) == Play(multiple=2)
