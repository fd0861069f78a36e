"""Seats held for an account: reserved before its buy-in, or offered from a waiting list."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from twisted.internet.defer import Deferred

from pokerroom.ledger.api import InsufficientBalance
from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room(seats_max=3, reservation_s=60)
    yield room
    room.stop()


@pytest.fixture
def olga(room: Room) -> Client:
    """A client that looks on."""
    olga = room.client("olga")
    room.ask(olga, wire.Observe)
    return olga


def code(answer: wire.Answer) -> str:
    assert isinstance(answer, wire.Error)
    return answer.code


def held_buy_in(room: Room) -> Deferred[None]:
    """The next buy-in waits for this answer of the ledger."""
    answer: Deferred[None] = Deferred()
    original = room.ledger.buy_in

    def once(*_: object) -> Deferred[None]:
        room.ledger.buy_in = original
        return answer

    room.ledger.buy_in = once
    return answer


def gone(room: Room, client: Client) -> None:
    client.connected = False
    room.table.viewer_gone(client)


def test_a_reserved_seat_is_told_to_every_player_without_a_name(room, olga):
    """The holder is told the seat and the end of the hold; the others that it is held, and not for which account."""
    anna = room.client("anna")
    until_ms = int(room.clock.seconds() * 1000) + 60_000

    number = room.ask(anna, wire.ReserveSeat, seat=2)

    assert anna.last(wire.Reserved) == wire.Reserved(re=number, table="t1", seat=2, until_ms=until_ms)
    told = olga.last(wire.SeatReserved)
    assert (told.seat, told.until_ms) == (2, until_ms)
    assert room.table.game.seats.reserved() == [2]


def test_sitting_down_takes_the_held_seat(room, olga):
    """`sit_down` without a seat takes the held one; `seat_taken` ends the hold, and nothing is left on the clock."""
    anna = room.client("anna")
    room.ask(anna, wire.ReserveSeat, seat=3)

    room.ask(anna, wire.SitDown, buy_in=5_000)

    assert olga.last(wire.SeatTaken).seat == 3
    assert not olga.all(wire.SeatReleased)
    assert room.table.game.seats.reserved() == []
    assert room.clock.getDelayedCalls() == []
    assert room.seats.tables_of(anna.account) == ["t1"]


def test_the_held_seat_may_be_named(room):
    """Reserving the held seat again, or sitting down in it by its number, is no request for another account's seat."""
    anna = room.client("anna")
    room.ask(anna, wire.ReserveSeat, seat=2)

    assert room.answer(anna, wire.ReserveSeat, seat=2).seat == 2
    assert room.answer(anna, wire.SitDown, buy_in=5_000, seat=2).your_seat == 2


def test_sitting_down_in_another_seat_gives_the_hold_up(room, olga):
    """An account that names another free seat gets it, and the held one is free again."""
    anna, bert = room.client("anna"), room.client("bert")
    room.ask(anna, wire.ReserveSeat, seat=3)

    room.ask(anna, wire.SitDown, buy_in=5_000, seat=1)

    assert olga.last(wire.SeatTaken).seat == 1
    assert olga.last(wire.SeatReleased).seat == 3
    assert isinstance(room.answer(bert, wire.SitDown, buy_in=5_000, seat=3), wire.Snapshot)


