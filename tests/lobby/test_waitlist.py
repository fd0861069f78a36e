"""Which account is called when a seat is free: one order of joining, and what removes an entry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

import pytest
from twisted.internet.defer import Deferred

from pokerroom.ledger.api import InsufficientBalance
from pokerroom.ops.table_settings import TableSettings
from pokerroom.rules.stakes import Stakes
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code
from tests.lobby.support import TWO_SEATS, Cardroom, ended, offers
from tests.poker.support import Client

HIGH, HIGHER = Stakes(small_blind=500, big_blind=1_000), Stakes(small_blind=1_000, big_blind=2_000)
ELSEWHERE = ("x1", "x2", "x3", "x4")
"""As many tables as an account may have."""


@pytest.fixture
def room() -> Iterator[Cardroom]:
    room = Cardroom(
        TWO_SEATS,
        replace(TWO_SEATS, table="t2", seats_max=3),
        replace(TWO_SEATS, table="high", stakes=HIGH),
        *(replace(TWO_SEATS, table=name, stakes=HIGHER) for name in ELSEWHERE),
    )
    yield room
    room.stop()


@pytest.fixture
def full(room: Cardroom) -> list[Client]:
    """Return the accounts that fill t1 and t2: two and three. One in each sits out, so that no hand is dealt at t1."""
    clients = [room.client(f"sitter{number}") for number in range(5)]
    room.sit(clients[0])
    room.answer(clients[0], wire.SitOut)
    room.sit(clients[1])
    for client in clients[2:]:
        room.sit(client, table="t2")
        room.answer(client, wire.SitOut, "t2")
    return clients


def free_a_seat(room: Cardroom, sitter: Client) -> None:
    """An account's seat at t1 is free, in the middle of a message to the table."""
    seat_manager = room.table().game.seats
    seat = seat_manager.held_by(sitter.account)
    assert seat is not None
    seat_manager.seats.remove(seat)
    room.room_bus.seating.freed(sitter.account, "t1")
    seat_manager.opened()


def code(answer: wire.Answer) -> str:
    assert isinstance(answer, wire.Error)
    return answer.code


def test_the_first_who_joined_is_offered_the_seat(room, full):
    """The table holds the seat for the first account alone, and tells it until when; the second waits on."""
    anna, bert, carl = (room.client(name) for name in ("anna", "bert", "carl"))
    assert [room.join(client).position for client in (anna, bert)] == [1, 2]
    assert room.table().info().waiting == 2

    room.leave(full[1])

    assert offers(anna) == [("t1", 2)]
    assert anna.last(wire.SeatOffered).until_ms == int(room.clock.seconds() * 1000) + 60_000
    assert offers(bert) == []
    assert room.table().info().waiting == 1
    assert code(room.answer(carl, wire.SitDown, buy_in=5_000)) == "table_full"
    assert code(room.answer(carl, wire.SitDown, buy_in=5_000, seat=2)) == "seat_held"
    room.sit(anna)
    assert room.join(anna) is Code.ALREADY_SEATED
    room.leave(anna)
    assert offers(bert) == [("t1", 2)]


def test_joining_with_a_free_seat_is_answered_and_offers_it_at_once(room):
    """First the place on the list, then the offer."""
    anna = room.client("anna")

    room.join(anna)

    assert [type(message) for message in anna.got] == [wire.Waitlisted, wire.SeatOffered]
    assert room.table().game.seats.reserved() == [1]


def test_an_offer_that_lapses_ends_the_wait_and_goes_to_the_next(room, full):
    """An account that does not come in time is removed and told; the next one has the full time."""
    anna, bert = room.client("anna"), room.client("bert")
    room.join(anna)
    room.join(bert)
    room.leave(full[1])

    room.clock.advance(60)

    assert ended(anna) == [("t1", False, "offer_lapsed")]
    assert offers(bert) == [("t1", 2)]
    assert bert.last(wire.SeatOffered).until_ms == int(room.clock.seconds() * 1000) + 60_000
    assert room.quit(anna) is Code.NOT_WAITING
    assert code(room.answer(anna, wire.SitDown, buy_in=5_000)) == "table_full"


