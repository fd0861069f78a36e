"""Sessions of an account over its connections: their list, their end, new tokens, and a new password."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.gateway.account_security import SessionPolicy
from pokerroom.gateway.accounts import Accounts
from pokerroom.gateway.addresses import short_form
from pokerroom.gateway.names import ReservedNames
from pokerroom.gateway.password_rules import PasswordRules
from pokerroom.ledger.credentials import SessionLifetime
from pokerroom_protocol import messages as wire
from tests.gateway.session_parties import Counting, Line, made_sessions, openings, passwords, player, token
from tests.lobby.support import Cardroom
from tests.poker.support import now

PASSWORD = "a password"
NEW = "another password"


class Evening:
    """A room with its clock, and what its clients do."""

    def __init__(self) -> None:
        self.room = Cardroom()
        self.sessions = made_sessions(self.room, Counting())
        self.ledger: Any = self.room.world.ledger

    def accounts(self, policy: SessionPolicy) -> Accounts:
        """Accounts under another policy, over the same ledger."""
        return Accounts(
            self.ledger,
            passwords(self.room.clock),
            Money(100_000),
            rules=PasswordRules(8),
            reserved=ReservedNames(),
            openings=openings(self.room.clock),
            policy=policy,
        )


@pytest.fixture
def evening() -> Evening:
    return Evening()


def beside(evening: Evening, name: str, instance: str, password: str = PASSWORD) -> Line:
    """A log-in of an instance of its own, which stays beside others of the account."""
    line = Line(evening.sessions, f"client {instance}", instance)
    assert isinstance(line.ask(wire.LogIn, name=name, password=password), wire.Authenticated)
    return line


def done(work: Coroutine[Any, Any, Any]) -> Any:
    return now(Deferred.fromCoroutine(work))


def test_the_room_names_the_feature(evening):
    """A client asks for the list only where the room has it."""
    assert "account_security" in Line(evening.sessions).all(wire.Welcome)[0].features


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
    assert [view.session for view in second.ask(wire.EndSessions, session=old).sessions] != [old]


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


def test_a_new_password_ends_all_other_sessions(evening):
    """The new one logs in, the old one does not, and the connection that changed it goes on."""
    first, second = player(evening.sessions, "anna"), beside(evening, "anna", "tab")
    answer = second.ask(wire.ChangePassword, password=PASSWORD, new_password=NEW)
    assert [view.current for view in answer.sessions] == [True]
    assert (first.closed, second.closed) == ("session_ended", None)
    line = Line(evening.sessions)
    assert line.ask(wire.LogIn, name="anna", password=PASSWORD).code == "bad_credentials"
    assert isinstance(line.ask(wire.LogIn, name="anna", password=NEW), wire.Authenticated)


def test_a_wrong_present_password_changes_nothing_and_is_a_guess(evening):
    """After some of them the player has to wait, as at a log-in, and other sessions go on."""
    first, second = player(evening.sessions, "anna"), beside(evening, "anna", "tab")
    wrong = {"password": "not the password", "new_password": NEW}
    assert [second.ask(wire.ChangePassword, **wrong).code for _ in range(5)] == ["bad_credentials"] * 5
    for _ in range(2):
        refused = second.ask(wire.ChangePassword, **wrong)
    assert refused.code == "log_in_delayed"
    assert refused.retry_after_ms > 0
    assert first.closed is None
    evening.room.clock.advance(600)
    assert isinstance(beside(evening, "anna", "c").ask(wire.GetAccount), wire.Account)


def test_the_rules_for_new_passwords_hold(evening):
    """A common password is refused with the same code as at the registration, and changes nothing."""
    anna = player(evening.sessions, "anna")
    refused = anna.ask(wire.ChangePassword, password=PASSWORD, new_password="password1")
    assert (refused.code, "common" in refused.message) == ("weak_password", True)
    assert isinstance(beside(evening, "anna", "tab").ask(wire.GetAccount), wire.Account)


def test_strangers_are_refused(evening):
    """The list and the password are for those who are logged in."""
    line = Line(evening.sessions)
    for kind in (wire.GetSecurity, wire.EndSessions):
        assert line.ask(kind).code == "not_authenticated"
    assert line.ask(wire.ChangePassword, password=PASSWORD, new_password=NEW).code == "not_authenticated"


def test_no_secret_is_logged(evening):
    """Neither password nor token, also where the password is wrong."""
    with capture_logs() as logs:
        anna = player(evening.sessions, "anna")
        anna.ask(wire.ChangePassword, password="wrong password", new_password=NEW)
        anna.ask(wire.ChangePassword, password=PASSWORD, new_password=NEW)
        anna.ask(wire.EndSessions)
    assert {"password.changed", "sessions.ended"} <= {entry["event"] for entry in logs}
    for secret in (PASSWORD, NEW, "wrong password", token(anna)):
        assert secret not in repr(logs)


def test_a_token_that_is_old_is_replaced(evening):
    """The old one resumes with the same new token during the overlap, and then no more."""
    policy = SessionPolicy(rotate_s=100, overlap_s=50)
    anna = player(evening.sessions, "anna")
    accounts, clock = evening.accounts(policy), evening.room.clock
    line = Line(evening.sessions)

    def resumed(which: str) -> str:
        return done(accounts.resume(line.session, which)).token

    assert resumed(token(anna)) == token(anna)
    clock.advance(100)
    new = resumed(token(anna))
    assert new != token(anna)
    assert len(new) == len(token(anna))
    assert resumed(token(anna)) == new
    assert resumed(new) == new
    clock.advance(51)
    assert Line(evening.sessions).ask(wire.Resume, token=token(anna)).code == "session_unknown"
    assert resumed(new) == new


def test_connections_of_sessions_that_are_over_are_closed(evening):
    """A session that is in use is not idle, and is closed when it is too old."""
    anna = player(evening.sessions, "anna")
    policy = SessionPolicy(lifetime=SessionLifetime(idle_s=200, absolute_s=1_000))
    evening.sessions.accounts = evening.accounts(policy)
    for _ in range(16):
        evening.room.clock.advance(60)
        done(evening.sessions.end_invalid())
    assert anna.closed is None
    evening.room.clock.advance(60)
    done(evening.sessions.end_invalid())
    assert anna.closed == "session_ended"


@pytest.mark.parametrize(
    ("address", "short"),
    [
        ("192.0.2.17", "192.0.2.*"),
        ("::ffff:192.0.2.17", "192.0.2.*"),
        ("2001:db8:7:9::1", "2001:db8:7:*"),
        ("::1", "0:0:0:*"),
        ("UNIXAddress('/run/room')", ""),
    ],
)
def test_addresses_are_shortened(address, short):
    """What is stored is enough to recognise a network, and no more."""
    assert short_form(address) == short
