"""The end of an account: its requests, its refusals, and what is left."""

from __future__ import annotations

import pyotp
import pytest

from pokerroom.chips import Money
from pokerroom.gateway.sessions import Sessions
from pokerroom.ledger.cashier import RefillTerms
from pokerroom_protocol import messages as wire
from tests.gateway.session_parties import Counting, Line, made_sessions, player, second_factors
from tests.lobby.support import Cardroom
from tests.poker.support import now

PASSWORD = "a password"
FREE = RefillTerms(source="play-money", floor=Money(1_000), to=Money(100_000), every_s=3_600)


@pytest.fixture
def sessions(room: Cardroom) -> Sessions:
    """Of a room that gives play money for free."""
    now(room.world.ledger.open_source(FREE.source))
    return made_sessions(room, Counting(), refill=FREE)


def again(sessions: Sessions, password: str = PASSWORD, name: str = "anna") -> Line:
    """Another connection that tries to log in."""
    line = Line(sessions, "client tab", "tab")
    line.ask(wire.LogIn, name=name, password=password)
    return line


def test_a_player_deletes_the_account(room: Cardroom, sessions: Sessions) -> None:
    """The connection is logged out, the others end; name and password are of no use, and the name is free again."""
    first, other = player(sessions, "anna"), again(sessions)
    assert isinstance(first.ask(wire.DeleteAccount, password=PASSWORD), wire.Ok)
    assert (first.closed, other.closed) == (None, "session_ended")
    assert first.ask(wire.GetAccount).code == "not_authenticated"
    assert first.ask(wire.LogIn, name="anna", password=PASSWORD).code == "bad_credentials"
    assert now(room.world.ledger.account_names([1])) == {1: "gone-1"}
    assert isinstance(first.ask(wire.Register, name="anna", password=PASSWORD), wire.Authenticated)


def test_free_play_money_goes_back(room: Cardroom, sessions: Sessions) -> None:
    """To the source that it came from."""
    player(sessions, "anna").ask(wire.DeleteAccount, password=PASSWORD)
    (source,) = now(room.world.ledger.sources())
    assert (source.balance, now(room.world.ledger.wallet(1))) == (100_000, 0)


def test_other_money_must_be_withdrawn_first(room: Cardroom) -> None:
    """Nothing has changed after the refusal."""
    anna = player(made_sessions(room, Counting()), "anna")
    assert anna.ask(wire.DeleteAccount, password=PASSWORD).code == "wallet_not_empty"
    assert anna.ask(wire.GetAccount).balance == 100_000


def test_a_wrong_password_deletes_nothing(sessions: Sessions) -> None:
    """It counts as a wrong guess."""
    anna = player(sessions, "anna")
    refused = [anna.ask(wire.DeleteAccount, password="wrong password").code for _ in range(6)]
    assert (refused[0], refused[-1]) == ("bad_credentials", "log_in_delayed")
    assert isinstance(anna.ask(wire.GetAccount), wire.Account)


def test_a_player_at_a_table_stays(sessions: Sessions) -> None:
    """The chips are on the table."""
    anna = player(sessions, "anna")
    assert isinstance(anna.ask(wire.SitDown, table="t1", buy_in=5_000), wire.Snapshot)
    assert anna.ask(wire.DeleteAccount, password=PASSWORD).code == "account_in_use"
    assert isinstance(anna.ask(wire.GetAccount), wire.Account)


def test_the_second_factor_is_asked_for(room: Cardroom, sessions: Sessions) -> None:
    """A thief with the password alone deletes nothing."""
    anna = player(sessions, "anna")
    secret = anna.ask(wire.BeginSecondFactor, password=PASSWORD).secret
    now_s = second_factors(room.clock).now_ms() // 1000
    app = pyotp.TOTP(secret)
    anna.ask(wire.ConfirmSecondFactor, password=PASSWORD, code=app.at(now_s))
    assert anna.ask(wire.DeleteAccount, password=PASSWORD).code == "code_needed"
    codes = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD, code=app.at(now_s, counter_offset=1)).codes
    assert isinstance(anna.ask(wire.DeleteAccount, password=PASSWORD, code=codes[0]), wire.Ok)


def test_strangers_are_refused(sessions: Sessions) -> None:
    """It is the account of the connection that goes."""
    assert Line(sessions).ask(wire.DeleteAccount, password=PASSWORD).code == "not_authenticated"


def test_no_new_account_looks_deleted(sessions: Sessions) -> None:
    """The names of deleted accounts are kept for them."""
    for name in ("gone-7", "Gone", "g0ne-12"):
        assert Line(sessions).ask(wire.Register, name=name, password=PASSWORD).code == "name_reserved"
