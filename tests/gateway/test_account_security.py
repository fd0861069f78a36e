"""What an account changes for its safety: its password, and what holds for all such changes."""

from __future__ import annotations

from typing import Any, get_args

from structlog.testing import capture_logs
from twisted.internet.defer import Deferred

from pokerroom.gateway.passwords import OF_CHANGES
from pokerroom.ledger.operator_log import Acting, LogQuery
from pokerroom_protocol import messages as wire
from tests.gateway.evening import NEW, PASSWORD, beside, code_of, with_second_factor
from tests.gateway.session_parties import Line, player, token
from tests.poker.support import now


def test_the_room_names_the_feature(evening):
    """A client asks for the list only where the room has it."""
    assert "account_security" in Line(evening.sessions).all(wire.Welcome)[0].features


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


def test_after_a_new_name_only_the_own_password_is_proof(evening):
    """The operator renames an account, and a stranger takes its old name: that password is another account's."""
    anna, secret = with_second_factor(evening)
    now(evening.ledger.rename(1, "carol", by=Acting(who="ella")))
    theirs = "a stranger's password"
    stranger = Line(evening.sessions, "client theirs", "theirs")
    assert stranger.ask(wire.Register, name="anna", password=theirs).account == 2
    for refused in (
        anna.ask(wire.ChangePassword, password=theirs, new_password=NEW),
        anna.ask(wire.MakeRecoveryCodes, password=theirs),
        anna.ask(wire.DeleteAccount, password=theirs),
    ):
        assert refused.code == "bad_credentials"
    code = code_of(evening, secret, 1)
    made = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD, code=code)
    assert isinstance(made, wire.RecoveryCodes)
    assert isinstance(anna.ask(wire.ChangePassword, password=PASSWORD, new_password=NEW), wire.Security)


def test_the_rules_for_new_passwords_hold(evening):
    """A common password is refused with the same code as at the registration, and changes nothing."""
    anna = player(evening.sessions, "anna")
    refused = anna.ask(wire.ChangePassword, password=PASSWORD, new_password="password1")
    assert (refused.code, "common" in refused.message) == ("weak_password", True)
    assert isinstance(beside(evening, "anna", "tab").ask(wire.GetAccount), wire.Account)


def test_strangers_are_refused(evening):
    """The list and the password are for logged-in players."""
    line, proof = Line(evening.sessions), {"password": PASSWORD}
    requests: list[tuple[type[wire.Request], dict[str, str]]] = [
        (wire.GetSecurity, {}),
        (wire.EndSessions, {}),
        (wire.ChangePassword, {**proof, "new_password": NEW}),
        (wire.MakeRecoveryCodes, proof),
        (wire.BeginSecondFactor, proof),
        (wire.ConfirmSecondFactor, {**proof, "code": "123456"}),
        (wire.EndSecondFactor, {**proof, "code": "123456"}),
    ]
    assert {kind for kind, _ in requests} == set(get_args(wire.SecurityMessage))
    for kind, fields in requests:
        assert line.ask(kind, **fields).code == "not_authenticated"


def test_no_secret_is_logged(evening):
    """Neither password nor token, also where the password is wrong."""
    with capture_logs() as logs:
        anna = player(evening.sessions, "anna")
        anna.ask(wire.ChangePassword, password="wrong password", new_password=NEW)
        anna.ask(wire.ChangePassword, password=PASSWORD, new_password=NEW)
        anna.ask(wire.EndSessions)
        codes = anna.ask(wire.MakeRecoveryCodes, password=NEW).codes
        line = Line(evening.sessions)
        line.ask(wire.Recover, name="anna", code=codes[0], new_password="a third password")
    told = {"password.changed", "sessions.ended", "recovery_codes.made", "account.recovered"}
    assert told <= {entry["event"] for entry in logs}
    for secret in (PASSWORD, NEW, "wrong password", "a third password", token(anna), *codes):
        assert secret not in repr(logs)


