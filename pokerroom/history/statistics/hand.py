"""What one hand counts for each of its players. `README.md` beside this file has the definitions.

A hand is counted as spectators saw it, so every player that was dealt in may know all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pokerroom.history.statistics.all_in import all_in_shares, in_thousandths
from pokerroom.history.story import HandStory, StoryStep
from pokerroom.ledger.statistics import Counters
from pokerroom.rules.events import PostKind

Position = Literal["early", "middle", "cutoff", "button", "small_blind", "big_blind"]

_RAISES: Final = frozenset({"bet", "raise"})
_DECISIONS: Final = frozenset({"fold", "check", "call", "bet", "raise"})
"""Not `clock_all_in`: there the clock has decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatStatistics:
    """What a hand counts for one player."""

    account: int
    position: Position
    counters: Counters


def hand_statistics(story: HandStory, *, in_chips: bool) -> list[SeatStatistics]:
    """Return what a hand counts, in the order of the deal.

    The story is that of spectators. `in_chips`: a hand of a tournament, whose results are not money.
    """
    counters = {seat: Counters(hands=1) for seat in story.seats}
    _count_preflop(story, counters)
    if len(story.streets) > 1:
        _count_flop(story, counters)
        _count_streets(story, counters)
    if not in_chips:
        _count_results(story, counters)
    positions = _positions(story)
    return [
        SeatStatistics(account=row.account, position=positions[seat], counters=counters[seat])
        for seat, row in story.seats.items()
    ]


def _positions(story: HandStory) -> dict[int, Position]:
    """Return the position of each seat. The last one in the order of the deal acts last: it counts as the button."""
    seats = list(story.seats)
    big_blind = story.seat_with(PostKind.big_blind)
    small_blind = story.seat_with(PostKind.small_blind)
    found: dict[int, Position] = {}
    for behind, seat in enumerate(reversed(seats)):
        if seat == big_blind:
            found[seat] = "big_blind"
        elif behind == 0:
            found[seat] = "button"
        elif seat == small_blind:
            found[seat] = "small_blind"
        elif behind == 1:
            found[seat] = "cutoff"
        else:
            found[seat] = "middle" if behind <= _MIDDLE else "early"
    return found


_MIDDLE: Final = 3
"""The second and third seat right of the button are middle position."""


class _Preflop:
    """Who has raised before the flop, and who can still raise."""

    def __init__(self, story: HandStory) -> None:
        self.raisers: list[int] = []
        self._behind = {seat: row.stack for seat, row in story.seats.items()}
        self._bets = dict.fromkeys(story.seats, 0)
        self._out: set[int] = set()
        self._to_match = story.record.big_blind

    def follow(self, step: StoryStep, *, straddle: int) -> None:
        """Take note of a post or an action."""
        self._behind[step.seat] -= step.added
        if step.what == "post":
            self._to_match = max(self._to_match, straddle)
            if step.kind in _BLINDS:
                self._bets[step.seat] += step.added
            return
        self._bets[step.seat] = step.bet
        self._to_match += step.above
        if step.what in {"fold", "clock_all_in"}:
            self._out.add(step.seat)
        if step.above and step.what in _RAISES:
            self.raisers.append(step.seat)

    def can_raise(self, seat: int) -> bool:
        """Whether the seat has more than a call costs, and another one has chips to answer with."""
        call = self._to_match - self._bets[seat]
        others = any(
            behind > 0 for other, behind in self._behind.items() if other != seat and other not in self._out
        )
        return self._behind[seat] > call and others


_BLINDS: Final = frozenset({PostKind.small_blind, PostKind.big_blind, PostKind.live_post, PostKind.straddle})


def _count_preflop(story: HandStory, counters: dict[int, Counters]) -> None:
    preflop = _Preflop(story)
    for step in story.streets[0].steps:
        if step.what in _DECISIONS:
            _count_decision(step, counters[step.seat], preflop)
        if step.what not in {"show", "muck"}:
            straddle = story.owed[step.seat].blind if step.kind == PostKind.straddle else 0
            preflop.follow(step, straddle=straddle)


def _count_decision(step: StoryStep, of: Counters, preflop: _Preflop) -> None:
    raisers = preflop.raisers
    raised = step.what in _RAISES and step.above > 0
    of.vpip_chances = 1
    if step.added:
        of.vpip = 1
    if raised:
        of.pfr = 1
    if len(raisers) == 1 and raisers[0] != step.seat and (raised or preflop.can_raise(step.seat)):
        of.three_bet_chances = 1
        of.three_bets |= raised
    if len(raisers) == 2 and raisers[0] == step.seat:
        of.fold_to_three_bet_chances = 1
        of.folds_to_three_bet = int(step.what == "fold")


def _count_flop(story: HandStory, counters: dict[int, Counters]) -> None:
    """Count the continuation bet: the first bet of the flop, by the last player that raised before it."""
    raiser = next(
        (step.seat for step in reversed(story.streets[0].steps) if step.what in _RAISES and step.above > 0),
        None,
    )
    bettors: list[int] = []
    for step in story.streets[1].steps:
        if step.what not in _DECISIONS:
            continue
        of = counters[step.seat]
        if not bettors and step.seat == raiser:
            of.c_bet_chances = 1
            of.c_bets |= step.what in _RAISES
        elif bettors == [raiser]:
            of.fold_to_c_bet_chances = 1
            of.folds_to_c_bet = int(step.what == "fold")
        if step.what in _RAISES:
            bettors.append(step.seat)


def _count_streets(story: HandStory, counters: dict[int, Counters]) -> None:
    for street in story.streets[1:]:
        for step in street.steps:
            counters[step.seat].bets += step.what in _RAISES
            counters[step.seat].calls += step.what == "call"
    contesting = [seat for seat in story.seats if seat not in story.folded]
    showdown = len(contesting) > 1
    for seat, of in counters.items():
        of.flops = int(story.folded.get(seat) != story.streets[0].name)
        if showdown and seat in contesting:
            of.showdowns = 1
            of.showdowns_won = int(story.won.get(seat, 0) > 0)


def _count_results(story: HandStory, counters: dict[int, Counters]) -> None:
    shares = all_in_shares(story)
    thousandths = {} if shares is None else in_thousandths(shares)
    for seat, row in story.seats.items():
        of = counters[seat]
        of.won = row.end - row.stack
        of.won_squared = of.won**2
        of.expected = 1000 * of.won
        if seat in thousandths:
            of.all_ins = 1
            of.expected += thousandths[seat] - 1000 * story.won.get(seat, 0)
