"""The test of the tests: a bug planted in the real room is found, and by the checker whose promise it breaks."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from pokerroom.gateway import hand_sharing
from pokerroom.gateway.session import Session
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.settler import Settler
from pokerroom.ledger.shared_hands import SharedHandRow
from pokerroom.poker import recovery, views
from pokerroom.poker.cash.seating import CashPolicy
from pokerroom.poker.hands import HandRunner
from pokerroom.poker.play import HandPlay
from pokerroom.rules.cards import card_text
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.faults import NONE, Fault
from pokerroom.simulation.run import run
from pokerroom.table.announcer import Announcer
from pokerroom.table.clock import Alarm
from pokerroom.table.context import TableContext
from pokerroom.table.outbox import Outbox
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Broadcast
from pokerroom_protocol import messages as wire
from tests.compiled import replaces_parts
from tests.simulation.planted import (
    HANDS,
    SEEDS,
    add_chip,
    announcer,
    finds,
    first_found,
    kinds_found,
    plant,
)


@pytest.mark.slow
def test_the_room_as_it_is_passes() -> None:
    """Without a planted bug these seeds find nothing. `test_seeds` proves the same with others."""
    assert kinds_found() == set()


ANSWER = Session, "_answer"  # private: the one way in which a session answers


def test_an_answer_that_is_given_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session confirms a request again."""

    def twice(real: Any, session: Session, message: wire.Answer) -> None:
        real(session, message)
        if isinstance(message, wire.Ok):
            real(session, message)

    plant(monkeypatch, *ANSWER, twice)
    assert first_found(NONE, range(1)) is Kind.ANSWER


@pytest.mark.slow
def test_a_request_that_is_never_answered_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session forgets to confirm it."""

    def forgotten(real: Any, session: Session, message: wire.Answer) -> None:
        if not isinstance(message, wire.Ok):
            real(session, message)

    plant(monkeypatch, *ANSWER, forgotten)
    assert first_found(NONE, range(1)) is Kind.ANSWER


def test_every_promise_is_broken_by_a_planted_bug() -> None:
    """A new kind of violation needs a test that it is found, alone."""
    texts = "".join(file.read_text() for file in Path(__file__).parent.rglob("test_*.py"))
    found = set(re.findall(r"(?:is |== \{|finds\()Kind\.([A-Z_]+)", texts))
    assert {kind.name for kind in Kind} - found == set()


def test_a_chip_made_at_a_table_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a hand a stack is one chip more than was won."""

    def made(real: Any, policy: CashPolicy, play: HandPlay, *rest: Any) -> None:
        real(policy, play, *rest)
        play.seats[0].stack += 1

    plant(monkeypatch, CashPolicy, "settled", made)
    assert kinds_found() == {Kind.CHIPS}


def test_a_chip_told_wrongly_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pot is told to be shared out with one chip more than is in it."""

    def wrong(real: Any, play: HandPlay, event: Any, seq: int, **rest: Any) -> Broadcast:
        broadcast: Broadcast = real(play, event, seq, **rest)
        message = broadcast.public.message
        if type(message).__name__ != "PotAwarded":
            return broadcast
        share = structs.replace(message.shares[0], amount=message.shares[0].amount + 1)
        return Broadcast(seq=seq, public=Outgoing(structs.replace(message, shares=[share])))

    plant(monkeypatch, views, "step", wrong)
    assert kinds_found() == {Kind.CHIPS}


def test_a_chip_made_in_the_ledger_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A top-up takes one chip less from the wallet than it brings to the table."""

    def made(real: Any, ledger: MemoryLedger, *args: Any) -> Any:
        done = real(ledger, *args)
        _, _, _, account, _ = args
        add_chip(ledger, account)
        return done

    plant(monkeypatch, MemoryLedger, "top_up", made)
    assert finds(Kind.CHIPS, seeds=range(8))


