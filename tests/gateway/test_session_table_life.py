"""Whole sessions over real tables: a table's new messages find their way, and waiting lists hear of connections."""

from __future__ import annotations

import pytest
from twisted.internet.defer import Deferred

from pokerroom.gateway.sessions import Sessions
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.table.viewer import THE_ROOM
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code
from tests.gateway.session_parties import Line, player, token


def fill(sessions: Sessions) -> list[Line]:
    """Both seats of t1 are taken; the first sits out, so that no hand is dealt."""
    lines = [player(sessions, name) for name in ("sitter1", "sitter2")]
    for line in lines:
        assert isinstance(line.ask(wire.SitDown, table="t1", buy_in=5_000), wire.Snapshot)
        line.ask(wire.SitOut, table="t1")
    return lines


@pytest.mark.parametrize(
    ("kind", "fields", "code"),
    [
        (wire.ReserveSeat, {"seat": 3}, "no_such_seat"),
        (wire.ReleaseSeat, {}, "no_seat_held"),
        (wire.SeatOptions, {"muck_losing": False}, "not_seated"),
        (wire.PreAct, {"hand_id": "x", "action": "fold_to_any_bet"}, "not_seated"),
        (wire.CancelPreAct, {}, "not_seated"),
        (wire.LeaveWaitlist, {}, "not_waiting"),
    ],
)
def test_each_message_reaches_whom_it_concerns(sessions, observer, kind, fields, code):
    """The table or the waiting list answers; for a table that is not there the session does; strangers get nothing."""
    line = player(sessions, "anna")

    assert line.ask(kind, table="t1", **fields).code == code
    assert line.ask(kind, table="t9", **fields).code == "unknown_table"
    assert Line(sessions).ask(kind, table="t1", **fields).code == "not_authenticated"
    assert observer.refusals[-2:] == ["unknown_table", "not_authenticated"]


def test_joining_waiting_and_sitting_down(sessions):
    """Over one connection: `waitlisted`, then `seat_offered` when a seat is free, then the seat."""
    sitters = fill(sessions)
    anna = player(sessions, "anna")
    joined = anna.ask(wire.JoinWaitlist, table="t1")
    assert (joined.table, joined.any_table, joined.position) == ("t1", False, 1)
    assert anna.ask(wire.ListTables).tables[0].waiting == 1
    assert anna.ask(wire.JoinWaitlist, table="t1").code == "already_waiting"

    sitters[1].ask(wire.StandUp, table="t1")

    [offer] = anna.all(wire.SeatOffered)
    assert (offer.table, offer.seat) == ("t1", 2)
    assert anna.ask(wire.SitDown, table="t1", buy_in=5_000).your_seat == 2


def test_waiting_no_longer(sessions):
    """`leave_waitlist` is answered by `ok`, and nothing is offered any more."""
    sitters = fill(sessions)
    anna = player(sessions, "anna")
    anna.ask(wire.JoinWaitlist, table="t1")

    assert isinstance(anna.ask(wire.LeaveWaitlist, table="t1"), wire.Ok)

    sitters[0].ask(wire.StandUp, table="t1")
    assert not anna.all(wire.SeatOffered)


def test_a_lost_connection_gives_an_offer_to_the_next(sessions, room):
    """An account that never watched the table loses an offered seat with its connection, and keeps its place."""
    sitters = fill(sessions)
    anna, bert = player(sessions, "anna"), player(sessions, "bert")
    for line in (anna, bert):
        line.ask(wire.JoinWaitlist, table="t1")
    sitters[0].ask(wire.StandUp, table="t1")
    assert anna.all(wire.SeatOffered)
    assert not bert.all(wire.SeatOffered)

    anna.session.lost("the client closed")

    assert bert.all(wire.SeatOffered)
    again = Line(sessions)
    again.ask(wire.Resume, token=token(anna))
    assert not again.all(wire.WaitEnded)
    sitters[1].ask(wire.StandUp, table="t1")
    assert [offer.seat for offer in again.all(wire.SeatOffered)] == [2]


def test_a_held_seat_is_free_when_its_holder_is_gone(sessions, room):
    """`reserve_seat` without `observe`: the table hears all the same that the connection is lost."""
    anna = player(sessions, "anna")
    assert isinstance(anna.ask(wire.ReserveSeat, table="t1"), wire.Reserved)

    anna.session.lost("the client closed")

    assert room.table().game.seats.reserved() == []


