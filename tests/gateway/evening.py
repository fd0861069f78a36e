"""A room with its clock, and what the clients of an account do for its safety."""

from __future__ import annotations

from typing import Any

import pyotp

from pokerroom_protocol import messages as wire
from tests.gateway.session_parties import Counting, Line, made_sessions, player, second_factors
from tests.lobby.support import Cardroom

PASSWORD = "a password"
NEW = "another password"


class Evening:
    """A room with its clock, and the sessions of its clients. `options` are those of `made_sessions`."""

    def __init__(self, **options: Any) -> None:
        self.room = Cardroom()
        self.sessions = made_sessions(self.room, Counting(), **options)
        self.ledger: Any = self.room.world.ledger


def beside(evening: Evening, name: str, instance: str, password: str = PASSWORD) -> Line:
    """A log-in of an instance of its own, which stays beside others of the account."""
    line = Line(evening.sessions, f"client {instance}", instance)
    assert isinstance(line.ask(wire.LogIn, name=name, password=password), wire.Authenticated)
    return line


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
