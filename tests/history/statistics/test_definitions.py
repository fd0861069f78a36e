"""Each definition of the statistics, on a hand that was counted by hand. `statistics/README.md` has the definitions."""

from __future__ import annotations

import pytest

from pokerroom.history.statistics.hand import hand_statistics
from pokerroom.history.story import HandStory
from pokerroom.ledger.statistics import COUNTED
from tests.history.statistics.told import BLINDS, FLOP, RIVER, TURN, Event, checks, folds, told

OPENED: tuple[Event, ...] = (*BLINDS, ("raise", 3, 300, 300))
"""Seat 3, the first to act, raises to 300."""
HEADS_UP: tuple[Event, ...] = (*OPENED, *folds(4, 5, 6, 1), ("call", 2, 200, 300), FLOP)
"""The big blind calls; seat 3 has the initiative."""


def counted(*events: Event, names: str, stacks: dict[int, int] | None = None) -> dict[int, tuple[int, ...]]:
    """Some counters of each seat that has counted any of them."""
    found = {
        one.account - 100: tuple(getattr(one.counters, name) for name in names.split())
        for one in hand_statistics(told(*events, stacks=stacks), in_chips=False)
    }
    return {seat: values for seat, values in found.items() if any(values)}


def all_counters(story: HandStory, *, in_chips: bool = False) -> dict[int, dict[str, int]]:
    """Every counter of each seat."""
    return {
        one.account - 100: {name: getattr(one.counters, name) for name in COUNTED}
        for one in hand_statistics(story, in_chips=in_chips)
    }


def test_vpip_and_pfr():
    """Calling and raising before the flop are voluntary; blinds and a check of the big blind are not."""
    hand = (*BLINDS, ("call", 3, 100, 100), ("raise", 4, 400, 400), *folds(5, 6, 1, 2, 3))

    assert counted(*hand, names="vpip_chances vpip pfr") == {
        1: (1, 0, 0), 2: (1, 0, 0), 3: (1, 1, 0), 4: (1, 1, 1), 5: (1, 0, 0), 6: (1, 0, 0),
    }  # fmt: skip
    limped = (*BLINDS, *folds(3, 4, 5, 6), ("call", 1, 50, 100), *checks(2))
    assert counted(*limped, names="vpip_chances vpip pfr")[1] == (1, 1, 0)
    assert counted(*limped, names="vpip_chances vpip pfr")[2] == (1, 0, 0)


def test_walk():
    """A big blind that all others fold to had no decision."""
    hand = (*BLINDS, *folds(3, 4, 5, 6, 1), ("uncalled", 2, 50), ("award", 0, 100, ((2, 100),)))

    assert 2 not in counted(*hand, names="vpip_chances")
    assert counted(*hand, names="won")[2] == (50,)


def test_all_in_by_the_clock_is_no_decision():
    """A player that the clock puts all-in has decided nothing, and nothing is asked of them later."""
    hand = (*OPENED, ("clock_all_in", 2, 0, 100), *folds(4, 5, 6, 1))

    assert 2 not in counted(*hand, names="vpip_chances three_bet_chances fold_to_three_bet_chances")


def test_three_bet():
    """A chance is a turn after one raise by another player; players after the 3-bet have none."""
    hand = (*OPENED, *folds(4), ("raise", 5, 900, 900), *folds(6, 1, 2), ("call", 3, 600, 900))

    assert counted(*hand, names="three_bet_chances three_bets") == {4: (1, 0), 5: (1, 1)}


def test_fold_to_three_bet():
    """Only the first raiser can fold to a 3-bet: the answer to it counts, one to a 4-bet does not."""
    names = "fold_to_three_bet_chances folds_to_three_bet"
    three_bet = (*OPENED, ("raise", 4, 900, 900), *folds(5, 6, 1, 2))

    assert counted(*three_bet, *folds(3), names=names) == {3: (1, 1)}
    assert counted(*three_bet, ("call", 3, 600, 900), names=names) == {3: (1, 0)}
    four_bet = (*OPENED, ("raise", 4, 900, 900), ("raise", 5, 2_000, 2_000), *folds(6, 1, 2, 3, 4))
    assert counted(*four_bet, names=names) == {}


def test_three_bet_needs_chips():
    """A player that can only call or fold has no chance to 3-bet; neither if no other player could answer."""
    stacks = dict.fromkeys(range(1, 7), 10_000) | {4: 300, 5: 301}
    assert counted(*OPENED, *folds(4, 5), names="three_bet_chances", stacks=stacks) == {5: (1,)}

    all_in = (*BLINDS, ("raise", 3, 10_000, 10_000), *folds(4, 5, 6, 1, 2))
    large = dict.fromkeys(range(1, 7), 10_000) | {2: 20_000}
    assert 2 not in counted(*all_in, names="three_bet_chances", stacks=large)
    assert 2 in counted(*OPENED, *folds(4, 5, 6, 1, 2), names="three_bet_chances", stacks=large)


