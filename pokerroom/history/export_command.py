"""`pokerroom history export`: the operator writes settled hands to a file that other programs read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, Protocol

import click
from twisted.internet.defer import Deferred

from pokerroom.history.export import Exported, ExportLedger, HandExport, HandSink
from pokerroom.history.hidden_cards import CardSeal
from pokerroom.history.resume import UnfitFile
from pokerroom.history.story import Currency, HandStory
from pokerroom.history.text_export import FORMATS, TextFile
from pokerroom.ledger.account_history import HandQuery
from pokerroom.ledger.api import AccountRow
from pokerroom.ledger.archive_files import ArchiveFolder
from pokerroom.ledger.archives import ArchiveFailed, ArchiveLedger
from pokerroom.ledger.operator_log import ORDERED, Acting, LoggedAct, account_subject
from pokerroom.ops.operator_client import REASON_OPTION, CommandLedger, OnLedger, acting, ended

_KEY_IS_AWAY: Final = "run this with the room's POKERROOM_JOURNAL_KEY or POKERROOM_DATA_DIR"
_TIME: Final = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"])


class ExportCommandLedger(ExportLedger, ArchiveLedger, CommandLedger, Protocol):
    """What the command needs of the ledger."""

    def find_account(self, name: str) -> Deferred[AccountRow | None]:
        """See `Ledger.find_account`."""


_PARQUET: Final = "parquet"


class FileSink(HandSink, AbstractContextManager["FileSink"], Protocol):
    """A sink that keeps what it takes, and is continued if the export did not get to `complete`."""

    def complete(self) -> None:
        """Say that the export is complete."""


class _Output:
    """A `HandSink` that is standard output."""

    def __init__(self, form: str) -> None:
        self.after = 0
        self._text = FORMATS[form]

    def add(self, stories: Sequence[HandStory], after: int) -> None:
        """See `HandSink`."""
        click.echo("".join(map(self._text, stories)), nl=False)
        self.after = after


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The options. One of the first four is given. `archive` has records that are in files."""

    account: str | None
    table: str | None
    tournament: str | None
    every_hand: bool
    form: str
    since: datetime | None
    until: datetime | None
    currency: Currency | None
    view: Literal["players", "operators"]
    archive: Path | None

    @property
    def is_sealed(self) -> bool:
        """Whether the cards that are asked for are sealed."""
        return self.account is not None or self.view == "operators"

    def options(self) -> dict[str, str]:
        """Return the options that were given, as text: another export has others."""
        given = {
            "account": self.account,
            "table": self.table,
            "tournament": self.tournament,
            "all": "yes" if self.every_hand else None,
            "currency": self.currency,
            "view": None if self.view == "players" else self.view,
            "since": None if self.since is None else self.since.isoformat(),
            "until": None if self.until is None else self.until.isoformat(),
        }
        return {"format": self.form} | {name: value for name, value in given.items() if value is not None}

    def check(self, out: Path | None) -> None:
        """Raise `click.UsageError` for options that do not go together."""
        if sum(map(bool, (self.account, self.table, self.tournament, self.every_hand))) != 1:
            raise click.UsageError("Name one of --account, --table and --tournament, or give --all.")
        if self.form == _PARQUET and out is None:
            raise click.UsageError("Parquet is written to a folder: name a new one with --out.")
        if self.form == "phh" and out is not None and out.suffix.lower() == ".phh":
            raise click.UsageError(f"A .phh file has one hand: name {out.with_suffix('.phhs')} with --out.")

    async def export(
        self, ledger: ExportCommandLedger, by: Acting, seal: CardSeal | None, out: Path | None
    ) -> Exported:
        """Write the line of the log, then the hands. Raises _Unmet, UnfitFile, OSError."""
        account = None if self.account is None else await _account_of(ledger, self.account)
        if self.tournament is not None:
            await _check_tournament(ledger, self.tournament)
        query = HandQuery(
            account=account,
            table=self.table or self.tournament,
            since_ms=0 if self.since is None else _ms(self.since),
            until_ms=None if self.until is None else _ms(self.until),
        )
        whole = self.view == "operators"
        export = HandExport(query=query, viewer=account, currency=self.currency, seal=seal, whole=whole)
        if self.archive is not None:
            export = replace(export, restored=ArchiveFolder(self.archive, await ledger.archives()).restored)
        kept = {"format", "since", "until", "view"}
        said = {name: value for name, value in self.options().items() if name in kept}
        act = LoggedAct(
            by=by,
            verb="history.export",
            subject="room" if self.every_hand else query.table or account_subject(account or 0),
            arguments=said,
            result=ORDERED,
        )
        if out is None:
            assert self.form != _PARQUET, "the command asks for a folder"
            await ledger.record(act)
            return await export.run(ledger, _Output(self.form), _progress)
        with self._file(out) as file:
            if file.after:
                click.echo(f"continues {out}", err=True)
            await ledger.record(act)
            done = await export.run(ledger, file, _progress)
            file.complete()
        return done

    def _file(self, out: Path) -> FileSink:
        if self.form == _PARQUET:
            try:
                from pokerroom.history.parquet_export import ParquetFolder  # noqa: PLC0415 -- it needs an extra
            except ModuleNotFoundError as missing:
                if missing.name != "pyarrow":
                    raise
                raise _Unmet("Parquet is written with pyarrow: pip install 'pokerroom[parquet]'") from missing
            return ParquetFolder(out, self.options())
        return TextFile(out, self.form, self.options())


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
    @click.option("--tournament", metavar="ID", help="The hands of this tournament, as spectators see them.")
    @click.option("--all", "every_hand", is_flag=True, help="All hands of the room, as spectators see them.")
    @click.option("--format", "form", type=click.Choice([*FORMATS, _PARQUET]), required=True)
    @click.option(
        "--view",
        type=click.Choice(["players", "operators"]),
        default="players",
        show_default=True,
        help="operators: with all cards of all players. Only for the role admin.",
    )
    @click.option("--since", type=_TIME, help="Hands that ended at this time or later (UTC).")
    @click.option("--until", type=_TIME, help="Hands that ended before this time (UTC).")
    @click.option(
        "--currency", type=click.Choice(["EUR", "GBP", "USD"]), help="Of a credit. Else play money."
    )
    @click.option(
        "--out",
        type=click.Path(path_type=Path),
        help="A new file, else standard output. For parquet a new folder.",
    )
    @click.option(
        "--archive",
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        help="The directory of `pokerroom archive`, for hands that are there.",
    )
    @REASON_OPTION
    def export_command(out: Path | None, reason: str, **options: Any) -> None:
        """Write settled hands in a format that other programs read.

        Name an account, a table or a tournament, or ask for all. Without --view operators no file has cards that its
        reader may not see. If the command was interrupted, give it again: it continues FILE, as long as FILE.resume is
        beside it. Each use is a line of the operators' log.
        """
        asked = _Asked(**options)
        asked.check(out)
        sees_all = (
            "hand" if asked.view == "operators" else None
        )  # the verb of `pokerroom hand`, which shows all cards
        by = acting(on_ledger, reason, sees_all)
        seal = find_seal() if asked.is_sealed else None
        if asked.is_sealed and seal is None:
            ended(1, f"hidden cards are sealed: {_KEY_IS_AWAY}")
        try:
            done = on_ledger(lambda ledger: asked.export(ledger, by, seal, out))
        except (ArchiveFailed, UnfitFile, _Unmet) as refused:
            ended(1, f"refused: {refused}")
        except OSError as error:
            if out is None:
                raise
            ended(2, f"{out} cannot be written: {error.strerror}. Afterwards the same command continues it")
        _tell(done)

    return group