def test_logging_out_is_like_a_lost_connection(sessions):
    """A connection that goes on without its account gets no offers."""
    sitters = fill(sessions)
    anna = player(sessions, "anna")
    anna.ask(wire.JoinWaitlist, table="t1")
    anna.ask(wire.LogOut)

    sitters[0].ask(wire.StandUp, table="t1")
    assert not anna.all(wire.SeatOffered)
    anna.ask(wire.LogIn, name="anna", password="a password")

    assert anna.all(wire.SeatOffered)


def test_a_refused_log_out_leaves_the_client_logged_in(sessions, monkeypatch):
    """While the ledger is away nothing ends: the seat stays connected, its token good, and the next wish is heard."""
    anna = player(sessions, "anna")
    assert isinstance(anna.ask(wire.SitDown, table="t1", buy_in=5_000), wire.Snapshot)
    answers = []

    async def away(_account, _session):
        answers.append(answer := Deferred())
        await answer

    monkeypatch.setattr(sessions.context.accounts, "log_out", away)
    before = len(anna.got)
    anna.say(wire.LogOut)
    anna.say(wire.GetAccount)
    assert len(anna.got) == before
    answers[0].errback(LedgerUnavailable("away"))

    refused, account = anna.got[before:]
    assert isinstance(refused, wire.Error)
    assert refused.code == "unavailable"
    assert isinstance(account, wire.Account)
    assert sessions.context.lobby.table("t1").game.seats.seats.of(anna.session.account).connected


def test_a_client_that_logs_in_next_is_not_told_the_balance_of_a_client_that_logged_out(
    sessions, monkeypatch
):
    """An answer of the ledger that comes after the log-out is dropped."""
    anna = player(sessions, "anna")
    asked = Deferred()

    async def slow(_account):
        await asked
        return 12_345, []

    monkeypatch.setattr(sessions.context.accounts, "holdings", slow)
    anna.say(wire.GetAccount)
    assert isinstance(anna.ask(wire.LogOut), wire.Ok)
    asked.callback(None)

    assert not anna.all(wire.Account)


def test_a_takeover_takes_the_place_along(sessions):
    """The account goes on over a second connection: the offer is made again there, after the answer to the log-in."""
    sitters = fill(sessions)
    anna = player(sessions, "anna")
    anna.ask(wire.JoinWaitlist, table="t1")
    sitters[0].ask(wire.StandUp, table="t1")

    second = Line(sessions)
    second.ask(wire.Resume, token=token(anna))

    assert anna.closed is Code.TAKEN_OVER
    assert [type(message) for message in second.got] == [wire.Welcome, wire.Authenticated, wire.SeatOffered]
    assert second.ask(wire.SitDown, table="t1", buy_in=5_000).your_seat == 1


def test_the_end_of_another_window_keeps_place_and_offer(sessions):
    """A waiting account is connected as long as one of its connections is."""
    sitters = fill(sessions)
    anna = player(sessions, "anna")
    second = Line(sessions, instance="another window")
    second.ask(wire.Resume, token=token(anna))
    second.ask(wire.JoinWaitlist, table="t1")
    sitters[0].ask(wire.StandUp, table="t1")
    assert second.all(wire.SeatOffered)
    assert not anna.all(wire.SeatOffered)

    second.session.lost("the client closed")

    assert anna.all(wire.SeatOffered)
    assert anna.ask(wire.SitDown, table="t1", buy_in=5_000).your_seat == 1


def test_logging_out_of_one_window_leaves_the_other(sessions):
    """The token of both is no longer valid, and the other connection stays until it ends."""
    anna = player(sessions, "anna")
    second = Line(sessions, instance="another window")
    second.ask(wire.LogIn, name="anna", password="a password")
    assert isinstance(second.ask(wire.LogOut), wire.Ok)
    assert isinstance(anna.ask(wire.GetAccount), wire.Account)


def test_a_client_that_was_away_for_too_long_hears_it_after_their_log_in(sessions, room):
    """First the answer, then the end of the wait."""
    fill(sessions)
    anna = player(sessions, "anna")
    anna.ask(wire.JoinWaitlist, table="t1")
    anna.session.lost("the client closed")
    room.clock.advance(120)

    again = Line(sessions)
    again.ask(wire.Resume, token=token(anna))

    assert [type(message) for message in again.got] == [wire.Welcome, wire.Authenticated, wire.WaitEnded]
    assert again.all(wire.WaitEnded)[0].reason == "away"


def test_no_client_has_the_instance_of_the_room(sessions):
    """It would act at tables that another client of its account has open."""
    line = Line(sessions, instance=THE_ROOM)
    assert [answer.code for answer in line.all(wire.Error)] == ["bad_message"]
