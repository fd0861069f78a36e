"""Whole rooms of tournaments with several tables in virtual time; and planted bugs are found by their checker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from pokerroom.chips import Money
from pokerroom.history import knockouts
from pokerroom.ledger.memory.tournament_state import MemoryTournament
from pokerroom.ledger.memory.tournaments import MemoryTournaments
from pokerroom.rules.button import Owes
from pokerroom.rules.tournament import seat_awards, state, step
from pokerroom.rules.tournament import tournament as rules_tournament
from pokerroom.rules.tournament.entries import Entries
from pokerroom.simulation.checks import tournaments
from pokerroom.simulation.checks.hand_for_hand import HandForHand
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.faults import ALL, NONE, Fault
from pokerroom.simulation.run import run
from pokerroom.tournament import director
from tests.effort import EFFORT, times
from tests.simulation.planted import plant

run_field = partial(run, game="mtt")
SEED = 18
SCHEDULED = 7
"""A seed of tournaments that start at a time, as every odd one, at which players come late."""
FIELD = 4
"""A seed of several tables, some hands apart from each other before the money."""
SHORT = 2
"""A seed at which a table loses three players while another one plays a long hand."""
TICKETS = 5
"""A seed of satellites and their target, with few players."""
SATELLITE = 29
"""A seed of satellites and their target, where players go out together in the last hand."""
HANDS = 40
HANDS_WITH_FAULTS = 10 if EFFORT == 1 else HANDS


def first_kind() -> Kind | None:
    """The promise that is found broken first."""
    found = run_field(SEED, HANDS, NONE).violations
    return found[0].kind if found else None


@pytest.mark.parametrize(
    "seed", [SCHEDULED, TICKETS, *range(FIELD, FIELD - 1 + times(1))]
)  # the last in `make soak`
def test_with_every_fault_no_promise_is_broken(seed: int) -> None:
    """Seats, moves, places and prizes, whichever node of a table or of the tournament dies."""
    outcome = run_field(seed, HANDS_WITH_FAULTS, ALL)
    assert outcome.violations == ()
    assert outcome.hands >= HANDS_WITH_FAULTS


def test_a_hand_that_was_dealt_before_entries_closed_goes_on() -> None:
    """L2: players that are out get their places when entries close, which may be in the middle of a hand."""
    assert run_field(11, 1, frozenset({Fault.CRASH, Fault.LEDGER})).violations == ()


@pytest.mark.slow
def test_tables_that_stay_uneven_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L4, L5: no player ever moves. A minute is enough at this seed, at which no promise is broken without the bug."""
    monkeypatch.setattr(tournaments, "UNEVEN_S", 60.0)
    assert run_field(SEED, HANDS, NONE).violations == ()
    monkeypatch.setattr(director, "moves_due", lambda *_: ())
    assert run_field(SEED, HANDS, NONE).violations[0].kind is Kind.PROGRESS


def test_a_move_that_balances_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L5: a player goes to a table that is as large."""

    def needless(real: Callable[..., Any], tables: Any, order: Any, **rest: Any) -> Any:
        found = real(tables, order, **rest)
        sizes = {table.number: table for table in tables}
        if found is None and len(sizes) > 1 and set(rest["at_rest"]) & sizes.keys():
            gives = next(sizes[number] for number in rest["at_rest"])
            takes = next(table for number, table in sizes.items() if number != gives.number)
            if takes.open_seats and gives.size > 1:
                seat, account = next(iter(gives.players.items()))
                return step.SeatMove(
                    account=account,
                    from_table=gives.number,
                    from_seat=seat,
                    to_table=takes.number,
                    to_seat=min(takes.open_seats),
                    reason=step.MoveReason.balance,
                    owes=Owes.balanced,
                )
        return found

    plant(monkeypatch, step, "_is_even", lambda real, *args: False)  # private: skips even tables
    plant(monkeypatch, step, "balancing_move", needless)
    assert first_kind() is Kind.PLACES


@pytest.mark.slow
def test_a_mover_that_does_not_wait_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L6: a player comes in for free, as if they had always been there."""

    def free(real: Callable[..., Any], tournament: Any, moves: Any) -> Any:
        return real(tournament, [replace(move, owes=Owes.nothing) for move in moves])

    plant(monkeypatch, director, "moved", free)
    assert run_field(2, HANDS, NONE).violations[0].kind is Kind.BLINDS


