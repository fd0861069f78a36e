"""`pokerroom account`: what the operator does for a player without the password."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from click.testing import CliRunner

from pokerroom.account_commands import account_commands
from pokerroom.chips import Money
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.recovery_codes import code_hash
from pokerroom.ops.operator_client import local_acting
from tests.poker.support import now


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


def said(ledger: MemoryLedger, *arguments: str) -> Any:
    """What the command answers."""

    def on_ledger(work: Any) -> Any:
        async def run() -> Any:
            return await work(ledger)

        return asyncio.run(run())

    return CliRunner().invoke(account_commands(on_ledger), ["recovery-code", *arguments])


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
    assert "refused: no player has the name" in result.stderr


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
