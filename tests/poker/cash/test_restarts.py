"""Seats rebuilt from the ledger's rows and the journal's facts, and the seats that they replace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import msgpack
import pytest
from msgspec import Raw
from twisted.internet.defer import Deferred

from pokerroom.ledger.api import InsufficientBalance
from pokerroom.poker.cash.seat_manager import SeatManager
from pokerroom.poker.journal import SeatingFacts
from pokerroom.poker.seat_facts import SeatFacts, decode_seat_facts, encode_seat_facts
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.rules.button import Owes
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.restarts import DELAY_S
from pokerroom_protocol import messages as wire
from tests.poker.support import OPENING, Client, Room, now


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


SEAT = Seat(
    number=3,
    account=7,
    name="anna",
    stack=500,
    state=SeatState.PLAYING,
    owes=Owes.both,
    posts_now=True,
    sits_out_next_big_blind=True,
    straddles=True,
    muck_losing=False,
    auto_top_up_to=900,
    time_bank_ms=12_345,
    returns_playing=True,
    timeouts_in_row=1,
)
FRESH = replace(
    SEAT,
    owes=Owes.nothing,
    posts_now=False,
    sits_out_next_big_blind=False,
    straddles=False,
    muck_losing=True,
    auto_top_up_to=0,
    time_bank_ms=0,
    returns_playing=False,
    timeouts_in_row=0,
)


def again(room: Room, facts: SeatingFacts | None, *, watch: tuple[Client, ...] = ()) -> SeatManager:
    """Another table on the same ledger, with restored seats; some clients watch it already."""
    room.table.stop()
    room.table = room.open()
    for client in watch:
        room.table.outbox.watch(client, 0)
    rows = now(room.ledger.seats())
    room.table.mailbox.post(room.table.game.seats.restore, rows, facts)
    return room.table.game.seats


@pytest.mark.parametrize(
    ("before", "after", "returns"),
    [
        (SeatState.PLAYING, SeatState.SITTING_OUT, True),
        (SeatState.SITTING_OUT, SeatState.SITTING_OUT, False),
        (SeatState.LEAVING, SeatState.LEAVING, False),
    ],
)
def test_facts_are_plain_and_make_the_seat_what_it_was(before, after, returns):
    """Through msgpack and back every fact is the same; a player who was playing sits out until known to be back."""
    facts = SeatFacts.of(replace(SEAT, state=before, returns_playing=False))
    seat = replace(FRESH)

    [read] = decode_seat_facts(encode_seat_facts([facts]))
    read.apply(seat)

    assert seat == replace(SEAT, state=after, returns_playing=returns)


def test_facts_of_another_form_are_refused():
    """A list that is too short, too long or wrong raises, rather than giving a player a wrong debt."""
    named = msgpack.unpackb(encode_seat_facts([SeatFacts.of(SEAT)]))[0]
    values = list(named.values())
    assert decode_seat_facts(Raw(msgpack.packb([values]))) == [SeatFacts.of(SEAT)]  # as version 2 had them
    nonsense = [0 if value == "both" else value for value in values]
    for wrong in (values[:-1], [*values, 0], nonsense, {**named, "owes": 0}, {"account": 1}):
        with pytest.raises(UnreadableJournal):
            decode_seat_facts(Raw(msgpack.packb([wrong])))


def test_a_player_who_was_playing_plays_on_when_they_are_back(room):
    """After a restart of the room no player is dealt in before they are back; then they need not ask to play."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.act("fold")
    facts = room.table.game.seats.facts()

    manager = again(room, facts)

    assert [seat.status() for seat in manager.seats] == ["sitting_out", "sitting_out"]
    assert all(seat.gone_since_ms == int(room.clock.seconds() * 1000) for seat in manager.seats)
    room.ask(Client("anna", anna.account), wire.Observe)
    assert [seat.status() for seat in manager.seats] == ["playing", "sitting_out"]
    assert room.table.state_name == "waiting"
    room.ask(Client("bert", bert.account), wire.Observe)
    assert room.table.state_name == "playing"