def test_a_card_leaked_with_the_deal_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A viewer without cards is told the first player's."""

    def leaked(real: Any, play: HandPlay, seq: int, *rest: Any) -> Broadcast:
        broadcast: Broadcast = real(play, seq, *rest)
        private = broadcast.private or {}
        return Broadcast(seq=seq, public=next(iter(private.values())), private=private)

    plant(monkeypatch, views, "hole_cards", leaked)
    assert kinds_found() == {Kind.CARDS}


def test_a_link_that_shows_cards_which_are_not_shared_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever its player has chosen, a link shows the hand with the player's own cards."""

    def all_cards(_: Any, of: SharedHandRow) -> int:
        return of.account

    plant(monkeypatch, hand_sharing, "shared_viewer", all_cards)
    assert finds(Kind.CARDS, frozenset({Fault.LEDGER}), range(17, 24, 2))  # seeds with links


def test_a_note_that_is_told_to_another_account_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accounts that were opened earlier are told it, too."""

    def for_others(real: Any, ledger: MemoryLedger, account: int, *note: Any) -> Any:
        for other in range(1, account):
            real(ledger, other, *note).addErrback(lambda _: None)
        return real(ledger, account, *note)

    plant(monkeypatch, MemoryLedger, "set_player_note", for_others)
    assert finds(Kind.NOTES, frozenset({Fault.LEDGER}), range(13, 21))  # people note players in four of these


def test_a_card_leaked_in_a_snapshot_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot shows every hand as if it were turned up."""

    def leaked(real: Any, *, shown: Any, seats: Any, **rest: Any) -> wire.Snapshot:
        snapshot: wire.Snapshot = real(shown=[seat.number for seat in seats], seats=seats, **rest)
        return snapshot

    plant(monkeypatch, views, "snapshot", leaked)
    assert finds(Kind.CARDS)


def test_a_card_in_a_text_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error's sentence quotes a hidden card."""

    def quoted(real: Any, play: HandPlay, event: Any, seq: int, **rest: Any) -> Broadcast:
        broadcast: Broadcast = real(play, event, seq, **rest)
        message = broadcast.public.message
        if type(message).__name__ == "Acted":
            card = card_text(play.state.setup.players[0].holes[0])
            said = wire.ChatSaid(table=message.table, seq=seq, name="room", text=f"lucky {card}!")
            return Broadcast(seq=seq, public=Outgoing(said))
        return broadcast

    plant(monkeypatch, views, "step", quoted)
    assert kinds_found() == {Kind.CARDS}


def test_a_double_settlement_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger gets each hand twice, the second time under another id."""

    def twice(real: Any, settler: Settler, settlement: Any) -> Any:
        again = type(settlement)(
            **{name: getattr(settlement, name) for name in settlement.__slots__ if name != "hand_id"},
            hand_id=settlement.hand_id[:-1] + "!",
        )
        done = real(settler, settlement)
        real(settler, again).addErrback(lambda _: None)
        return done

    plant(monkeypatch, Settler, "submit", twice)
    assert kinds_found() == {Kind.HAND}


def test_a_lost_action_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The record leaves out the first decision of the hand."""

    def lost(real: Any, play: HandPlay, ended_ms: int) -> dict[str, Any]:
        record: dict[str, Any] = real(play, ended_ms)
        decisions = [event for event in record["events"] if event[0] in {"fold", "check", "call", "raise"}]
        record["events"].remove(decisions[0])
        return record

    plant(monkeypatch, HandPlay, "record", lost)
    assert kinds_found() == {Kind.ACKNOWLEDGED}


def test_an_action_lost_in_a_crash_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a crash a hand goes on without its last journalled step."""

    def forgetful(real: Any, entries: list[bytes]) -> Any:
        found = real(entries)
        if len(found.steps) < 3:
            return found
        return replace(found, steps=found.steps[:-1])

    plant(monkeypatch, recovery, "read", forgetful)
    found = first_found(frozenset({Fault.CRASH}), range(12))
    assert found in {Kind.ACKNOWLEDGED, Kind.CHIPS, Kind.TURN}


@replaces_parts
def test_numbers_that_begin_again_after_a_crash_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every owner of a table numbers its events from the beginning, as if there had been none before."""
    monkeypatch.setattr(TableContext, "first_seq", 0)
    assert first_found(frozenset({Fault.CRASH}), range(12)) is Kind.ORDER


