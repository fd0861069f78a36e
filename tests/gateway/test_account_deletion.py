"""The end of an account: its requests, its refusals, and what is left."""

from __future__ import annotations

import pytest

from pokerroom.chips import Money
from pokerroom.ledger.cashier import RefillTerms
from pokerroom_protocol import messages as wire
from tests.gateway.evening import PASSWORD, Evening, beside, code_of, with_second_factor
from tests.gateway.session_parties import Line, player
from tests.poker.support import now

FREE = RefillTerms(source="play-money", floor=Money(1_000), to=Money(100_000), every_s=3_600)


@pytest.fixture
def evening() -> Evening:
    """Of a room that gives play money for free."""
    evening = Evening(refill=FREE)
    now(evening.ledger.open_source(FREE.source))
    return evening


def test_a_player_deletes_the_account(evening: Evening) -> None:
    """The connection is logged out, the others end; name and password are of no use, and the name is free again."""
    first, other = player(evening.sessions, "anna"), beside(evening, "anna", "tab")
    assert isinstance(first.ask(wire.DeleteAccount, password=PASSWORD), wire.Ok)
    assert (first.closed, other.closed) == (None, "session_ended")
    assert first.ask(wire.GetAccount).code == "not_authenticated"
    assert first.ask(wire.LogIn, name="anna", password=PASSWORD).code == "bad_credentials"
    assert now(evening.ledger.account_names([1])) == {1: "gone-1"}
    assert isinstance(first.ask(wire.Register, name="anna", password=PASSWORD), wire.Authenticated)


def test_free_play_money_goes_back(evening: Evening) -> None:
    """To the source that it came from."""
    player(evening.sessions, "anna").ask(wire.DeleteAccount, password=PASSWORD)
    (source,) = now(evening.ledger.sources())
    assert (source.balance, now(evening.ledger.wallet(1))) == (100_000, 0)


def test_other_money_must_be_withdrawn_first() -> None:
    """Nothing has changed after the refusal."""
    anna = player(Evening().sessions, "anna")
    assert anna.ask(wire.DeleteAccount, password=PASSWORD).code == "wallet_not_empty"
    assert anna.ask(wire.GetAccount).balance == 100_000


def test_a_wrong_password_deletes_nothing(evening: Evening) -> None:
    """It counts as a wrong guess."""
    anna = player(evening.sessions, "anna")
    refused = [anna.ask(wire.DeleteAccount, password="wrong password").code for _ in range(6)]
    assert (refused[0], refused[-1]) == ("bad_credentials", "log_in_delayed")
    assert isinstance(anna.ask(wire.GetAccount), wire.Account)


def test_a_player_at_a_table_stays(evening: Evening) -> None:
    """The chips are on the table."""
    anna = player(evening.sessions, "anna")
    assert isinstance(anna.ask(wire.SitDown, table="t1", buy_in=5_000), wire.Snapshot)
    assert anna.ask(wire.DeleteAccount, password=PASSWORD).code == "account_in_use"
    assert isinstance(anna.ask(wire.GetAccount), wire.Account)


def test_the_second_factor_is_asked_for(evening: Evening) -> None:
    """A thief with the password alone deletes nothing."""
    anna, secret = with_second_factor(evening)
    assert anna.ask(wire.DeleteAccount, password=PASSWORD).code == "code_needed"
    code = code_of(evening, secret)
    codes = anna.ask(wire.MakeRecoveryCodes, password=PASSWORD, code=code).codes
    assert isinstance(anna.ask(wire.DeleteAccount, password=PASSWORD, code=codes[0]), wire.Ok)


def test_strangers_are_refused(evening: Evening) -> None:
    """It is the account of the connection that goes."""
    assert Line(evening.sessions).ask(wire.DeleteAccount, password=PASSWORD).code == "not_authenticated"


def test_no_new_account_looks_deleted(evening: Evening) -> None:
    """The names of deleted accounts are kept for them."""
    for name in ("gone-7", "Gone", "g0ne-12"):
        assert Line(evening.sessions).ask(wire.Register, name=name, password=PASSWORD).code == "name_reserved"
