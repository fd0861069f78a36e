"""What players all-in could expect, counted by hand."""

from __future__ import annotations

from fractions import Fraction

from pokerroom.history.statistics.all_in import all_in_shares, in_thousandths
from pokerroom.history.statistics.hand import hand_statistics
from tests.history.statistics.told import BLINDS, FLOP, RIVER, TURN, Event, checks, told

SHOWS: tuple[Event, ...] = (("show", 2), ("show", 1))
BOTH = {1: "AsAd", 2: "KsKd"}
IN: tuple[Event, ...] = (*BLINDS, ("raise", 1, 950, 1_000), ("call", 2, 900, 1_000))
WON: Event = ("award", 0, 2_000, ((1, 2_000),))


def test_all_in_on_the_turn():
    """On the turn two of 44 cards help the kings."""
    called = (*BLINDS, ("call", 1, 50, 100), *checks(2))
    flop = (FLOP, *checks(1, 2), TURN, ("bet", 1, 900, 900), ("call", 2, 900, 900))
    story = told(*called, *flop, *SHOWS, RIVER, WON, stacks={1: 1_000, 2: 1_000}, cards=BOTH)

    assert all_in_shares(story) == {1: Fraction(2_000 * 42, 44), 2: Fraction(2_000 * 2, 44)}


def test_all_in_before_the_flop_counts_as_on_the_flop():
    """On this flop 82 boards bring one king and no ace, and one brings both kings: 83 of 990."""
    story = told(*IN, *SHOWS, FLOP, TURN, RIVER, WON, stacks={1: 1_000, 2: 1_000}, cards=BOTH)

    assert all_in_shares(story) == {1: Fraction(2_000 * 907, 990), 2: Fraction(2_000 * 83, 990)}


def test_expected_result():
    """What was expected takes the place of what was won: the aces put in 1,000 and can expect 1832.323 of 2,000."""
    story = told(*IN, *SHOWS, FLOP, TURN, RIVER, WON, stacks={1: 1_000, 2: 1_000}, cards=BOTH)
    aces, kings = (one.counters for one in hand_statistics(story, in_chips=False))

    assert (aces.won, aces.expected, aces.all_ins) == (1_000, 832_323, 1)
    assert (kings.won, kings.expected, kings.all_ins) == (-1_000, -832_323, 1)


def test_rake_is_not_expected():
    """Players expect parts of what the room pays out."""
    raked = ("award", 0, 2_000, ((1, 1_900),), 100)
    story = told(*IN, *SHOWS, FLOP, TURN, RIVER, raked, stacks={1: 1_000, 2: 1_000}, cards=BOTH)

    assert all_in_shares(story) == {1: Fraction(1_900 * 907, 990), 2: Fraction(1_900 * 83, 990)}


def test_ties_are_shared():
    """Two players with an ace and a king each, of suits that cannot make a flush, halve every pot."""
    called = (*BLINDS, ("call", 1, 50, 100), *checks(2))
    flop = (FLOP, *checks(1, 2), TURN, ("bet", 1, 900, 900), ("call", 2, 900, 900))
    cards = {1: "AsKd", 2: "AdKs"}
    story = told(*called, *flop, *SHOWS, RIVER, WON, stacks={1: 1_000, 2: 1_000}, cards=cards)

    assert all_in_shares(story) == {1: Fraction(1_000), 2: Fraction(1_000)}


def test_side_pot():
    """A short stack expects a part of the main pot alone; a bet that no player called is in no pot."""
    stacks = {1: 200, 2: 1_000, 3: 3_000}
    bets = (
        ("raise", 3, 3_000, 3_000),
        ("call", 1, 150, 200),
        ("call", 2, 900, 1_000),
        ("uncalled", 3, 2_000),
    )
    cards = {1: "AsAd", 2: "KsKd", 3: "QsQd"}
    shows = (("show", 3), ("show", 1), ("show", 2))
    awards = (("award", 1, 1_600, ((2, 1_600),)), ("award", 0, 600, ((1, 600),)))
    story = told(*BLINDS, *bets, *shows, FLOP, TURN, RIVER, *awards, stacks=stacks, cards=cards)
    shares = all_in_shares(story)

    # 43 unseen cards, 903 boards. The aces lose to a king or queen without an ace: 41 * 40 / 2 less 37 * 36 / 2. The
    # queens win the side pot with a queen and no king, or with both; all of it without an ace.
    assert shares == {
        1: Fraction(600 * (903 - 154), 903),
        2: Fraction(600 * (154 - 75) + 1_600 * (903 - 79), 903),
        3: Fraction(600 * 75 + 1_600 * 79, 903),
    }


def test_hands_that_were_not_turned_up_in_time():
    """Hands that are shown after the river were not all-in; neither where the table does not turn all-ins up."""
    called = (*BLINDS, ("call", 1, 50, 100), *checks(2), FLOP, *checks(1, 2), TURN, *checks(1, 2), RIVER)
    end = (("bet", 1, 900, 900), ("call", 2, 900, 900), *SHOWS, WON)
    story = told(*called, *end, stacks={1: 1_000, 2: 1_000}, cards=BOTH)
    assert all_in_shares(story) is None

    unseen = told(*IN, FLOP, TURN, RIVER, *SHOWS, WON, stacks={1: 1_000, 2: 1_000}, cards=BOTH)
    assert all_in_shares(unseen) is None
    assert [one.counters.expected for one in hand_statistics(unseen, in_chips=False)] == [
        1_000_000,
        -1_000_000,
    ]


def test_thousandths_add_up():
    """Rounded shares have the sum of the exact ones."""
    thirds = dict.fromkeys([4, 5, 6], Fraction(1, 3))

    assert in_thousandths(thirds) == {4: 333, 5: 334, 6: 333}
