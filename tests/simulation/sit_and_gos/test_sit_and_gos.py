"""Whole rooms of sit-and-gos in virtual time; and planted bugs are found, by the checker whose promise they break."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from click.testing import CliRunner

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.rules.ranking import any_five
from pokerroom.rules.tournament import tournament as rules_tournament
from pokerroom.rules.tournament.state import Tournament
from pokerroom.rules.variants import OMAHA
from pokerroom.simulation.checks import tournaments
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.cli import simulate_command
from pokerroom.simulation.faults import ALL, NONE, Fault
from pokerroom.simulation.games import GAMES
from pokerroom.simulation.run import run
from pokerroom.simulation.seeds import Trial, shrink
from pokerroom.simulation.sit_and_gos.scenario import sit_and_go_scenario
from pokerroom.tournament import starter
from pokerroom.tournament.director import Director
from pokerroom.tournament.seating import TournamentPolicy
from pokerroom.tournament.settings import TournamentSettings
from tests.effort import times
from tests.simulation.planted import paid_too_much, plant

run_sit_and_gos = partial(run, game="sit_and_go")
SEEDS = (0, 2, 5)
HANDS = 40


def kinds_found(seeds: Iterable[int] = SEEDS, faults: frozenset[Fault] = NONE) -> set[Kind]:
    """The promises found broken first, over some seeds."""
    outcomes = (run_sit_and_gos(seed, HANDS, faults) for seed in seeds)
    return {outcome.violations[0].kind for outcome in outcomes if outcome.violations}


def finds(kind: Kind, seeds: Iterable[int], faults: frozenset[Fault]) -> bool:
    """Whether the promise is the one found broken first at any of the seeds; stops at that one."""
    outcomes = (run_sit_and_gos(seed, HANDS, faults) for seed in seeds)
    return any(outcome.violations and outcome.violations[0].kind is kind for outcome in outcomes)


@pytest.mark.parametrize("seed", range(205, 205 + times(1)))
def test_with_every_fault_no_promise_is_broken(seed: int) -> None:
    """Places once, prizes are the pool, blinds of their level, nobody acts for the away, and all come to an end."""
    outcome = run_sit_and_gos(seed, HANDS, ALL)
    assert outcome.violations == ()
    assert outcome.hands >= HANDS


@pytest.mark.slow
def test_j2_some_are_of_omaha_and_hands_that_take_any_five_cards_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """J2: one room in five offers Omaha; ranked as hold'em it ends otherwise than the record's cards allow."""
    seeds = [seed for seed in range(2, 40) if sit_and_go_scenario(seed).config.sit_and_gos[0].game == "omaha"]
    assert run_sit_and_gos(seeds[0], HANDS, NONE).violations == ()
    monkeypatch.setattr(OMAHA, "combination", lambda evaluate, holes, board: max(
        any_five(evaluate, (one, other), board) for one in holes for other in holes if one < other
    ))  # fmt: skip
    assert finds(Kind.RESULT, seeds, NONE)


@pytest.mark.slow  # `test_determinism` compares two runs of a cash room
def test_the_same_seed_is_the_same_run() -> None:
    """To the byte."""
    one, two = (run_sit_and_gos(0, 1, ALL) for _ in range(2))
    assert (one.transcript, one.hands) == (two.transcript, two.hands)


def test_the_command_runs_them_and_says_how_to_see_a_failure_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it does for cash tables; every game has its name."""
    asked = ["--game", "sit_and_go", "--seeds", "0", "--hands", "1", "--jobs", "1"]
    assert CliRunner().invoke(simulate_command, asked).exit_code == 0
    choice = next(option.type for option in simulate_command.params if option.name == "game")
    assert list(choice.choices) == list(GAMES)

    plant(monkeypatch, MemoryLedger, "pay_place", paid_too_much)
    failure = run_sit_and_gos(2, 5, NONE)
    small = shrink(failure, Trial(seed=failure.seed, hands=5, faults=NONE, game="sit_and_go"), within_s=0)
    assert small.command == "pokerroom simulate --game sit_and_go --seeds 2 --hands 5 --faults none"


def test_another_first_button_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """B1: seat 2 has the first button."""
    monkeypatch.setattr(rules_tournament, "FIRST_BUTTON", 2)
    assert kinds_found(SEEDS[:1]) == {Kind.BLINDS}


def test_a_moving_button_in_a_tournament_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """B3: tournaments have the dead button."""

    def moving(real: Callable[..., Any], *args: Any, **rest: Any) -> Any:
        return real(*args, **rest, moving_button=True)

    plant(monkeypatch, rules_tournament, "plan_hand", moving)
    assert kinds_found((9,)) == {Kind.BLINDS}


