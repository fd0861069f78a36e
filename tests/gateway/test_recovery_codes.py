"""Recovery codes of an account: what they do, who makes them, and what voids them."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

from pokerroom_protocol import messages as wire
from tests.gateway.evening import NEW, PASSWORD, beside, code_of, with_second_factor
from tests.gateway.session_parties import Line, player, token


def test_a_new_password_voids_the_recovery_codes(evening):
    """A thief who knew the old password may have made them; the answer says that none are left."""
    anna = player(evening.sessions, "anna")
    code = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD).codes[0]
    assert anna.ask(wire.ChangePassword, password=PASSWORD, new_password=NEW).recovery_codes == 0
    stolen = {"name": "anna", "code": code, "new_password": "a third password"}
    assert Line(evening.sessions).ask(wire.Recover, **stolen).code == "bad_code"


def test_a_recovery_code_sets_a_new_password_once(evening):
    """It logs in, ends all other sessions, and is used up; another code still works."""
    anna = player(evening.sessions, "anna")
    codes = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD).codes
    assert len(set(codes)) == 10
    assert anna.ask(wire.GetSecurity).recovery_codes == 10
    line = Line(evening.sessions, "", "new")
    typed = codes[3].lower().replace("-", " ").replace("0", "o")
    answer = line.ask(wire.Recover, name="Anna", code=typed, new_password=NEW)
    assert (answer.name, anna.closed) == ("anna", "session_ended")
    assert Line(evening.sessions).ask(wire.Resume, token=token(anna)).code == "session_unknown"
    security = line.ask(wire.GetSecurity)
    assert (security.recovery_codes, len(security.sessions)) == (9, 1)
    again = {"name": "anna", "code": codes[3], "new_password": "a third password"}
    assert Line(evening.sessions).ask(wire.Recover, **again).code == "bad_code"
    beside(evening, "anna", "tab", NEW)
    assert isinstance(
        Line(evening.sessions).ask(wire.Recover, **{**again, "code": codes[4]}), wire.Authenticated
    )


def test_new_codes_void_the_old_ones_and_need_the_password(evening):
    """A list that was lost is of no use, and a device left alone makes none."""
    anna = player(evening.sessions, "anna")
    old = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD).codes[0]
    assert anna.ask(wire.MakeRecoveryCodes, password="not the password").code == "bad_credentials"
    new = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD).codes[0]
    line = Line(evening.sessions)
    assert line.ask(wire.Recover, name="anna", code=old, new_password=NEW).code == "bad_code"
    assert anna.closed is None
    assert isinstance(line.ask(wire.Recover, name="anna", code=new, new_password=NEW), wire.Authenticated)


def test_guesses_of_codes_are_guesses_of_passwords(evening):
    """After five the address waits for this account, for codes and passwords alike; unknown names are as known ones."""
    player(evening.sessions, "anna")
    wrong = {"code": "0000-0000-0000-0000", "new_password": NEW}
    for name in ("anna", "no-account"):
        line = Line(evening.sessions)
        assert [line.ask(wire.Recover, name=name, **wrong).code for _ in range(5)] == ["bad_code"] * 5
        line.ask(wire.Recover, name=name, **wrong)
        refused = line.ask(wire.Recover, name=name, **wrong)
        assert (refused.code, refused.retry_after_ms > 0) == ("log_in_delayed", True)
        assert line.ask(wire.LogIn, name=name, password=PASSWORD).code == "log_in_delayed"


def test_a_common_password_uses_no_code_up(evening):
    """The rules are asked first."""
    anna = player(evening.sessions, "anna")
    code = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD).codes[0]
    line = Line(evening.sessions)
    assert line.ask(wire.Recover, name="anna", code=code, new_password="password1").code == "weak_password"
    assert isinstance(line.ask(wire.Recover, name="anna", code=code, new_password=NEW), wire.Authenticated)


def test_new_recovery_codes_need_the_second_factor(evening):
    """They log in without the app, so the password alone makes none; a refusal leaves the old ones."""
    anna, secret = with_second_factor(evening)
    codes = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD, code=code_of(evening, secret)).codes
    assert anna.ask(wire.MakeRecoveryCodes, password=PASSWORD).code == "code_needed"
    assert anna.ask(wire.MakeRecoveryCodes, password=PASSWORD, code="abcdef").code == "bad_code"
    assert len(anna.ask(wire.MakeRecoveryCodes, password=PASSWORD, code=codes[0]).codes) == 10


def test_a_wrong_recovery_code_tells_nothing_and_uses_nothing_up(evening):
    """Neither that the account has a second factor, nor whether the other code was right: that one still works."""
    _, secret = with_second_factor(evening)
    code, line = code_of(evening, secret), Line(evening.sessions)
    wrong = {"name": "anna", "code": "0000-0000-0000-0000", "new_password": NEW}
    assert [line.ask(wire.Recover, **wrong).code for _ in range(2)] == ["bad_code"] * 2
    assert [line.ask(wire.Recover, **wrong, second_code=code).code for _ in range(2)] == ["bad_code"] * 2
    assert isinstance(line.ask(wire.LogIn, name="anna", password=PASSWORD, code=code), wire.Authenticated)


def test_a_recovery_that_another_one_overtakes_opens_nothing(evening, monkeypatch):
    """The other one has set its own password and ended all sessions, just before this one opens its session."""
    anna = player(evening.sessions, "anna")
    codes = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD).codes
    line, other, open_session = Line(evening.sessions), Line(evening.sessions), evening.ledger.open_session

    def opened(*facts: Any, **more: Any) -> Deferred[int]:
        monkeypatch.undo()
        other.ask(wire.Recover, name="anna", code=codes[1], new_password="a third password")
        return open_session(*facts, **more)

    monkeypatch.setattr(evening.ledger, "open_session", opened)
    refused = line.ask(wire.Recover, name="anna", code=codes[0], new_password=NEW)
    assert refused.code == "bad_credentials"
    assert len(other.ask(wire.GetSecurity).sessions) == 1
