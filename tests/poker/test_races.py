"""Things that happen while something else is under way: at the ledger, at the journal, after a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
from twisted.internet.defer import Deferred, fail

from pokerroom.ledger.api import InsufficientBalance, LedgerConflict, LedgerUnavailable, NotSeated
from pokerroom.poker import views
from pokerroom.poker.seats import SeatState
from pokerroom.table.mailbox import Mailbox
from pokerroom.table.restarts import RESTARTS_MAX
from pokerroom_protocol import messages as wire
from tests.compiled import replaces_parts
from tests.poker.support import Client, Room, now


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def two(room: Room) -> tuple[Client, Client]:
    clients = room.client("anna"), room.client("bert")
    room.sit(*clients)
    return clients


def finish_held(room: Room) -> None:
    """Plays the hand to its end; its settlement waits at the ledger."""
    room.settler.hold = True
    while room.table.state_name == "playing":
        room.act("check" if room.turn().check else "call")


def held(room: Room, operation: str) -> list[tuple[Deferred[Any], Callable[[], Deferred[Any]]]]:
    """Calls of a ledger operation wait: each is a Deferred to fire, and the call to make."""
    waiting: list[tuple[Deferred[Any], Callable[[], Deferred[Any]]]] = []
    original = getattr(room.ledger, operation)

    def later(*args: Any) -> Deferred[Any]:
        answer: Deferred[Any] = Deferred()
        waiting.append((answer, lambda: original(*args)))
        return answer

    setattr(room.ledger, operation, later)
    return waiting


def stacks(snapshot: wire.Answer) -> dict[int, int]:
    assert isinstance(snapshot, wire.Snapshot)
    return {seat.seat: seat.stack for seat in snapshot.seats}


def test_a_frozen_table_shows_no_result_that_is_not_in_the_ledger(room):
    """After a refused settlement a snapshot shows the stacks as at hand start, and no hand."""
    anna, _ = two(room)
    room.settler.fails_with = LedgerConflict("x")
    while room.table.state_name == "playing":
        room.act("check" if room.turn().check else "call")

    assert room.table.state_name == "frozen"
    assert stacks(room.answer(anna, wire.Observe)) == {1: 10_000, 2: 10_000}


def test_a_table_that_is_frozen_for_good_takes_note_of_its_hand(room):
    """The commit that was under way is told; nothing is dealt."""
    anna, _ = two(room)
    finish_held(room)
    for _ in range(RESTARTS_MAX + 1):
        room.table.mailbox.post(lambda: 1 / 0)

    room.settler.commit()
    room.clock.advance(10)

    assert room.table.state_name == "frozen"
    assert anna.all(wire.HandEnded)
    booked = {row.seat: row.stack for row in now(room.ledger.seats())}
    assert stacks(room.answer(anna, wire.GetSnapshot)) == booked


def test_nothing_is_told_of_a_seat_after_it_is_free(room):
    """A player without a hand who leaves with a result at the ledger is gone: pending events about them are dropped."""
    anna, _ = two(room)
    carl = room.client("carl")
    room.sit(carl)
    finish_held(room)
    assert isinstance(room.answer(carl, wire.StandUp), wire.Ok)
    room.settler.commit()

    about_carl = [type(event) for event in anna.all(wire.Event) if getattr(event, "seat", None) == 3]
    assert about_carl == [wire.SeatTaken, wire.SeatLeft]


def test_a_snapshot_says_no_more_than_the_events_up_to_it(room):
    """A client that asks before another stands up, with a result at the ledger, gets both in the order of numbers."""
    anna, bert = two(room)
    finish_held(room)
    number = room.ask(anna, wire.GetSnapshot)
    room.ask(bert, wire.StandUp)
    room.settler.commit()

    [snapshot] = [message for message in anna.got if getattr(message, "re", None) == number]
    [leaving] = [told for told in anna.all(wire.SeatChanged) if told.status == "leaving"]
    assert next(seat.status for seat in snapshot.seats if seat.seat == 2) == "leaving"
    assert leaving.seq <= snapshot.seq


@replaces_parts
def test_a_fault_leaves_no_gap_in_the_numbers(room):
    """The numbers of a step that failed are used again; a frozen table still gives snapshots, at their end."""
    anna, bert = two(room)
    last = max(message.seq for message in anna.all(wire.Event))
    with mock.patch.object(views, "turn", side_effect=RuntimeError("bug")):
        room.act_blindly("call")

    notice = anna.last(wire.TableNotice)
    assert notice.seq == last + 1
    for client in (anna, bert):
        snapshot = room.answer(client, wire.GetSnapshot)
        assert isinstance(snapshot, wire.Snapshot)
        assert snapshot.seq == notice.seq


def test_requests_that_waited_for_a_settlement_are_answered_when_the_table_freezes(room):
    """Every request gets its answer, also from a table that met a fault meanwhile."""
    anna, _ = two(room)
    finish_held(room)
    number = room.ask(anna, wire.GetSnapshot)
    assert not [message for message in anna.got if getattr(message, "re", None) == number]

    room.table.mailbox.post(lambda: 1 / 0)

    [snapshot] = [message for message in anna.got if getattr(message, "re", None) == number]
    assert stacks(snapshot) == {1: 10_000, 2: 10_000}


def test_standing_up_during_a_top_up_that_is_refused_leaves_the_table(room):
    """The seat is cashed out when the ledger has answered, whatever it answered."""
    anna = room.client("anna")
    room.sit(anna, buy_in=2_000)
    waiting = held(room, "top_up")
    room.ask(anna, wire.TopUp, amount=5_000)
    room.ask(anna, wire.StandUp)

    waiting[0][0].errback(InsufficientBalance("x"))

    assert len(room.table.game.seats.seats) == 0
    assert now(room.ledger.wallet(anna.account)) == 100_000


def test_no_player_is_told_of_a_seat_that_is_only_reserved(room):
    """Until the buy-in is booked there is no seat: not in a snapshot, not when the buyer vanishes."""
    olga, anna = room.client("olga"), room.client("anna")
    room.ask(olga, wire.Observe)
    waiting = held(room, "buy_in")
    room.ask(anna, wire.SitDown, buy_in=5_000)
    assert stacks(room.answer(olga, wire.GetSnapshot)) == {}
    anna.connected = False
    room.table.viewer_gone(anna)

    waiting[0][0].errback(InsufficientBalance("x"))

    assert not olga.all(wire.Event)
    assert room.clock.getDelayedCalls() == []
    assert len(room.table.game.seats.seats) == 0


def test_a_buyer_who_vanished_is_seated_as_away(room):
    """A buy-in that is booked after the connection is lost gives a seat that is kept for a while."""
    anna = room.client("anna")
    waiting = held(room, "buy_in")
    room.ask(anna, wire.SitDown, buy_in=5_000)
    anna.connected = False
    room.table.viewer_gone(anna)
    answer, go_on = waiting[0]

    go_on().chainDeferred(answer)

    assert not room.table.game.seats.seats[1].connected
    room.clock.advance(120)
    assert len(room.table.game.seats.seats) == 0


def test_a_takeover_during_the_buy_in_keeps_the_player_in_their_seat(room):
    """The account went on over another connection before the ledger answered: the player is here, and stays."""
    first = room.client("anna")
    waiting = held(room, "buy_in")
    room.ask(first, wire.SitDown, buy_in=5_000)
    first.connected = False
    room.table.viewer_gone(first)
    again = Client("anna", first.account)
    room.ask(again, wire.Observe)
    answer, go_on = waiting[0]

    go_on().chainDeferred(answer)
    room.clock.advance(200)

    seat = room.table.game.seats.seats[1]
    assert seat.connected
    assert seat.state is SeatState.PLAYING


def test_standing_up_while_overdue_leaves_after_the_hand():
    """Away past the limit in mid-hand, back on a connection that only says stand up: the seat is cashed out."""
    room = Room(away_limit_s=5)
    anna, bert = two(room)
    anna.connected = False
    room.table.viewer_gone(anna)
    room.clock.advance(5)
    assert room.table.game.seats.seats[1].overdue
    again = Client("anna", anna.account)
    assert isinstance(room.answer(again, wire.StandUp), wire.Ok)

    room.clock.advance(1)

    assert room.table.game.seats.seats.get(1) is None
    assert bert.last(wire.SeatLeft).seat == 1
    assert now(room.ledger.wallet(anna.account)) == 100_000 - 50
    room.stop()


def test_one_snapshot_at_a_time_waits_for_a_settlement(room):
    """While the ledger is asked a viewer cannot pile up requests."""
    anna, _ = two(room)
    finish_held(room)
    room.ask(anna, wire.GetSnapshot)

    refused = [room.answer(anna, wire.GetSnapshot) for _ in range(50)]

    assert {answer.code for answer in refused} == {"request_pending"}
    room.settler.commit()
    assert len(anna.all(wire.Snapshot)) == 2  # of sitting down, and the one


def test_with_the_journal_away_requests_are_refused_before_they_pile_up(room):
    """The queue for the journal is bounded: past it clients are told `unavailable`, and nothing is lost."""
    room.settings = replace(room.settings, chat_per_minute=10_000)
    room.table = room.open()
    anna, bert = two(room)
    room.journal.hold = True
    turn = room.turn()
    number = room.ask(anna, wire.Act, hand_id=turn.hand_id, seq=turn.seq, action="call")

    for _ in range(2_000):
        room.ask(bert, wire.Chat, text="x")

    refused = [error for error in bert.all(wire.Error) if error.code == "unavailable"]
    assert len(refused) > 2_000 - 300
    room.journal.store()
    assert wire.Ok(re=number) in anna.got
    assert isinstance(room.answer(bert, wire.Chat, text="back"), wire.Ok)


def test_a_snapshot_asked_for_before_logging_out_goes_to_no_player(room):
    """The connection may be another account's by then."""
    two(room)
    olga = room.client("olga")
    finish_held(room)
    room.ask(olga, wire.Observe)
    room.table.viewer_gone(olga)
    olga.account = None  # logged out, and still connected

    room.settler.commit()

    assert not room.table.outbox.watches(olga)
    assert not olga.got