@replaces_parts
def test_a_stuck_table_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a pause the next hand is never dealt."""
    monkeypatch.setattr(HandRunner, "rested", lambda _hands: None)
    assert first_found() is Kind.PROGRESS


def test_acting_after_the_clock_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock rings half a minute late, and a late answer still counts."""

    def late(real: Any, alarm: Alarm, seconds: float, ring: Any) -> None:
        real(alarm, seconds + 30, ring)

    plant(monkeypatch, Alarm, "set", late)
    assert finds(Kind.CLOCK, frozenset({Fault.CLOCK}))


def test_two_players_to_act_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Now and then a second player is asked while the first has not answered."""

    def both(real: Any, play: HandPlay, legal: Any, deadline: Any, seq: int, *rest: Any, **more: Any) -> Any:
        broadcast: Broadcast = real(play, legal, deadline, seq, *rest, **more)
        message = broadcast.public.message
        if seq % 7:
            return broadcast
        other = next(seat.number for seat in play.seats if seat.number != message.seat)
        return Broadcast(seq=seq, public=Outgoing(structs.replace(message, seat=other)))

    plant(monkeypatch, views, "turn", both)
    assert finds(Kind.TURN)


def test_a_hand_that_ends_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a hand is told a second time."""

    def again(real: Any, announcer: Announcer, *told: Broadcast, **rest: Any) -> None:
        real(announcer, *told, **rest)
        for ended in [one.public.message for one in told if isinstance(one.public.message, wire.HandEnded)]:
            seq = announcer.next_seq()
            real(announcer, Broadcast(seq=seq, public=Outgoing(structs.replace(ended, seq=seq))))

    plant(monkeypatch, Announcer, "tell", again)
    assert kinds_found() == {Kind.HAND}


def test_a_result_told_before_its_commit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a hand is told when it goes to the ledger, not when the ledger has it."""

    def early(real: Any, hands: HandRunner, play: HandPlay, *rest: Any) -> None:
        announcer(hands).tell(views.hand_ended(play, announcer(hands).next_seq()))
        real(hands, play, *rest)

    plant(monkeypatch, HandRunner, "_settle", early)  # private: between the last step and the ledger
    assert kinds_found() <= {Kind.HAND, Kind.CHIPS}
    assert Kind.HAND in {violation.kind for seed in SEEDS for violation in run(seed, HANDS, NONE).violations}


def test_a_missing_event_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table's viewers are not told one of its events."""

    def skipping(real: Any, outbox: Outbox, broadcasts: list[Broadcast]) -> None:
        real(outbox, [broadcast for broadcast in broadcasts if broadcast.seq != 20] or broadcasts)

    plant(monkeypatch, Outbox, "_broadcast", skipping)  # private: an event is lost after it was queued
    assert kinds_found() == {Kind.ORDER}


def test_a_wrong_snapshot_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot shows a seat as sitting out that plays."""

    def wrong(real: Any, **facts: Any) -> wire.Snapshot:
        snapshot: wire.Snapshot = real(**facts)
        seats = [structs.replace(seat, status="sitting_out") for seat in snapshot.seats]
        return structs.replace(snapshot, seats=seats)

    plant(monkeypatch, views, "snapshot", wrong)
    assert finds(Kind.SNAPSHOT)


def test_a_fault_that_was_not_injected_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handler of a table raises: the table freezes, and that is told with where it was."""

    def broken(real: Any, *args: Any) -> Any:
        raise RuntimeError("planted")

    plant(monkeypatch, HandPlay, "deltas", broken)
    outcome = run(0, HANDS, NONE)
    assert outcome.violations[0].kind is Kind.FAULT
    assert "planted" in outcome.violations[0].line