class _Unmet(Exception):  # noqa: N818 -- says what is missing
    """Raised for a name that the ledger does not know, and for a missing extra. Its text is for the operator."""


async def _account_of(ledger: ExportCommandLedger, name: str) -> int:
    row = await ledger.find_account(name)
    if row is None:
        raise _Unmet(f"no player has the name {name}")
    return row.account


async def _check_tournament(ledger: ExportCommandLedger, tournament: str) -> None:
    try:
        await ledger.tournament(tournament)
    except LookupError:
        raise _Unmet(f"no tournament has the id {tournament}") from None


def _ms(at: datetime) -> int:
    return int(at.replace(tzinfo=UTC).timestamp() * 1000)


def _progress(exported: Exported) -> None:
    """Show a count on the terminal's error line while the command runs."""
    if sys.stderr.isatty():
        click.echo(f"\r{exported.hands} hands …", nl=False, err=True)


def _tell(done: Exported) -> None:
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)
    click.echo(f"{done.hands} hand{'' if done.hands == 1 else 's'}", err=True)
    if not done.hands and not done.archived:
        click.echo("no settled hand fits: look at the id and at the times, which are in UTC", err=True)
    if done.archived:
        click.echo(
            f"{done.archived} hands are left out: their records are in archives. Name the directory with --archive",
            err=True,
        )
    if done.sealed:
        click.echo(
            f"{done.sealed} hands lack hidden cards: they are sealed with an earlier key. Name it after the"
            " present one in POKERROOM_JOURNAL_KEY",
            err=True,
        )
