"""The light of a betting time and the window of decisions, and what the machine of a table's life allows."""

from __future__ import annotations

import pytest
from automat import NoTransition
from twisted.internet.task import Clock

from pokerroom.table.lifecycle import TableState, table_machine
from pokerroom.ultimate.clocks import BettingLight, DecisionWindow
from pokerroom_protocol import messages as wire


class Lit:
    """A light and what it has said."""

    def __init__(self, betting_s: int = 20, closing_s: int = 5) -> None:
        self.clock = Clock()
        self.said: list[str] = []
        self.light = BettingLight(
            self.clock,
            lambda: int(self.clock.seconds() * 1000),
            betting_s=betting_s,
            closing_s=closing_s,
            turned=lambda: self.said.append(self.light.view().light),
            over=lambda: self.said.append("over"),
        )


def test_the_light_waits_for_the_first_bet():
    """Then it runs, and a second one changes nothing."""
    lit = Lit()
    assert lit.light.view() == wire.LightView(light="green", closes_ms=None)
    assert lit.clock.getDelayedCalls() == []
    assert lit.light.bet()
    lit.clock.advance(10)
    assert not lit.light.bet()
    assert lit.light.view() == wire.LightView(light="green", closes_ms=20_000)
    lit.clock.advance(5)
    assert lit.said == ["yellow"]
    lit.clock.advance(5)
    assert (lit.said, lit.light.overdue, lit.clock.getDelayedCalls()) == (["yellow", "over"], True, [])


def test_a_light_that_was_held_begins_once_more():
    """Without a bet there is nothing to begin."""
    lit = Lit()
    assert not lit.light.restart()
    lit.light.bet()
    lit.clock.advance(16)
    lit.light.hold()
    lit.clock.advance(100)
    assert lit.light.restart()
    assert lit.light.view() == wire.LightView(light="green", closes_ms=136_000)
    lit.light.cancel()
    assert lit.clock.getDelayedCalls() == []


class Asked:
    """A window, and whether it is over."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.over: list[DecisionWindow] = []
        self.window = DecisionWindow(
            self.clock,
            lambda: int(self.clock.seconds() * 1000),
            decision_s=15,
            street="flop",
            seq=7,
            over=self.over.append,
        )


def test_a_window_runs_from_when_it_was_told():
    """Told late it has another deadline, which is to be told."""
    asked = Asked()
    asked.clock.advance(0.5)
    assert not asked.window.start()
    assert asked.window.deadline_ms == 15_000
    asked.clock.advance(15)
    assert asked.over == [asked.window]
    asked = Asked()
    asked.clock.advance(2)
    assert asked.window.start()
    assert asked.window.deadline_ms == 17_000


def test_a_window_that_was_held_begins_once_more():
    """Unless it has not begun, or is over."""
    asked = Asked()
    assert not asked.window.restart()
    asked.window.start()
    asked.window.hold()
    asked.clock.advance(100)
    assert asked.over == []
    assert asked.window.restart()
    asked.window.asked_again(9)
    assert (asked.window.seqs, asked.window.deadline_ms) == ([7, 9], 115_000)
    asked.window.expired = True
    assert not asked.window.restart()
    asked.window.cancel()
    assert asked.clock.getDelayedCalls() == []


def test_a_window_that_begins_once_more_ends_once():
    """Also where it was not held before."""
    asked = Asked()
    asked.window.start()
    asked.clock.advance(10)
    assert asked.window.restart()
    asked.clock.advance(14)
    assert asked.over == []
    asked.clock.advance(100)
    assert asked.over == [asked.window]


@pytest.mark.parametrize("wish", ["close", "reopen", "settled", "wake"])
def test_what_a_state_does_not_know_is_an_error(wish):
    """A table that opens has no betting to close, no round that was settled, and no pause to end."""
    course = TableState(clock=Clock(), rested=lambda: None)
    with pytest.raises(NoTransition):
        getattr(table_machine(course), wish)()
    assert course.state == "waiting"


def test_no_timer_is_left_by_a_state():
    """Frozen, halted or closed: what waited for the clock waits no longer."""
    for end in ("freeze", "halt", "close"):
        lit = Lit()
        course = TableState(clock=lit.clock, rested=lambda: None)
        life = table_machine(course)
        life.open(lit.light)
        lit.light.bet()
        getattr(life, end)()
        assert (lit.clock.getDelayedCalls(), course.bets) == ([], None)
    for end in ("freeze", "halt"):
        clock = Clock()
        course = TableState(clock=clock, rested=lambda: None)
        life = table_machine(course)
        life.rest(5)
        assert course.state == "pausing"
        getattr(life, end)()
        assert clock.getDelayedCalls() == []
