"""Whole rooms of tables of Ultimate: seeds with every fault pass, and a bug planted in the real room is found.

Each planted bug is found by the checker whose promise it breaks.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from functools import partial
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec import structs

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.rules.cards import Card, card_text
from pokerroom.rules.ultimate import settlement as rules_settlement
from pokerroom.simulation import run as simulation_run
from pokerroom.simulation.checks.ultimate_rounds import UltimateRoundChecker
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.cli import simulate_command
from pokerroom.simulation.faults import ALL, NONE, Fault, InjectedFault
from pokerroom.simulation.faulty_dependencies import FaultyObserver
from pokerroom.simulation.simulated_room import SimulatedRoom
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Broadcast
from pokerroom.ultimate import clocks, journal, recovery, views
from pokerroom.ultimate.decisions import RoundDecisions
from pokerroom.ultimate.play import Choice, Expired, RoundPlay
from pokerroom.ultimate.rounds import RoundRunner
from pokerroom_protocol import messages as wire
from tests.compiled import replaces_parts
from tests.effort import times
from tests.simulation.planted import add_chip, announcer, plant

run_ultimate = partial(simulation_run.run, game="ultimate")
ROUNDS = 20


def texts(cards: Iterable[Card]) -> list[str]:
    return [card_text(card) for card in cards]


SEEDS = range(4)


def first_found(faults: frozenset[Fault] = NONE, seeds: Iterable[int] = SEEDS) -> Kind | None:
    """The promise found broken first at the first seed where any is."""
    for seed in seeds:
        violations = run_ultimate(seed, ROUNDS, faults).violations
        if violations:
            return violations[0].kind
    return None


@pytest.mark.parametrize("first", range(0, times(3), 3))
def test_seeds_with_every_fault_pass(first: int) -> None:
    """Players, house, meter and tronc come to nothing, no card is told early, the clock is on time: every promise."""
    for seed in range(1_000 + first, 1_000 + first + 3):
        outcome = run_ultimate(seed, ROUNDS, ALL)
        assert outcome.violations == ()
        assert outcome.hands >= ROUNDS


@pytest.mark.slow  # what seeds reach changes with the simulation alone
def test_what_the_seeds_are_to_cover_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every fault, rounds that are void and that go on, the clock's decisions, tips, and Plays; within a few seeds."""
    seen: Counter[str] = Counter()

    def took(real: Any, play: RoundPlay, step: Any) -> Any:
        kind = step.kind if isinstance(step, Choice) else type(step).__name__
        seen[kind + ("+" if isinstance(step, Expired) and step.boxes is not None else "")] += 1
        return real(play, step)

    def resumed(real: Any, rounds: RoundRunner, recovered: recovery.RecoveredRound) -> Any:
        seen["resumed"] += 1
        seen["lacking"] += bool(recovered.lacking)
        return real(rounds, recovered)

    def booked(real: Any, rounds: UltimateRoundChecker, name: str, args: tuple[Any, ...]) -> Any:
        if name in {"settle_round", "void_round"}:
            seen[type(args[0]).__name__] += 1
        return real(rounds, name, args)

    plant(monkeypatch, RoundPlay, "take", took)
    plant(monkeypatch, RoundRunner, "resume", resumed)
    plant(monkeypatch, UltimateRoundChecker, "booked", booked)
    wanted = {
        "check",
        "fold",
        "play",
        "Expired",
        "Expired+",
        "Tipped",
        "resumed",
        "lacking",
        "RoundEnd",
        "VoidRound",
    }
    faults: Counter[Fault] = Counter()
    possible = set(Fault) - {Fault.WALLET}  # bets are taken where no operator's wallet is asked
    first = ((2_051, 8), (2_088, 8), (2_058, 8), (2_049, ROUNDS))  # have what is rare, in little time
    for seed, rounds in itertools.chain(first, ((seed, ROUNDS) for seed in range(2_034, 2_134))):
        faults += run_ultimate(seed, rounds, ALL).faults
        if wanted <= set(+seen) and possible <= set(+faults):
            return
    pytest.fail(f"missing: {wanted - set(+seen)}, {possible - set(+faults)}")


