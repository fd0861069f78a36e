"""Sessions of an account over its connections: their list, their end, and new tokens."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred, succeed

from pokerroom.gateway.account_security import SessionPolicy
from pokerroom.ledger.credentials import FoundSession, SessionLifetime
from pokerroom_protocol import messages as wire
from tests.gateway.evening import Evening, beside
from tests.gateway.session_parties import Line, player, token
from tests.poker.support import now


def test_the_devices_of_an_account_are_listed(evening):
    """With client, shortened address and which one is asking; a name is shown without control characters."""
    first = player(evening.sessions, "anna")
    second = beside(evening, "anna", "tab\n")
    answer = second.ask(wire.GetSecurity)
    assert isinstance(answer, wire.Security)
    assert [(view.current, view.client, view.address) for view in answer.sessions] == [
        (True, "client tab", "192.0.2.*"),
        (False, "", "192.0.2.*"),
    ]
    assert [view.current for view in first.ask(wire.GetSecurity).sessions] == [False, True]


def test_a_session_that_is_ended_elsewhere_is_told_and_void(evening):
    """Its connection gets `session_ended`, its token is unknown; the connection that ended it goes on."""
    first = player(evening.sessions, "anna")
    second = beside(evening, "anna", "tab")
    [old] = [view.session for view in second.ask(wire.GetSecurity).sessions if not view.current]
    assert [view.current for view in second.ask(wire.EndSessions, session=old).sessions] == [True]
    assert first.all(wire.Goodbye)[-1].code == "session_ended"
    assert first.closed == "session_ended"
    assert Line(evening.sessions).ask(wire.Resume, token=token(first)).code == "session_unknown"
    assert isinstance(second.ask(wire.GetAccount), wire.Account)
    assert [view.current for view in second.ask(wire.EndSessions, session=old).sessions] == [True]


def test_all_other_sessions_are_ended_at_once(evening):
    """Also those without a connection, and no session of another account."""
    other = player(evening.sessions, "bert")
    first, second = player(evening.sessions, "anna"), beside(evening, "anna", "b")
    third = beside(evening, "anna", "c")
    second.session.lost("closed")
    assert len(third.ask(wire.EndSessions).sessions) == 1
    assert (first.closed, third.closed, other.closed) == ("session_ended", None, None)
    assert Line(evening.sessions).ask(wire.Resume, token=token(second)).code == "session_unknown"


def test_a_session_of_another_account_cannot_be_ended(evening):
    """Numbers are no secrets, so they are of no use to strangers."""
    anna, bert = player(evening.sessions, "anna"), player(evening.sessions, "bert")
    [number] = [view.session for view in anna.ask(wire.GetSecurity).sessions]
    bert.ask(wire.EndSessions, session=number)
    assert anna.closed is None
    assert isinstance(Line(evening.sessions).ask(wire.Resume, token=token(anna)), wire.Authenticated)


def resumed(evening: Evening, which: str) -> str:
    """The token that another window has after it has resumed with this one."""
    answer = Line(evening.sessions, "", "tab").ask(wire.Resume, token=which)
    assert isinstance(answer, wire.Authenticated)
    return answer.token


def test_a_token_that_is_old_is_replaced():
    """The old one resumes with the same new token during the overlap, and then no more."""
    evening = Evening(policy=SessionPolicy(rotate_s=100, overlap_s=50))
    anna, clock = player(evening.sessions, "anna"), evening.room.clock

    assert resumed(evening, token(anna)) == token(anna)
    clock.advance(100)
    new = resumed(evening, token(anna))
    assert new != token(anna)
    assert len(new) == len(token(anna))
    assert resumed(evening, token(anna)) == new
    assert resumed(evening, new) == new
    clock.advance(51)
    assert Line(evening.sessions).ask(wire.Resume, token=token(anna)).code == "session_unknown"
    assert resumed(evening, new) == new


def test_a_log_out_ends_a_session_that_has_new_tokens_since():
    """Another window has resumed the session twice, so this connection's own token is void already."""
    evening = Evening(policy=SessionPolicy(rotate_s=100, overlap_s=50))
    anna = player(evening.sessions, "anna")
    latest = token(anna)
    for _ in range(2):
        evening.room.clock.advance(100)
        latest = resumed(evening, latest)
    assert isinstance(anna.ask(wire.LogOut), wire.Ok)
    assert Line(evening.sessions).ask(wire.Resume, token=latest).code == "session_unknown"


def test_a_log_in_asks_the_ledger_little(evening, monkeypatch):
    """Each question is a round trip, and after a restart of a node all its players ask."""
    anna = player(evening.sessions, "anna")
    asked: list[str] = []
    for name in [name for name in dir(evening.ledger) if not name.startswith("_")]:
        method = getattr(evening.ledger, name)
        if callable(method):
            monkeypatch.setattr(evening.ledger, name, partial(_noted, asked, name, method))
    line = Line(evening.sessions)
    assert isinstance(line.ask(wire.LogIn, name="anna", password="a password"), wire.Authenticated)
    assert asked == ["find_account", "second_factor", "open_session", "overview"]
    asked.clear()
    resumed(evening, token(anna))
    assert asked == ["find_session"]


def _noted(
    asked: list[str], name: str, method: Callable[..., object], *given: object, **named: object
) -> object:
    asked.append(name)
    return method(*given, **named)


def test_a_session_that_ends_while_it_is_resumed_gets_no_connection(evening, monkeypatch):
    """It was found just before its end."""
    anna = player(evening.sessions, "anna")
    number, find_session = anna.session.session_id, evening.ledger.find_session
    line = Line(evening.sessions, "", "late")

    def asked(*given: Any) -> Deferred[FoundSession | None]:
        found = now(find_session(*given))
        account = found.account.account
        evening.sessions.context.sessions_ended(account, now(evening.ledger.end_sessions(account, number)))
        return succeed(found)

    monkeypatch.setattr(evening.ledger, "find_session", asked)
    line.say(wire.Resume, token=token(anna))
    assert (line.closed, line.all(wire.Authenticated)) == ("session_ended", [])


def test_connections_of_sessions_that_are_over_are_closed():
    """A session that is in use is not idle, and is closed when it is too old."""
    evening = Evening(policy=SessionPolicy(lifetime=SessionLifetime(idle_s=200, absolute_s=1_000)))
    anna = player(evening.sessions, "anna")
    for _ in range(16):
        evening.room.clock.advance(60)
        now(Deferred.fromCoroutine(evening.sessions.end_invalid()))
    assert anna.closed is None
    evening.room.clock.advance(60)
    now(Deferred.fromCoroutine(evening.sessions.end_invalid()))
    assert anna.closed == "session_ended"
