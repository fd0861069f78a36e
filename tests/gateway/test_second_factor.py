"""The second factor of an account: codes of an authenticator app."""

from __future__ import annotations

from structlog.testing import capture_logs

from pokerroom.gateway.passwords import OF_SECOND_CODE
from pokerroom.ledger.operator_log import LogQuery
from pokerroom_protocol import messages as wire
from tests.gateway.evening import NEW, PASSWORD, Evening, beside, code_of, with_second_factor
from tests.gateway.session_parties import Counting, Line, made_sessions, player
from tests.poker.support import now


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
    later = made_sessions(evening.room, Counting(), key=b"another key of the room's kind..")
    fields = {"name": "anna", "password": PASSWORD}
    with capture_logs() as logs:
        wrong = Line(later).ask(wire.LogIn, **fields, code=code_of(evening, secret))
    assert wrong.code == "bad_code"
    assert "second_factor.unreadable" in {entry["event"] for entry in logs}
    assert isinstance(Line(later).ask(wire.LogIn, **fields, code=codes[0]), wire.Authenticated)