def test_h6_a_hand_counts_once_however_often_the_clock_decided():
    """H6: several timed-out decisions of one hand are one timed-out hand."""
    room = Room(timeout_protection="never")
    two(room)
    room.act("call")
    hand_id = room.table.game.play.hand_id()
    for _ in range(4):
        assert room.table.game.play.hand_id() == hand_id
        room.clock.advance(30)
    room.check_down()
    room.clock.advance(0)

    assert all(seat.timeouts_in_row <= 1 for seat in room.table.game.seats.seats)
    assert all(seat.state is SeatState.PLAYING for seat in room.table.game.seats.seats)
    room.stop()


def test_what_a_table_remembers_of_an_account_goes_with_it(room):
    """After standing up nothing is kept of the account's last decision."""
    anna, bert = two(room)
    room.act("fold")
    for client in (anna, bert):
        room.ask(client, wire.StandUp)
    room.clock.advance(60)

    assert len(room.table.game.seats.seats) == 0
    assert not room.table.game.play.decisions._accepted  # private: memory has no public trace


def test_a_stop_while_the_ledger_is_away_is_no_fault(room):
    """The room shuts down with a hand unsettled: nothing is frozen, no client is told of a fault."""
    anna, _ = two(room)
    finish_held(room)
    _, settled = room.settler.waiting.pop(0)

    settled.errback(LedgerUnavailable("the settler is stopped"))

    assert room.table.state_name == "settling"
    assert not anna.all(wire.TableNotice)