def test_a_decision_that_a_fault_has_lost_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table breaks as it tells the last one of a street; the board, on its way by then, is told without it."""
    broken: list[bool] = []

    def took(real: Any, rounds: RoundRunner, step: Any, *args: Any, **named: Any) -> None:
        waits = rounds._writer.in_flight  # private: a table that breaks in this moment is the fault
        if isinstance(step, Expired) and waits and not broken:
            broken.append(False)
        real(rounds, step, *args, **named)

    def counted(real: Any, observer: FaultyObserver, count: int) -> None:
        if broken == [False] and count:
            broken[0] = True
            observer._struck("")  # private: as the observer itself does when it raises
            raise InjectedFault("observer")
        real(observer, count)

    plant(monkeypatch, RoundRunner, "take", took)
    plant(monkeypatch, FaultyObserver, "frames_out", counted)
    struck = 0
    for seed in (3, 30, 36, *range(20)):  # at the first three it strikes
        broken.clear()
        assert run_ultimate(seed, ROUNDS, frozenset({Fault.CLOCK, Fault.LATENCY})).violations == ()
        struck += broken == [True]
        if struck == 3:
            return
    pytest.fail("too few tables have broken")


def test_a_round_whose_players_have_left_their_places_is_left_to_the_next_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They watch it, and the clock alone decides: a room that goes down does not wait for that."""
    left: list[int] = []

    def leaving(real: Any, world: SimulatedRoom) -> None:
        assert world.process is not None
        for table in world.process.room.local_tables.values():
            play, places = table.game.state.play, table.game.places  # type: ignore[attr-defined] # an UltimateTable
            for place in [] if play is None else [one for one in places if one.account in play.accounts]:
                left.append(place.account)
                places.leave(place)
        real(world)

    plant(monkeypatch, simulation_run, "end", leaving)
    for seed in range(times(1)):
        assert run_ultimate(seed, ROUNDS, NONE).violations == ()
    assert left


@pytest.mark.slow  # `test_determinism` compares two runs of a cash room
def test_the_same_seed_is_the_same_run() -> None:
    """To the byte."""
    first, second = (run_ultimate(7, ROUNDS, ALL) for _ in range(2))
    assert (first.transcript, first.hands, first.faults) == (second.transcript, second.hands, second.faults)


def test_the_command_plays_them() -> None:
    """`--game ultimate`, with the same options."""
    result = CliRunner().invoke(
        simulate_command, ["--game", "ultimate", "--seeds", "3", "--hands", "5", "--jobs", "1", "--json"]
    )
    assert result.exit_code == 0, result.output
    assert '"violations": 0' in result.output


# --- planted bugs -----------------------------------------------------------------------------------------------------


def test_a_chip_that_the_house_loses_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A round is settled with one unit more for a player, and no player has one less."""

    def made(real: Any, ledger: MemoryLedger, end: Any) -> Any:
        done = real(ledger, end)
        account, _ = end.deltas[0]
        add_chip(ledger, account)
        return done

    plant(monkeypatch, MemoryLedger, "settle_round", made)
    assert first_found() is Kind.CHIPS


@replaces_parts
def test_a_bet_that_is_paid_wrongly_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An Ante is paid where the bank does not qualify."""
    cells = dict(rules_settlement.CELLS)
    won = rules_settlement.Outcome.won
    _, play, blind = cells[won, False]
    monkeypatch.setattr(
        rules_settlement, "CELLS", {**cells, (won, False): (rules_settlement.Cell.wins, play, blind)}
    )
    assert first_found() is Kind.RESULT


def test_the_banks_cards_told_with_the_deal_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """To every player."""

    def leaked(real: Any, play: RoundPlay, seq: int) -> Broadcast:
        told: Broadcast = real(play, seq)
        dealt = told.public.message
        assert isinstance(dealt, wire.HandsDealt)
        bank = wire.BoxCards(box=1, cards=texts(play.state.setup.deal.bank))
        return structs.replace(told, public=Outgoing(structs.replace(dealt, hands=[*dealt.hands, bank])))

    plant(monkeypatch, views, "hands_dealt", leaked)
    assert first_found() is Kind.CARDS