def test_a_player_whose_viewer_is_there_plays_on_at_once(room):
    """A table that restarts in a running room goes on with its viewers; the others have their time to return."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.act("fold")

    manager = again(room, room.table.game.seats.facts(), watch=(anna,))

    assert [(seat.status(), seat.connected) for seat in manager.seats] == [
        ("playing", True),
        ("sitting_out", False),
    ]
    room.clock.advance(120)
    assert [seat.number for seat in manager.seats] == [1]


def test_a_player_who_says_that_they_play_need_not_be_seen(room):
    """`sit_in` from a connection that does not watch is enough; a player sat out later stays out when back."""
    anna = room.client("anna")
    room.sit(anna)
    manager = again(room, room.table.game.seats.facts())

    assert isinstance(room.answer(anna, wire.SitIn), wire.Ok)
    assert manager.seats[1].status() == "waiting" or manager.seats[1].status() == "playing"
    manager.seats[1].state = SeatState.SITTING_OUT  # as the clock does (H6)
    room.ask(anna, wire.Observe)

    assert manager.seats[1].status() == "sitting_out"


def test_a_player_who_sat_out_decides_when_they_play(room):
    """Coming back to the table is no `sit_in`."""
    anna = room.client("anna")
    room.sit(anna)
    room.ask(anna, wire.SitOut)

    manager = again(room, room.table.game.seats.facts(), watch=(anna,))

    assert manager.seats[1].status() == "sitting_out"
    assert isinstance(room.answer(anna, wire.SitIn), wire.Ok)


def test_a_player_who_was_leaving_leaves(room):
    """An `ok` to `stand_up` holds over a restart: the seat is cashed out."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.ask(bert, wire.StandUp)
    facts = room.table.game.seats.facts()

    manager = again(room, facts)

    assert [seat.account for seat in manager.seats] == [anna.account]
    assert now(room.ledger.wallet(bert.account)) == OPENING


def test_b1_the_first_sitter_is_still_the_first(room):
    """B1: the order of sitting down is one of the facts, not the order of the seats."""
    anna, bert = room.client("anna"), room.client("bert")
    with_button = 5
    room.ask(anna, wire.SitDown, buy_in=5_000, seat=with_button)
    room.ask(bert, wire.SitDown, buy_in=5_000, seat=2)

    manager = again(room, room.table.game.seats.facts(), watch=(anna, bert))

    assert manager.first_sitter() == with_button


