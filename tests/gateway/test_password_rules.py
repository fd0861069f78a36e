"""Passwords of new accounts by ASVS 5.0, 6.2, and that existing accounts keep theirs."""

import pytest

from pokerroom.chips import Money
from pokerroom.gateway.password_rules import PasswordRules
from pokerroom.gateway.passwords import password_hasher
from pokerroom.ops.observer import Observer
from pokerroom_protocol import messages as wire
from tests.gateway.session_parties import Line, made_sessions
from tests.lobby.support import Cardroom

RULES = PasswordRules(10, ["Riverside"])


@pytest.mark.parametrize(
    ("password", "told"),
    [
        ("ninechars", "at least 10 characters"),
        ("qwertyuiop", "most common"),
        ("1234567890", "most common"),
        ("QWERTYUIOP", "most common"),
        ("zzzzzzzzzzzz", "repeats"),
        ("abababababab", "repeats"),
        ("tom.smith1234567"[:12], "little more than a name"),
        ("tom.smithTOM.smith99", "little more than a name"),
        ("riverside!!1", "little more than a name"),
    ],
)
def test_what_attackers_try_first_is_refused(password, told):
    """Short ones, those of the list, repetitions, and the names of the player and the room."""
    problem = RULES.problem("Tom.Smith", password)
    assert problem is not None
    assert told in problem
    assert password not in problem


@pytest.mark.parametrize(
    "password",
    [
        "correct horse",
        "a password of mine",
        "żółw i jeż w lesie",
        "x7#kQ2!vTp",
        "pass phrase " * 10,
        "🂡🂱🃁🃑🂮🂾🃎🃞🂭🂽",
    ],
)
def test_any_characters_make_a_password(password):
    """No rule asks for digits or signs; spaces, other scripts and 120 characters are fine."""
    assert RULES.problem("Tom.Smith", password) is None


def test_a_weak_password_opens_no_account():
    """The refusal says what to do, and the same name is then registered with a better one."""
    room = Cardroom()
    line = Line(made_sessions(room, Observer()))
    refused = line.ask(wire.Register, name="anna", password="baseball")
    assert isinstance(refused, wire.Error)
    assert refused.code == "weak_password"
    assert "Choose several words" in refused.message
    assert isinstance(line.ask(wire.Register, name="anna", password="base of my balls"), wire.Authenticated)


def test_an_account_from_before_logs_in_with_a_weak_password():
    """The rules are for new accounts alone."""
    room = Cardroom()
    room.world.ledger.create_account("anna", password_hasher().hash("baseball"), Money(0))
    line = Line(made_sessions(room, Observer()))
    assert isinstance(line.ask(wire.LogIn, name="anna", password="baseball"), wire.Authenticated)
