"""The checker of absences: what it knows of a seat that is taken from its player."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pokerroom.simulation.checks.away_limits import AwayLimitChecker
from pokerroom.simulation.checks.checker import CheckContext
from pokerroom.simulation.checks.situations import Situations
from pokerroom.simulation.checks.table_facts import CheckedHand, CheckedSeat, CheckedTable
from pokerroom.simulation.clock import VirtualClock
from pokerroom_protocol import messages as wire
from tests.simulation.test_clocks import TERMS


def begun() -> tuple[VirtualClock, AwayLimitChecker, CheckedTable, list[str]]:
    """A checker with a table that is followed, and what it finds."""
    found: list[str] = []
    clock = VirtualClock()
    context = CheckContext(
        blame=lambda _kind, _table, _hand, line: found.append(line),
        clock=clock,
        terms={"t": replace(TERMS, away_limit_s=20, sit_out_limit_s=300)},
        situations=Situations(),
    )
    facts = CheckedTable("t")
    facts.synced = True
    return clock, AwayLimitChecker(context), facts, found


@pytest.mark.parametrize(("away_s", "wrong"), [(20, 0), (10, 1)])
def test_h6_the_last_chip_of_a_player_that_sits_out_begins_an_absence(away_s: int, wrong: int) -> None:
    """H6: no other event tells it: the player was to sit out already, and the hand took the last chip."""
    clock, checker, facts, found = begun()
    facts.seats[1] = CheckedSeat(name="ann", stack=100, status="sitting_out", connected=True)
    facts.hand = CheckedHand(hand_id="h" * 16, dealt_in=(1,), start={1: 100})
    stacks = [wire.HandSeat(seat=1, name="ann", stack=0)]
    ended = wire.HandEnded(table="t", seq=1, hand_id="h" * 16, stacks=stacks)
    facts.apply(ended)
    checker.applied(facts, ended)
    clock.rightNow += away_s
    checker.booked("t", 1, 1, {"t": facts})
    clock.rightNow += 3
    checker.look({"t": facts})
    assert len(found) == wrong


def test_h6_a_player_that_sits_out_all_in_and_wins_has_chips() -> None:
    """H6: the stack is told as nothing during the hand; what the hand gives back ends the absence."""
    clock, checker, facts, found = begun()
    facts.seats[1] = CheckedSeat(name="ann", stack=0, status="playing", connected=True)
    facts.hand = CheckedHand(hand_id="h" * 16, dealt_in=(1,), start={1: 100})
    sits_out = wire.SeatChanged(table="t", seq=1, seat=1, stack=0, status="sitting_out", connected=True)
    ended = wire.HandEnded(
        table="t", seq=2, hand_id="h" * 16, stacks=[wire.HandSeat(seat=1, name="ann", stack=200)]
    )
    for event in (sits_out, ended):
        facts.apply(event)
        checker.applied(facts, event)
    clock.rightNow += 60
    checker.look({"t": facts})
    assert found == []


@pytest.mark.parametrize(
    ("told", "crashed", "wrong"), [(True, False, 0), (False, True, 0), (False, False, 1)]
)
def test_h6_a_table_that_closes_may_take_the_seats(told: bool, crashed: bool, wrong: int) -> None:
    """Also where the operator has opened it again when the checker looks, or the process had no time to tell it."""
    clock, checker, facts, found = begun()
    facts.closing = told
    facts.seats[1] = CheckedSeat(name="ann", stack=100, status="playing", connected=True)
    checker.noticed("t")
    clock.rightNow += 30
    checker.booked("t", 1, 1, {"t": facts})
    facts.closing = False
    if crashed:
        checker.crashed()
    clock.rightNow += 3
    checker.look({"t": facts})
    assert len(found) == wrong


@pytest.mark.parametrize(("away_after_s", "wrong"), [(5, 0), (15, 1)])
def test_h6_seats_of_a_table_that_closed_are_paid_when_the_ledger_is_back(
    away_after_s: int, wrong: int
) -> None:
    """The operator opened the table again meanwhile. An outage that begins long after it explains nothing."""
    clock, checker, facts, found = begun()
    facts.seats[1] = CheckedSeat(name="ann", stack=100, status="leaving", connected=True)
    checker.noticed("t")
    clock.rightNow += away_after_s
    for _ in range(5):
        checker.outage(clock.rightNow + 5)
        clock.rightNow += 4
    checker.booked("t", 1, 1, {"t": facts})
    clock.rightNow += 5
    checker.look({"t": facts})
    assert len(found) == wrong
