"""What a whole room writes to its log while people log in, play and come back: no card, no password, no token."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from unittest import mock

from structlog.testing import capture_logs
from twisted.internet.defer import Deferred, succeed

from pokerroom.chips import Money
from pokerroom.coordination.memory import MemoryLogInAttempts
from pokerroom.gateway.accounts import Accounts
from pokerroom.gateway.addresses import AddressPolicy
from pokerroom.gateway.connections import AccountConnections
from pokerroom.gateway.limits import SessionLimits
from pokerroom.gateway.names import ReservedNames
from pokerroom.gateway.password_rules import PasswordRules
from pokerroom.gateway.passwords import Passwords
from pokerroom.gateway.session import Session, SessionContext
from pokerroom.gateway.sessions import Sessions
from pokerroom.lobby.lobby import Lobby
from pokerroom.ops.observer import Observer
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding, encode
from pokerroom_protocol.errors import Code
from tests.gateway.session_parties import openings, second_factors
from tests.poker.support import OPENING, Room

PASSWORD = "correct horse battery"
CARD = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][cdhs](?![A-Za-z0-9])")


class Line:
    """A `Link`, and the client at its other end."""

    encoding = Encoding.MSGPACK
    kind = "tcp"
    peer = "192.0.2.1:4000"

    def __init__(self, sessions: Sessions) -> None:
        self.got: list[wire.Answer] = []
        self.session: Session = sessions.make(self)
        self._id = 0

    def send(self, outgoing: Outgoing | Bundle) -> None:
        self.got += [part.message for part in outgoing.parts]

    def close(self, code: Code) -> None:
        self.session.lost(code.value)

    def ask(self, kind: type[Any], **fields: Any) -> Any:
        self._id += 1
        self.session.received(encode(kind(id=self._id, **fields), self.encoding))
        return next((answer for answer in self.got if getattr(answer, "re", None) == self._id), None)


def in_thread(work: Callable[..., Any], *args: Any) -> Deferred[Any]:
    return succeed(work(*args))


def test_a_whole_evening_leaves_no_secret_in_the_log():
    """Registration, log-in, a wrong password, a hand with a showdown, a resumed session and a log-out."""
    room = Room()
    lobby = Lobby({"t1": room.settings}, {"t1": room.table}, mock.Mock())
    limits = SessionLimits(
        frame_bytes_max=4_096, messages_per_s=100, message_burst=100, idle_s=60, connections_max=10
    )
    with capture_logs() as logs:
        sessions = Sessions(
            SessionContext(
                accounts=Accounts(
                    room.ledger,
                    Passwords(in_thread, MemoryLogInAttempts({}, room.clock), Observer(), room.ledger),
                    Money(OPENING),
                    rules=PasswordRules(8),
                    reserved=ReservedNames(),
                    second=second_factors(room.clock),
                    cards=mock.Mock(),
                    openings=openings(room.clock),
                ),
                lobby=lobby,
                waitlist=mock.Mock(),
                registration=mock.Mock(),
                connections=AccountConnections(),
                arrived=mock.Mock(),
                sessions_ended=mock.Mock(),
                clock=room.clock,
                now_ms=lambda: int(room.clock.seconds() * 1000),
                limits=limits,
                addresses=AddressPolicy(per_address=100),
                server="test",
                observer=mock.Mock(),
            )
        )
        anna, bert = Line(sessions), Line(sessions)
        tokens: list[str] = []
        for line, name in ((anna, "anna"), (bert, "bert")):
            line.ask(wire.Hello, version=1, pause=True)
            tokens.append(line.ask(wire.Register, name=name, password=PASSWORD).token)
            assert isinstance(line.ask(wire.SitDown, table="t1", buy_in=5_000), wire.Snapshot)
        stranger = Line(sessions)
        stranger.ask(wire.Hello, version=1)
        assert stranger.ask(wire.LogIn, name="anna", password=PASSWORD + "!").code == "bad_credentials"
        again = Line(sessions)
        again.ask(wire.Hello, version=1)
        assert again.ask(wire.Resume, token=tokens[0]).name == "anna"
        assert isinstance(again.ask(wire.Observe, table="t1"), wire.Snapshot)
        players = {1: again, 2: bert}
        while not [message for message in bert.got if isinstance(message, wire.HandEnded)]:
            turn = next(message for message in reversed(bert.got) if isinstance(message, wire.Turn))
            action = "check" if turn.check else "call"
            act = {"table": "t1", "hand_id": turn.hand_id, "seq": turn.seq, "action": action}
            assert isinstance(players[3 - turn.seat].ask(wire.Act, **act), wire.Error)
            assert isinstance(players[turn.seat].ask(wire.Act, **act), wire.Ok)
        bert.ask(wire.LogOut)
        room.stop()
    text = "\n".join(map(repr, logs))
    held = [m.cards for line in (anna, bert) for m in line.got if isinstance(m, wire.HoleCards)]

    assert {"connection.greeted", "connection.lost", "hand.started"} <= {entry["event"] for entry in logs}
    assert any(held)
    assert not CARD.search(text)
    assert PASSWORD not in text
    assert not any(token in text for token in tokens)