def test_an_offer_that_is_declined_goes_to_the_next(room, full):
    """`release_seat` is an answer, too: the account waits no longer."""
    anna, bert = room.client("anna"), room.client("bert")
    room.join(anna)
    room.join(bert)
    room.leave(full[1])

    assert isinstance(room.answer(anna, wire.ReleaseSeat), wire.Ok)

    assert ended(anna) == [("t1", False, "offer_lapsed")]
    assert offers(bert) == [("t1", 2)]


def test_leaving_the_list_gives_an_offered_seat_to_the_next(room, full):
    """An account that leaves the list gives the offered seat up, and is not told what it did itself."""
    anna, bert = room.client("anna"), room.client("bert")
    room.join(anna)
    room.join(bert)
    room.leave(full[1])

    assert isinstance(room.quit(anna), wire.Ok)

    assert ended(anna) == []
    assert offers(bert) == [("t1", 2)]


def test_newcomers_come_after_those_who_wait(room):
    """`waiting_list`, unless more seats are free than accounts wait; the holder of an offer may take its seat."""
    room = Cardroom(replace(TWO_SEATS, seats_max=3))
    anna, bert, carl = (room.client(name) for name in ("anna", "bert", "carl"))
    table = room.table()
    table.drain_state.draining = True  # the seats are free, but no account is called to one
    room.join(anna)
    room.join(bert)
    table.drain_state.draining = False
    assert table.info().waiting == 2

    assert isinstance(room.answer(carl, wire.ReserveSeat), wire.Reserved)
    assert code(room.answer(room.client("dora"), wire.SitDown, buy_in=5_000)) == "waiting_list"
    assert code(room.answer(room.client("eric"), wire.ReserveSeat, seat=3)) == "waiting_list"
    assert room.answer(carl, wire.SitDown, buy_in=5_000, seat=3).your_seat == 3
    room.stop()


def test_a_seat_is_no_accounts_while_the_first_is_being_asked(room, full):
    """A newcomer with a request queued before the offer cannot take the seat."""
    anna, carl = room.client("anna"), room.client("carl")
    room.join(anna)
    table = room.table()
    number = carl.next_id()

    def while_the_table_is_busy() -> None:
        table.request(carl, wire.SitDown(id=number, table="t1", buy_in=5_000))
        free_a_seat(room, full[1])  # the offer is behind carl's request in the mailbox

    table.mailbox.post(while_the_table_is_busy)

    assert carl.last(wire.Error).code == "waiting_list"
    assert offers(anna) == [("t1", 2)]


def test_any_table_of_the_same_stakes_serves(room, full):
    """With `any_table` a seat at another table of the same stakes is offered, whatever its size; others are not."""
    anna = room.client("anna")
    assert room.join(anna, any_table=True).any_table
    assert room.table("t2").info().waiting == 1
    assert room.table("high").info().waiting == 0

    room.leave(full[3], "t2")

    assert offers(anna) == [("t2", 2)]
    room.sit(anna, table="t2")
    assert room.quit(anna, any_table=True) is Code.NOT_WAITING


def test_joining_for_any_table_looks_at_all_of_them(room, full):
    """A seat that is free already is offered at once, also where the named table has none."""
    anna = room.client("anna")
    room.leave(full[3], "t2")

    room.join(anna, "t1", any_table=True)

    assert offers(anna) == [("t2", 2)]


def held_buy_in(room: Cardroom) -> Deferred[None]:
    """The next buy-in waits for this answer of the ledger."""
    answer: Deferred[None] = Deferred()
    original = room.world.ledger.buy_in

    def once(*_: object) -> Deferred[None]:
        room.world.ledger.buy_in = original
        return answer

    room.world.ledger.buy_in = once
    return answer


