"""Sessions of an account over its connections: their list, their end, new tokens, and a new password."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, get_args

import pyotp
import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.gateway.account_security import SessionPolicy
from pokerroom.gateway.accounts import Accounts
from pokerroom.gateway.addresses import short_form
from pokerroom.gateway.names import ReservedNames
from pokerroom.gateway.password_rules import PasswordRules
from pokerroom.gateway.passwords import OF_CHANGES, OF_SECOND_CODE
from pokerroom.ledger.credentials import SessionLifetime
from pokerroom.ledger.operator_log import Acting, LogQuery
from pokerroom.table.seal import Seal
from pokerroom_protocol import messages as wire
from tests.gateway.session_parties import (
    Counting,
    Line,
    made_sessions,
    openings,
    passwords,
    player,
    second_factors,
    token,
)
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

    def accounts(self, policy: SessionPolicy, seal: Seal | None = None) -> Accounts:
        """Accounts under another policy or with another key, over the same ledger."""
        second = second_factors(self.room.clock)
        return Accounts(
            self.ledger,
            passwords(self.room.clock, self.ledger),
            Money(100_000),
            rules=PasswordRules(8),
            reserved=ReservedNames(),
            second=second if seal is None else replace(second, seal=seal),
            cards=Seal(bytes(32)),
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


def test_a_new_password_ends_all_other_sessions(evening):
    """The new one logs in, the old one does not, and the connection that changed it goes on."""
    first, second = player(evening.sessions, "anna"), beside(evening, "anna", "tab")
    answer = second.ask(wire.ChangePassword, password=PASSWORD, new_password=NEW)
    assert [view.current for view in answer.sessions] == [True]
    assert (first.closed, second.closed) == ("session_ended", None)
    line = Line(evening.sessions)
    assert line.ask(wire.LogIn, name="anna", password=PASSWORD).code == "bad_credentials"
    assert isinstance(line.ask(wire.LogIn, name="anna", password=NEW), wire.Authenticated)


def test_a_new_password_voids_the_recovery_codes(evening):
    """A thief who knew the old password may have made them; the answer says that none are left."""
    anna = player(evening.sessions, "anna")
    code = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD).codes[0]
    assert anna.ask(wire.ChangePassword, password=PASSWORD, new_password=NEW).recovery_codes == 0
    stolen = {"name": "anna", "code": code, "new_password": "a third password"}
    assert Line(evening.sessions).ask(wire.Recover, **stolen).code == "bad_code"


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


def code_of(evening: Evening, secret: str, steps: int = 0) -> str:
    """The code that the app shows, some steps from now."""
    now_s = second_factors(evening.room.clock).now_ms() // 1000
    return pyotp.TOTP(secret).at(now_s, counter_offset=steps)


def with_second_factor(evening: Evening, name: str = "anna") -> tuple[Line, str]:
    """An account with log-ins that ask for a code, and the secret."""
    line = player(evening.sessions, name)
    begun = line.ask(wire.BeginSecondFactor, password=PASSWORD)
    code = code_of(evening, begun.secret)
    assert line.ask(wire.ConfirmSecondFactor, password=PASSWORD, code=code).second_factor
    evening.room.clock.advance(60)
    return line, begun.secret


def test_a_log_in_asks_for_the_code_of_the_app(evening):
    """Without one it is needed, a wrong one is refused, a right one logs in, and the same one again does not."""
    _, secret = with_second_factor(evening)
    fields = {"name": "anna", "password": PASSWORD}
    line = Line(evening.sessions, "", "tab")
    assert line.ask(wire.LogIn, **fields).code == "code_needed"
    code = code_of(evening, secret)
    wrong = f"{(int(code) + 1) % 1_000_000:06}"
    assert line.ask(wire.LogIn, **fields, code=wrong).code == "bad_code"
    assert isinstance(line.ask(wire.LogIn, **fields, code=code), wire.Authenticated)
    assert Line(evening.sessions).ask(wire.LogIn, **fields, code=code).code == "bad_code"
    assert (
        Line(evening.sessions).ask(wire.LogIn, **fields, code=code_of(evening, secret, -1)).code == "bad_code"
    )
    late = code_of(evening, secret, 5)
    assert Line(evening.sessions).ask(wire.LogIn, **fields, code=late).code == "bad_code"


def test_a_secret_counts_once_it_is_confirmed(evening):
    """Until then log-ins ask for no code; the picture is that of the address. All other sessions end."""
    anna, other = player(evening.sessions, "anna"), beside(evening, "anna", "tab")
    begun = anna.ask(wire.BeginSecondFactor, password=PASSWORD)
    assert begun.secret in begun.uri
    assert {len(row) for row in begun.qr} == {len(begun.qr)}
    assert set("".join(begun.qr)) == {"0", "1"}
    other = beside(evening, "anna", "tab")
    wrong = anna.ask(wire.ConfirmSecondFactor, password=PASSWORD, code="abcdef")
    assert (wrong.code, other.closed) == ("bad_code", None)
    code = code_of(evening, begun.secret)
    assert len(anna.ask(wire.ConfirmSecondFactor, password=PASSWORD, code=code).sessions) == 1
    assert other.closed == "session_ended"
    assert anna.ask(wire.BeginSecondFactor, password=PASSWORD).code == "second_factor_on"


def test_a_recovery_code_works_instead_of_the_app(evening):
    """Once; with two of them a player without password and device recovers the account."""
    anna, secret = with_second_factor(evening)
    code = code_of(evening, secret)
    codes = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD, code=code).codes
    fields = {"name": "anna", "password": PASSWORD, "code": codes[0]}
    assert isinstance(Line(evening.sessions).ask(wire.LogIn, **fields), wire.Authenticated)
    line = Line(evening.sessions)
    assert line.ask(wire.LogIn, **fields).code == "bad_code"
    lost = {"name": "anna", "code": codes[1], "new_password": NEW}
    assert line.ask(wire.Recover, **lost).code == "code_needed"
    for used_up in (codes[0], codes[1]):
        assert line.ask(wire.Recover, **lost, second_code=used_up).code == "bad_code"
    assert isinstance(line.ask(wire.Recover, **lost, second_code=codes[2]), wire.Authenticated)


def test_the_second_factor_is_switched_off_with_a_code(evening):
    """The password alone does not do it."""
    anna, secret = with_second_factor(evening)
    refused = anna.ask(wire.EndSecondFactor, password=PASSWORD, code="000 000 0")
    assert refused.code == "bad_code"
    code = code_of(evening, secret)
    assert not anna.ask(wire.EndSecondFactor, password=PASSWORD, code=code).second_factor
    assert isinstance(beside(evening, "anna", "tab").ask(wire.GetAccount), wire.Account)


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


class Elsewhere(Line):
    """A client of an address of its own."""

    def __init__(self, evening: Evening, number: int) -> None:
        self.peer = f"198.51.100.{number}:40000"
        super().__init__(evening.sessions)

    def logged_in(self, **fields: str) -> wire.Answer:
        """The answer to a log-in, after which the client hangs up."""
        answer = self.ask(wire.LogIn, name="anna", **fields)
        self.session.lost("closed")
        return answer


def test_guesses_of_second_codes_count_for_the_account(evening):
    """Also from many addresses. Without the password no guess counts, and a recovery code logs in meanwhile."""
    anna, secret = with_second_factor(evening)
    codes = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD, code=code_of(evening, secret)).codes
    guess = {"password": PASSWORD, "code": "abcdef"}
    for number in range(30):
        stranger = Elsewhere(evening, number).logged_in(password="not the password", code="abcdef")
        assert stranger.code == "bad_credentials"
    for number in range(OF_SECOND_CODE.free):
        assert Elsewhere(evening, number).logged_in(**guess).code == "bad_code"
    refused = Elsewhere(evening, 90).logged_in(**guess)
    assert (refused.code, refused.retry_after_ms) == ("log_in_delayed", 1_000)
    [delay] = now(evening.ledger.log_lines(LogQuery(verb="log_in.delayed")))
    assert (delay.subject, delay.named()) == ("account:1", {"second_factor_wait_s": 1})
    assert Elsewhere(evening, 91).logged_in(password=PASSWORD).code == "code_needed"
    by_recovery_code = Elsewhere(evening, 92).logged_in(password=PASSWORD, code=codes[0])
    assert isinstance(by_recovery_code, wire.Authenticated)
    assert Elsewhere(evening, 93).logged_in(**guess).code == "log_in_delayed"
    evening.room.clock.advance(3_600)
    by_app = Elsewhere(evening, 94).logged_in(password=PASSWORD, code=code_of(evening, secret))
    assert isinstance(by_app, wire.Authenticated)
    assert [Elsewhere(evening, 95 + n).logged_in(**guess).code for n in range(2)] == ["bad_code"] * 2


def test_wrong_second_codes_are_logged_as_failures(evening):
    """One line each for programs that block addresses; that a code is needed is no failure."""
    anna, secret = with_second_factor(evening)
    codes = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD, code=code_of(evening, secret)).codes
    line = Line(evening.sessions)
    with capture_logs() as logs:
        line.ask(wire.LogIn, name="anna", password=PASSWORD)
        line.ask(wire.LogIn, name="anna", password=PASSWORD, code="abcdef")
        line.ask(wire.Recover, name="anna", code=codes[0], new_password=NEW)
        line.ask(wire.Recover, name="anna", code=codes[0], new_password=NEW, second_code="abcdef")
    failed = [entry["address"] for entry in logs if entry["event"] == "log_in.failed"]
    assert failed == [line.session.address] * 2


def test_a_password_does_not_allow_more_guesses_of_codes(evening):
    """That a code is needed forgives no wrong codes: after five of them the address waits."""
    with_second_factor(evening)
    fields = {"name": "anna", "password": PASSWORD}
    line = Line(evening.sessions)
    for _ in range(5):
        assert line.ask(wire.LogIn, **fields, code="abcdef").code == "bad_code"
        assert line.ask(wire.LogIn, **fields).code in {"code_needed", "log_in_delayed"}
    line.ask(wire.LogIn, **fields, code="abcdef")
    assert line.ask(wire.LogIn, **fields, code="abcdef").code == "log_in_delayed"


def test_the_secret_is_sealed_with_the_key_of_the_room(evening):
    """The ledger has no secret in clear. With another key codes of the app are wrong, and a recovery code logs in."""
    anna, secret = with_second_factor(evening)
    codes = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD, code=code_of(evening, secret)).codes
    evening.room.clock.advance(60)
    sealed = now(evening.ledger.second_factor(anna.session.account)).sealed
    assert secret.encode() not in sealed
    evening.sessions.accounts = evening.accounts(SessionPolicy(), Seal(b"another key of the room's kind.."))
    fields = {"name": "anna", "password": PASSWORD}
    with capture_logs() as logs:
        wrong = Line(evening.sessions).ask(wire.LogIn, **fields, code=code_of(evening, secret))
    assert wrong.code == "bad_code"
    assert "second_factor.unreadable" in {entry["event"] for entry in logs}
    assert isinstance(Line(evening.sessions).ask(wire.LogIn, **fields, code=codes[0]), wire.Authenticated)


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


def test_a_log_out_ends_a_session_that_has_new_tokens_since(evening):
    """Another window has resumed the session twice, so this connection's own token is void already."""
    policy = SessionPolicy(rotate_s=100, overlap_s=50)
    anna = player(evening.sessions, "anna")
    accounts, clock = evening.accounts(policy), evening.room.clock
    line, latest = Line(evening.sessions), token(anna)
    for _ in range(2):
        clock.advance(100)
        latest = done(accounts.resume(line.session, latest)).token
    assert isinstance(anna.ask(wire.LogOut), wire.Ok)
    assert line.ask(wire.Resume, token=latest).code == "session_unknown"


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


def test_a_session_that_ends_while_it_is_resumed_gets_no_connection(evening, monkeypatch):
    """It was found just before its end."""
    anna = player(evening.sessions, "anna")
    number, wallet = anna.session.session_id, evening.ledger.wallet
    line = Line(evening.sessions, "", "late")

    def asked(account: int) -> Deferred[Money]:
        monkeypatch.undo()
        evening.sessions.sessions_ended(account, now(evening.ledger.end_sessions(account, number)))
        return wallet(account)

    monkeypatch.setattr(evening.ledger, "wallet", asked)
    line.say(wire.Resume, token=token(anna))
    assert (line.closed, line.all(wire.Authenticated)) == ("session_ended", [])


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
