"""`pokerroom account`: what the operator does for a player without the password."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pokerroom.account_commands import account_commands
from pokerroom.chips import Money
from pokerroom.ledger.account_standing import Barred, Exclusion
from pokerroom.ledger.credentials import Device
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import THE_ROOM, LogQuery
from pokerroom.ledger.recovery_codes import code_hash
from pokerroom.ops.operator_client import local_acting
from tests import commands
from tests.poker.support import now


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


def said(ledger: MemoryLedger, *arguments: str, command: str = "recovery-code") -> Any:
    """What the command answers."""
    return commands.said(ledger, account_commands, command, *arguments)


def test_a_code_is_printed_and_works_once(ledger):
    """It is all that is printed, and a second one replaces it."""
    account = now(ledger.create_account("anna", "hash", Money(0))).account
    first, second = (said(ledger, "ANNA").stdout.strip() for _ in range(2))
    assert now(ledger.recover_account(account, code_hash(account, first), "new")) is None
    assert now(ledger.recover_account(account, code_hash(account, second), "new")) == []
    assert now(ledger.recover_account(account, code_hash(account, second), "newer")) is None
    assert now(ledger.recovery_codes_left(account)) == 0


@pytest.mark.parametrize("name", ["no-account", "Bot.Ada"])
def test_only_players_get_a_code(ledger, name):
    """A house bot has no password, and must not get one."""
    now(ledger.create_account("Bot.Ada", "!house", Money(0)))
    result = said(ledger, name)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "refused: No player has the name" in result.stderr


def test_the_second_factor_of_a_lost_device_is_ended(ledger):
    """Only where the operator says so."""
    account = now(ledger.create_account("anna", "hash", Money(0))).account
    now(ledger.begin_second_factor(account, b"sealed"))
    said(ledger, "anna")
    assert now(ledger.second_factor(account)) is not None
    said(ledger, "anna", "--end-second-factor", "--reason", "the phone is lost")
    assert now(ledger.second_factor(account)) is None
    code, ended, *_ = now(ledger.log_lines(LogQuery()))
    assert (ended.verb, code.verb) == ("second_factor.ended", "account.recovery_code")
    assert ended.by == code.by == local_acting("the phone is lost")
    assert code.subject == f"account:{account}"


def test_a_player_is_excluded_for_days_or_for_ever(ledger):
    """One of both is said; the line has the reason."""
    account = now(ledger.create_account("anna", "hash", Money(0))).account
    assert said(ledger, "anna", command="exclude").exit_code == 2
    assert said(ledger, "anna", "--days", "3", "--for-ever", command="exclude").exit_code == 2
    assert now(ledger.exclusion(account)) is None
    asked = said(ledger, "anna", "--for-ever", "--reason", "asked by mail", command="exclude")
    assert asked.stdout == "anna is excluded\n"
    assert now(ledger.exclusion(account)) == Exclusion(until_ms=None)
    assert now(ledger.log_lines(LogQuery()))[0].by == local_acting("asked by mail")


def test_an_account_is_locked_and_unlocked(ledger):
    """A name that no player has is refused."""
    account = now(ledger.create_account("anna", "hash", Money(0))).account
    assert said(ledger, "anna", command="lock").exit_code == 0
    assert now(ledger.barred([account], [])) == [Barred(account=account, why="locked")]
    assert said(ledger, "anna", command="unlock").exit_code == 0
    assert now(ledger.barred([account], [])) == []
    assert "No player has the name" in said(ledger, "bert", command="lock").stderr


def test_an_account_is_shown(ledger):
    """Its number, wallet and tables, and what bars it."""
    account = now(ledger.create_account("anna", "hash", Money(12_50))).account
    assert said(ledger, "ANNA", command="show").stdout == f"anna, account {account}: 12.50 in the wallet\n"
    now(ledger.take_table("t1", "n1", 0))
    now(ledger.buy_in("buyin:" + 32 * "1", "t1", 1, 3, account, Money(1_000), 4))
    said(ledger, "anna", command="lock")
    said(ledger, "anna", "--for-ever", command="exclude")
    told = said(ledger, "anna", command="show").stdout.splitlines()
    assert told[1:] == ["has a seat at t1", "is locked", "is excluded from play"]
    assert '"wallet":250' in said(ledger, "anna", "--json", command="show").stdout
    assert said(ledger, "bert", command="show").exit_code == 1


@pytest.mark.parametrize("name", ["a", "b ad", "Bot.Ada", "dealer", "BERT"])
def test_an_account_gets_no_name_that_a_new_one_could_not_have(ledger, name):
    """Malformed, of the room, or like that of another player."""
    account = now(ledger.create_account("anna", "hash", Money(0))).account
    now(ledger.create_account("bert", "hash", Money(0)))
    assert said(ledger, "anna", name, command="rename").exit_code == 1
    assert now(ledger.account_names([account])) == {account: "anna"}
    assert said(ledger, "anna", "carol", command="rename").stdout == "anna is now carol\n"
    assert now(ledger.account_names([account])) == {account: "carol"}


def test_an_account_is_deleted(ledger):
    """The rest of the wallet goes to the source that the operator names, and nowhere without one."""
    account = now(ledger.create_account("anna", "hash", Money(500))).account
    now(ledger.open_source("cash"))
    for arguments, told in (
        (["anna"], "the player has money in the wallet: pay it out, or name a --source"),
        (["anna", "--source", "none"], "this source is not open"),
        (["bert"], "No player has the name bert. Write the whole name."),
    ):
        result = said(ledger, *arguments, command="delete")
        assert (result.exit_code, result.stderr) == (1, f"refused: {told}\n")
    now(ledger.set_four_eyes(on=True))
    result = said(ledger, "anna", "--source", "cash", command="delete")
    assert (result.exit_code, "two operators must agree" in result.stderr) == (1, True)
    now(ledger.set_four_eyes(on=False))
    result = said(ledger, "ANNA", "--source", "cash", "--reason", "their letter", command="delete")
    assert (result.exit_code, result.stdout) == (0, "ANNA is deleted\n")
    assert now(ledger.account_names([account])) == {account: f"gone-{account}"}
    assert [row.balance for row in now(ledger.sources())] == [500]
    (line, *_) = now(ledger.log_lines(LogQuery(verb="account.delete")))
    assert (line.by, line.subject) == (local_acting("their letter"), f"account:{account}")


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("recovery-code", ()),
        ("unlock", ()),
        ("rename", ("carol",)),
        ("delete", ()),
        ("exclude", ("--days", "1")),
    ],
)
def test_a_deleted_account_is_no_player(ledger, command, more):
    """It is locked for ever: a code and a new name would let in a stranger, to the history of another player."""
    account = now(ledger.create_account("anna", "hash", Money(0))).account
    now(ledger.delete_account(account, None, by=THE_ROOM))
    name = f"gone-{account}"
    result = said(ledger, name, *more, command=command)
    assert (result.exit_code, result.stderr) == (
        1,
        f"refused: No player has the name {name}. Write the whole name.\n",
    )
    assert list(now(ledger.barred([account], []))) == [Barred(account=account, why="locked")]
    assert now(ledger.recovery_codes_left(account)) == 0


def test_an_account_that_plays_is_not_deleted(ledger):
    """Neither is a house bot."""
    account = now(ledger.create_account("anna", "hash", Money(500))).account
    now(ledger.create_account("Bot.Ada", "!house", Money(0)))
    now(ledger.take_table("T1", "n1", 0))
    now(ledger.buy_in("buyin:" + 32 * "1", "T1", 1, 1, account, Money(500), 4))
    assert "the player has seats" in said(ledger, "anna", command="delete").stderr
    assert "No player has the name Bot.Ada" in said(ledger, "Bot.Ada", command="delete").stderr


def test_players_are_found_by_how_their_names_begin(ledger):
    """One to a line; none is told, too."""
    for name in ("anna", "andy", "bert"):
        now(ledger.create_account(name, "hash", Money(0)))
    assert said(ledger, "AN", command="search").stdout == "andy\nanna\n"
    assert said(ledger, "an", "--limit", "1", "--json", command="search").stdout == '["andy"]\n'
    none = said(ledger, "x", command="search")
    assert (none.stdout, none.stderr) == ("", "no player has a name that begins with x\n")


def test_log_ins_are_listed_and_ended(ledger):
    """With device and address."""
    account = now(ledger.create_account("anna", "hash", Money(0))).account
    now(ledger.open_session(account, b"t1", Device(client="browser", address="10.1.0.0/16")))
    listed = said(ledger, "anna", command="sessions").stdout
    assert "browser" in listed
    assert "10.1.0.0/16" in listed
    assert said(ledger, "anna", "--reason", "asked", command="log-out").stdout == "anna is logged out\n"
    assert said(ledger, "anna", command="sessions").stdout == "anna is logged in nowhere\n"
    assert now(ledger.log_lines(LogQuery()))[0].by == local_acting("asked")


def test_what_operators_see_of_a_player_is_printed(ledger):
    """Transfers, limits and notes, as a table and as JSON; the note is the line of the log."""
    account = now(ledger.create_account("anna", "hash", Money(12_345))).account
    now(ledger.set_limit(account, "session", "day", 7_200))
    assert said(ledger, "anna", "called at noon", command="note").stdout == "noted about anna\n"
    (line,) = now(ledger.log_lines(LogQuery(verb="account.note")))
    assert (line.by, line.subject) == (local_acting("called at noon"), f"account:{account}")
    for command, words in (
        ("transfers", ["opening", "123.45", "0.00", "bank"]),
        ("limits", ["session", "per", "day", "120", "min"]),
        ("notes", ["called", "at", "noon"]),
    ):
        printed = said(ledger, "anna", command=command).stdout
        assert set(words) <= set(printed.split()), printed
        assert isinstance(json.loads(said(ledger, "anna", "--json", command=command).stdout), list)
    assert said(ledger, "anna", " ", command="note").exit_code == 1


def test_a_player_is_muted_for_a_time(ledger):
    """The account shows until when; without a time there is none."""
    account = now(ledger.create_account("anna", "hash", Money(0))).account
    assert said(ledger, "anna", command="mute").exit_code == 2
    assert said(ledger, "anna", "--minutes", "5", "--reason", "rude", command="mute").stdout == (
        "anna may not chat for 5 min\n"
    )
    assert now(ledger.overview(account)).muted_until_ms
    assert "may not chat until" in said(ledger, "anna", command="show").stdout
    assert said(ledger, "anna", command="unmute").stdout == "anna may chat again\n"
    assert now(ledger.overview(account)).muted_until_ms is None
