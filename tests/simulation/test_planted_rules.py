"""The test of the tests, for results, clocks, wishes and delays: a bug planted in the room is found for what it is.

A simulation for each bug takes long: `make soak` runs them; an everyday run has those of `test_planted`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pokerroom.poker import hands as table_hands
from pokerroom.poker import views
from pokerroom.poker.cash import seat_manager, seat_requests
from pokerroom.poker.cash import seating as cash_seating
from pokerroom.poker.play import HandPlay
from pokerroom.poker.pre_actions import PreActions
from pokerroom.poker.seat_facts import SeatFacts
from pokerroom.rules import hand as rules_hand
from pokerroom.rules import showdown
from pokerroom.rules.actions import RaiseTo
from pokerroom.rules.cards import card_text
from pokerroom.rules.events import HandMucked, HandShown, PotWon
from pokerroom.rules.setup import HandSetup, PlayerSetup
from pokerroom.simulation import habits
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.client import SimulatedClient
from pokerroom.simulation.faults import ALL, NONE, Dice, Fault
from pokerroom.table.clock import ActionClock, Alarm
from pokerroom.table.outbox import Outbox
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.spectator_delay import SpectatorDelay
from pokerroom.table.viewer import Broadcast
from pokerroom_protocol import messages as wire
from tests.simulation.planted import first_found, plant

pytestmark = pytest.mark.slow

CLOCK = frozenset({Fault.CLOCK})
LINES = frozenset({Fault.CLOCK, Fault.DISCONNECT, Fault.TAKEOVER})
FEW = range(12)


# --- amounts and results ----------------------------------------------------------------------------------------------


def test_a_raise_of_another_amount_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An acknowledged raise is played, recorded and told as the smallest one."""

    def least(real: Any, play: HandPlay, seat: int, action: Any) -> Any:
        low = play.legal().min_raise_to
        return real(play, seat, RaiseTo(amount=low) if isinstance(action, RaiseTo) and low else action)

    plant(monkeypatch, HandPlay, "act", least)
    assert first_found(NONE, FEW) is Kind.ACKNOWLEDGED