def test_of_whom_nothing_is_known_is_a_newcomer_beside_others(room):
    """Facts are kept from hand to hand: a player without any has sat down since (B7); without any facts none owes."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna)
    facts = room.table.game.seats.facts()
    room.sit(bert)

    beside = again(room, facts)
    assert (beside.seats[2].owes, beside.seats[2].returns_playing) == (Owes.newcomer, True)
    alone = again(room, None)
    assert [(seat.owes, seat.returns_playing) for seat in alone.seats] == [(Owes.nothing, False)] * 2
    assert [seat.status() for seat in alone.seats] == ["sitting_out", "sitting_out"]


def test_a_time_bank_goes_on_as_it_was():
    """Known seats keep what is left of it; unknown ones have a full one."""
    room = Room(time_bank_s=30)
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna)
    room.table.game.seats.seats[1].time_bank_ms = 4_000
    facts = room.table.game.seats.facts()
    room.sit(bert)

    assert [seat.time_bank_ms for seat in again(room, facts).seats] == [4_000, 30_000]
    room.stop()


def test_a3_chips_bought_in_a_hand_are_still_apart_from_it_after_a_restart(room):
    """A3: of what the ledger says of a seat in a hand that goes on, what was bought meanwhile plays from the next."""
    room.sit(room.client("anna"), room.client("bert"), buy_in=5_000)
    room.ask(room.at(2), wire.TopUp, amount=1_000)
    hand_id = room.table.game.play.hand_id()

    room.table.stop()
    room.table = room.open()
    room.table.restore(now(room.ledger.seats()), list(room.journal.kept), frozenset())

    assert room.table.game.play.hand_id() == hand_id
    assert [(seat.stack, seat.topped_up) for seat in room.table.game.seats.seats] == [
        (5_000, 0),
        (5_000, 1_000),
    ]


# --- given up -------------------------------------------------------------------------------------------------------


class Asked:
    """A call of the ledger that is answered when the test says so."""

    def __init__(self, room: Room, operation: str) -> None:
        self.answer: Deferred[Any] = Deferred()
        self._original = getattr(room.ledger, operation)
        self._what: tuple[Any, ...] = ()

        def later(*what: Any) -> Deferred[Any]:
            self._what = what
            return self.answer

        setattr(room.ledger, operation, later)

    def done(self) -> None:
        self._original(*self._what).chainDeferred(self.answer)


def give_up(room: Room) -> None:
    """A fault of ours: the game is broken off, and another takes its place once the ledger has answered."""
    room.table.mailbox.post(lambda: 1 / 0)


def goes_on(room: Room) -> None:
    room.clock.advance(DELAY_S)
    assert not room.table.frozen


def told(room: Room, client: Client, act: Callable[[], None]) -> list[wire.Answer]:
    """What a client hears while something is done."""
    before = len(client.got)
    act()
    return client.got[before:]


def test_given_up_chairs_leave_nothing_on_the_clock(room):
    """Neither holds nor absences: the new seats set what they need."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna)
    room.ask(bert, wire.ReserveSeat)
    anna.connected = False
    room.table.viewer_gone(anna)

    give_up(room)

    assert [call.getTime() for call in room.clock.getDelayedCalls()] == [room.clock.seconds() + DELAY_S]
    assert room.seats.tables_of(bert.account) == []
    offered: list[int | None] = []
    room.table.mailbox.post(
        room.table.game.seats.offer_seat, bert.account, lambda seat, _: offered.append(seat)
    )
    assert offered == [None]


def test_players_that_were_called_to_given_up_chairs_are_called_again(room):
    """The waiting list is told at once that no answer comes from these seats."""
    lost: list[str] = []
    room.seats.calls_lost = lost.append

    give_up(room)

    assert lost == ["t1"]


@pytest.mark.parametrize("held", [False, True])
def test_a_buy_in_that_is_booked_later_is_answered_by_the_table_that_goes_on(room, held):
    """The old seats change nothing and send nothing; after the restart the client gets a snapshot."""
    olga, anna = room.client("olga"), room.client("anna")
    room.ask(olga, wire.Observe)
    if held:
        room.ask(anna, wire.ReserveSeat)
    anna.got.clear()
    asked = Asked(room, "buy_in")
    number = room.ask(anna, wire.SitDown, buy_in=5_000, post=True)
    give_up(room)
    assert room.table.requests.waits()
    anna.got.clear()

    assert told(room, olga, asked.done) == []

    assert not anna.got
    assert not room.table.requests.waits()
    goes_on(room)
    assert (anna.last(wire.Snapshot).your_seat, anna.last(wire.Snapshot).re) == (1, number)
    seat = room.table.game.seats.seats[1]
    assert (seat.state, seat.connected, seat.posts_now) == (SeatState.PLAYING, True, True)
    assert room.seats.tables_of(anna.account) == ["t1"]


def test_a_player_who_has_logged_out_meanwhile_gets_no_answer(room):
    """The connection may be another account's by the time at which the table goes on."""
    anna = room.client("anna")
    asked = Asked(room, "buy_in")
    room.ask(anna, wire.SitDown, buy_in=5_000)
    give_up(room)
    asked.done()
    anna.account = None

    goes_on(room)

    assert not anna.got