def test_what_players_do_for_their_accounts_is_in_the_operators_log(evening):
    """As the player, from a shortened address, in the order of the acts, and without a secret. A log-out is not."""
    anna, other = player(evening.sessions, "anna"), beside(evening, "anna", "tab")
    assert isinstance(other.ask(wire.LogOut), wire.Ok)
    beside(evening, "anna", "tab")
    anna.ask(wire.EndSessions)
    secret = anna.ask(wire.BeginSecondFactor, password=PASSWORD).secret
    anna.ask(wire.ConfirmSecondFactor, password=PASSWORD, code=code_of(evening, secret))
    evening.room.clock.advance(60)
    code = code_of(evening, secret)
    codes = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD, code=code).codes
    fields = {"name": "anna", "new_password": NEW}
    late = Line(evening.sessions)
    assert isinstance(
        late.ask(wire.Recover, **fields, code=codes[0], second_code=codes[1]), wire.Authenticated
    )
    evening.room.clock.advance(60)
    late.ask(wire.EndSecondFactor, password=NEW, code=code_of(evening, secret))
    late.ask(wire.ChangePassword, password=NEW, new_password="a third password")
    lines = now(evening.ledger.log_lines(LogQuery()))[::-1]
    assert [line.verb for line in lines] == [
        "sessions.ended",
        "second_factor.begun",
        "second_factor.confirmed",
        "recovery_codes.made",
        "recovery_code.used",
        "account.recovered",
        "second_factor.ended",
        "password.changed",
    ]
    [account] = {line.subject for line in lines}
    assert {line.by for line in lines} == {Acting(who=account, role="player", address="192.0.2.*")}
    for hidden in (PASSWORD, NEW, "a third password", secret, code, *codes, token(anna)):
        assert hidden not in repr(lines)


def test_changes_of_an_account_are_bounded(evening):
    """Each is a line that is kept for ever. Whoever does not know the password cannot use them up."""
    anna = player(evening.sessions, "anna")
    for _ in range(OF_CHANGES.free + 5):
        anna.ask(wire.MakeRecoveryCodes, password="not the password")
        evening.room.clock.advance(300)
    begun = anna.ask(wire.BeginSecondFactor, password=PASSWORD)
    for _ in range(OF_CHANGES.free - 1):
        assert isinstance(anna.ask(wire.MakeRecoveryCodes, password=PASSWORD), wire.RecoveryCodes)
    refused = anna.ask(wire.BeginSecondFactor, password=PASSWORD)
    assert (refused.code, refused.retry_after_ms) == ("log_in_delayed", 1_000)
    refused = anna.ask(wire.ConfirmSecondFactor, password=PASSWORD, code=code_of(evening, begun.secret))
    assert (refused.code, now(evening.ledger.second_factor(1)).confirmed) == ("log_in_delayed", False)
    assert len(now(evening.ledger.log_lines(LogQuery(verb="recovery_codes")))) == OF_CHANGES.free - 1
    other = player(evening.sessions, "bert")
    assert isinstance(other.ask(wire.MakeRecoveryCodes, password=PASSWORD), wire.RecoveryCodes)
    evening.room.clock.advance(2)
    assert isinstance(anna.ask(wire.MakeRecoveryCodes, password=PASSWORD), wire.RecoveryCodes)


def test_a_log_in_with_the_old_password_during_its_change_opens_nothing(evening, monkeypatch):
    """It verified the old password just before the change, and would open its session just after."""
    anna = player(evening.sessions, "anna")
    line, open_session = Line(evening.sessions, "", "late"), evening.ledger.open_session

    def opened(*facts: Any, **more: Any) -> Deferred[int]:
        monkeypatch.undo()
        anna.ask(wire.ChangePassword, password=PASSWORD, new_password=NEW)
        return open_session(*facts, **more)

    monkeypatch.setattr(evening.ledger, "open_session", opened)
    assert line.ask(wire.LogIn, name="anna", password=PASSWORD).code == "bad_credentials"
    assert len(anna.ask(wire.GetSecurity).sessions) == 1


def test_a_new_password_of_a_session_that_has_ended_is_refused(evening, monkeypatch):
    """A thief asked for it before the player ended the thief's session, and waited in the queue."""
    thief, anna = player(evening.sessions, "anna"), beside(evening, "anna", "tab")
    change_password = evening.ledger.change_password

    def changed(*facts: Any, **more: Any) -> Deferred[list[int]]:
        monkeypatch.undo()
        anna.ask(wire.EndSessions)
        return change_password(*facts, **more)

    monkeypatch.setattr(evening.ledger, "change_password", changed)
    thief.say(wire.ChangePassword, password=PASSWORD, new_password=NEW)
    assert thief.closed == "session_ended"
    assert isinstance(beside(evening, "anna", "c").ask(wire.GetAccount), wire.Account)
