"""The test of the tests, for seats of cash tables: blinds, debts, returns, absences and what a player has chosen.

A simulation for each bug takes long: `make soak` runs them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.poker import hand_plan
from pokerroom.poker.cash.buy_ins import BuyIns
from pokerroom.poker.cash.seat_manager import SeatManager
from pokerroom.poker.decisions import HandDecisions
from pokerroom.poker.pre_actions import PreActions
from pokerroom.poker.seat_facts import SeatFacts
from pokerroom.poker.seats import Seat
from pokerroom.rules.button import Owes
from pokerroom.rules.events import PostKind
from pokerroom.rules.planned_hand import HandPlan
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.faults import NONE, Fault
from pokerroom.table.absences import Absences
from pokerroom_protocol import messages as wire
from tests.simulation.planted import first_found, plant

pytestmark = pytest.mark.slow

LINES = frozenset({Fault.DISCONNECT, Fault.TAKEOVER})
CRASHES = frozenset({Fault.CRASH})


# --- button, blinds and debts (B1, B3, B7, B8) ------------------------------------------------------------------------


def changed_plans(monkeypatch: pytest.MonkeyPatch, change: Callable[[HandPlan], HandPlan]) -> None:
    """Every plan of a hand is changed so."""

    def changed(real: Any, *args: Any, **rest: Any) -> HandPlan | None:
        plan: HandPlan | None = real(*args, **rest)
        return None if plan is None else change(plan)

    plant(monkeypatch, hand_plan, "plan_hand", changed)


def test_a_first_button_for_another_player_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """B1: the lowest seat has the first button, and not the first player."""
    monkeypatch.setattr(
        SeatManager, "first_sitter", lambda seats: min(one.seat for one in seats.seats.candidates())
    )
    assert first_found(NONE, range(1, 2)) is Kind.BLINDS


def test_the_other_way_to_move_the_button_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """B3: a table with a dead button moves it, and the other way round."""

    def other(real: Any, *args: Any, moving_button: bool, **rest: Any) -> Any:
        return real(*args, moving_button=not moving_button, **rest)

    plant(monkeypatch, hand_plan, "plan_hand", other)
    assert first_found(NONE, range(2)) is Kind.BLINDS


def test_a_button_that_avoids_empty_seats_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """B3: where the dead button rests on an empty seat, the last player before that seat has it."""
    changed_plans(
        monkeypatch,
        lambda plan: replace(plan, positions=replace(plan.positions, button=plan.order[-1])),
    )
    assert first_found(NONE, range(11, 12)) is Kind.BLINDS


def test_a_newcomer_who_posts_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """B7: a newcomer comes in at once, without the big blind."""

    def free(plan: HandPlan) -> HandPlan:
        posts = {
            seat: replace(post, blind=0, blind_kind=None) if post.blind_kind is PostKind.live_post else post
            for seat, post in plan.posts.items()
        }
        return replace(plan, posts=posts)

    changed_plans(monkeypatch, free)
    assert first_found(NONE, range(1)) is Kind.BLINDS


def test_a_small_blind_that_is_missed_for_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """B8: a player that has missed both blinds owes the big blind alone."""

    def forgetful(real: Any, *args: Any) -> dict[int, Owes]:
        less = {Owes.both: Owes.big_blind, Owes.small_blind: Owes.nothing}
        return {seat: less.get(owes, owes) for seat, owes in real(*args).items()}

    plant(monkeypatch, hand_plan, "missed_blinds", forgetful)
    assert first_found(NONE, range(7, 8)) is Kind.BLINDS


def test_a_player_who_waits_and_has_to_post_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """B7: a player that has chosen to wait for the big blind is dealt in before it."""

    def now(real: Any, previous: Any, candidates: Any, *args: Any, **rest: Any) -> Any:
        return real(previous, [replace(one, posts_now=True) for one in candidates], *args, **rest)

    plant(monkeypatch, hand_plan, "plan_hand", now)
    assert first_found(NONE, range(7, 8)) is Kind.BLINDS


# --- coming back ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("times", [0, 2])
def test_a_return_with_another_amount_is_found(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """A player who comes back in time may bring less than they took, or has to bring more."""

    def other(real: Any, *args: Any) -> Any:
        return real(*args).addCallback(
            lambda amount: None if amount is None else type(amount)(times * amount)
        )

    plant(monkeypatch, MemoryLedger, "left_with", other)
    assert first_found(NONE, range(11, 12)) is Kind.BUY_IN


# --- absences (H6) ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [0.5, 3])
def test_an_absence_with_another_limit_is_found(monkeypatch: pytest.MonkeyPatch, factor: float) -> None:
    """H6: a seat is taken from its player after half of the limit, or after three times the limit."""

    def other(real: Any, absences: Any, clock: Any, limit_s: int, too_long: Any) -> None:
        real(absences, clock, limit_s * factor, too_long)

    plant(monkeypatch, Absences, "__init__", other)
    assert first_found(LINES, range(8, 9)) is Kind.AWAY


def test_sitting_out_for_ever_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """H6: a connected player sits out for longer than the table's limit."""

    def never(real: Any, absences: Absences[Seat], seat: Seat) -> None:
        if not (seat.connected and seat.stack):
            real(absences, seat)

    plant(monkeypatch, Absences, "expect", never)
    assert first_found(NONE, range(8, 9)) is Kind.AWAY


