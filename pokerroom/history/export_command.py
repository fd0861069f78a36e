"""`pokerroom history export`: the operator writes settled hands to a file that other programs read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Protocol

import click
from twisted.internet.defer import Deferred

from pokerroom.history.export import (
    FORMATS,
    Exported,
    ExportFile,
    ExportLedger,
    Format,
    HandExport,
    UnfitFile,
)
from pokerroom.history.hidden_cards import CardSeal
from pokerroom.history.story import Currency
from pokerroom.ledger.account_history import HandQuery
from pokerroom.ledger.api import AccountRow
from pokerroom.ledger.operator_log import ORDERED, Acting, LoggedAct, account_subject
from pokerroom.ops.operator_client import REASON_OPTION, CommandLedger, OnLedger, acting, ended

_KEY_IS_AWAY: Final = "run this with the room's POKERROOM_JOURNAL_KEY or POKERROOM_DATA_DIR"
_TIME: Final = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"])


class ExportCommandLedger(ExportLedger, CommandLedger, Protocol):
    """What the command needs of the ledger."""

    def find_account(self, name: str) -> Deferred[AccountRow | None]:
        """See `Ledger.find_account`."""


class _Output:
    """A `HandSink` that is standard output."""

    after = 0

    def add(self, text: str, after: int) -> None:
        """See `HandSink`."""
        click.echo(text, nl=False)
        self.after = after


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The options. One of the first three is given."""

    account: str | None
    table: str | None
    tournament: str | None
    form: Format
    since: datetime | None
    until: datetime | None
    currency: Currency | None

    def options(self) -> dict[str, str]:
        """Return the options that were given, as text: another export has others."""
        given = {
            "account": self.account,
            "table": self.table,
            "tournament": self.tournament,
            "currency": self.currency,
            "since": None if self.since is None else self.since.isoformat(),
            "until": None if self.until is None else self.until.isoformat(),
        }
        return {"format": self.form} | {name: value for name, value in given.items() if value is not None}

    async def export(
        self, ledger: ExportCommandLedger, by: Acting, seal: CardSeal | None, out: Path | None
    ) -> Exported:
        """Write the line of the log, then the hands. Raises _Unknown, UnfitFile, OSError."""
        account = None if self.account is None else await _account_of(ledger, self.account)
        if self.tournament is not None:
            await _check_tournament(ledger, self.tournament)
        query = HandQuery(
            account=account,
            table=self.table or self.tournament,
            since_ms=0 if self.since is None else _ms(self.since),
            until_ms=None if self.until is None else _ms(self.until),
        )
        export = HandExport(query=query, form=self.form, viewer=account, currency=self.currency, seal=seal)
        said = {name: value for name, value in self.options().items() if name in {"format", "since", "until"}}
        act = LoggedAct(
            by=by,
            verb="history.export",
            subject=query.table or account_subject(account or 0),
            arguments=said,
            result=ORDERED,
        )
        if out is None:
            await ledger.record(act)
            return await export.run(ledger, _Output(), _progress)
        with ExportFile(out, self.options()) as file:
            if file.after:
                click.echo(f"continues {out}", err=True)
            await ledger.record(act)
            done = await export.run(ledger, file, _progress)
            file.complete()
        return done


def history_commands(
    on_ledger: OnLedger[ExportCommandLedger], find_seal: Callable[[], CardSeal | None]
) -> click.Group:
    """Return the group of commands. `find_seal` returns the seal of records, None if the room's key is not here."""

    @click.group("history")
    def group() -> None:
        """Hands that were played."""

    @group.command("export")
    @click.option("--account", metavar="NAME", help="The hands of this player, as the player sees them.")
    @click.option("--table", metavar="ID", help="The hands of this table, as spectators see them.")
    @click.option("--tournament", metavar="ID", help="The hands of this sit-and-go, as spectators see them.")
    @click.option("--format", "form", type=click.Choice([*FORMATS]), required=True)
    @click.option("--since", type=_TIME, help="Hands that ended at this time or later (UTC).")
    @click.option("--until", type=_TIME, help="Hands that ended before this time (UTC).")
    @click.option(
        "--currency", type=click.Choice(["EUR", "GBP", "USD"]), help="Of a credit. Else play money."
    )
    @click.option(
        "--out", type=click.Path(path_type=Path, dir_okay=False), help="A new file. Else standard output."
    )
    @REASON_OPTION
    def export_command(out: Path | None, reason: str, **options: Any) -> None:
        """Write settled hands in a format that other programs read.

        Name an account, a table or a sit-and-go. No text has cards that its reader may not see. If the command was
        interrupted, give it again: it continues FILE, as long as FILE.resume is beside it. Each use is a line of the
        operators' log.
        """
        asked = _Asked(**options)
        if sum(name is not None for name in (asked.account, asked.table, asked.tournament)) != 1:
            raise click.UsageError("Name one of --account, --table and --tournament.")
        by = acting(on_ledger, reason)
        seal = None if asked.account is None else find_seal()
        if asked.account is not None and seal is None:
            ended(1, f"the player's own cards are sealed: {_KEY_IS_AWAY}")
        try:
            done = on_ledger(lambda ledger: asked.export(ledger, by, seal, out))
        except (UnfitFile, _Unknown) as refused:
            ended(1, f"refused: {refused}")
        except OSError as error:
            if out is None:
                raise
            ended(2, f"{out} cannot be written: {error.strerror}. Afterwards the same command continues it")
        _tell(done)

    return group


class _Unknown(Exception):  # noqa: N818 -- says what the name is
    """Raised for a name that the ledger does not know. Its text is for the operator."""


async def _account_of(ledger: ExportCommandLedger, name: str) -> int:
    row = await ledger.find_account(name)
    if row is None:
        raise _Unknown(f"no player has the name {name}")
    return row.account


async def _check_tournament(ledger: ExportCommandLedger, tournament: str) -> None:
    try:
        await ledger.tournament(tournament)
    except LookupError:
        raise _Unknown(f"no sit-and-go has the id {tournament}") from None


def _ms(at: datetime) -> int:
    return int(at.replace(tzinfo=UTC).timestamp() * 1000)


def _progress(exported: Exported) -> None:
    """Show a count on the terminal's error line while the command runs."""
    if sys.stderr.isatty():
        click.echo(f"\r{exported.hands} hands …", nl=False, err=True)


def _tell(done: Exported) -> None:
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)
    click.echo(f"{done.hands} hands", err=True)
    if not done.hands:
        click.echo("no settled hand fits: look at the id and at the times, which are in UTC", err=True)
    if done.sealed:
        click.echo(
            f"{done.sealed} hands lack the player's own cards: they are sealed with an earlier key. Name it after the"
            " present one in POKERROOM_JOURNAL_KEY",
            err=True,
        )
