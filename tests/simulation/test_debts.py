"""The checker of debts, hand by hand: records as the ledger has them, and what players have asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pokerroom.simulation.checks.checker import CheckContext
from pokerroom.simulation.checks.debts import DebtChecker
from pokerroom.simulation.checks.situations import Situations
from pokerroom.simulation.checks.table_facts import CheckedSeat, CheckedTable
from pokerroom.simulation.clock import VirtualClock
from pokerroom_protocol import messages as wire
from tests.simulation.test_clocks import TERMS

SIX = replace(TERMS, seats=6)
SEATS = {4: 104, 1: 101, 5: 105}
"""In the order in which they sit down: seat and account."""


class Bench:
    """A table with six seats: those of `SEATS` sit down, the last one after the first hand."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.clock = VirtualClock()
        context = CheckContext(
            blame=lambda _kind, _table, _hand, line: self.found.append(line),
            clock=self.clock,
            terms={"t": SIX},
            situations=Situations(),
        )
        self.checker = DebtChecker(context)
        self.facts = CheckedTable("t")

    def sits_down(self, seat: int, *, post: bool = False, answered: bool = True) -> None:
        key, account = (seat, 1), SEATS[seat]
        request = wire.SitDown(id=1, table="t", seat=seat, buy_in=100, post=post)
        self.checker.reached(account, key, request)
        self.checker.booked("buy_in", (f"buyin:{seat}", "t", 1, seat, account, 100, 4))
        if answered:
            self.checker.answered(account, key, request, ok=True)
        self.facts.seats[seat] = CheckedSeat(name=f"p{seat}", stack=100, status="playing", connected=True)

    def plays(self, button: int, small: int, big: int, *others: int) -> None:
        dealt = [*dict.fromkeys((small, big, *others, button))]
        hand_id = f"{self.clock.now_ms():016}"
        event = wire.HandStarted(
            table="t", seq=1, hand_id=hand_id, button=button, small_blind=small, big_blind=big, seats=[]
        )
        self.checker.started(self.facts, event)
        kinds: dict[int, Any] = {small: "small_blind", big: "big_blind"}
        blinds = {small: 1, big: 2}
        record = {
            "table": "t",
            "hand_id": hand_id,
            "started_ms": self.clock.now_ms(),
            "button": button,
            "seats": [
                {
                    "seat": seat,
                    "account": SEATS[seat],
                    "stack": 100,
                    "owed": [0, blinds.get(seat, 0), kinds.get(seat)],
                }
                for seat in dealt
            ],
            "events": [["post", seat, kinds[seat], amount] for seat, amount in blinds.items()],
        }
        self.clock.rightNow += 10
        self.checker.settled(SIX, record)


@pytest.mark.parametrize(("button", "big", "wrong"), [(4, 1, 0), (1, 4, 1)])
def test_b1_the_first_player_has_the_first_button(button: int, big: int, wrong: int) -> None:
    """B1, B4: heads-up the player that sat down first has button and small blind, whatever the seat."""
    bench = Bench()
    bench.sits_down(4)
    bench.sits_down(1)
    bench.plays(button, button, big)
    assert len(bench.found) == wrong


@pytest.mark.parametrize(("answered", "wrong"), [(True, 1), (False, 0)])
def test_b7_who_was_not_told_ok_may_wait(answered: bool, wrong: int) -> None:
    """B7: a newcomer that was told `ok` posts; without an answer the buy-in may be all that a crash has left."""
    bench = Bench()
    bench.sits_down(4)
    bench.sits_down(1)
    bench.plays(4, 4, 1)
    bench.sits_down(5, post=True, answered=answered)
    bench.clock.rightNow += 1
    bench.plays(1, 1, 4)
    assert len(bench.found) == wrong
