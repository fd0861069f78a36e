"""What a whole room writes to its log while people log in, play and come back: no card, no password, no token."""

from __future__ import annotations

import re
from unittest import mock

from structlog.testing import capture_logs

from pokerroom.gateway.addresses import AddressPolicy
from pokerroom.gateway.connections import AccountConnections
from pokerroom.gateway.session_context import SessionContext
from pokerroom.gateway.sessions import Sessions
from pokerroom.lobby.lobby import Lobby
from pokerroom_protocol import messages as wire
from tests.gateway.session_parties import LIMITS, Line, made_accounts, made_clubs, made_hosting
from tests.poker.support import Room

PASSWORD = "correct horse battery"
CARD = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][cdhs](?![A-Za-z0-9])")


def test_a_whole_evening_leaves_no_secret_in_the_log():
    """Registration, log-in, a wrong password, a hand with a showdown, a resumed session and a log-out."""
    room = Room()
    lobby = Lobby({"t1": room.settings}, {"t1": room.table}, mock.Mock())
    with capture_logs() as logs:
        sessions = Sessions(
            SessionContext(
                accounts=made_accounts(room.ledger, room.clock),
                lobby=lobby,
                waitlist=mock.Mock(),
                registration=mock.Mock(),
                hosting=(hosting := made_hosting(room.ledger, room.clock, lobby)),
                table_passwords=mock.Mock(),
                clubs=made_clubs(room.ledger, hosting, room.clock),
                sharing=mock.Mock(),
                texts=mock.Mock(),
                tournament_lobby=mock.Mock(),
                leagues=mock.Mock(features=[]),
                scheduled=mock.Mock(),
                connections=AccountConnections(),
                arrived=mock.Mock(),
                sessions_ended=mock.Mock(),
                clock=room.clock,
                now_ms=lambda: int(room.clock.seconds() * 1000),
                limits=LIMITS,
                addresses=AddressPolicy(per_address=100),
                server="test",
                observer=mock.Mock(),
            )
        )
        anna, bert = Line(sessions), Line(sessions)
        tokens: list[str] = []
        for line, name in ((anna, "anna"), (bert, "bert")):
            tokens.append(line.ask(wire.Register, name=name, password=PASSWORD).token)
            assert isinstance(line.ask(wire.SitDown, table="t1", buy_in=5_000), wire.Snapshot)
        stranger = Line(sessions)
        assert stranger.ask(wire.LogIn, name="anna", password=PASSWORD + "!").code == "bad_credentials"
        again = Line(sessions)
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
