"""The referee finds what is wrong in streams and files that a room has really made, and nothing in honest ones."""

from __future__ import annotations

import io
from collections import defaultdict
from functools import cache

import pytest

from pokerroom.history.ohh_text import ohh_text
from pokerroom.history.phh_text import phh_text
from pokerroom.history.pokerstars_text import pokerstars_text
from pokerroom.rules.rake import RakeTerms
from tests.effort import times
from tests.history.dealt import GAMES, dealt_hands
from tests.referee import forged_text, forgery
from tests.referee.exports import TournamentStacks, check_text
from tests.referee.report import Report
from tests.referee.simulated import watched

pytestmark = pytest.mark.timeout(120 + 120 * times(1))

HANDS = {"holdem": 12, "sit_and_go": 25, "ultimate": 10, "omaha": 4, "mtt": 5}
SEEDS = {"ultimate": 3}
"""Seeds at which most forgeries have a place; elsewhere 0."""
FORGERIES = {"holdem": forgery.CASH, "sit_and_go": forgery.SIT_AND_GO, "ultimate": forgery.ULTIMATE}
WRITERS = {
    "phh": (phh_text, forged_text.PHH),
    "ohh": (ohh_text, forged_text.OHH),
    "pokerstars": (pokerstars_text, forged_text.POKERSTARS),
}


@pytest.mark.parametrize("game", HANDS)
def test_an_honest_room_has_no_differences_and_each_forgery_of_it_is_named(game):
    """An observer follows a room of the simulation; then the same stream is changed in one place after another."""
    report, heard = watched(SEEDS.get(game, 0), HANDS[game], game)
    assert report.differences == []
    assert report.hands + report.rounds > 0
    for seed in range(1, times(1)):
        assert watched(seed, HANDS[game], game)[0].differences == []

    assert forgery.found_in(heard).differences == []
    missed, placed = {}, 0
    for name, (kind, forge) in FORGERIES.get(game, {}).items():
        stream = forgery.Stream(heard)
        try:
            forge(stream)
        except (LookupError, StopIteration):
            continue
        placed += 1
        found = {difference.kind for difference in forgery.found_in(stream.heard).differences}
        if kind not in found:
            missed[name] = found
    assert missed == {}
    assert placed >= 0.8 * len(FORGERIES.get(game, {}))


@pytest.mark.parametrize(("seed", "rounds"), [(407, 10), pytest.param(314, 20, marks=pytest.mark.slow)])
def test_a_table_of_ultimate_that_stops_and_goes_on_has_no_differences(seed, rounds):
    """A frozen table shows no round; the meter grows by a round that was not heard from its start."""
    report, _ = watched(seed, rounds, "ultimate")
    assert report.differences == []


def found_in(text: str) -> Report:
    report = Report(out=io.StringIO())
    check_text(text, report, defaultdict(TournamentStacks))
    return report


@cache
def texts(name: str) -> list[str]:
    """Random hands of every game, with and without a rake."""
    writer, _ = WRITERS[name]
    count = 3 * times(1)
    return [
        writer(dealt.story())
        for game in GAMES
        for rake in (None, RakeTerms(bps=450, unit=7, no_flop_no_drop=False))
        for dealt in dealt_hands(5, game, count, rake=rake)
    ]


@pytest.mark.parametrize("name", WRITERS)
def test_honest_exports_have_no_differences(name):
    """Random hands of every game and of every kind of post, with the clock and a rake, in each format."""
    for text in texts(name):
        report = found_in(text)
        assert report.differences == [], text
        assert report.hands == 1


@pytest.mark.parametrize(
    ("name", "what"), [(name, what) for name, (_, table) in WRITERS.items() for what in table]
)
def test_a_forged_export_is_named(name, what):
    """A changed hand has a difference of the kind that was forged."""
    kinds, forge = WRITERS[name][1][what]
    for text in texts(name):
        changed = forge(text)
        if changed is not None and kinds & {difference.kind for difference in found_in(changed).differences}:
            return
    pytest.fail(f"no {name} has {what} that is found as one of {kinds}")


RETURNED = """\
PokerStars Hand #4711:  Hold'em No Limit (0.50/1) - 2026/11/18 11:06:40 UTC [2026/11/18 06:06:40 ET]
Table 't1' 10-max (Play Money) Seat #1 is the button
Seat 1: one (11.66 in chips)
Seat 3: three (20 in chips)
Seat 8: eight (1.52 in chips)
three: posts big blind 1
*** HOLE CARDS ***
eight: folds
one: folds
Uncalled bet (1) returned to three
three: doesn't show hand
*** SUMMARY ***
Total pot 0 | Rake 0
Seat 1: one (button) folded before Flop (didn't bet)
Seat 3: three (big blind) collected (0)
Seat 8: eight folded before Flop (didn't bet)
"""
"""The small blind is dead, and every other player folds: there is no pot."""


def test_a_hand_of_which_every_chip_is_returned_has_no_pot():
    """The summary says 0, and no pot is awarded."""
    assert found_in(RETURNED).differences == []


def test_the_same_file_may_hold_many_hands():
    """Hands of a file are read one after the other, in each format."""
    for name in WRITERS:
        two = texts(name)[:2]
        joined = (
            "\n\n\n".join(two)
            if name != "phh"
            else "".join(f"[{at}]\n{text}" for at, text in enumerate(two, 1))
        )
        assert found_in(joined).hands == 2