def test_a_chip_made_between_hands_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next hand begins with one chip more than the ledger counts."""

    def made(real: Callable[..., Any], policy: TournamentPolicy, play: Any, *accounts: Any) -> None:
        real(policy, play, *accounts)
        next(iter(policy._seats.seats)).stack += 1  # private: a planted chip

    plant(monkeypatch, TournamentPolicy, "settled", made)
    found = kinds_found()
    assert found
    assert found <= {Kind.CHIPS, Kind.FAULT}


@pytest.mark.slow
def test_blinds_of_another_level_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hand is played by the third level's blinds, and the next one by the first's again."""
    hands = iter(range(10**9))

    def other(real: Callable[..., Any], settings: TournamentSettings, level: Any) -> Any:
        wrong = settings.terms.schedule.levels[2] if next(hands) % 7 == 3 else level
        return real(settings, wrong)

    plant(monkeypatch, TournamentSettings, "at", other)
    assert kinds_found() & {Kind.TIMEOUT, Kind.FAULT, Kind.RESULT}


@pytest.mark.slow
def test_prizes_that_are_shared_wrongly_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last two swap what they have won, behind the ledger's check of the sum."""

    def swapped(real: Callable[..., Any], *args: Any, **named: Any) -> Any:
        tournament, epoch, best, places = args[1:]
        if len(places) > 1:
            places = [replace(places[0], account=places[1].account), *places[1:]]
        return real(args[0], tournament, epoch, best, places, **named)

    plant(monkeypatch, MemoryLedger, "give_places", swapped)
    found = kinds_found()
    assert found
    assert found <= {Kind.PLACES, Kind.FAULT}


def test_a_place_of_who_has_chips_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody is placed while another one is out."""

    def wrong(real: Callable[..., Any], director: Director, standings: Any) -> Any:
        alive = [player.account for player in director.here.players if player.chips]
        if len(standings) == 1 and standings[0].number > 1 and len(alive) > 1:
            standings = [replace(standings[0], account=alive[0])]
        return real(director, standings)

    plant(monkeypatch, Director, "_give", wrong)  # private: a planted fault
    assert kinds_found() & {Kind.PLACES, Kind.FAULT}


@pytest.mark.slow
def test_a_prize_made_in_the_ledger_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A payout takes one unit less from the escrow than it brings to the wallet."""

    def paid(real: Callable[..., Any], ledger: MemoryLedger, tournament: str, number: int) -> Any:
        result = real(ledger, tournament, number)
        ledger._balances["wallet:1"] += 1  # private: a planted chip
        return result

    plant(monkeypatch, MemoryLedger, "pay_place", paid)
    assert kinds_found() == {Kind.CHIPS}


@pytest.mark.slow
def test_who_is_away_and_is_waited_for_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """H5: his clock runs, and then the clock checks for him."""
    plant(monkeypatch, TournamentPolicy, "absent", lambda _real, _table, _seat: False)
    assert finds(Kind.TIMEOUT, range(4), frozenset({Fault.CLOCK, Fault.DISCONNECT, Fault.SILENCE}))


@pytest.mark.slow
def test_who_is_put_all_in_by_the_clock_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """H5: in a tournament nobody is protected."""
    plant(monkeypatch, TournamentPolicy, "protected", lambda _real, _table, _seat: True)
    assert finds(Kind.TIMEOUT, range(8), frozenset({Fault.CLOCK}))


@pytest.mark.slow
def test_a_tournament_that_does_not_go_on_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """After its first hand no other is dealt."""

    def stopped(real: Callable[..., Any], director: Director, table: Any) -> Any:
        return None if director.here.table(1).hands else real(director, table)

    plant(monkeypatch, Director, "_order", stopped)  # private: a planted fault
    monkeypatch.setattr(tournaments, "STUCK_S", 60.0)
    outcome = run_sit_and_gos(0, 100_000, NONE)  # new ones begin all the time, and play their first hand
    assert outcome.violations[0].kind is Kind.PROGRESS


def test_a_lost_draw_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a crash the seats are drawn again, and the ledger is told so."""

    def drawn(real: Callable[..., Any], tournament: Tournament, random_bytes: bytes) -> Any:
        after, events = real(tournament, random_bytes)
        first, *rest = after.players
        return replace(after, players=(first, *rest[:-1], replace(rest[-1], account=first.account))), events

    plant(monkeypatch, starter.rules, "start", drawn)
    assert kinds_found() & {Kind.FAULT, Kind.PLACES}


@pytest.mark.slow
def test_the_room_as_it_is_passes() -> None:
    """What the planted bugs are measured against."""
    assert kinds_found() == set()
    assert kinds_found(range(3, 6), frozenset({Fault.CLOCK})) == set()