def test_a_raise_of_another_amount_in_the_record_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The record alone has another amount than was acknowledged and told."""

    def other(real: Any, play: HandPlay, ended_ms: int) -> dict[str, Any]:
        record: dict[str, Any] = real(play, ended_ms)
        record["events"] = [
            (*event[:3], event[3] + 1, *event[4:]) if event[0] in {"bet", "raise"} else event
            for event in record["events"]
        ]
        return record

    plant(monkeypatch, HandPlay, "record", other)
    assert first_found(NONE, FEW) is Kind.ACKNOWLEDGED


@pytest.mark.parametrize(
    ("name", "bug"),
    [
        ("share_out", lambda _, amount, eligible, _ranks, _unit: ((eligible[0], amount),)),
        ("layers", lambda real, live, dead, _contesting: [
            (amount, tuple(range(len(live)))) for amount, _ in real(live, dead, _contesting)
        ]),
        ("layers", lambda real, live, dead, contesting: [
            (sum(amount for amount, _ in real(live, dead, contesting)), tuple(contesting))
        ]),
    ],
    ids=["another wins", "folded hands win (F2)", "all contest everything (F2, H3)"],
)  # fmt: skip
def test_a_wrong_winner_is_found(monkeypatch: pytest.MonkeyPatch, name: str, bug: Callable[..., Any]) -> None:
    """Pots go to whom they must not, told and booked alike."""
    plant(monkeypatch, showdown, name, bug)
    assert first_found(ALL, FEW) is Kind.RESULT


def test_an_odd_chip_for_the_wrong_winner_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """F3: the odd chip goes to the last left of the button instead of the first."""

    def last(real: Any, amount: int, eligible: Any, ranks: Any, unit: int) -> Any:
        won = real(amount, eligible, ranks, unit)
        return tuple((player, share) for (player, _), (_, share) in zip(won, reversed(won), strict=True))

    plant(monkeypatch, showdown, "share_out", last)
    assert first_found(NONE, range(18, 40)) is Kind.RESULT


def test_an_odd_chip_of_a_side_pot_for_the_wrong_winner_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """F2, F3: only where not all contest the pot. Every board is a royal flush here: all hands tie."""

    def tied(real: Any, settings: Any, plan: Any, seats: Any, deck: Any) -> HandSetup:
        top = [card for card in deck if card_text(card) in {"As", "Ks", "Qs", "Js", "Ts"}]
        rest = [card for card in deck if card not in top]
        burns = 2 * len(seats)
        dealt = [*rest[: burns + 1], *top[:3], rest[burns + 1], top[3], rest[burns + 2], top[4]]
        setup: HandSetup = real(settings, plan, seats, (*dealt, *rest[burns + 3 :]))
        return setup

    contesting: list[int] = []

    def noted(real: Any, state: Any, events: list[Any], **rest: Any) -> None:
        contesting[:] = state.contesting()
        real(state, events, **rest)

    def last(real: Any, amount: int, eligible: Any, ranks: Any, unit: int) -> Any:
        won = real(amount, eligible, ranks, unit)
        if len(eligible) == len(contesting):
            return won
        return tuple((player, share) for (player, _), (_, share) in zip(won, reversed(won), strict=True))

    plant(monkeypatch, table_hands, "setup_of", tied)
    plant(monkeypatch, rules_hand, "award_showdown", noted)
    plant(monkeypatch, showdown, "share_out", last)
    assert first_found(NONE, range(4, 40)) is Kind.RESULT


def _more(real: Any, terms: Any, pots: Any, players: int, *, flop: bool) -> list[int]:
    """A unit too much, of the main pot."""
    taken = real(terms, pots, players, flop=flop)
    return [taken[0] + terms.unit, *taken[1:]] if sum(taken) and pots[0] > 2 * sum(taken) else taken


def _always(real: Any, terms: Any, pots: Any, players: int, *, flop: bool) -> list[int]:
    """Also before the flop."""
    return real(terms, pots, players, flop=True)


def _heads_up(real: Any, terms: Any, pots: Any, players: int, *, flop: bool) -> list[int]:
    """With the cap of two players."""
    return real(terms, pots, 2, flop=flop)


def _of_the_first(_: Any, rake: int, contributed: Any) -> list[int]:
    """The first left of the button bears it all."""
    return [rake, *[0] * (len(contributed) - 1)]


@pytest.mark.parametrize(
    ("name", "bug", "seeds"),
    [
        ("rake_of_pots", _more, FEW),
        ("rake_of_pots", _always, range(30)),
        ("rake_of_pots", _heads_up, range(30, 60)),
        ("attributed", _of_the_first, FEW),
    ],
)
def test_another_rake_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, bug: Callable[..., Any], seeds: range
) -> None:
    """F4, F5: too much, before the flop, another cap, another player: taken, told and booked alike."""
    plant(monkeypatch, showdown, name, bug)
    assert first_found(NONE, seeds) is Kind.RESULT


def test_a_rake_of_which_players_are_not_told_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger takes it, and the pot is told without it."""

    def silent(real: Any, play: HandPlay, event: Any, seq: int, **named: Any) -> Broadcast:
        if isinstance(event, PotWon):
            shared = sum(share for _, share in event.shares)
            event = PotWon(pot=event.pot, amount=shared, shares=event.shares)
        return real(play, event, seq, **named)

    plant(monkeypatch, views, "step", silent)
    assert first_found(NONE, range(24, 48)) is Kind.RESULT


def test_a_raise_that_is_too_small_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """D1: one chip more than the bet is taken for a raise."""

    def tiny(real: Any, state: Any, player: int) -> Any:
        legal = real(state, player)
        if legal.min_raise_to is None:
            return legal
        return type(legal)(
            player=legal.player,
            check=legal.check,
            call_amount=legal.call_amount,
            min_raise_to=min(legal.min_raise_to, state.current_bet + 1),
            max_raise_to=legal.max_raise_to,
        )

    plant(monkeypatch, rules_hand, "turn_of", tiny)
    assert first_found(NONE, FEW) is Kind.RESULT


def test_a_blind_of_the_wrong_size_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """B2: the small blind is one chip more than the table's."""

    def larger(real: Any, *args: Any) -> HandSetup:
        setup = real(*args)

        def player(old: PlayerSetup) -> PlayerSetup:
            values = {name: getattr(old, name) for name in PlayerSetup.__slots__}
            more = old.blind_kind is not None and old.blind_kind.value == "small_blind"
            return PlayerSetup(**{**values, "blind": old.blind + more})

        values = {name: getattr(setup, name) for name in HandSetup.__slots__}
        return HandSetup(**{**values, "players": tuple(map(player, setup.players))})

    plant(monkeypatch, table_hands, "setup_of", larger)
    assert first_found(NONE, FEW) is Kind.RESULT


def test_a_button_that_rests_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """B3: every hand is planned as if it were the table's first."""
    plant(
        monkeypatch,
        cash_seating,
        "next_hand",
        lambda real, settings, seats, _previous, **rest: real(settings, seats, None, **rest),
    )
    assert first_found(NONE, FEW) is Kind.BLINDS