def test_a_seat_whose_buyer_is_refused_is_offered(room, full):
    """An account that joins while the last seat is being bought is called once the ledger refuses the purchase."""
    anna, carl = room.client("anna"), room.client("carl")
    room.leave(full[1])
    answer = held_buy_in(room)
    room.table().request(carl, wire.SitDown(id=99, table="t1", buy_in=5_000))
    room.join(anna)
    assert offers(anna) == []

    answer.errback(InsufficientBalance("x"))

    assert offers(anna) == [("t1", 2)]


def test_a_hold_given_up_for_another_seat_is_offered(room, full):
    """The holder buys in at another seat of the table: an account that joined meanwhile is called to the held one."""
    anna, carl = room.client("anna"), room.client("carl")
    room.leave(full[0])
    room.leave(full[1])
    assert room.answer(carl, wire.ReserveSeat, seat=1).seat == 1
    original = room.world.ledger.buy_in
    answer = held_buy_in(room)
    room.table().request(carl, wire.SitDown(id=99, table="t1", buy_in=5_000, seat=2))
    room.join(anna)
    assert offers(anna) == []

    original("buyin:" + 32 * "1", "t1", 1, 2, carl.account, 5_000, 4).chainDeferred(answer)

    assert offers(anna) == [("t1", 1)]


def test_a_seat_refused_to_one_who_holds_another_is_offered(room, full):
    """The hold stays; an account that joined meanwhile is called to the seat that was refused."""
    anna, carl = room.client("anna"), room.client("carl")
    room.leave(full[0])
    room.leave(full[1])
    assert room.answer(carl, wire.ReserveSeat, seat=1).seat == 1
    answer = held_buy_in(room)
    room.table().request(carl, wire.SitDown(id=99, table="t1", buy_in=5_000, seat=2))
    room.join(anna)
    assert offers(anna) == []

    answer.errback(InsufficientBalance("x"))

    assert offers(anna) == [("t1", 2)]
    assert room.table().game.seats.reserved() == [1, 2]


def test_an_account_that_cannot_come_any_more_is_passed_over(room, full):
    """Between call and answer the account sat down at its last allowed table: the next one is called."""
    anna, bert = room.client("anna"), room.client("bert")
    room.join(anna)
    room.join(bert)

    def while_the_table_is_busy() -> None:
        free_a_seat(room, full[1])  # the offer to anna is behind this in the mailbox
        for name in ELSEWHERE:
            assert room.room_bus.seating.claim(anna.account, name)

    room.table().mailbox.post(while_the_table_is_busy)

    assert (offers(anna), offers(bert)) == ([], [("t1", 2)])


def test_the_lists_have_one_order(room, full):
    """An earlier entry for any table comes before a later one for this table, and the other way round."""
    anna, bert, carl = (room.client(name) for name in ("anna", "bert", "carl"))
    room.join(anna, any_table=True)
    room.join(bert)
    assert room.join(carl, any_table=True).position == 3

    room.leave(full[1])
    assert (offers(anna), offers(bert)) == ([("t1", 2)], [])
    room.leave(full[4], "t2")

    assert (offers(bert), offers(carl)) == ([], [("t2", 3)])


def test_sitting_down_ends_the_waits_that_the_seat_serves_and_no_other(room, full):
    """The lists of this table and of these stakes are left; another table's is not."""
    anna = room.client("anna")
    for table, any_table in (("t1", False), ("t1", True), ("t2", False)):
        assert isinstance(room.join(anna, table, any_table=any_table), wire.Waitlisted)
    room.leave(full[1])
    assert offers(anna) == [("t1", 2)]

    room.sit(anna)

    assert room.quit(anna, any_table=True) is Code.NOT_WAITING
    assert isinstance(room.quit(anna, "t2"), wire.Ok)
    assert ended(anna) == []


