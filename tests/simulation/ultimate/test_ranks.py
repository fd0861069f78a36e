"""Strengths from tables are the rules' own."""

import numpy as np
import pytest

from pokerroom.rules.cards import DECK
from pokerroom.rules.ranking import HandCategory, category, hand_rank
from pokerroom.simulation.ultimate.ranks import (
    RANK_KEY,
    SUIT_KEY,
    categories,
    strength_of,
    strengths,
    weakest,
)
from tests.simulation.ultimate.seven_card_hands import first_cards


@pytest.mark.slow  # random hands are ranked every day
def test_all_five_card_hands():
    """All 2,598,960 five-card hands: 7,462 different ones, each kind as often as counting says."""
    found = strengths(*first_cards(5), 5)

    assert len(np.unique(found)) == 7_462
    counts = np.bincount(categories(found))
    assert counts.tolist() == [
        1_302_540,
        1_098_240,
        123_552,
        54_912,
        10_200,
        5_108,
        3_744,
        624,
        36,
        4,
    ]


@pytest.mark.parametrize("cards", [5, 6, 7])
def test_random_hands_are_ranked_as_the_rules_do(cards):
    """Hands of five, six and seven cards stand for the `hand_rank` that the evaluator gives them."""
    generator = np.random.default_rng(cards)
    hands = generator.permuted(np.tile(np.arange(52), (4_000, 1)), axis=1)[:, :cards]
    hands[::2] = hands[::2] // 4 * 4 + hands[::2] % 2  # half of them of two suits, where no card comes twice
    hands = hands[[len(set(hand)) == cards for hand in hands.tolist()]]

    found = strengths(RANK_KEY[hands].sum(axis=1), SUIT_KEY[hands].sum(axis=1), cards)

    ranks = [hand_rank([DECK[card] for card in hand]) for hand in hands.tolist()]
    assert [strength_of(rank) for rank in ranks] == found.tolist()
    assert [category(rank) for rank in ranks] == [HandCategory(kind) for kind in categories(found).tolist()]


def test_the_weakest_of_a_kind():
    """Kinds of hands follow one another without a gap."""
    found = [weakest(kind) for kind in HandCategory]

    assert found[0] == 0
    assert [categories(np.array([at - 1, at])).tolist() for at in found[1:]] == [
        [kind - 1, kind] for kind in list(HandCategory)[1:]
    ]