def test_a_deck_that_is_not_shuffled_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """K1: the same cards come in the same order again."""
    plant(
        monkeypatch,
        table_hands,
        "shuffled",
        lambda real, deck, random_bytes: sorted(real(deck, random_bytes)),
    )
    assert first_found(NONE, FEW) is Kind.CARDS


def test_a_beaten_hand_that_is_shown_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """G3: a beaten hand that its player mucks is shown all the same."""

    def shown(real: Any, state: Any, events: list[Any], **rest: Any) -> None:
        real(state, events, **rest)
        for at, event in enumerate(events):
            if isinstance(event, HandMucked):
                holes = state.setup.players[event.player].holes
                rank = state.setup.variant.rank(holes, state.board)
                events[at] = HandShown(player=event.player, cards=holes, rank=rank)

    plant(monkeypatch, rules_hand, "award_showdown", shown)
    assert first_found(NONE, FEW) is Kind.RESULT


def test_an_all_in_hand_that_is_not_shown_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """G2: with a player all-in one live hand stays hidden."""

    def without_last(real: Any, state: Any, events: list[Any]) -> None:
        real(state, events)
        events.pop()

    plant(monkeypatch, rules_hand, "show_all", without_last)
    assert first_found(NONE, FEW) is Kind.RESULT


# --- the clock --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("late_s", [-0.001, 0.45])
def test_a_clock_that_rings_at_another_time_is_found(monkeypatch: pytest.MonkeyPatch, late_s: float) -> None:
    """H1: a millisecond early, or less than half a second late."""
    plant(monkeypatch, Alarm, "set", lambda real, alarm, seconds, ring: real(alarm, seconds + late_s, ring))
    assert first_found(CLOCK, FEW) is Kind.CLOCK


def test_a_time_bank_that_is_not_given_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The decision is taken when the clock is over, and the bank is told and never runs."""

    def without_bank(real: Any, clock: ActionClock, *args: Any, expired: Any, **named: Any) -> None:
        real(clock, *args, **{**named, "asked_again": expired, "expired": expired})

    plant(monkeypatch, ActionClock, "__init__", without_bank)
    assert first_found(CLOCK, range(3, 15)) is Kind.CLOCK


def test_a_time_bank_that_is_never_used_up_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a decision has taken from the bank is there again at the next."""
    monkeypatch.setattr(ActionClock, "time_bank_left_ms", lambda _: 10_000)
    assert first_found(CLOCK, FEW) is Kind.CLOCK


@pytest.mark.parametrize("protected", [False, True])
def test_a_wrong_decision_of_the_clock_is_found(monkeypatch: pytest.MonkeyPatch, protected: bool) -> None:
    """H2: every player is protected whatever the table's setting and the allowance, or no player is."""
    monkeypatch.setattr(cash_seating.CashPolicy, "protected", lambda _policy, _seat: protected)
    assert first_found(CLOCK, FEW) is Kind.TIMEOUT


def test_timeouts_that_the_ledger_does_not_count_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """H2: the uses of a hand do not go to the ledger with it."""
    plant(
        monkeypatch,
        HandPlay,
        "settlement",
        lambda real, *args: replace(real(*args), timeout_all_ins=()),
    )
    assert first_found(CLOCK, FEW) is Kind.TIMEOUT


def test_a_reconnect_without_more_time_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """H4: a player that returns in time gets nothing."""
    monkeypatch.setattr(ActionClock, "grace", lambda _: False)
    assert first_found(LINES, range(30)) is Kind.TIMEOUT


@pytest.mark.parametrize("in_the_bank", [False, True])
def test_more_time_for_a_second_reconnect_is_found(
    monkeypatch: pytest.MonkeyPatch, in_the_bank: bool
) -> None:
    """H4: a reconnect gives the countdown again, always or while the time bank runs. The lines break often here."""

    def always(real: Any, clock: ActionClock) -> bool:
        if clock.deadline.in_time_bank or not in_the_bank:
            clock._graced = False  # private: the clock forgets what it has given
        return bool(real(clock))

    def often(real: Any, dice: Dice, fault: Fault, one_in: float) -> bool:
        return bool(real(dice, fault, one_in / 400 if fault is Fault.DISCONNECT else one_in))

    plant(monkeypatch, ActionClock, "grace", always)
    plant(monkeypatch, Dice, "strikes", often)
    assert first_found(LINES, range(30)) is Kind.TIMEOUT


def test_a_player_who_times_out_again_and_again_and_plays_on_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """H6: no player is sat out."""
    monkeypatch.setattr(seat_manager, "sit_out_the_timed_out", lambda *_args, **_rest: None)
    assert first_found(CLOCK, range(16, 42)) is Kind.TIMEOUT


