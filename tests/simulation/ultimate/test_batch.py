"""The fast path plays the rules: the same decks through it and through the state machine bring the same money."""

import numpy as np
import pytest

from pokerroom.rules.cards import DECK, parse_cards
from pokerroom.rules.ultimate.terms import Qualification
from pokerroom.simulation.ultimate.batch import DRAWN, Bank, draw, play
from tests.simulation.ultimate.support import decks, machine_round, money

ROUNDS = 10_000


def compared(cards: np.ndarray, qualification: Qualification) -> list[tuple[int, bool, int, int]]:
    """What each round came to, by the state machine; and the fast path says the same of every one."""
    played = play(cards, Bank(qualification))
    fast = list(
        zip(
            played.play.tolist(),
            played.qualifies.tolist(),
            played.net.tolist(),
            played.trips.tolist(),
            strict=True,
        )
    )
    slow = [money(machine_round(deck, qualification)) for deck in decks(cards)]
    assert fast == slow
    return slow


@pytest.mark.parametrize("qualification", list(Qualification))
def test_random_rounds_bring_the_same(qualification):
    """U1-U5: thousands of rounds, each the same in decision, qualification and money by either way."""
    cards = draw(np.random.default_rng(20_261_121), ROUNDS)

    rounds = compared(cards, qualification)

    assert {multiple for multiple, *_ in rounds} == {0, 1, 2, 4}
    assert {qualifies for _, qualifies, *_ in rounds} == {True, False}
    assert min(net for *_, net, _ in rounds) == -12


@pytest.mark.parametrize("qualification", list(Qualification))
def test_rare_rounds_bring_the_same(qualification):
    """U1-U5: decks of few ranks and suits on top, so that what is rare in a shuffled deck comes often."""
    generator = np.random.default_rng(7)
    rounds = []
    of_one_suit = [card for card in DECK if card % 4 == 2]
    of_two_suits = [card for card in DECK if card % 4 in {1, 2}]
    of_five_ranks = [card for card in DECK if card // 4 in {0, 1, 2, 9, 12}]
    high = [card for card in DECK if card // 4 >= 8]
    for few in (of_one_suit, of_two_suits, of_five_ranks, high):
        tops = generator.permuted(np.tile(np.array(few, dtype=np.int8), (500, 1)), axis=1)[:, :DRAWN].T
        rounds += compared(tops, qualification)

    wins = {net for *_, net, _ in rounds}
    assert max(wins) >= 2 * 500  # a royal flush among them
    assert {50, 40, 30, 8, 7, 4, 3, -1} == {trips for *_, trips in rounds}


RIVER = [
    # (player, bank, flop, turn and river): what the river's decision turns on
    ("9d4c", "2h3h", "AsKsQs", "7s2c", "the board is four to a flush"),
    ("9d4c", "2h3h", "AsKsQs", "7s5s", "the board is a flush"),
    ("2d3d", "Kh4h", "AsAcAd", "Ah9c", "four of a kind on the board: a fifth card of a rank is none"),
    ("2d3c", "Kh4h", "TsJcQd", "KsAh", "the board is a straight"),
    ("6d4c", "Kh4h", "8s9cTd", "JsAh", "one card makes the bank a straight"),
]


@pytest.mark.parametrize(("player", "bank", "flop", "rest", "_why"), RIVER)
def test_rounds_that_turn_on_the_river(player, bank, flop, rest, _why):
    """U3: boards on which suits, straights or four of a kind change the number of outs are decided alike."""
    (p1, p2), (b1, b2), flop_cards, late = map(parse_cards, (player, bank, flop, rest))
    known = {p1, p2, b1, b2, *flop_cards, *late}
    burned = [card for card in DECK if card not in known][:2]
    column = [p1, b1, p2, b2, burned[0], *flop_cards, burned[1], *late]

    compared(np.array([column], dtype=np.int8).T, Qualification.any_pair)


def test_a_draw_is_a_fair_shuffle():
    """The top of the deck: no card twice in a round, and each card as often in each place as any other."""
    rounds = 52_000
    cards = draw(np.random.default_rng(3), rounds)

    assert cards.shape == (DRAWN, rounds)
    assert (np.diff(np.sort(cards, axis=0), axis=0) > 0).all()
    for place in cards:
        counts = np.bincount(place, minlength=52)
        # chi-squared with 51 degrees of freedom: beyond 110 once in a million
        assert ((counts - 1_000) ** 2 / 1_000).sum() < 110


def test_the_same_seed_draws_the_same():
    """A seed names its cards."""
    one, two = (draw(np.random.default_rng(11), 100) for _ in range(2))

    assert (one == two).all()
    assert (draw(np.random.default_rng(12), 100) != one).any()
