"""How many players of one address may sit at one table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room

HERE, THERE = "2001:db8:0:1::/64", "192.0.2.1"


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room(seats_per_address=2)
    yield room
    room.stop()


def player(room: Room, name: str, group: str) -> Client:
    client = room.client(name)
    client.address_group = group
    return client


def sits(room: Room, client: Client, seat: int) -> str:
    """`snapshot`, or the code of the refusal."""
    answer = room.answer(client, wire.SitDown, buy_in=5_000, seat=seat)
    return answer.code if isinstance(answer, wire.Error) else type(answer).__name__.lower()


def test_some_of_an_address_sit_at_a_table(room):
    """One too many is refused a seat and a reservation, nothing changes, and other addresses have room."""
    for number, name in enumerate(("anna", "bert"), 1):
        assert sits(room, player(room, name, HERE), number) == "snapshot"
    carl = player(room, "carl", HERE)
    assert sits(room, carl, 3) == "address_seated"
    assert room.answer(carl, wire.ReserveSeat, seat=3).code == "address_seated"
    assert [seat.number for seat in room.table.game.seats.seats] == [1, 2]
    assert sits(room, player(room, "dora", THERE), 3) == "snapshot"


def test_a_lost_line_makes_no_room(room):
    """Else two sit down, hang up for a moment, and two more have seats."""
    players = [player(room, name, HERE) for name in ("anna", "bert", "carl")]
    assert [sits(room, client, seat) for seat, client in enumerate(players[:2], 1)] == ["snapshot"] * 2
    for client in players[:2]:
        client.connected = False
        room.table.viewer_gone(client)
    assert sits(room, players[2], 3) == "address_seated"


def test_a_player_who_leaves_makes_room(room):
    """The next of the address may sit down."""
    anna, bert, carl = (player(room, name, HERE) for name in ("anna", "bert", "carl"))
    assert [sits(room, anna, 1), sits(room, bert, 2)] == ["snapshot"] * 2
    room.ask(anna, wire.SitOut)
    room.clock.advance(60)
    room.ask(bert, wire.StandUp)
    room.clock.advance(60)
    assert sits(room, carl, 3) == "snapshot"


def test_addresses_without_a_bound_sit_anywhere(room):
    """House bots, and players of this machine: their group is empty."""
    assert {sits(room, player(room, f"p{number}", ""), number) for number in range(1, 7)} == {"snapshot"}


def test_without_the_setting_any_number_sits():
    """0 is no bound."""
    room = Room(seats_per_address=0)
    assert {sits(room, player(room, f"p{number}", HERE), number) for number in range(1, 7)} == {"snapshot"}
    room.stop()
