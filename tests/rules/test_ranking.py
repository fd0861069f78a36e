"""J1: the ranking of hands."""

import itertools
from collections import Counter

import pytest
from pokerkit import StandardHighHand

from pokerroom.rules.cards import DECK, RANKS, card_text, parse_cards
from pokerroom.rules.ranking import HandCategory, category, deciding_ranks, hand_rank

WEAKEST_FIRST = (
    "7h5d4c3s2d",  # the worst hand there is
    "AhKdQcJs9d",
    "2h2d5c4s3d",
    "AhAdKcQsJd",
    "3h3d2c2s4d",
    "AhAdKcKsQd",
    "2h2d2c4s3d",
    "AhAdAcKsQd",
    "5h4d3c2sAd",  # the ace is low in 5-4-3-2-A
    "6h5d4c3s2d",
    "AhKdQcJsTd",
    "7h5h4h3h2h",
    "AhKhQhJh9h",
    "2h2d2c3s3d",
    "AhAdAcKsKd",
    "2h2d2c2s3d",
    "AhAdAcAsKd",
    "5h4h3h2hAh",
    "KhQhJhTh9h",
    "AhKhQhJhTh",
)


def test_j_order():
    """J1: every kind of hand beats all weaker ones, from seven high to the royal flush."""
    ranks = [hand_rank(parse_cards(text)) for text in WEAKEST_FIRST]

    assert ranks == sorted(set(ranks))


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("7h5d4c3s2d", HandCategory.high_card),
        ("2h2d5c4s3d", HandCategory.pair),
        ("3h3d2c2s4d", HandCategory.two_pair),
        ("2h2d2c4s3d", HandCategory.three_of_a_kind),
        ("5h4d3c2sAd", HandCategory.straight),
        ("7h5h4h3h2h", HandCategory.flush),
        ("2h2d2c3s3d", HandCategory.full_house),
        ("2h2d2c2s3d", HandCategory.four_of_a_kind),
        ("KhQhJhTh9h", HandCategory.straight_flush),
        ("5h4h3h2hAh", HandCategory.straight_flush),
        ("AhKhQhJhTh", HandCategory.royal_flush),
        ("AsKsQsJsTs2c3d", HandCategory.royal_flush),
    ],
)
def test_j_category(cards, expected):
    """J1: a rank tells its category."""
    assert category(hand_rank(parse_cards(cards))) is expected


@pytest.mark.parametrize(
    ("cards", "ranks"),
    [
        ("2hAhKd9cQs7d3c", "AKQ97"),
        ("2h2d5c4s3d", "2543"),
        ("AhAdKcKs9dQdQc", "AKQ"),
        ("9h9d9cKs7d", "9K7"),
        ("5h4d3c2sAd", "5"),
        ("AhKdQcJsTd", "A"),
        ("AhKh9h3h2h", "AK932"),
        ("2h2d2c9s9d", "29"),
        ("7h7d7c7s9d", "79"),
        ("5h4h3h2hAh", "5"),
        ("AhKhQhJhTh", "A"),
    ],
)
def test_j_ranks_that_decide(cards, ranks):
    """J1: the ranks of the pairs or the like come first, then the kickers."""
    found = deciding_ranks(hand_rank(parse_cards(cards)))
    assert "".join(RANKS[rank] for rank in found)[: len(ranks)] == ranks
    assert not any(found[len(ranks) :])


def test_j_no_wrap_around_straight():
    """J1: the ace is high or low, never in the middle."""
    assert category(hand_rank(parse_cards("3h2dAcKsQd"))) is HandCategory.high_card


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("AhAdKcQsJd", "AsAcKhQcJh"),  # a pair and its kickers, other suits
        ("AhKhQhJh9h", "AsKsQsJs9s"),  # suits never break ties
        ("AhKdQcJsTd3c2s", "AsKdQcJsTd9c8s"),  # only the best five count
        ("AhAd2c2sKd3c3h", "AsAc3d3sKh2h2d"),  # a third pair does not count
    ],
)
def test_j_ties(first, second):
    """J1, F3: hands of equal best five tie, whatever their suits and further cards."""
    assert hand_rank(parse_cards(first)) == hand_rank(parse_cards(second))


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("AhAd2c3s5d", "KhKdAcQsJd"),
        ("AhAdKc3s5d", "AsAcQhJs9d"),
        ("AhAd2c2sKd", "AsAc2h2dQd"),
        ("AhAd2c3s5d4c", "AhAd2c3s5d6c"),
    ],
)
def test_j_kickers(better, worse):
    """J1: kickers decide between hands of one kind; six cards count as well as five or seven."""
    assert hand_rank(parse_cards(better)) > hand_rank(parse_cards(worse))


def test_j_all_five_card_hands():
    """J1: over a third of all hands (those of 40 cards), the kinds are as frequent as counting says."""
    deck = DECK[12:]  # fives to aces: ten ranks of four
    counts = Counter(category(hand_rank(cards)) for cards in itertools.combinations(deck, 5))

    # Ten ranks, four suits: six straights, 5-9 to T-A; no ace-low straight without deuces.
    assert counts == {
        HandCategory.royal_flush: 4,
        HandCategory.straight_flush: 5 * 4,
        HandCategory.four_of_a_kind: 10 * 36,
        HandCategory.full_house: 10 * 4 * 9 * 6,
        HandCategory.flush: 4 * (252 - 6),
        HandCategory.straight: 6 * (4**5 - 4),
        HandCategory.three_of_a_kind: 10 * 4 * 36 * 16,
        HandCategory.two_pair: 45 * 36 * 8 * 4,
        HandCategory.pair: 10 * 6 * 84 * 64,
        HandCategory.high_card: (252 - 6) * (4**5 - 4),
    }


def test_j_another_evaluator_agrees():
    """J1: PokerKit's evaluator puts 400 hands of seven random cards in the same order."""
    number, ours, theirs = 1, [], []
    for _ in range(400):
        cards: dict[int, None] = {}
        while len(cards) < 7:
            number = (number * 1_103_515_245 + 12_345) % 2**31
            cards[DECK[(number >> 16) % 52]] = None
        texts = [card_text(card) for card in cards]
        ours.append(hand_rank(tuple(cards)))
        theirs.append(StandardHighHand.from_game("".join(texts[:2]), "".join(texts[2:])))

    for first in range(399):
        assert (ours[first] < ours[first + 1]) == (theirs[first] < theirs[first + 1])
        assert (ours[first] == ours[first + 1]) == (theirs[first] == theirs[first + 1])
