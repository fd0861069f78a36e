"""What the player to act is told of the decision that the clock will take (H2), and that the clock takes it."""

from __future__ import annotations

import pytest

from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room


def own_turn(room: Room) -> tuple[Client, wire.Turn]:
    """The client to act, and their copy of the turn."""
    client = room.at(room.turn().seat)
    return client, client.last(wire.Turn)


def expire(room: Room) -> wire.Acted:
    """Let the time pass; the decision of the clock."""
    client, _ = own_turn(room)
    before = len(client.all(wire.Acted))
    room.clock.advance(room.settings.action_clock_s + room.settings.countdown_s)
    return client.all(wire.Acted)[before]


@pytest.mark.parametrize(
    ("protection", "at", "told", "done"),
    [
        ("always", "small blind", "all_in", "clock_all_in"),
        ("always", "no chips", "fold", "fold"),
        ("always", "flop", "all_in", "clock_all_in"),
        ("never", "small blind", "fold", "fold"),
        ("never", "flop", "check", "check"),
        ("disconnected", "small blind", "fold", "fold"),
    ],
)
def test_the_turn_says_what_the_clock_does(protection, at, told, done):
    """For the player to act alone: in their event and their snapshot; for all others it is null."""
    room = Room(timeout_protection=protection)
    players = [room.client(f"p{number}") for number in range(4 if at == "no chips" else 2)]
    room.sit_together(*players)
    if at == "flop":
        room.act("call")
        room.act("check")
    client, turn = own_turn(room)

    assert turn.on_timeout == told
    assert room.answer(client, wire.GetSnapshot).hand.turn.on_timeout == told
    for other in players:
        if other is not client:
            assert other.last(wire.Turn).on_timeout is None
            assert room.answer(other, wire.GetSnapshot).hand.turn.on_timeout is None
    assert expire(room).action == done
    room.stop()


def test_the_turn_follows_the_daily_allowance():
    """H2: with the allowance used up the clock folds, and the player sees that beforehand."""
    room = Room(timeout_protection="always", timeout_all_ins_per_day=1)
    anna, bert = room.client("anna"), room.client("bert")
    room.sit_together(anna, bert)
    client, turn = own_turn(room)
    assert turn.on_timeout == "all_in"
    room.timeouts.happened(client.account, "a hand at another table")

    assert room.answer(client, wire.GetSnapshot).hand.turn.on_timeout == "fold"
    assert expire(room).action == "fold"
    room.stop()


def test_a_player_who_returns_sees_what_follows_now():
    """Where only disconnected players are protected, one that is back is not."""
    room = Room(timeout_protection="disconnected")
    anna, bert = room.client("anna"), room.client("bert")
    room.sit_together(anna, bert)
    client, _ = own_turn(room)
    client.connected = False
    room.table.viewer_gone(client)
    again = Client(client.name, client.account)

    assert room.answer(again, wire.Observe).hand.turn.on_timeout == "fold"
    room.stop()