def test_a_held_seat_is_no_other_players(room):
    """Others are refused `seat_held`, any free seat skips held ones, and with all of them held the table is full."""
    anna, bert, carl, dora = (room.client(name) for name in ("anna", "bert", "carl", "dora"))
    room.ask(anna, wire.ReserveSeat, seat=1)

    assert code(room.answer(bert, wire.SitDown, buy_in=5_000, seat=1)) == "seat_held"
    assert code(room.answer(bert, wire.ReserveSeat, seat=1)) == "seat_held"
    assert room.answer(bert, wire.ReserveSeat).seat == 2
    room.ask(carl, wire.SitDown, buy_in=5_000)
    assert room.table.game.seats.held_by(carl.account).number == 3
    assert code(room.answer(dora, wire.SitDown, buy_in=5_000)) == "table_full"
    assert code(room.answer(dora, wire.ReserveSeat)) == "table_full"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [({"seat": 4}, "no_such_seat"), ({"seat": 1}, "seat_taken"), ({}, "already_seated")],
)
def test_what_cannot_be_reserved(room, fields, expected):
    """A seat that does not exist, a taken one, and any for a player who sits here already."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna)

    assert code(room.answer(bert if fields else anna, wire.ReserveSeat, **fields)) == expected


def test_one_hold_per_account_moves_and_does_not_grow_longer(room, olga):
    """Asked again the hold is the same; naming another seat moves it; its time is that of the first."""
    anna = room.client("anna")
    first = room.answer(anna, wire.ReserveSeat)
    room.clock.advance(30)

    again = room.answer(anna, wire.ReserveSeat)
    moved = room.answer(anna, wire.ReserveSeat, seat=3)

    assert (again.seat, again.until_ms) == (first.seat, first.until_ms)
    assert (moved.seat, moved.until_ms) == (3, first.until_ms)
    assert (olga.last(wire.SeatReleased).seat, olga.last(wire.SeatReserved).seat) == (1, 3)
    room.clock.advance(30)
    assert room.table.game.seats.reserved() == []


def test_a_hold_ends_with_its_time(room, olga):
    """After `reservation_s` the seat is free, all viewers are told, and the account may sit elsewhere."""
    anna = room.client("anna")
    room.ask(anna, wire.ReserveSeat)
    room.clock.advance(59.9)
    assert not olga.all(wire.SeatReleased)

    room.clock.advance(0.1)

    assert olga.last(wire.SeatReleased).seat == 1
    assert room.seats.tables_of(anna.account) == []
    assert code(room.answer(anna, wire.ReleaseSeat)) == "no_seat_held"


def test_a_hold_can_be_given_up(room, olga):
    """`release_seat` is answered by `ok`, and the seat is free."""
    anna, bert = room.client("anna"), room.client("bert")
    room.ask(anna, wire.ReserveSeat)

    assert isinstance(room.answer(anna, wire.ReleaseSeat), wire.Ok)

    assert olga.last(wire.SeatReleased).seat == 1
    assert room.answer(bert, wire.ReserveSeat).seat == 1


def test_a_hold_ends_with_the_connection(room, olga):
    """An account that loses its connection loses the held seat at once, unless another connection watches the table."""
    anna = room.client("anna")
    room.ask(anna, wire.ReserveSeat)
    second = Client("anna", anna.account)
    room.ask(second, wire.Observe)

    gone(room, anna)
    assert room.table.game.seats.reserved() == [1]
    gone(room, second)

    assert olga.last(wire.SeatReleased).seat == 1
    assert room.seats.tables_of(anna.account) == []


def test_a_hold_counts_as_one_of_the_tables_of_an_account(room):
    """No account keeps seats free at more tables than it may sit at."""
    anna = room.client("anna")
    for table in ("t2", "t3", "t4", "t5"):
        assert room.seats.claim(anna.account, table)

    assert code(room.answer(anna, wire.ReserveSeat)) == "too_many_tables"
    room.seats.freed(anna.account, "t5")
    assert isinstance(room.answer(anna, wire.ReserveSeat), wire.Reserved)
    assert not room.seats.claim(anna.account, "t5")


def test_a_refused_buy_in_leaves_the_hold_as_it_was(room, olga):
    """A refusal changes nothing: the seat is still held, and for as long as before."""
    anna = room.client("anna")
    room.ask(anna, wire.ReserveSeat, seat=2)
    answer = held_buy_in(room)
    room.ask(anna, wire.SitDown, buy_in=5_000)
    assert code(room.answer(anna, wire.ReleaseSeat)) == "request_pending"
    assert code(room.answer(anna, wire.ReserveSeat)) == "request_pending"

    answer.errback(InsufficientBalance("x"))

    assert room.table.game.seats.reserved() == [2]
    assert room.seats.tables_of(anna.account) == ["t1"]
    room.clock.advance(60)
    assert olga.last(wire.SeatReleased).seat == 2


@pytest.mark.parametrize("ends", ["time", "connection"])
def test_a_hold_that_ends_while_the_ledger_is_asked_ends_after_a_refusal(room, olga, ends):
    """Until the ledger has answered the seat is neither free nor taken; then what was due happens."""
    anna = room.client("anna")
    room.ask(anna, wire.ReserveSeat, seat=2)
    answer = held_buy_in(room)
    room.ask(anna, wire.SitDown, buy_in=5_000)
    if ends == "time":
        room.clock.advance(60)
    else:
        gone(room, anna)
    assert not olga.all(wire.SeatReleased)

    answer.errback(InsufficientBalance("x"))

    assert olga.last(wire.SeatReleased).seat == 2
    assert room.seats.tables_of(anna.account) == []


def test_a_hold_whose_time_is_over_at_the_ledger_is_taken_all_the_same(room, olga):
    """The request came in time; how long the ledger takes is not the player's fault."""
    anna = room.client("anna")
    room.ask(anna, wire.ReserveSeat, seat=2)
    original = room.ledger.buy_in
    answer = held_buy_in(room)
    room.ask(anna, wire.SitDown, buy_in=5_000)
    room.clock.advance(60)

    original("buyin:" + 32 * "1", "t1", 1, 2, anna.account, 5_000, 4).chainDeferred(answer)

    assert olga.last(wire.SeatTaken).seat == 2
    assert not olga.all(wire.SeatReleased)