def test_a_top_up_counts_the_chips_in_the_pot(room):
    """No player ends up above the table's maximum by buying chips while their own are in the middle."""
    anna, _ = two(room)
    room.act("raise", 9_900)

    answer = room.answer(anna, wire.TopUp, amount=9_900)

    assert isinstance(answer, wire.Error)
    assert answer.code == "buy_in_too_large"


def test_without_chips_and_sitting_out_the_seat_is_lost_after_a_while(room):
    """A player who sat out in the hand that cost them all chips does not keep the seat for ever."""
    two(room)
    room.act("raise", 10_000)
    for seat in (1, 2):
        room.ask(room.at(seat), wire.SitOut)
    room.act("call")
    broke = next((seat for seat in room.table.game.seats.seats if seat.stack == 0), None)

    room.clock.advance(121)

    if broke is not None:  # a split pot leaves no player broke
        assert room.table.game.seats.seats.get(broke.number) is None


def test_a_frozen_table_does_not_hold_up_a_drain(room):
    """A cash-out the ledger does not know is our bug: the table freezes, and the room can stop all the same."""
    anna = room.client("anna")
    room.sit(anna)
    room.ledger.cash_out = lambda *_: fail(NotSeated("x"))
    room.ask(anna, wire.StandUp)
    done = []

    room.table.drain().addCallback(done.append)

    assert room.table.state_name == "frozen"
    assert done == [None]


