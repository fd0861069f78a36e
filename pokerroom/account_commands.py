"""`pokerroom account`: the operator's commands for accounts. They work beside a running room or without one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, Protocol, TypeVar

import click

from pokerroom.chips import in_credits
from pokerroom.gateway.names import operators_may_give
from pokerroom.ledger.account_standing import MUTE_MINUTES_MAX, AccountInUse, Excluded, WalletNotEmpty
from pokerroom.ledger.api import LedgerRefusal, NameTaken
from pokerroom.ledger.cashier import UnknownSource
from pokerroom.ledger.credentials import LIFETIME, SessionLifetime
from pokerroom.ledger.limits import LimitRow
from pokerroom.lobby.players import PlayersDesk, PlayersLedger
from pokerroom.ops.config import default_config_path, load
from pokerroom.ops.config_reader import ConfigError
from pokerroom.ops.operator_client import (
    CONFIG_OPTION,
    JSON_OPTION,
    REASON_OPTION,
    CommandLedger,
    OnLedger,
    acting,
    ended,
    print_json,
    print_rows,
    print_table,
)
from pokerroom.ops.reports import OrderRefused
from pokerroom.ops.times import utc_minute

T = TypeVar("T")

_REFUSED: Final[dict[type[LedgerRefusal], str]] = {
    NameTaken: "another account has this name, or one that looks like it",
    AccountInUse: "the player has seats, sit-and-gos, unpaid prizes, or requests at the cashier",
    WalletNotEmpty: "the player has money in the wallet: pay it out, or name a --source",
    UnknownSource: "this source is not open",
    Excluded: "the player is excluded: the exclusion is stored with the account, so the account must stay",
}
"""What the operator reads; of other refusals, their own sentence."""


class AccountLedger(PlayersLedger, CommandLedger, Protocol):
    """What the commands need of the ledger."""


def account_commands(  # noqa: C901, PLR0915 -- one function per command
    on_ledger: OnLedger[AccountLedger],
) -> click.Group:
    """Return the group of commands."""

    def at_desk(work: Callable[[PlayersDesk], Awaitable[T]], lifetime: SessionLifetime = LIFETIME) -> T:
        """Do something to the accounts of players. A refusal ends the process."""
        try:
            return on_ledger(lambda ledger: work(PlayersDesk(ledger, lifetime, operators_may_give)))
        except LedgerRefusal as refusal:
            ended(1, f"refused: {_REFUSED.get(type(refusal), refusal)}")
        except OrderRefused as refusal:
            ended(1, f"refused: {refusal}")

    @click.group("account")
    def group() -> None:
        """Help players with their accounts."""

    @group.command("search")
    @click.argument("beginning")
    @click.option("--limit", type=click.IntRange(1, 1_000), default=20, show_default=True)
    @JSON_OPTION
    def search(beginning: str, limit: int, *, as_json: bool) -> None:
        """List the names of players that begin with BEGINNING, in order."""
        acting(on_ledger)
        found = at_desk(lambda desk: desk.names(beginning, limit))
        if as_json:
            print_json(found)
            return
        for name in found:
            click.echo(name)
        if not found:
            click.echo(f"no player has a name that begins with {beginning}", err=True)

    @group.command("show")
    @click.argument("name")
    @JSON_OPTION
    def show(name: str, *, as_json: bool) -> None:
        """Show a player's account: its number, wallet and tables, and whether it is locked or excluded."""
        acting(on_ledger)
        found = at_desk(lambda desk: desk.report(name))
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
        if found.muted_until_ms is not None:
            click.echo(f"may not chat until {utc_minute(found.muted_until_ms)} UTC")

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

        click.echo(at_desk(lambda desk: desk.recovery_code(name, by, end_second_factor=end_second_factor)))

    @group.command("sessions")
    @click.argument("name")
    @CONFIG_OPTION
    @JSON_OPTION
    def sessions(name: str, config_path: Path | None, *, as_json: bool) -> None:
        """List a player's valid log-ins: device, shortened address, when it began, and when it was last used."""
        acting(on_ledger)
        try:
            lifetime = load(config_path or default_config_path()).sessions.lifetime
        except ConfigError as error:
            ended(2, str(error))
        found = at_desk(lambda desk: desk.sessions(name), lifetime)
        if as_json:
            print_json(found)
        elif not found:
            click.echo(f"{name} is logged in nowhere")
        else:
            rows = [
                (one.client, one.address, utc_minute(one.opened_ms), utc_minute(one.seen_ms)) for one in found
            ]
            print_table(("device", "address", "since (UTC)", "last used (UTC)"), rows)

    @group.command("history")
    @click.argument("name")
    @click.option("--limit", type=click.IntRange(1, 1_000), default=50, show_default=True)
    @JSON_OPTION
    def history(name: str, limit: int, *, as_json: bool) -> None:
        """List a player's last hands, rounds and tournaments with their results, the newest first, without cards."""
        acting(on_ledger)
        found = at_desk(lambda desk: desk.history(name, None, limit))
        print_rows(
            found,
            ("game", "id", "table", "ended (UTC)", "result"),
            lambda one: (
                one.kind,
                one.subject,
                one.table,
                utc_minute(one.ended_ms),
                _result(one.result, in_chips=one.in_chips),
            ),
            as_json=as_json,
        )

    @group.command("transfers")
    @click.argument("name")
    @click.option("--limit", type=click.IntRange(1, 1_000), default=50, show_default=True)
    @JSON_OPTION
    def transfers(name: str, limit: int, *, as_json: bool) -> None:
        """List what changed a player's wallet or tickets, the newest first, and the account on the other side."""
        acting(on_ledger)
        found = at_desk(lambda desk: desk.transfers(name, None, limit))
        print_rows(
            found,
            ("number", "kind", "time (UTC)", "wallet", "tickets", "other side"),
            lambda one: (
                *(one.number, one.kind, utc_minute(one.at_ms)),
                *(in_credits(one.wallet), in_credits(one.tickets), one.other),
            ),
            as_json=as_json,
        )

    @group.command("limits")
    @click.argument("name")
    @JSON_OPTION
    def limits(name: str, *, as_json: bool) -> None:
        """Show a player's limits: what the player has set, the room's cap, and what is used of the window."""
        acting(on_ledger)
        found = at_desk(lambda desk: desk.limits(name))
        print_rows(
            found,
            ("limit", "player's", "room's", "used", "window ends (UTC)"),
            lambda one: (
                *(f"{one.kind} per {one.period}", _limit(one, one.value), _limit(one, one.cap)),
                *(_limit(one, one.used), utc_minute(one.ends_ms)),
            ),
            as_json=as_json,
        )

    @group.command("notes")
    @click.argument("name")
    @click.option("--limit", type=click.IntRange(1, 1_000), default=50, show_default=True)
    @JSON_OPTION
    def notes(name: str, limit: int, *, as_json: bool) -> None:
        """List the notes of operators about a player, the newest first."""
        acting(on_ledger)
        found = at_desk(lambda desk: desk.notes(name, None, limit))
        print_rows(
            found,
            ("number", "time (UTC)", "operator", "note"),
            lambda one: (one.number, utc_minute(one.at_ms), one.who, one.text),
            as_json=as_json,
        )

    @group.command("note")
    @click.argument("name")
    @click.argument("text")
    def note(name: str, text: str) -> None:
        """Write a note about a player: a line of the operators' log, for ever. The player is not told."""
        by = acting(on_ledger, text)
        at_desk(lambda desk: desk.note(name, by))
        click.echo(f"noted about {name}")

    @group.command("mute")
    @click.argument("name")
    @click.option("--minutes", type=click.IntRange(1, MUTE_MINUTES_MAX), required=True, help="For so long.")
    @REASON_OPTION
    def mute(name: str, minutes: int, reason: str) -> None:
        """Take the right to chat from a player for a time, in place of an earlier one.

        It holds within ten seconds, and the player is told until when.
        """
        by = acting(on_ledger, reason)
        at_desk(lambda desk: desk.mute(name, minutes, by))
        click.echo(f"{name} may not chat for {minutes} min")

    @group.command("unmute")
    @click.argument("name")
    @REASON_OPTION
    def unmute(name: str, reason: str) -> None:
        """Let a player chat again."""
        by = acting(on_ledger, reason)
        at_desk(lambda desk: desk.unmute(name, by))
        click.echo(f"{name} may chat again")

    @group.command("log-out")
    @click.argument("name")
    @REASON_OPTION
    def log_out(name: str, reason: str) -> None:
        """End all log-ins of a player; connections end within a minute. Seats are kept as for a lost connection."""
        by = acting(on_ledger, reason)
        at_desk(lambda desk: desk.log_out(name, by))
        click.echo(f"{name} is logged out")

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
        at_desk(lambda desk: desk.exclude(name, days, by))
        click.echo(f"{name} is excluded")

    @group.command("lock")
    @click.argument("name")
    @REASON_OPTION
    def lock(name: str, reason: str) -> None:
        """Lock an account: no log-in, and its connections end within a minute.

        Seats are kept as for a lost connection.
        """
        by = acting(on_ledger, reason)
        at_desk(lambda desk: desk.lock(name, by))
        click.echo(f"{name} is locked")

    @group.command("unlock")
    @click.argument("name")
    @REASON_OPTION
    def unlock(name: str, reason: str) -> None:
        """Let a locked account log in again."""
        by = acting(on_ledger, reason)
        at_desk(lambda desk: desk.unlock(name, by))
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
        by = acting(on_ledger, reason)
        at_desk(lambda desk: desk.rename(name, new_name, by))
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
        at_desk(lambda desk: desk.delete(name, source, by))
        click.echo(f"{name} is deleted")

    return group


def _result(amount: int, *, in_chips: bool) -> str:
    return f"{amount:+} chips" if in_chips else f"{'-' if amount < 0 else '+'}{in_credits(abs(amount))}"


def _limit(limit: LimitRow, value: int | None) -> str:
    """Return an amount of a limit, or a time in minutes; empty without one."""
    if value is None:
        return ""
    return f"{value // 60} min" if limit.kind == "session" else in_credits(value)
