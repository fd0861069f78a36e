"""How a house bot judges: chances that are about right, decisions that are legal and follow from the price."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom.bots.policy import CHECK, Options, SplitMix64
from pokerroom.bots.strategy import PlayingStyle, Situation, Strategy, estimate_equity, style_of

CALM = PlayingStyle(loose=0, bold=1000, sly=0)
DECK = [f"{rank}{suit}" for rank in "23456789TJQKA" for suit in "cdhs"]


def situation(hole, board=(), *, call=0, opponents=1, pot=300, min_raise=200, max_raise=10_000, own_bet=0):
    options = Options(check=call == 0, call_amount=call, min_raise_to=min_raise, max_raise_to=max_raise)
    return Situation(options=options, hole=hole, board=board, opponents=opponents, pot=pot, own_bet=own_bet)


def average(hole, board=(), opponents=1):
    random = SplitMix64(7)
    return sum(estimate_equity(hole, board, opponents, random) for _ in range(20)) / 20


def test_chances_are_about_those_of_the_books():
    """Aces win 85 % against one unknown hand, 64 % against three; the nuts always, a drawing-dead hand never."""
    assert average(("As", "Ah")) == pytest.approx(852, abs=30)
    assert average(("As", "Ah"), opponents=3) == pytest.approx(639, abs=40)
    assert average(("As", "Ks"), ("Qs", "Js", "Ts")) == 1000
    assert average(("2c", "3d"), ("As", "Ks", "Qs", "Js", "Ts")) == pytest.approx(500, abs=1)


def test_four_hole_cards_play_exactly_two():
    """With four hole cards a hand takes two of them and three of the board: one spade makes no flush."""
    assert average(("As", "Ks", "2h", "3d"), ("Qs", "Js", "Ts", "2c", "2d")) == 1000
    assert average(("As", "2h", "3d", "4c"), ("Ks", "Qs", "Js", "Ts", "9s")) < 700


def test_the_same_seed_judges_the_same():
    """A bot with the same number and seed decides the same way: what it does can be looked into."""
    one, other = (Strategy(style_of(3), 11) for _ in range(2))
    asked = [situation(("9s", "8s"), ("7s", "2d", "Kc"), call=100) for _ in range(30)]
    assert [one.decide(each) for each in asked] == [other.decide(each) for each in asked]


def test_it_bets_the_nuts_and_folds_nothing_to_a_large_bet():
    """The best hand is raised; a hand that has missed is folded to a bet of the pot, and checked where it is free."""
    strategy = Strategy(CALM, 1)
    assert strategy.decide(situation(("As", "Ks"), ("Qs", "Js", "Ts"), call=100)).action == "raise"
    weak = [strategy.decide(situation(("7c", "2d"), ("As", "Kh", "Qh"), call=300)).action for _ in range(20)]
    assert weak.count("fold") >= 19
    assert strategy.decide(situation(("7c", "2d"), ("As", "Kh", "Qh"))) == CHECK


@given(
    st.permutations(DECK),
    st.sampled_from([0, 3, 4, 5]),
    st.integers(0, 5_000),
    st.integers(1, 9),
    st.integers(0, 20_000),
    st.none() | st.tuples(st.integers(1, 5_000), st.integers(1, 50_000)),
    st.integers(0, 2**32),
)
def test_every_decision_is_legal(deck, dealt, call, opponents, pot, raises, seed):  # noqa: PLR0917 -- drawn by Hypothesis
    """Whatever the situation: no check of a bet, no call of nothing, a raise within its bounds."""
    low, high = (None, None) if raises is None else (min(raises), max(raises))
    asked = situation(
        deck[:2], deck[2 : 2 + dealt], call=call, opponents=opponents, pot=pot, min_raise=low, max_raise=high
    )
    decision = Strategy(style_of(seed % 100), seed).decide(asked)
    match decision.action:
        case "check":
            assert call == 0
        case "call" | "fold":
            assert call > 0
        case "raise":
            assert low is not None
            assert low <= decision.amount <= high