@pytest.mark.slow
def test_the_cards_of_an_extra_box_told_to_its_player_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is played blind."""

    def shown(_real: Any, state: Any, player: int | None, box: int) -> bool:
        at = state.at(box)
        return at is not None and state.boxes[at].bets.player == player

    plant(monkeypatch, views, "sees_holes", shown)
    assert first_found(seeds=range(4, 44)) is Kind.CARDS


def test_the_board_told_before_all_have_decided_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot shows the whole board."""

    def whole(real: Any, *, play: RoundPlay | None, **facts: Any) -> wire.UltimateSnapshot:
        told: wire.UltimateSnapshot = real(play=play, **facts)
        if play is None or told.round is None:
            return told
        board = texts(play.state.setup.deal.board)
        return structs.replace(told, round=structs.replace(told.round, board=board))

    plant(monkeypatch, views, "snapshot", whole)
    assert first_found() is Kind.CARDS


@pytest.mark.slow
def test_a_clock_that_is_early_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It rings after half its time."""

    class HalfTheTime:
        def __init__(self, clock: Any) -> None:
            self._clock = clock

        def seconds(self) -> float:
            return float(self._clock.seconds())

        def callLater(self, delay: float, *call: Any) -> Any:  # noqa: N802 -- Twisted's name
            return self._clock.callLater(delay / 2, *call)

    def early(real: Any, window: clocks.DecisionWindow, clock: Any, *args: Any, **named: Any) -> None:
        real(window, HalfTheTime(clock), *args, **named)

    plant(monkeypatch, clocks.DecisionWindow, "__init__", early)
    assert first_found(frozenset({Fault.CLOCK}), range(12)) is Kind.CLOCK


@pytest.mark.slow
def test_a_clock_that_never_rings_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A street waits for ever."""
    plant(monkeypatch, RoundDecisions, "expired", lambda *_: None)
    assert first_found(frozenset({Fault.CLOCK}), range(12)) in {Kind.PROGRESS, Kind.HAND}


def test_a_decision_that_the_clock_takes_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says that the player has checked themselves."""

    def own(real: Any, play: RoundPlay, event: Any, seq: int) -> Broadcast:
        broadcast: Broadcast = real(play, event, seq)
        message = broadcast.public.message
        if isinstance(message, wire.Decided) and message.automatic:
            return Broadcast(seq=seq, public=Outgoing(structs.replace(message, automatic=False)))
        return broadcast

    plant(monkeypatch, views, "step", own)
    assert first_found(frozenset({Fault.CLOCK}), range(12)) is Kind.TURN


@pytest.mark.slow
def test_an_acknowledged_decision_that_is_lost_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal leaves out every check: after a crash they have not happened."""

    def without_checks(real: Any, play: RoundPlay, steps: Any) -> bytes:
        kept = [step for step in steps if not (isinstance(step, Choice) and step.kind == "check")]
        entry: bytes = real(play, kept)
        return entry

    plant(monkeypatch, journal, "steps_entry", without_checks)
    monkeypatch.setattr("pokerroom.ultimate.rounds.steps_entry", journal.steps_entry)
    found = first_found(frozenset({Fault.CRASH, Fault.CLOCK}), range(3, 63))
    assert found in {Kind.ACKNOWLEDGED, Kind.RESULT}


def test_bets_that_are_paid_before_the_journal_has_the_cards_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The ledger is asked first."""
    monkeypatch.setattr(
        "pokerroom.ultimate.bet_closing.bets_entry", lambda *_, **__: journal.closing_entry(closing=False)
    )
    assert first_found() is Kind.HAND


def test_a_result_that_is_told_before_the_ledger_has_it_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """And then once more."""

    def hasty(real: Any, rounds: RoundRunner, play: RoundPlay) -> None:
        announcer(rounds).tell(views.round_ended(play, announcer(rounds).next_seq()))
        real(rounds, play)

    plant(monkeypatch, RoundRunner, "_settle", hasty)  # private: between the last step and the ledger
    assert first_found() in {Kind.HAND, Kind.CARDS}