def test_a_fault_in_the_handling_of_a_fault_stays_inside():
    """Whoever posts to a table, as the journal does for many, is not hurt by its bugs."""

    def fault(_: Exception) -> None:
        raise RuntimeError("the handler has the same bug")

    mailbox = Mailbox(fault)
    handled = []

    mailbox.post(lambda: 1 / 0)
    mailbox.post(handled.append, "next")

    assert handled == ["next"]


def test_a_mailbox_that_is_closed_handles_its_last_message_alone():
    """What waits in it is dropped, and so is what comes later."""
    mailbox, handled = Mailbox(lambda _: None), []

    def closing() -> None:
        mailbox.post(handled.append, "waits")
        mailbox.close(lambda: handled.append("last"))
        mailbox.post(handled.append, "comes later")
        handled.append("closing")

    mailbox.post(closing)
    mailbox.post(handled.append, "after it")

    assert handled == ["closing", "last"]


def test_a_buyer_who_has_logged_out_gets_no_snapshot(room):
    """The connection may be another account's when the ledger answers; the seat is that of an absent player."""
    anna = room.client("anna")
    account = anna.account
    waiting = held(room, "buy_in")
    room.ask(anna, wire.SitDown, buy_in=5_000)
    anna.account = None
    answer, go_on = waiting[0]

    go_on().chainDeferred(answer)

    seat = room.table.game.seats.seats[1]
    assert (seat.account, seat.connected) == (account, False)
    assert anna.got == []
    room.clock.advance(120)


def test_a_top_up_of_an_account_that_has_logged_out_is_not_made(room):
    """It was asked for while a result was at the ledger; no one is there to pay for more chips."""
    anna, _ = two(room)
    finish_held(room)
    wallet, account = now(room.ledger.wallet(anna.account)), anna.account
    number = room.ask(anna, wire.TopUp, amount=1_000)
    anna.account = None

    room.settler.commit()

    assert not [message for message in anna.got if getattr(message, "re", None) == number]
    assert now(room.ledger.wallet(account)) == wallet


def test_a_top_up_after_standing_up_is_refused(room):
    """With a result at the ledger both wait: the seat is left before the top-up is decided."""
    anna, _ = two(room)
    finish_held(room)
    room.ask(anna, wire.StandUp)
    room.ask(anna, wire.TopUp, amount=1_000)

    room.settler.commit()

    assert anna.last(wire.Error).code in {"leaving", "not_seated"}
    assert now(room.ledger.audit()).differences == ()


def test_a_second_top_up_waits_for_the_first(room):
    """Of two that were asked for while a result was at the ledger one is made, and the other refused."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=5_000)
    finish_held(room)
    waiting = held(room, "top_up")
    for _ in range(2):
        room.ask(anna, wire.TopUp, amount=50)

    room.settler.commit()

    assert [error.code for error in anna.all(wire.Error)] == ["request_pending"]
    [(answer, go_on)] = waiting
    go_on().chainDeferred(answer)
    assert sum(row.stack for row in now(room.ledger.seats())) == 10_050


def test_a_top_up_that_waits_at_a_table_that_freezes_is_refused(room):
    """The result of its hand is not known, so nothing is sold."""
    anna, _ = two(room)
    finish_held(room)
    number = room.ask(anna, wire.TopUp, amount=1_000)

    room.table.mailbox.post(lambda: 1 / 0)

    [answer] = [message for message in anna.got if getattr(message, "re", None) == number]
    assert (type(answer), answer.code) == (wire.Error, "table_frozen")