# --- what a player has chosen, after a restart, a reconnect and a new sitting -----------------------------------------


def test_a_decision_in_advance_for_the_next_hand_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pre-action outlives its hand, and decides in the next one."""
    monkeypatch.setattr(PreActions, "clear", lambda _pre_acts: None)
    assert first_found(NONE, range(1)) in {Kind.REQUEST, Kind.CLOCK}


def test_a_decision_in_advance_that_is_over_and_told_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A player who reconnects is told a pre-action of an earlier hand."""
    said: dict[int, wire.PreActView] = {}

    def noted(real: Any, pre_acts: PreActions, play: Any, seat: Seat, message: wire.PreAct) -> Any:
        said[seat.account] = wire.PreActView(action=message.action, call_amount=message.call_amount)
        return real(pre_acts, play, seat, message)

    plant(monkeypatch, PreActions, "put", noted)
    monkeypatch.setattr(HandDecisions, "pre_act_of", lambda _decisions, account: said.get(account))
    assert first_found(LINES, range(1)) is Kind.REQUEST


def test_options_that_a_crash_loses_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a restart every seat has the defaults."""

    def defaults(real: Any, facts: SeatFacts, seat: Seat) -> None:
        real(facts, seat)
        seat.straddles, seat.muck_losing, seat.auto_top_up_to = False, True, 0

    plant(monkeypatch, SeatFacts, "apply", defaults)
    assert first_found(CRASHES, range(7, 8)) is Kind.REQUEST


def test_options_of_an_earlier_sitting_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A player who sits down again has the options of the time before."""
    before: dict[tuple[SeatManager, int], Seat] = {}

    def left(real: Any, seats: SeatManager, seat: Seat) -> None:
        before[seats, seat.account] = seat
        real(seats, seat)

    def sat_down(real: Any, seats: SeatManager, seat: Seat) -> None:
        old = before.get((seats, seat.account), seat)
        seat.straddles, seat.muck_losing = old.straddles, old.muck_losing
        real(seats, seat)

    plant(monkeypatch, SeatManager, "left", left)
    plant(monkeypatch, SeatManager, "sat_down", sat_down)
    assert first_found(NONE, range(20, 21)) is Kind.REQUEST


def test_a_straddle_that_was_not_chosen_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """B6: every player straddles where the table has straddles."""

    def all_of_them(real: Any, previous: Any, candidates: Any, *args: Any, **rest: Any) -> Any:
        return real(previous, [replace(one, straddles=True) for one in candidates], *args, **rest)

    plant(monkeypatch, hand_plan, "plan_hand", all_of_them)
    assert first_found(NONE, range(1)) is Kind.REQUEST


def test_a_stack_topped_up_to_another_amount_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An automatic top-up is one chip less than what the player has chosen."""

    def less(real: Any, buy_ins: BuyIns, seat: Seat) -> None:
        chosen = seat.auto_top_up_to
        seat.auto_top_up_to = max(0, chosen - 1)
        real(buy_ins, seat)
        seat.auto_top_up_to = chosen

    plant(monkeypatch, BuyIns, "top_up_automatically", less)
    assert first_found(NONE, range(1)) is Kind.REQUEST
