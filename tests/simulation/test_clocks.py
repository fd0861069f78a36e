"""The checker of the action clock, to the millisecond: events as a table tells them, and when they are right."""

from __future__ import annotations

import pytest

from pokerroom.simulation.checks.checker import CheckContext
from pokerroom.simulation.checks.clocks import ClockChecker
from pokerroom.simulation.checks.pre_actions import PreActionChecker
from pokerroom.simulation.checks.settings import CheckedSettings
from pokerroom.simulation.checks.situations import Situations
from pokerroom.simulation.checks.table_facts import CheckedHand, CheckedSeat, CheckedTable
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.clock import VirtualClock
from pokerroom_protocol import messages as wire

TERMS = CheckedSettings(
    game="holdem",
    structure="no_limit", seats=2, small_blind=1, big_blind=2, ante=0, big_blind_ante=0, straddle=0, small_bet=0,
    big_bet=0, raises_max=0, cap_heads_up=True, action_clock_s=10, countdown_s=20, time_bank_s=0,
    time_bank_refill_s=0, timeout_protection="always", timeout_all_ins_per_day=None, moving_button=False,
    show_all_in=True, unit=1, observer_delay_s=0,
)  # fmt: skip
TOLD_S = 1000.0
END_S = TOLD_S + 30


class Bench:
    """One decision of seat 1 at table t, told at `TOLD_S`."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.clock.rightNow = TOLD_S
        self.found: list[Kind] = []
        self.seq = 1
        context = CheckContext(
            blame=self._blame, clock=self.clock, terms={"t": TERMS}, situations=Situations()
        )
        self.pre_acts = PreActionChecker(context)
        self.clocks = ClockChecker(context, self.pre_acts)
        self.facts = CheckedTable("t")
        self.facts.seats[1] = CheckedSeat(name="ann", stack=100, status="playing", connected=True)
        self.facts.hand = CheckedHand(hand_id="h" * 16, dealt_in=(1, 2), start={1: 100, 2: 100})
        self.turn(TOLD_S + 10, END_S)

    def _blame(self, kind: Kind, _table: str, _hand_id: str, _line: str) -> None:
        self.found.append(kind)

    def tell(self, event: wire.Event) -> None:
        self.clocks.event(self.facts, event)
        self.facts.apply(event)

    def turn(self, countdown_s: float, deadline_s: float) -> None:
        self.seq += 1
        self.tell(
            wire.Turn(
                table="t", seq=self.seq, hand_id="h" * 16, seat=1, check=True, call_amount=0, min_raise_to=None,
                max_raise_to=None, countdown_ms=int(countdown_s * 1000), deadline_ms=int(deadline_s * 1000),
            )
        )  # fmt: skip

    def act_reaches(self, at_s: float) -> None:
        self.clock.rightNow = at_s
        act = wire.Act(id=1, table="t", hand_id="h" * 16, seq=2, action="check")
        self.clocks.reached("ann", act)

    def acted(self, at_s: float, *, by_clock: bool = False) -> None:
        self.clock.rightNow = at_s
        self.tell(
            wire.Acted(
                table="t", seq=self.seq + 1, hand_id="h" * 16, seat=1, action="check", added=0, bet=0, stack=100,
                all_in=False, by_clock=by_clock,
            )
        )  # fmt: skip

    def is_away(self, at_s: float) -> None:
        self.clock.rightNow = at_s
        self._changed(connected=False)

    def is_back(self, at_s: float) -> None:
        self.clock.rightNow = at_s
        self.clocks.reached("ann", wire.Observe(id=2, table="t"))
        self._changed(connected=True)

    def _changed(self, *, connected: bool) -> None:
        self.seq += 1
        self.tell(
            wire.SeatChanged(
                table="t", seq=self.seq, seat=1, stack=100, status="playing", connected=connected
            )
        )


@pytest.mark.parametrize(("late_s", "found"), [(0.0, []), (0.001, [Kind.CLOCK])])
def test_an_action_counts_at_the_end_of_the_clock_and_not_a_millisecond_later(
    late_s: float, found: list[Kind]
) -> None:
    """H1: the order of receipt decides at the deadline."""
    bench = Bench()
    bench.act_reaches(END_S + late_s)
    bench.acted(END_S + 0.005)
    assert bench.found == found


@pytest.mark.parametrize(("at_s", "found"), [(-0.001, [Kind.CLOCK]), (0.0, []), (0.1, [Kind.CLOCK])])
def test_the_clock_rings_when_it_is_over(at_s: float, found: list[Kind]) -> None:
    """H1: not a millisecond early; and late only as long as the journal takes."""
    bench = Bench()
    bench.acted(END_S + at_s, by_clock=True)
    assert bench.found == found


def test_a_journal_that_is_away_may_hold_back_what_the_clock_has_decided() -> None:
    """No player is told what is not stored."""
    bench = Bench()
    bench.clocks.outage(END_S + 5)
    bench.acted(END_S + 4, by_clock=True)
    assert bench.found == []


def test_a_player_who_is_back_at_29_of_30_seconds_has_20_more() -> None:
    """H4: the countdown begins again, and the clock rings at its end."""
    bench = Bench()
    bench.is_away(TOLD_S + 1)
    bench.is_back(TOLD_S + 29)
    bench.turn(TOLD_S + 10, TOLD_S + 49)
    bench.acted(TOLD_S + 49, by_clock=True)
    assert bench.found == []


def test_a_player_who_is_back_a_second_time_gets_no_more() -> None:
    """H4: once per decision."""
    bench = Bench()
    for back_s, end_s in ((29, 49), (40, 60)):
        bench.is_away(TOLD_S + back_s - 1)
        bench.is_back(TOLD_S + back_s)
        bench.turn(TOLD_S + 10, TOLD_S + end_s)
    assert bench.found == [Kind.TIMEOUT]


def test_a_player_who_was_not_away_gets_no_more() -> None:
    """H4: only a reconnect gives time."""
    bench = Bench()
    bench.clock.rightNow = TOLD_S + 29
    bench.turn(TOLD_S + 10, TOLD_S + 49)
    assert bench.found == [Kind.TIMEOUT]


def test_a_refused_decision_in_advance_excuses_nothing() -> None:
    """An act that was never sent is no player's, whatever was refused before it."""
    bench = Bench()
    ahead = wire.PreAct(id=3, table="t", hand_id="h" * 16, action="fold_to_any_bet")
    bench.pre_acts.reached("ann", (1, 3), ahead)
    bench.pre_acts.answered("ann", (1, 3), ahead, accepted=False)
    bench.acted(TOLD_S + 1)
    assert bench.found == [Kind.CLOCK]


def test_terms_without_a_bank_know_none() -> None:
    """A bank that is told where the table has none is a violation."""
    bench = Bench()
    bench.clocks.crashed()
    bench.facts.hand = CheckedHand(hand_id="h" * 16, dealt_in=(1, 2), start={})
    bench.tell(
        wire.Turn(
            table="t", seq=9, hand_id="h" * 16, seat=1, check=True, call_amount=0, min_raise_to=None,
            max_raise_to=None, countdown_ms=int((TOLD_S + 10) * 1000), deadline_ms=int(END_S * 1000),
            time_bank_ms=5_000,
        )
    )  # fmt: skip
    assert bench.found == [Kind.CLOCK]
