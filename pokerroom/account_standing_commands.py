"""Commands of `pokerroom account` about its standing: exclusion, locks, name, deletion. They work beside the room."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, Protocol, TypeVar

import click
from twisted.internet.defer import Deferred

from pokerroom.gateway.names import ReservedNames, is_valid_name
from pokerroom.ledger.account_standing import AccountInUse, Excluded, StandingLedger, WalletNotEmpty
from pokerroom.ledger.api import AccountRow, LedgerRefusal, NameTaken
from pokerroom.ledger.cashier import UnknownSource
from pokerroom.ops.operator_client import REASON_OPTION, CommandLedger, acting
from pokerroom.table.house_bots import is_house_bot

T = TypeVar("T")

_REFUSED: Final[dict[type[LedgerRefusal], str]] = {
    NameTaken: "another account has this name, or one that looks like it",
    AccountInUse: "the player has seats, sit-and-gos, or requests at the cashier",
    WalletNotEmpty: "the player has money in the wallet: pay it out, or name a --source",
    UnknownSource: "this source is not open",
    Excluded: "the player is excluded, which is known by the account",
}
"""What the operator is told."""


class PlayerLedger(StandingLedger, CommandLedger, Protocol):
    """What the commands need of the ledger."""

    def find_account(self, name: str) -> Deferred[AccountRow | None]:
        """See `Ledger.find_account`."""


class OnPlayers(Protocol):
    """Opens the ledger and runs `work` on it in an asyncio loop, as for `cashier_commands`."""

    def __call__(self, work: Callable[[PlayerLedger], Awaitable[T]]) -> T:
        """Run `work`."""


Work = Callable[[PlayerLedger, int], Deferred[Any]]
"""What is done to an account."""


def add_standing_commands(group: click.Group, on_ledger: OnPlayers) -> None:
    """Add the commands to `pokerroom account`."""
    done = partial(_done, on_ledger)

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
        done(name, lambda ledger, account: ledger.exclude(account, days, by=by), f"{name} is excluded")

    @group.command("lock")
    @click.argument("name")
    @REASON_OPTION
    def lock(name: str, reason: str) -> None:
        """Lock an account: no log-in, and its connections end within a minute.

        Seats are kept as for a lost connection.
        """
        by = acting(on_ledger, reason)
        done(name, lambda ledger, account: ledger.lock_out(account, by=by), f"{name} is locked")

    @group.command("unlock")
    @click.argument("name")
    @REASON_OPTION
    def unlock(name: str, reason: str) -> None:
        """Let a locked account log in again."""
        by = acting(on_ledger, reason)
        done(name, lambda ledger, account: ledger.unlock(account, by=by), f"{name} is unlocked")

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
            click.echo(f"refused: {new_name} is no name for a player", err=True)
            sys.exit(1)
        by = acting(on_ledger, reason)
        done(
            name, lambda ledger, account: ledger.rename(account, new_name, by=by), f"{name} is now {new_name}"
        )

    @group.command("delete")
    @click.argument("name")
    @click.option("--source", help="Where the rest of the wallet goes; without it the wallet must be empty.")
    @REASON_OPTION
    def delete(name: str, source: str | None, reason: str) -> None:
        """Erase what tells of a player: name, password, devices, codes, settings. For ever.

        The account is called gone-NUMBER then; its games and its money stay in the books. Connections end within some
        minutes. Refused while the player has seats, sit-and-gos or pending requests, or is excluded, and for a wallet
        that is not empty without --source.
        """
        by = acting(on_ledger, reason)
        done(
            name,
            lambda ledger, account: ledger.delete_account(account, source, by=by),
            f"{name} is deleted",
        )


def _done(on_ledger: OnPlayers, name: str, work: Work, told: str) -> None:
    """Do something to an account, and say so."""

    async def found(ledger: PlayerLedger) -> str | None:
        loop = asyncio.get_running_loop()
        row = None if is_house_bot(name) else await ledger.find_account(name).asFuture(loop)
        if row is None:
            return f"no player has the name {name}"
        try:
            await work(ledger, row.account).asFuture(loop)
        except tuple(_REFUSED) as refusal:
            return _REFUSED[type(refusal)]
        return None

    problem = on_ledger(found)
    if problem is not None:
        click.echo(f"refused: {problem}", err=True)
        sys.exit(1)
    click.echo(told)