def test_a_seat_offered_elsewhere_is_given_back_on_sitting_down(room, full):
    """An account that is called to one table and sits down at another frees the first seat."""
    anna, bert = room.client("anna"), room.client("bert")
    room.join(anna, any_table=True)
    room.join(bert)
    room.leave(full[1])
    assert offers(anna) == [("t1", 2)]
    room.answer(full[4], wire.StandUp, "t2")

    room.sit(anna, table="t2")

    assert offers(bert) == [("t1", 2)]


def test_a_refused_buy_in_keeps_the_offer_and_the_place(room, full):
    """A refusal changes nothing."""
    anna = room.client("anna")
    room.join(anna)
    room.leave(full[1])

    assert code(room.answer(anna, wire.SitDown, buy_in=1)) == "buy_in_too_small"

    assert room.table().game.seats.reserved() == [2]
    room.sit(anna)


def test_an_account_that_is_not_connected_is_passed_over_and_keeps_its_place(room, full):
    """The next account is called; the first one keeps its place, and gets the next seat."""
    anna, bert = room.client("anna"), room.client("bert")
    room.join(anna)
    room.join(bert)
    room.lose(anna)
    assert room.table().info().waiting == 1

    room.leave(full[1])
    assert offers(bert) == [("t1", 2)]
    room.clock.advance(59)
    again = room.back(anna)
    assert room.join(again) is Code.ALREADY_WAITING
    room.answer(bert, wire.ReleaseSeat)

    assert offers(again) == [("t1", 2)]


def test_an_account_whose_connection_is_lost_loses_an_offer_but_not_its_place(room, full):
    """The seat goes to the next account; the first, back in time, is offered the next seat."""
    anna, bert = room.client("anna"), room.client("bert")
    room.join(anna)
    room.join(bert)
    room.leave(full[1])

    room.lose(anna)

    assert offers(bert) == [("t1", 2)]
    again = room.back(anna)
    assert (offers(again), ended(again)) == ([], [])
    room.leave(full[0])
    assert offers(again) == [("t1", 1)]


def test_the_only_one_who_waits_is_offered_the_seat_again_when_they_are_back(room, full):
    """A seat that no other account wanted meanwhile is still free."""
    anna = room.client("anna")
    room.join(anna)
    room.leave(full[1])
    room.lose(anna)
    assert room.table().game.seats.reserved() == []

    again = room.back(anna)

    assert offers(again) == [("t1", 2)]


@pytest.mark.parametrize(("away_s", "reasons"), [(119, []), (120, ["away"])])
def test_an_account_that_is_away_for_too_long_loses_its_place(room, full, away_s, reasons):
    """The account is told when it is back; then it may join again, behind the others."""
    anna, bert = room.client("anna"), room.client("bert")
    room.join(anna)
    room.join(bert)
    room.lose(anna)
    room.clock.advance(away_s)

    again = room.back(anna)

    assert [reason for _, _, reason in ended(again)] == reasons
    if reasons:
        assert room.join(again).position == 2
    else:
        assert room.join(again) is Code.ALREADY_WAITING


def test_places_that_no_account_comes_back_for_are_forgotten(room, full):
    """Nothing is kept for ever of accounts that do not come back."""
    anna, bert = room.client("anna"), room.client("bert")
    room.join(anna)
    room.lose(anna)
    room.clock.advance(3_600)

    room.join(bert)

    assert ended(room.back(anna)) == []
    assert [entry.account for entry in room.waitlist.entries()] == [bert.account]


def test_an_account_with_as_many_tables_as_it_may_is_passed_over(full, room):
    """It is called after leaving one of them."""
    anna, bert = room.client("anna"), room.client("bert")
    for table in ELSEWHERE:
        assert room.room_bus.seating.claim(anna.account, table)
    room.join(anna)
    room.join(bert)

    room.leave(full[1])
    assert (offers(anna), offers(bert)) == ([], [("t1", 2)])
    room.answer(bert, wire.ReleaseSeat)
    assert offers(anna) == []
    room.room_bus.seating.freed(anna.account, "x4")

    assert offers(anna) == [("t1", 2)]