def test_an_offered_seat_is_held_and_told(room, olga):
    """A table that is asked for a seat holds the lowest free one, and says until when."""
    anna = room.client("anna")
    told = []

    room.table.offer_seat(anna.account, lambda *what: told.append(what))

    until_ms = int(room.clock.seconds() * 1000) + 60_000
    assert told == [(1, until_ms)]
    assert olga.last(wire.SeatReserved).seat == 1
    room.ask(anna, wire.SitDown, buy_in=5_000)
    assert olga.last(wire.SeatTaken).seat == 1


def test_an_offered_seat_may_be_exchanged_during_a_cooldown(room):
    """The cooldown keeps a player from a new hold; a seat from the waiting list is held already."""
    anna = room.client("anna")
    for _ in range(3):
        room.ask(anna, wire.ReserveSeat)
        room.ask(anna, wire.ReleaseSeat)
    assert code(room.answer(anna, wire.ReserveSeat)) == "seat_cooldown"
    room.table.offer_seat(anna.account, lambda *_: None)

    assert room.answer(anna, wire.ReserveSeat, seat=2).seat == 2
    assert room.table.game.seats.reserved() == [2]


def test_the_room_is_told_which_account_has_bought_in(room, monkeypatch):
    """When the ledger has booked it: the account is on no waiting list then."""
    told = []
    monkeypatch.setattr(room.seats, "seated", lambda *seat: told.append(seat))
    anna = room.client("anna")
    original, answer = room.ledger.buy_in, held_buy_in(room)
    room.ask(anna, wire.SitDown, buy_in=5_000)
    assert told == []

    original("buyin:" + 32 * "1", "t1", 1, 1, anna.account, 5_000, 4).chainDeferred(answer)

    assert told == [(anna.account, "t1")]


def test_without_a_free_seat_nothing_is_offered(room):
    """Taken and held seats are not free, and who has one here gets no second."""
    anna, bert = room.client("anna"), room.client("bert")
    told = []
    room.sit(anna)
    room.table.offer_seat(anna.account, lambda *what: told.append(what))
    room.ask(bert, wire.ReserveSeat)
    room.table.offer_seat(bert.account, lambda *what: told.append(what))
    room.ask(room.client("carl"), wire.ReserveSeat)

    room.table.offer_seat(room.client("dora").account, lambda *what: told.append(what))

    assert told == [(None, 0)] * 3


def test_only_an_offer_can_be_withdrawn(room):
    """The waiting list cannot free a seat that its holder has reserved."""
    anna, bert = room.client("anna"), room.client("bert")
    room.ask(anna, wire.ReserveSeat)
    room.table.offer_seat(bert.account, lambda *_: None)

    for client in (anna, bert):
        room.table.mailbox.post(room.table.game.seats.withdraw_offer, client.account)

    assert room.table.game.seats.reserved() == [1]
    assert room.seats.tables_of(bert.account) == []


def test_a_table_that_goes_down_holds_no_seats(room):
    """After `stop` no hold is left on the clock, and none is made; nor does any absence run."""
    anna, bert, carl = (room.client(name) for name in ("anna", "bert", "carl"))
    room.sit(carl)
    room.ask(anna, wire.ReserveSeat)
    told = []

    room.table.stop()
    room.table.offer_seat(bert.account, lambda *what: told.append(what))
    gone(room, carl)

    assert room.clock.getDelayedCalls() == []
    assert told == [(None, 0)]
    assert room.seats.tables_of(anna.account) == []
