"""`pokerroom backup` and `pokerroom restore`: the room's database as one file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import click

from pokerroom.chips import in_credits
from pokerroom.ops.embedded import find_dump_tool

Database = tuple[str, str | None]
"""The addresses of PostgreSQL for the role of the rooms and for the owner of the tables."""

Stores = AbstractContextManager[tuple[Database, str | None]]
"""The addresses of PostgreSQL and Redis, while both run."""

MB: Final = 1_000_000

FILE = click.argument("file", type=click.Path(path_type=Path, dir_okay=False))


def backup_commands(found: Callable[[], Stores], new: Callable[[], Stores]) -> list[click.Command]:
    """Return the commands. `found` opens the stores of the room; `new` those of a room that may be new."""

    @click.command()
    @FILE
    def backup(file: Path) -> None:
        """Write the database of the room to FILE, beside a running room or without one.

        FILE is one consistent state, and only your user may read it. It does not contain the key that encrypts hidden
        cards: keep POKERROOM_JOURNAL_KEY, or `journal.key` in the data directory, in another place.
        """
        from pokerroom.adapters import dump_database  # noqa: PLC0415 -- the other commands start faster without it

        def told(size: int) -> None:
            click.echo(f"{size / MB:,.1f} MB written ...", err=True)

        with found() as (database, _):
            asyncio.run(dump_database(*database, file, find_dump_tool, told))
        click.echo(f"{file}: {file.stat().st_size / MB:,.1f} MB. Keep the room's key apart from it.")

    @click.command()
    @FILE
    def restore(file: Path) -> None:
        """Read a backup into an empty database, and audit it; exit 1 if there is a difference.

        Set POKERROOM_DATA_DIR to a new directory, or the addresses to an empty database and an empty Redis. Then copy
        the room's key there, and start the room. What was played after the backup is not in it. Restore only a file
        that you trust: the SQL in it runs with the rights of the tables' owner.
        """
        from pokerroom.adapters import restore_database  # noqa: PLC0415 -- as above

        if not file.is_file():
            raise click.UsageError(f"there is no file {file}")
        with new() as (database, redis_url):
            if redis_url is None:
                raise click.UsageError("set POKERROOM_REDIS_URL, too")
            report = asyncio.run(restore_database(*database, redis_url, file, find_dump_tool))
        for difference in report.differences:
            click.echo(difference)
        total = in_credits(report.total)
        click.echo(f"{report.hands} hands, total {total} credits: {len(report.differences)} differences")
        raise SystemExit(1 if report.differences else 0)

    return [backup, restore]