def test_a_raise_behind_a_straddle_is_the_first():
    """A straddle is a blind: it is no raise, and a raise over it is no 3-bet."""
    hand = (*BLINDS, ("post", 3, "straddle", 200), ("raise", 4, 600, 600), *folds(5, 6, 1, 2, 3))

    assert counted(*hand, names="pfr three_bets") == {4: (1, 0)}
    assert counted(*hand, names="three_bet_chances") == {5: (1,), 6: (1,), 1: (1,), 2: (1,), 3: (1,)}


def test_c_bet():
    """A chance is a turn of the last raiser before the flop, if no player has bet; the bet is the c-bet."""
    names = "c_bet_chances c_bets fold_to_c_bet_chances folds_to_c_bet"

    assert counted(*HEADS_UP, *checks(2), ("bet", 3, 200, 200), *folds(2), names=names) == {
        3: (1, 1, 0, 0),
        2: (0, 0, 1, 1),
    }
    called = counted(*HEADS_UP, *checks(2), ("bet", 3, 200, 200), ("call", 2, 200, 200), names=names)
    assert called == {3: (1, 1, 0, 0), 2: (0, 0, 1, 0)}
    assert counted(*HEADS_UP, *checks(2, 3), names=names) == {3: (1, 0, 0, 0)}


def test_no_c_bet_into_a_bet():
    """If another player bets first, the raiser had no chance, and a fold to that bet is no fold to a c-bet."""
    names = "c_bet_chances c_bets fold_to_c_bet_chances folds_to_c_bet"

    assert counted(*HEADS_UP, ("bet", 2, 200, 200), *folds(3), names=names) == {}


def test_a_raised_c_bet_is_no_c_bet_to_the_next():
    """A player that faces a raise of the c-bet does not face the c-bet."""
    three = (*OPENED, *folds(4, 5, 6), ("call", 1, 250, 300), ("call", 2, 200, 300), FLOP)
    hand = (*three, *checks(1, 2), ("bet", 3, 200, 200), ("raise", 1, 600, 600), *folds(2))

    assert counted(*hand, names="fold_to_c_bet_chances folds_to_c_bet") == {1: (1, 0)}


def test_aggression():
    """Bets, raises and calls count from the flop on."""
    hand = (
        *HEADS_UP, *checks(2), ("bet", 3, 200, 200), ("raise", 2, 600, 600), ("call", 3, 400, 600),
        TURN, ("bet", 2, 500, 500), ("call", 3, 500, 500),
    )  # fmt: skip

    assert counted(*hand, names="bets calls") == {2: (2, 0), 3: (1, 2)}


def test_showdown():
    """WTSD is of the players that saw the flop; W$SD is won by a player that gets chips there."""
    end = (TURN, *checks(2, 3), RIVER, *checks(2, 3), ("show", 2), ("muck", 3))
    hand = (*HEADS_UP, *checks(2, 3), *end, ("award", 0, 650, ((2, 650),)))

    assert counted(*hand, names="flops showdowns showdowns_won won won_squared") == {
        1: (0, 0, 0, -50, 2_500),
        2: (1, 1, 1, 350, 122_500),
        3: (1, 1, 0, -300, 90_000),
    }
    folded = (
        *HEADS_UP,
        ("bet", 2, 300, 300),
        *folds(3),
        ("uncalled", 2, 300),
        ("award", 0, 650, ((2, 650),)),
    )
    assert counted(*folded, names="flops showdowns showdowns_won") == {2: (1, 0, 0), 3: (1, 0, 0)}


def test_hands_of_tournaments_have_no_result():
    """Chips of a tournament are not money: only what was done counts."""
    hand = told(*BLINDS, *folds(3, 4, 5, 6, 1), ("uncalled", 2, 50), ("award", 0, 100, ((2, 100),)))

    assert {one["won"] for one in all_counters(hand, in_chips=True).values()} == {0}
    assert {one["hands"] for one in all_counters(hand, in_chips=True).values()} == {1}


@pytest.mark.parametrize(
    ("seats", "expected"),
    [
        (6, "small_blind big_blind middle middle cutoff button"),
        (9, "small_blind big_blind early early early middle middle cutoff button"),
        (3, "small_blind big_blind button"),
        (4, "small_blind big_blind cutoff button"),
    ],
)
def test_positions(seats, expected):
    """Positions are counted from the button backwards, and the blinds have their own."""
    story = told(*BLINDS, stacks=dict.fromkeys(range(1, seats + 1), 1_000))

    assert [one.position for one in hand_statistics(story, in_chips=False)] == expected.split()


def test_position_heads_up():
    """Heads-up the button posts the small blind: it counts as the button."""
    story = told(("post", 2, "small_blind", 50), ("post", 1, "big_blind", 100), stacks={1: 500, 2: 500})

    assert [one.position for one in hand_statistics(story, in_chips=False)] == ["big_blind", "button"]


def test_position_without_a_small_blind():
    """Where the small blind is dead no player has it."""
    story = told(("post", 1, "big_blind", 100), stacks={1: 500, 2: 500, 3: 500})

    assert [one.position for one in hand_statistics(story, in_chips=False)] == [
        "big_blind",
        "cutoff",
        "button",
    ]