def test_a_big_blind_that_passes_players_who_came_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L6: the hands are planned without players who wait after a move, so the big blind goes past them."""

    def without(real: Callable[..., Any], previous: Any, candidates: Any, *rest: Any, **named: Any) -> Any:
        stayed = [one for one in candidates if one.owes is Owes.nothing]
        return real(previous, stayed if len(stayed) > 1 else candidates, *rest, **named)

    plant(monkeypatch, rules_tournament, "plan_hand", without)
    found = run_field(SCHEDULED, HANDS, NONE).violations[0]
    assert (found.kind, found.line.startswith("the big blind is")) == (Kind.BLINDS, True)


def test_tables_that_do_not_wait_for_each_other_before_the_money_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """L8: every table goes on dealing. The first test has the seed without the bug."""
    plant(monkeypatch, state, "is_hand_for_hand", lambda *_, **__: False)
    found = run_field(FIELD, HANDS, NONE).violations
    assert [(one.kind, "hand for hand" in one.line) for one in found[:1]] == [(Kind.PLACES, True)]


def test_hand_for_hand_is_not_due_while_a_table_is_frozen() -> None:
    """L8: its last hand may be in the ledger, unknown to the room; a table that freezes later is waited for."""
    for is_frozen, found in ((True, None), (False, "table 2 has had 3 hands since it is hand for hand")):
        followed = HandForHand(paid=4)
        followed.left([2, 3], 0, is_frozen=is_frozen)
        told = [followed.dealt(2, at_ms, {1: 2, 2: 3}) for at_ms in (1, 2, 3)]
        assert told[:2] == [None, None]
        assert (told[2] or "").startswith(found or "")
        assert (told[2] is None) is is_frozen


@pytest.mark.slow
def test_a_table_that_a_fault_has_frozen_makes_no_other_wait() -> None:
    """L7: no player can come from it. The checkers learn of it as viewers do."""
    assert run(198, 15, ALL, game="mtt").violations == ()


@pytest.mark.slow
def test_a_short_table_that_does_not_wait_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L7: a table deals with three players less than the largest."""
    assert run_field(SHORT, HANDS, NONE).violations == ()
    plant(monkeypatch, step, "halted_tables", lambda *_: frozenset())
    found = run_field(SHORT, HANDS, NONE).violations
    assert [(one.kind, "L7" in one.line) for one in found[:1]] == [(Kind.PLACES, True)]


@pytest.mark.slow
def test_a_late_player_that_does_not_wait_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L3, L6: one that enters late comes in for free; without the bug no promise is broken at this seed."""
    assert run_field(SCHEDULED, HANDS, NONE).violations == ()

    def free(real: Callable[..., Any], tournament: Any, account: int, *seat: int) -> Any:
        found = real(tournament, account, *seat)
        return found.with_players({account: replace(found.player(account), owes=Owes.nothing)})

    plant(monkeypatch, rules_tournament, "enter_late", free)
    assert run_field(SCHEDULED, HANDS, NONE).violations[0].kind is Kind.BLINDS


def test_prizes_that_reward_the_worse_place_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L11: as entries close, the prizes are fixed in the wrong order."""
    plant(
        monkeypatch,
        rules_tournament,
        "prizes_due",
        lambda real, tournament: tuple(reversed(real(tournament))),
    )
    assert run_field(SCHEDULED, HANDS, NONE).violations[0].kind is Kind.PLACES


def test_prizes_of_another_table_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L11: the places that are paid share the pool equally."""

    def equal(real: Callable[..., Any], tournament: Any) -> tuple[Money, ...]:
        prizes = real(tournament)
        each, left = divmod(sum(prizes), len(prizes))
        return tuple(Money(each + (place < left)) for place, _ in enumerate(prizes))

    plant(monkeypatch, rules_tournament, "prizes_due", equal)
    found = run_field(SCHEDULED, HANDS, NONE).violations[0]
    assert (found.kind, "by the prize table" in found.line) == (Kind.PLACES, True)


BOUNTIES = 3
"""A seed of a tournament with progressive bounties."""


@pytest.mark.slow  # another search for a planted bug
def test_a_bounty_for_the_winner_of_the_main_pot_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L13: the head goes to the winner of the first pot, though another one took the last chip. Else all is kept."""
    assert run_field(BOUNTIES, 12, NONE).violations == ()
    plant(monkeypatch, knockouts, "bounty_winners", lambda _, pots, account: pots[0].winners)
    assert run_field(BOUNTIES, 12, NONE).violations[0].kind is Kind.BOUNTY


SALES = 11
"""A seed of a tournament with rebuys."""


@pytest.mark.slow  # another search for a planted bug
def test_prizes_without_the_rebuys_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L2: the room and its ledger forget them alike. Else all is kept."""
    assert run_field(SALES, 1, NONE).violations == ()
    part = property(lambda entries: Money(entries.terms.entry.prize * entries.count))
    monkeypatch.setattr(Entries, "prize_parts", part)
    monkeypatch.setattr(MemoryTournament, "parts", lambda found: found.opening.part * found.row().bought)
    assert run_field(SALES, 1, NONE).violations[0].kind is Kind.PLACES


@pytest.mark.slow
def test_a_satellite_that_plays_on_after_its_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L14: no table hears that each player left has a seat. Without the bug no promise is broken at this seed."""
    assert run_field(SATELLITE, HANDS, ALL).violations == ()
    monkeypatch.setattr(state.Tournament, "seats_won", False)
    assert "L14" in run_field(SATELLITE, HANDS, NONE).violations[0].line


@pytest.mark.slow
def test_a_seat_for_the_smaller_stack_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L14: of two out in the last hand the one with fewer chips at its start gets the ticket."""

    def turned(real: Callable[..., Any], order: Any, *rest: Any) -> Any:
        return real(order[::-1], *rest)

    plant(monkeypatch, seat_awards, "last_seats", turned)
    found = [one.line for one in run_field(SATELLITE, 80, NONE).violations]
    assert any("more chips in that hand" in line for line in found)


@pytest.mark.slow
def test_a_ticket_that_is_paid_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """L14: an entry uses a ticket, and the player keeps it."""

    def kept(real: Callable[..., Any], *args: Any, **named: Any) -> Any:
        entry = real(*args, **named)
        if entry.ticket is not None:
            args[0]._tickets[entry.ticket].used = False  # private: where the ledger in memory keeps them
        return entry

    plant(monkeypatch, MemoryTournaments, "_paid_entry", kept)  # private: what a lost update would do
    found = run_field(SATELLITE, 80, NONE).violations
    assert any(one.kind is Kind.CHIPS and "tickets" in one.line for one in found)