def test_an_account_that_frees_a_seat_comes_after_those_who_wait_for_it(room, full):
    """An account that waits for any table is not called back to the seat that it has just left."""
    anna = room.client("anna")
    room.join(anna)
    room.join(full[1], any_table=True)

    room.leave(full[1])

    assert (offers(anna), offers(full[1])) == ([("t1", 2)], [])


@pytest.mark.parametrize(
    ("table", "any_table", "expected"),
    [
        ("t1", False, Code.ALREADY_SEATED),
        ("t9", False, Code.UNKNOWN_TABLE),
        ("high", True, Code.ALREADY_SEATED),
    ],
)
def test_what_cannot_be_waited_for(room, full, table, any_table, expected):
    """A table where the account sits, an unknown table, and stakes with one table where it sits."""
    sitter = full[0]
    room.sit(sitter, table="high")

    assert room.join(sitter, table, any_table=any_table) is expected
    assert room.quit(sitter, table, any_table=any_table) in {Code.NOT_WAITING, Code.UNKNOWN_TABLE}


def test_one_place_per_list(room, full):
    """Joining twice is refused, also by another table of the same stakes; the two kinds are different lists."""
    anna = room.client("anna")
    assert isinstance(room.join(anna), wire.Waitlisted)
    assert isinstance(room.join(anna, any_table=True), wire.Waitlisted)

    assert room.join(anna) is Code.ALREADY_WAITING
    assert room.join(anna, "t2", any_table=True) is Code.ALREADY_WAITING
    assert room.table().info().waiting == 1


def test_a_closed_table_ends_its_waits(room, full):
    """Its own list ends; an entry for any table stays while there is another table."""
    anna, bert = room.client("anna"), room.client("bert")
    room.join(anna)
    room.join(bert, any_table=True)

    room.table().mailbox.post(room.table().game.seats.close_doors)

    assert ended(anna) == [("t1", False, "table_closed")]
    assert ended(bert) == []
    assert room.join(anna) is Code.TABLE_CLOSING
    room.table("t2").mailbox.post(room.table("t2").game.seats.close_doors)
    assert ended(bert) == [("t1", True, "table_closed")]
    assert room.join(anna, any_table=True) is Code.TABLE_CLOSING


def test_an_offer_of_a_table_that_closes_is_void(room, full):
    """The seat is not held any more, and the wait is over for that reason."""
    anna = room.client("anna")
    room.join(anna)
    room.leave(full[1])

    room.table().mailbox.post(room.table().game.seats.close_doors)

    assert ended(anna) == [("t1", False, "table_closed")]
    assert room.seats.tables_of(anna.account) == []


def test_two_seats_that_open_at_once_are_offered_to_two(room):
    """A table that opens calls as many as it has seats, and no more."""
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.table().drain_state.draining = True  # the seats are free, but no account is called to one
    for client in clients:
        room.join(client)
    room.table().drain_state.draining = False

    room.table().mailbox.post(room.table().game.seats.open_doors)

    assert [offers(client) for client in clients] == [[("t1", 1)], [("t1", 2)], []]


def test_where_no_account_waits_for_seats_a_wish_is_refused():
    """A table against the house has no waiting list: neither for itself nor for tables like it."""

    class House(TableSettings):
        waited_for = None

    values = {field.name: getattr(TWO_SEATS, field.name) for field in fields(TWO_SEATS)}
    room = Cardroom(TWO_SEATS, House(**values | {"table": "u"}))
    anna = room.client("anna")
    assert room.join(anna, table="u") is Code.NO_WAITING_LIST
    assert room.join(anna, table="u", any_table=True) is Code.NO_WAITING_LIST
    room.stop()