def test_a_buy_in_that_is_refused_later_is_refused(room):
    """The client is told at once, and the account's claim to a table is free."""
    anna = room.client("anna")
    asked = Asked(room, "buy_in")
    room.ask(anna, wire.SitDown, buy_in=5_000)
    give_up(room)

    asked.answer.errback(InsufficientBalance("x"))

    assert anna.last(wire.Error).code == "insufficient_balance"
    assert room.seats.tables_of(anna.account) == []


def test_a_player_who_was_not_yet_buying_in_is_refused(room):
    """The table restarts while it asks what the player left with: no money has moved, and none moves now."""
    anna = room.client("anna")
    asked = Asked(room, "left_with")
    room.ask(anna, wire.SitDown, buy_in=5_000)
    give_up(room)

    asked.done()

    assert anna.last(wire.Error).code == "unavailable"
    assert now(room.ledger.wallet(anna.account)) == OPENING
    assert room.seats.tables_of(anna.account) == []


def test_a_top_up_that_was_not_yet_asked_for_is_refused(room):
    """The table restarts while it asks whether this request was booked before: no money moves now."""
    anna = room.client("anna")
    room.sit(anna, buy_in=5_000)
    wallet = now(room.ledger.wallet(anna.account))
    asked = Asked(room, "is_booked")
    number = room.ask(anna, wire.TopUp, amount=1_000, key="a" * 16)
    give_up(room)

    asked.done()

    refused = anna.last(wire.Error)
    assert (refused.code, refused.re) == ("unavailable", number)
    assert now(room.ledger.wallet(anna.account)) == wallet


def test_a_top_up_that_is_booked_later_is_answered_by_the_table_that_goes_on(room):
    """`ok` comes when the table has the chips; the old seats do not count them."""
    anna = room.client("anna")
    room.sit(anna, buy_in=5_000)
    asked = Asked(room, "top_up")
    number = room.ask(anna, wire.TopUp, amount=1_000)
    give_up(room)

    assert told(room, anna, asked.done) == []

    assert room.table.game.seats.seats[1].stack == 5_000
    goes_on(room)
    assert anna.last(wire.Ok).re == number


def test_a_top_up_that_is_refused_later_is_refused_and_no_player_is_cashed_out_twice(room):
    """A player who stood up meanwhile leaves by the new seats."""
    anna = room.client("anna")
    room.sit(anna, buy_in=5_000)
    asked = Asked(room, "top_up")
    room.ask(anna, wire.TopUp, amount=1_000)
    room.ask(anna, wire.StandUp)
    give_up(room)
    transfers = now(room.ledger.audit()).transfers

    asked.answer.errback(InsufficientBalance("x"))

    assert anna.last(wire.Error).code == "insufficient_balance"
    assert now(room.ledger.audit()).transfers == transfers


def test_a_cash_out_that_is_booked_later_frees_the_claim_alone(room):
    """The wallet has the stack; all viewers see the free seat in the snapshot of the restarted table."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna)
    room.ask(bert, wire.Observe)
    asked = Asked(room, "cash_out")
    room.ask(anna, wire.StandUp)
    give_up(room)

    assert told(room, bert, asked.done) == []

    assert room.seats.tables_of(anna.account) == []
    assert now(room.ledger.wallet(anna.account)) == OPENING


def test_an_automatic_top_up_that_is_booked_later_is_told_no_player(room):
    """No client asked, so none is answered; the ledger's rows have the chips."""
    anna = room.client("anna")
    room.sit(anna, buy_in=5_000)
    asked = Asked(room, "top_up")
    room.ask(anna, wire.SeatOptions, auto_top_up_to=6_000)
    give_up(room)

    assert told(room, anna, asked.done) == []

    assert room.table.game.seats.seats[1].stack == 5_000
    assert now(room.ledger.seats())[0].stack == 6_000
