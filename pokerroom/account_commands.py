"""`pokerroom account`: the operator's commands for accounts. They work beside a running room or without one."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

import click

from pokerroom.account_standing_commands import PlayerLedger, add_standing_commands
from pokerroom.ledger.credentials import CredentialLedger
from pokerroom.ledger.recovery_codes import OPERATOR_CODE_S, code_hash, new_code
from pokerroom.ops.operator_client import REASON_OPTION, acting
from pokerroom.table.house_bots import is_house_bot

T = TypeVar("T")


class AccountLedger(CredentialLedger, PlayerLedger, Protocol):
    """What the commands need of the ledger."""


class OnLedger(Protocol):
    """Opens the ledger and runs `work` on it in an asyncio loop, as for `cashier_commands`."""

    def __call__(self, work: Callable[[AccountLedger], Awaitable[T]]) -> T:
        """Run `work`."""


def account_commands(on_ledger: OnLedger) -> click.Group:
    """Return the group of commands."""

    @click.group("account")
    def group() -> None:
        """Help players with their accounts."""

    @group.command("recovery-code")
    @click.argument("name")
    @click.option("--end-second-factor", is_flag=True, help="Switch the player's second factor off now.")
    @REASON_OPTION
    def recovery_code(name: str, reason: str, *, end_second_factor: bool) -> None:
        """Print a code with which the player sets a new password.

        It works once, for a day; an earlier one of yours is void. Be sure who asks: the code is the account.
        Refused for a name that no account has, and for house bots.
        """
        by = acting(on_ledger, reason)

        async def issued(ledger: AccountLedger) -> str | None:
            loop = asyncio.get_running_loop()
            row = None if is_house_bot(name) else await ledger.find_account(name).asFuture(loop)
            if row is None:
                return None
            if end_second_factor:
                await ledger.end_second_factor(row.account, by=by).asFuture(loop)
            code = new_code()
            hashed = code_hash(row.account, code)
            await ledger.add_recovery_code(row.account, hashed, OPERATOR_CODE_S, by=by).asFuture(loop)
            return code

        code = on_ledger(issued)
        if code is None:
            click.echo(f"refused: no player has the name {name}", err=True)
            sys.exit(1)
        click.echo(code)

    add_standing_commands(group, on_ledger)
    return group
