"""What a poker table's journal says, in this version and the one before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgpack
import msgspec
import pytest
from structlog.testing import capture_logs

from pokerroom.poker import recovery
from pokerroom.poker.journal import (
    VERSION,
    DecisionTaken,
    DecisionTimedOut,
    HandDealt,
    SeatingFacts,
    SeatsChanged,
    TableClosing,
    TableFrozen,
    TableKept,
    decode,
    encode,
)
from pokerroom.poker.seat_facts import decode_seat_facts
from pokerroom.rules.data import state_to_data
from pokerroom.rules.planned_hand import Positions
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.seal import Seal
from tests.poker.support import SETTINGS, Room, now

WHERE = Positions(button=1, small_blind=1, big_blind=2, small_blind_seat=1)
ENTRIES = [
    TableKept(positions=None, facts=SeatingFacts()),
    TableKept(positions=WHERE, facts=SeatingFacts(closing=True)),
    HandDealt(
        positions=WHERE, facts=SeatingFacts(), hand_id="h", started_ms=5, seats=[(1, 7), (2, 8)], cards=b"x"
    ),
    SeatsChanged(facts=SeatingFacts()),
    TableClosing(closing=True),
    TableFrozen(frozen=False),
    DecisionTaken(hand_id="h", step=2, seat=1, action="raise", amount=300, seq=9),
    DecisionTimedOut(hand_id="h", step=3, seat=2, protected=True),
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: type(entry).__name__)
def test_an_entry_is_read_as_it_was_written(entry):
    """Each kind carries its tag and version, and comes back equal."""
    assert decode(encode(entry)) == entry
    assert msgpack.unpackb(encode(entry))["version"] == VERSION


@pytest.mark.parametrize(
    "data",
    [
        {"entry": "closing", "closing": True, "version": VERSION + 1},
        {"entry": "closing", "closing": True},
        {"entry": "what", "version": VERSION},
        {"entry": "closing", "closing": 1, "version": VERSION},
        {"entry": "act", "hand_id": "h", "version": VERSION},
        [1, "closing", True],
        [2, "what", True],
        [2, "act", "h"],
        [2],
        [],
        7,
        None,
    ],
    ids=repr,
)
def test_an_entry_of_another_version_or_shape_is_unreadable(data: Any):
    """It says so, rather than being taken for something else."""
    with pytest.raises(UnreadableJournal):
        decode(msgpack.packb(data))
    with pytest.raises(UnreadableJournal):
        decode(b"\xc1")


def test_a_journal_of_version_2_is_played_on():
    """A hand that was dealt, played and sealed by the version before goes on, its seats as they were."""
    room = Room()
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.act("call")
    play, seal = room.table.game.hand.play, room.table.context.seal
    seats = [
        list(msgpack.unpackb(msgpack.packb(fact)).values())
        for fact in msgpack.unpackb(recovery.read(room.journal.kept).facts.seats)
    ]
    start = type(play)(
        play.settings,
        hand_id=play.hand_id,
        positions=play.positions,
        seats=play.seats,
        setup=play.state.setup,
        started_ms=play.started_ms,
    )
    sealed = seal.close(msgpack.packb([2, state_to_data(start.state)]), play.hand_id)
    taken = [[seat.number, seat.account] for seat in play.seats]
    facts = [True, seats]
    old: list[list[Any]] = [
        [2, "deal", [1, 1, 2, 1], [False, seats], play.hand_id, 1, play.started_ms, taken, sealed],
        [2, "act", play.hand_id, 2, 1, "call", None, 7],
        [2, "facts", [False, seats]],
        [2, "frozen", False],
        [2, "closing", True],
    ]

    found = recovery.read([msgpack.packb(entry) for entry in old])

    assert (found.hand_id, found.facts.closing, found.frozen) == (play.hand_id, facts[0], False)
    assert found.positions == Positions(button=1, small_blind=1, big_blind=2)
    assert [fact.account for fact in decode_seat_facts(found.facts.seats)] == [anna.account, bert.account]
    by_account = {seat.account: seat for seat in play.seats}
    hand = recovery.rebuild(found, room.settings, by_account, seal)
    assert hand.play.state == play.state
    assert hand.accepted[anna.account].seq == 7
    room.stop()


def test_a_hand_of_a_game_that_is_not_played_here_is_void():
    """The journal of a room with more games is unreadable, with the game's name: never another game."""
    room = Room()
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    play, seal = room.table.game.hand.play, room.table.context.seal
    found = recovery.read(room.journal.kept)
    state = state_to_data(play.state)
    state["setup"]["variant"] = "razz"
    sealed = seal.close(msgpack.packb(state), play.hand_id)
    deal = msgspec.structs.replace(found.deal, cards=sealed)

    with pytest.raises(UnreadableJournal, match=r"not played here.*'razz'"):
        recovery.rebuild(replace(found, deal=deal), room.settings, {s.account: s for s in play.seats}, seal)
    room.stop()


def _taken_over(room: Room, entry: dict[str, Any]) -> tuple[str | None, set[str]]:
    """The hand that another node plays on from this entry of a deal, and the errors that it logs."""
    room.table.stop()
    room.journal.kept[:] = [msgpack.packb(entry)]
    room.table = room.open()
    with capture_logs() as logs:
        room.table.restore(now(room.ledger.seats()), list(room.journal.kept), frozenset())
    goes_on = room.table.game.play.hand_id()
    return goes_on, {line["event"] for line in logs if line["log_level"] == "error"}


def _swap_accounts(deal: dict[str, Any]) -> None:
    (first, anna), (second, bert) = deal["seats"]
    deal["seats"] = [[first, bert], [second, anna]]


def _swap_seats(deal: dict[str, Any]) -> None:
    deal["seats"].reverse()


def _move_button(deal: dict[str, Any]) -> None:
    deal["positions"].update(button=2, small_blind=2, big_blind=1)


@pytest.mark.parametrize("change", [_swap_accounts, _swap_seats, _move_button])
def test_i4_an_entry_that_gives_cards_to_other_players_makes_the_hand_void(change):
    """I4: cards are sealed with those to which they were dealt; writing to the journal gives them to no others."""
    room = Room()
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    hand_id = room.turn().hand_id
    entry = msgpack.unpackb(room.journal.kept[0])
    assert _taken_over(room, entry) == (hand_id, set())

    change(entry)
    goes_on, errors = _taken_over(room, entry)

    assert goes_on != hand_id
    assert errors == {"hand.void"}
    assert {row.stack for row in now(room.ledger.seats())} == {10_000}
    room.stop()


def test_cards_that_were_sealed_without_their_players_are_played_on():
    """A room before this one has sealed the state of a hand alone."""
    room = Room()
    room.sit(room.client("anna"), room.client("bert"))
    hand_id, seal = room.turn().hand_id, room.table.context.seal
    entry = msgpack.unpackb(room.journal.kept[0])
    data = msgpack.unpackb(seal.open(entry["cards"], hand_id))
    del data["owners"]
    entry["cards"] = seal.close(msgpack.packb(data), hand_id)

    assert _taken_over(room, entry) == (hand_id, set())
    room.stop()


@pytest.mark.parametrize(
    "found",
    [
        recovery.NOTHING,
        replace(
            recovery.NOTHING, positions=Positions(button=1, small_blind=1, big_blind=2, small_blind_seat=1)
        ),
    ],
    ids=["no button", "no deal"],
)
def test_a_journal_without_a_deal_holds_no_hand(found):
    """A hand is played on only with its button and its deal."""
    with pytest.raises(UnreadableJournal):
        recovery.rebuild(found, SETTINGS, {}, Seal(bytes(32)))
