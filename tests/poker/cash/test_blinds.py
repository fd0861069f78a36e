"""The players dealt in and their posts, as clients see them: first button (B1), newcomers (B7), missed blinds (B8)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom.rules.button import Owes
from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def next_hand(room: Room) -> None:
    """All players fold to the big blind; the next hand is dealt."""
    hand_id = room.turn().hand_id
    while room.table.game.play.hand_id() == hand_id and room.table.state_name == "playing":
        room.act("fold")
    room.clock.advance(0)


def dealt(client: Client) -> list[int]:
    """The seats of the last hand."""
    return sorted(seat.seat for seat in client.last(wire.HandStarted).seats)


def posts(client: Client, seat: int) -> list[tuple[str, int]]:
    """What a seat has posted in the last hand."""
    first = client.last(wire.HandStarted).seq
    return [
        (post.kind, post.amount) for post in client.all(wire.Posted) if post.seq > first and post.seat == seat
    ]


def between(started: wire.HandStarted, seat: int) -> bool:
    """Whether a seat of six is between the button and the big blind."""
    return 0 < (seat - started.button) % 6 < (started.big_blind - started.button) % 6


def four(room: Room) -> list[Client]:
    """Seats 1, 2, 4 and 5 play: 3 and 6 are free."""
    clients = [room.client(name) for name in ("anna", "bert", "carl", "dora")]
    for client, seat in zip(clients, (1, 2, 4, 5), strict=True):
        room.ask(client, wire.SitDown, buy_in=10_000, seat=seat)
    for _ in range(8):
        next_hand(room)
    assert dealt(clients[0]) == [1, 2, 4, 5]
    return clients


def test_b1_the_first_to_sit_has_the_first_button_wherever_they_sit(room):
    """B1: not the lowest seat has it, but whoever sat down first."""
    anna, bert = room.client("anna"), room.client("bert")
    room.ask(anna, wire.SitDown, buy_in=5_000, seat=5)

    room.ask(bert, wire.SitDown, buy_in=5_000, seat=1)

    assert bert.last(wire.HandStarted).button == 5


def test_b1_when_the_first_has_left_the_next_has_the_button(room):
    """B1: a player that leaves before there is a game has no button."""
    anna, bert, carl = (room.client(name) for name in ("anna", "bert", "carl"))
    room.ask(anna, wire.SitDown, buy_in=5_000, seat=5)
    room.ask(anna, wire.StandUp)
    room.ask(bert, wire.SitDown, buy_in=5_000, seat=4)

    room.ask(carl, wire.SitDown, buy_in=5_000, seat=1)

    assert carl.last(wire.HandStarted).button == 4


@pytest.mark.parametrize("hands", range(5))
@pytest.mark.parametrize("seat", [3, 6])
def test_b7_a_newcomer_who_waits_comes_in_as_the_big_blind(room, seat, hands):
    """B7: wherever the button is, a newcomer posts the big blind in the first hand that they are dealt."""
    four(room)
    for _ in range(hands):
        next_hand(room)
    eric = room.client("eric")
    room.ask(eric, wire.SitDown, buy_in=10_000, seat=seat)
    assert eric.last(wire.Snapshot).seats[[1, 2, 3, 4, 5, 6].index(seat) - (seat == 6)].status == "waiting"

    for _ in range(6):
        next_hand(room)
        if seat in dealt(eric):
            break
        assert posts(eric, seat) == []

    assert eric.last(wire.HandStarted).big_blind == seat
    assert posts(eric, seat) == [("big_blind", 100)]


@pytest.mark.parametrize("hands", range(5))
@pytest.mark.parametrize("seat", [3, 6])
def test_b7_a_newcomer_who_posts_is_dealt_in_but_not_behind_the_button(room, seat, hands):
    """B7: a newcomer posts one live big blind in the first hand in which they are not between button and big blind."""
    four(room)
    for _ in range(hands):
        next_hand(room)
    eric = room.client("eric")
    room.ask(eric, wire.SitDown, buy_in=10_000, seat=seat, post=True)

    for _ in range(4):
        next_hand(room)
        started = eric.last(wire.HandStarted)
        if seat in dealt(eric):
            break
        assert between(started, seat)

    assert seat in dealt(eric)
    assert not between(started, seat)
    expected = "big_blind" if started.big_blind == seat else "live_post"
    assert posts(eric, seat) == [(expected, 100)]


def test_b7_more_than_one_may_post_in_a_hand(room):
    """B7: two newcomers who post are dealt in at once, each with a live big blind."""
    four(room)
    eric, fred = room.client("eric"), room.client("fred")
    for client, seat in ((eric, 3), (fred, 6)):
        room.ask(client, wire.SitDown, buy_in=10_000, seat=seat, post=True)

    for _ in range(4):
        next_hand(room)

    assert {seat: kind for seat in (3, 6) for kind, _ in posts_ever(eric, seat)[:1]}.keys() == {3, 6}
    assert dealt(eric) == [1, 2, 3, 4, 5, 6]


def posts_ever(client: Client, seat: int) -> list[tuple[str, int]]:
    return [(post.kind, post.amount) for post in client.all(wire.Posted) if post.seat == seat]


def miss_the_blinds(room: Room, client: Client, seat: int) -> None:
    """Sit out while the big blind and then the small blind pass the player."""
    room.ask(client, wire.SitOut)
    for _ in range(8):
        if room.table.game.seats.seats[seat].owes is Owes.both:
            return
        next_hand(room)
        assert seat not in dealt(client)
    raise AssertionError("no blind has passed the player")


def test_b8_missed_blinds_are_posted_big_live_and_small_dead(room):
    """B8: a player who comes back at once posts all missed blinds, as soon as they are not behind the button."""
    clients = four(room)
    dora = clients[3]
    miss_the_blinds(room, dora, 5)

    room.ask(dora, wire.SitIn, post=True)
    for _ in range(3):
        next_hand(room)
        if 5 in dealt(dora):
            break
        assert between(dora.last(wire.HandStarted), 5)

    assert dora.last(wire.HandStarted).big_blind != 5
    assert sorted(posts(dora, 5)) == [("dead_post", 50), ("live_post", 100)]
    next_hand(room)
    assert ("dead_post", 50) not in posts(dora, 5)


def test_b8_or_they_wait_for_the_big_blind_and_owe_nothing_more(room):
    """B8: a player who does not post is dealt in as the big blind, with that blind alone."""
    clients = four(room)
    dora = clients[3]
    miss_the_blinds(room, dora, 5)

    room.ask(dora, wire.SitIn)
    for _ in range(6):
        next_hand(room)
        if 5 in dealt(dora):
            break

    assert dora.last(wire.HandStarted).big_blind == 5
    assert posts(dora, 5) == [("big_blind", 100)]


def test_b8_a_player_who_misses_no_blind_owes_none(room):
    """B8: sitting out for a hand in which no blind passed the player costs nothing."""
    clients = four(room)
    while clients[0].last(wire.HandStarted).button != 5:
        next_hand(room)
    dora = clients[3]
    room.ask(dora, wire.SitOut)
    room.ask(dora, wire.SitIn)

    next_hand(room)

    assert 5 in dealt(dora)
    assert posts(dora, 5) == []


def test_b8_a_player_who_is_back_and_waits_misses_blinds_as_well(room):
    """B8: back when the big blind has just passed, the player owes the small one, too, once that has passed."""
    clients = four(room)
    dora = clients[3]
    room.ask(dora, wire.SitOut)
    while room.table.game.seats.seats[5].owes is not Owes.big_blind:
        next_hand(room)
    assert isinstance(room.answer(dora, wire.SitIn), wire.Ok)

    next_hand(room)

    assert 5 not in dealt(dora)
    assert room.table.game.seats.seats[5].owes is Owes.both
    room.ask(dora, wire.SitOut)
    room.ask(dora, wire.SitIn, post=True)
    for _ in range(3):
        next_hand(room)
        if 5 in dealt(dora):
            break
    assert sorted(posts(dora, 5)) == [("dead_post", 50), ("live_post", 100)]


def test_a_player_who_sits_out_at_the_next_big_blind_plays_until_then(room):
    """The player is dealt in while others have the big blind, never posts it again, and owes it when back."""
    clients = four(room)
    dora = clients[3]
    room.ask(dora, wire.SitOut, when="next_big_blind")
    before = len([post for post in posts_ever(dora, 5) if post[0] == "big_blind"])
    hands = 0
    while room.table.game.seats.seats[5].status() == "playing":
        assert 5 in dealt(dora)
        next_hand(room)
        hands += 1
        assert hands < 6

    assert 5 not in dealt(dora)
    assert len([post for post in posts_ever(dora, 5) if post[0] == "big_blind"]) == before
    assert dora.last(wire.SeatChanged).status == "sitting_out"
