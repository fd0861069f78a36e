"""`pokerroom archive`: records of old hands and rounds go to files, and what is left of them stays in the ledger."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol

import click

from pokerroom.ledger.archives import ArchiveFailed, ArchiveLedger
from pokerroom.ledger.archiving import Archiving, archive_again, archive_old
from pokerroom.ops.operator_client import REASON_OPTION, CommandLedger, OnLedger, acting, ended

_DAY_MS: Final = 86_400_000


class ArchiveCommandLedger(ArchiveLedger, CommandLedger, Protocol):
    """What the command needs of the ledger."""


def archive_command(on_ledger: OnLedger[ArchiveCommandLedger]) -> click.Command:
    """Return the command."""

    @click.command("archive")
    @click.option(
        "--before", type=click.DateTime(["%Y-%m-%d"]), help="Records that were booked before this day (UTC)."
    )
    @click.option("--days", type=click.IntRange(1), help="Records that were booked so many days ago.")
    @click.option(
        "--to",
        "folder",
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        required=True,
        help="The directory of the room's archives.",
    )
    @click.option(
        "--again", is_flag=True, help="Only write files again that have hidden cards which were erased since."
    )
    @REASON_OPTION
    def archive(before: datetime | None, days: int | None, folder: Path, reason: str, *, again: bool) -> None:
        """Move the records of old hands and rounds from the database to files in a directory.

        Money, players and results stay, and a hash of each record: the audit proves them without the files, and plays
        the hands again with them (`pokerroom audit --archive`). Players see in their history that such a hand is in the
        archive. Works beside a running room. If the command was interrupted, give it again. Keep copies of the
        directory: a record is nowhere else. Needs the owner of the tables.
        """
        if (before is not None) + (days is not None) + again != 1:
            raise click.UsageError("Give exactly one of --before, --days and --again.")
        now_ms = int(time.time() * 1_000)
        if before is not None and before.date() > datetime.now(UTC).date():
            raise click.UsageError("--before is in the future: name a day until today.")
        before_ms = (
            now_ms - (days or 0) * _DAY_MS
            if before is None
            else int(before.replace(tzinfo=UTC).timestamp() * 1_000)
        )
        by = acting(on_ledger, reason, "archive")
        try:
            done = on_ledger(
                lambda ledger: (
                    archive_again(ledger, folder, by)
                    if again
                    else archive_old(ledger, folder, before_ms, by, told=_progress)
                )
            )
        except ArchiveFailed as failed:
            ended(1, f"refused: {failed}")
        except OSError as error:
            ended(
                2,
                f"{folder} cannot be written: {error.strerror}. No record is lost; the same command goes on",
            )
        what = "records have lost their hidden cards," if again else "records"
        click.echo(f"{done.records} {what} in {done.files} new files")
        if not done.files and not again:
            click.echo(
                "What is old enough may still have to stay: until a checkpoint and the statistics have it, and, with"
                " hands_days in the settings, until its hidden cards are erased.",
                err=True,
            )

    return archive


def _progress(done: Archiving) -> None:
    click.echo(f"{done.records:,} records in {done.files} files ...", err=True)