# --- wishes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sit_out", "stand_up"])
def test_a_wish_that_is_acknowledged_and_forgotten_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The answer is `ok`, and nothing else follows."""

    def forgotten(_wishes: Any, viewer: Any, message: Any) -> None:
        viewer.deliver(Outgoing(wire.Ok(re=message.id)))

    monkeypatch.setattr(seat_requests.SeatRequests, name, forgotten)
    assert first_found(NONE, FEW) is Kind.REQUEST


def test_wishes_that_a_crash_loses_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a restart every player plays on, also who had wished to sit out or to leave."""
    monkeypatch.setattr(SeatFacts, "apply", lambda _facts, _seat: None)
    assert first_found(frozenset({Fault.CRASH, Fault.ACTOR}), range(40)) in {Kind.REQUEST, Kind.BLINDS}


def decide_ahead_often(monkeypatch: pytest.MonkeyPatch, *, cancel: bool) -> None:
    """Every player decides in advance whenever another player is asked, and perhaps takes it back at once."""

    def happened(real: Any, person: SimulatedClient, happening: Any) -> None:
        real(person, happening)
        snapshot = person.session.tables.get(getattr(happening, "table", ""))
        seat = None if snapshot is None else habits.own_seat(snapshot)
        if isinstance(happening, wire.Turn) and snapshot is not None and seat is not None and seat.in_hand:
            habits._decide_ahead(person, snapshot, seat)  # private: no bug, but rare with public habits
            if cancel:
                person.ask(wire.CancelPreAct(id=0, table=snapshot.table))

    plant(monkeypatch, SimulatedClient, "_happened", happened)  # private: as above


def test_a_decision_in_advance_at_another_price_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is taken although the price has changed."""
    decide_ahead_often(monkeypatch, cancel=False)
    assert first_found(NONE, range(1)) is None
    monkeypatch.setattr(PreActions, "void", lambda _pre_acts, _play: [])
    assert first_found(NONE, FEW) is Kind.REQUEST


def test_a_decision_in_advance_that_was_taken_back_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is taken although `ok` was said to its end."""
    decide_ahead_often(monkeypatch, cancel=True)
    assert first_found(NONE, range(1)) is None
    monkeypatch.setattr(PreActions, "cancel", lambda _pre_acts, _account: None)
    assert first_found(NONE, FEW) is Kind.REQUEST


def test_acting_for_a_player_later_than_they_decided_for_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A decision in advance answers one turn: taken for a second one it is no player's, also after a refused one."""
    decide_ahead_often(monkeypatch, cancel=False)
    everything = wire.PreActView(action="fold_to_any_bet")
    said: set[int] = set()

    def noted(real: Any, pre_acts: PreActions, play: HandPlay, seat: Any, message: wire.PreAct) -> Any:
        said.add(seat.account)
        return real(pre_acts, play, seat, message)

    plant(monkeypatch, PreActions, "put", noted)
    monkeypatch.setattr(PreActions, "of", lambda _pre_acts, account: everything if account in said else None)
    monkeypatch.setattr(PreActions, "take", lambda pre_acts, account: pre_acts.of(account))
    assert first_found(NONE, FEW) in {Kind.REQUEST, Kind.CLOCK}


# --- delays, and what a fault excuses ---------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [0.0, 0.5])
def test_an_observer_who_sees_too_early_is_found(monkeypatch: pytest.MonkeyPatch, factor: float) -> None:
    """A delayed table is shown at once, or after half of the delay."""

    def early(real: Any, spectator_delay: SpectatorDelay, *, delay_s: int, **rest: Any) -> None:
        real(spectator_delay, delay_s=factor * delay_s, **rest)

    plant(monkeypatch, SpectatorDelay, "__init__", early)
    assert first_found(NONE, range(2, 32)) is Kind.DELAY


def test_a_gap_at_a_table_is_found_though_another_was_struck(monkeypatch: pytest.MonkeyPatch) -> None:
    """An injected fault excuses the table that froze, and no other; and that one only until it goes on."""
    struck: list[Any] = []

    def skipping(real: Any, outbox: Outbox, broadcasts: list[Broadcast]) -> None:
        notices = [one for one in broadcasts if isinstance(one.public.message, wire.TableNotice)]
        struck.extend(outbox for one in notices if one.public.message.state == "frozen")  # type: ignore[union-attr] # a notice
        if struck and struck[0] is not outbox and len(broadcasts) > 1:
            broadcasts = broadcasts[1:]
        real(outbox, broadcasts)

    plant(monkeypatch, Outbox, "_broadcast", skipping)  # private: an event is lost after it was queued
    assert first_found(frozenset({Fault.ACTOR}), range(20)) is Kind.ORDER
    assert struck
