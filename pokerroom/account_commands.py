"""`pokerroom account`: the operator's commands for accounts. They work beside a running room or without one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeVar

import click

from pokerroom.chips import in_credits
from pokerroom.gateway.names import ReservedNames, is_valid_name
from pokerroom.ledger.account_standing import (
    AccountInUse,
    Excluded,
    StandingLedger,
    WalletNotEmpty,
)
from pokerroom.ledger.api import LedgerRefusal, NameTaken
from pokerroom.ledger.cashier import UnknownSource
from pokerroom.ledger.credentials import CredentialLedger
from pokerroom.ledger.recovery_codes import OPERATOR_CODE_S, code_hash, new_code
from pokerroom.lobby.players import FindsAccounts, find_player, player_report
from pokerroom.ops.operator_client import (
    JSON_OPTION,
    REASON_OPTION,
    CommandLedger,
    OnLedger,
    acting,
    ended,
    print_json,
)

T = TypeVar("T")

_REFUSED: Final[dict[type[LedgerRefusal], str]] = {
    NameTaken: "another account has this name, or one that looks like it",
    AccountInUse: "the player has seats, sit-and-gos, unpaid prizes, or requests at the cashier",
    WalletNotEmpty: "the player has money in the wallet: pay it out, or name a --source",
    UnknownSource: "this source is not open",
    Excluded: "the player is excluded: the exclusion is stored with the account, so the account must stay",
}
"""What the operator reads; of other refusals, their own sentence."""


class AccountLedger(CredentialLedger, StandingLedger, FindsAccounts, CommandLedger, Protocol):
    """What the commands need of the ledger."""


def account_commands(  # noqa: C901, PLR0915 -- one function per command
    on_ledger: OnLedger[AccountLedger],
) -> click.Group:
    """Return the group of commands."""

    def done(name: str, work: Callable[[AccountLedger, int], Awaitable[T]]) -> T:
        """Do something to the account of a player. A refusal ends the process; a deleted account is no player's."""

        async def found(ledger: AccountLedger) -> tuple[T] | None:
            row = await find_player(ledger, name)
            return None if row is None else (await work(ledger, row.account),)

        try:
            result = on_ledger(found)
        except LedgerRefusal as refusal:
            ended(1, f"refused: {_REFUSED.get(type(refusal), refusal)}")
        if result is None:
            ended(1, f"refused: no player has the name {name}")
        return result[0]

    @click.group("account")
    def group() -> None:
        """Help players with their accounts."""

    @group.command("show")
    @click.argument("name")
    @JSON_OPTION
    def show(name: str, *, as_json: bool) -> None:
        """Show a player's account: its number, wallet and tables, and whether it is locked or excluded."""
        acting(on_ledger)
        found = done(name, lambda ledger, _: player_report(ledger, name))
        if found is None:
            ended(1, f"refused: no player has the name {name}")
        if as_json:
            print_json(found)
            return
        click.echo(f"{found.name}, account {found.account}: {in_credits(found.wallet)} in the wallet")
        if found.tables:
            click.echo(f"has a seat at {', '.join(found.tables)}")
        if found.is_locked:
            click.echo("is locked")
        if found.is_excluded:
            click.echo("is excluded from play")

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

        async def issued(ledger: AccountLedger, account: int) -> str:
            if end_second_factor:
                await ledger.end_second_factor(account, by=by)
            code = new_code()
            await ledger.add_recovery_code(account, code_hash(account, code), OPERATOR_CODE_S, by=by)
            return code

        click.echo(done(name, issued))

    @group.command("exclude")
    @click.argument("name")
    @click.option("--days", type=click.IntRange(1, 36_500), help="Length in days.")
    @click.option("--for-ever", is_flag=True, help="It never ends.")
    @REASON_OPTION
    def exclude(name: str, days: int | None, reason: str, *, for_ever: bool) -> None:
        """Exclude a player from play. It cannot be lifted or shortened.

        The player leaves the tables within a minute, after a hand in progress. Entries of sit-and-gos that have not
        started are returned; a running one may be finished. Log-in, history and withdrawals stay possible.
        """
        if (days is None) is not for_ever:
            raise click.UsageError("give either --days or --for-ever")
        by = acting(on_ledger, reason)
        done(name, lambda ledger, account: ledger.exclude(account, days, by=by))
        click.echo(f"{name} is excluded")

    @group.command("lock")
    @click.argument("name")
    @REASON_OPTION
    def lock(name: str, reason: str) -> None:
        """Lock an account: no log-in, and its connections end within a minute.

        Seats are kept as for a lost connection.
        """
        by = acting(on_ledger, reason)
        done(name, lambda ledger, account: ledger.lock_out(account, by=by))
        click.echo(f"{name} is locked")

    @group.command("unlock")
    @click.argument("name")
    @REASON_OPTION
    def unlock(name: str, reason: str) -> None:
        """Let a locked account log in again."""
        by = acting(on_ledger, reason)
        done(name, lambda ledger, account: ledger.unlock(account, by=by))
        click.echo(f"{name} is unlocked")

    @group.command("rename")
    @click.argument("name")
    @click.argument("new_name")
    @REASON_OPTION
    def rename(name: str, new_name: str, reason: str) -> None:
        """Give an account another name, by the rules of new accounts.

        Tables show it from the player's next seat on, the player's client from the next log-in on. Names that your
        settings reserve are yours to give.
        """
        if not is_valid_name(new_name) or new_name in ReservedNames():
            ended(1, f"refused: a player cannot have the name {new_name}: choose another one")
        by = acting(on_ledger, reason)
        done(name, lambda ledger, account: ledger.rename(account, new_name, by=by))
        click.echo(f"{name} is now {new_name}")

    @group.command("delete")
    @click.argument("name")
    @click.option("--source", help="Where the rest of the wallet goes; without it the wallet must be empty.")
    @REASON_OPTION
    def delete(name: str, source: str | None, reason: str) -> None:
        """Erase the name, password, devices, codes and settings of a player, for ever.

        The account is called gone-NUMBER then; its games and its money stay in the books. Connections end within a
        minute. Refused while the player has seats, sit-and-gos, unpaid prizes or pending requests, or is excluded.
        The wallet must be empty without --source, and in a room with four_eyes.
        """
        by = acting(on_ledger, reason)
        done(name, lambda ledger, account: ledger.delete_account(account, source, by=by))
        click.echo(f"{name} is deleted")

    return group
