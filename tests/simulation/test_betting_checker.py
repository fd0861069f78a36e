"""The checker of a hand's betting: hands in which an ante leaves a player nothing for the blind."""

from dataclasses import replace

from pokerroom.simulation.checks.betting import BettingChecker
from pokerroom.simulation.checks.level_settings import settings_at

OFFER = {
    "game": "holdem",
    "structure": "pot_limit",
    "seats": 3,
    "seats_per_table": 0,
    "raises_max": 3,
    "cap_heads_up": True,
    "action_clock_s": 5,
    "countdown_s": 5,
    "time_bank_s": 0,
    "time_bank_refill_s": 0,
    "timeout_protection": "never",
    "observer_delay_s": 0,
}
LEVEL = {"small_blind": 120, "big_blind": 240, "big_bet": 0, "ante": 24, "big_blind_ante": 0}
TERMS = settings_at(OFFER, LEVEL)


def checked(stacks, events, terms=TERMS):
    seats = [{"seat": seat, "stack": stack} for seat, stack in stacks.items()]
    return BettingChecker({"seats": seats, "events": events}, terms).wrong


def raised_to(amount):
    return checked(
        {1: 21, 2: 2_786, 3: 1_693},
        [
            ["post", 1, "ante", 21],
            ["post", 2, "ante", 24],
            ["post", 3, "ante", 24],
            ["post", 2, "big_blind", 240],
            ["raise", 3, amount, amount],
            ["fold", 2, 0, 240],
            ["uncalled", 3, amount - 240],
        ],
    )


def test_d4_a_small_blind_that_nothing_is_left_for_counts_at_its_size():
    """D4: 69 of antes, blinds of 120 and 240 and a call of 240 allow a raise to 909, and no more."""
    assert raised_to(909) == []
    assert raised_to(910) == ["seat 3 raises to 910: at least 480, at most 909, has 1669 (D)"]


def test_f1_a_part_of_the_ante_goes_back_and_ends_the_betting():
    """F1: heads-up, the other has only a part of the ante: the rest of it is uncalled with the blind."""
    terms = replace(TERMS, structure="no_limit", seats=2, small_blind=80, big_blind=160, ante=16)
    board = [["flop", "8c", "5c", "4h"], ["turn", "7c"], ["river", "2d"]]
    posts = [["post", 2, "ante", 16], ["post", 1, "ante", 8], ["post", 2, "big_blind", 160]]
    stacks = {2: 992, 1: 8}
    assert checked(stacks, [*posts, ["uncalled", 2, 168], *board], terms) == []
    assert checked(stacks, [*posts, ["uncalled", 2, 160], *board], terms) != []
