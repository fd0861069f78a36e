"""Whole sessions over real tables: a table's new messages find their way, and waiting lists hear of connections."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from twisted.internet.defer import Deferred, execute

from pokerroom.chips import Money
from pokerroom.gateway.accounts import Accounts
from pokerroom.gateway.limits import SessionLimits
from pokerroom.gateway.session import Session, Sessions
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ops.observer import Observer
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding, encode
from pokerroom_protocol.errors import Code
from tests.lobby.support import Cardroom
from tests.tournament.registrations import made_registration

LIMITS = SessionLimits(
    frame_bytes_max=4_096, messages_per_s=1_000, message_burst=1_000, idle_s=60, connections_max=10
)


class Counting(Observer):
    """Keeps the codes of refusals."""

    def __init__(self) -> None:
        self.refusals: list[str] = []

    def refusal(self, code: str) -> None:
        self.refusals.append(code)


class Line:
    """A client and its `Link`; `got` is what it was sent."""

    encoding = Encoding.MSGPACK
    kind: Literal["tcp", "websocket"] = "tcp"
    peer = "192.0.2.1:40000"

    def __init__(self, sessions: Sessions) -> None:
        self.got: list[wire.Answer] = []
        self.closed: Code | None = None
        self._id = 0
        self.session: Session = sessions.make(self)
        self.ask(wire.Hello, version=wire.PROTOCOL_VERSION)

    def send(self, outgoing: Outgoing | Bundle) -> None:
        self.got += [part.message for part in outgoing.parts]

    def close(self, code: Code) -> None:
        self.closed = code
        self.session.lost(code)

    def ask(self, kind: type[wire.Request], **fields: Any) -> wire.Answer:
        """Sends a request as bytes and returns the answer to it."""
        self.say(kind, **fields)
        return next(message for message in self.got if getattr(message, "re", None) == self._id)

    def say(self, kind: type[wire.Request], **fields: Any) -> None:
        """Sends a request that need not be answered at once."""
        self._id += 1
        self.session.received(encode(kind(id=self._id, **fields), self.encoding))

    def all(self, kind: type[wire.Answer]) -> list[Any]:
        return [message for message in self.got if isinstance(message, kind)]


def at_once(work: Any, *what: Any) -> Deferred[Any]:
    """In place of a thread."""
    return execute(work, *what)


@pytest.fixture
def room() -> Iterator[Cardroom]:
    room = Cardroom()
    yield room
    room.stop()


@pytest.fixture
def observer() -> Counting:
    return Counting()


@pytest.fixture
def sessions(room: Cardroom, observer: Counting) -> Sessions:
    return Sessions(
        accounts=Accounts(room.world.ledger, at_once, Money(100_000)),
        lobby=room.lobby,
        waitlist=room.waits,
        registration=made_registration(room.world.ledger, room.clock),
        connections=room.connections,
        arrived=room.room_bus.arrived,
        clock=room.clock,
        now_ms=room.world.now_ms,
        limits=LIMITS,
        server="test",
        observer=observer,
    )


def player(sessions: Sessions, name: str) -> Line:
    """A new account, logged in."""
    line = Line(sessions)
    assert isinstance(line.ask(wire.Register, name=name, password="a password"), wire.Authenticated)
    return line


def token(line: Line) -> str:
    found: str = line.all(wire.Authenticated)[-1].token
    return found


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

    async def away(_token):
        answers.append(answer := Deferred())
        await answer

    monkeypatch.setattr(sessions.accounts, "log_out", away)
    before = len(anna.got)
    anna.say(wire.LogOut)
    anna.say(wire.GetAccount)
    assert len(anna.got) == before
    answers[0].errback(LedgerUnavailable("away"))

    refused, account = anna.got[before:]
    assert isinstance(refused, wire.Error)
    assert refused.code == "unavailable"
    assert isinstance(account, wire.Account)
    assert sessions.lobby.table("t1").game.seats.seats.of(anna.session.account).connected


def test_who_logs_in_next_is_not_told_the_balance_of_who_logged_out(sessions, monkeypatch):
    """An answer of the ledger that comes after the log-out is dropped."""
    anna = player(sessions, "anna")
    asked = Deferred()

    async def slow(_account):
        await asked
        return 12_345, []

    monkeypatch.setattr(sessions.accounts, "holdings", slow)
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


def test_who_was_away_for_too_long_hears_it_after_his_log_in(sessions, room):
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
