"""Sitting out when the big blind comes, and the operator who closes and opens a table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room, now


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def three(room: Room) -> list[Client]:
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.sit_together(*clients)
    return clients


def next_hand(room: Room) -> wire.HandStarted:
    """Folds the hand in progress away, and returns the start of the next."""
    hand_id = room.turn().hand_id
    while room.table.game.play.hand_id() == hand_id:
        room.act("fold")
    room.clock.advance(0)
    return room.viewers()[0].last(wire.HandStarted)


def test_a_player_who_sits_out_at_the_next_big_blind_plays_until_then(room):
    """The player is dealt in as button and small blind; when the big blind comes they are out, and owe it."""
    anna, _, carl = three(room)  # carl has the big blind
    assert isinstance(room.answer(carl, wire.SitOut, when="next_big_blind"), wire.Ok)

    second = next_hand(room)
    assert (second.big_blind, sorted(seat.seat for seat in second.seats)) == (1, [1, 2, 3])
    third = next_hand(room)
    assert (third.big_blind, third.button) == (2, 3)
    assert {event.status for event in anna.all(wire.SeatChanged)} <= {"playing"}
    fourth = next_hand(room)

    assert (fourth.big_blind, sorted(seat.seat for seat in fourth.seats)) == (1, [1, 2])
    assert anna.last(wire.SeatChanged).status == "sitting_out"
    assert room.table.game.seats.seats.of(carl.account).owes in {"big_blind", "both"}


def test_sit_in_takes_back_the_wish_to_sit_out(room):
    """The player stays in when the big blind comes."""
    _, _, carl = three(room)
    room.ask(carl, wire.SitOut, when="next_big_blind")
    assert isinstance(room.answer(carl, wire.SitIn), wire.Ok)
    for _ in range(3):
        started = next_hand(room)
    assert started.big_blind == 3


def test_two_who_sit_out_at_the_same_big_blind_leave_no_player_to_play(room):
    """With all of them gone no hand is dealt, and the table waits."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    for client in (anna, bert):
        room.ask(client, wire.SitOut, when="next_big_blind")

    room.act("fold")
    room.clock.advance(0)

    assert room.table.state_name == "waiting"


def test_the_operator_closes_a_table_after_the_hand(room):
    """No new player; the hand is played to its end; every stack goes to its wallet; then the table says closed."""
    anna, bert, carl = three(room)
    late = room.client("late")
    closed = []

    room.table.close().addCallback(lambda _: closed.append(True))

    assert anna.last(wire.TableNotice).state == "closing"
    assert room.answer(late, wire.SitDown, buy_in=5_000).code == "table_closing"
    assert room.table.info().closing
    assert not closed
    room.act("call")  # the hand in progress is played like any other
    room.act("fold")
    room.act("check")
    room.check_down()
    room.clock.advance(0)
    assert closed == [True]
    assert anna.last(wire.TableNotice).state == "closed"
    assert now(room.ledger.seats()) == []
    wallets = [now(room.ledger.wallet(client.account)) for client in (anna, bert, carl)]
    assert sum(wallets) == 300_000

    room.table.reopen()

    assert anna.last(wire.TableNotice).state == "running"
    assert isinstance(room.answer(late, wire.SitDown, buy_in=5_000), wire.Snapshot)


def test_an_empty_table_is_closed_at_once(room):
    """There is no player to wait for."""
    closed = []
    room.table.close().addCallback(closed.append)
    assert closed == [None]


def test_a_closing_table_stays_closing_through_a_restart(room):
    """A fault in between does not open it again."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    closed = []
    room.act("call")
    room.table.mailbox.post(lambda: 1 / 0)
    room.table.close().addCallback(closed.append)
    room.clock.advance(1)
    room.clock.advance(0)

    assert room.table.game.seats.closing
    room.clock.advance(60)
    assert closed == [None]
    assert now(room.ledger.seats()) == []
