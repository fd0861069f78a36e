"""`pokerroom report`: what the room has earned. Reads the ledger, beside a running room or without one."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

import click

from pokerroom.chips import in_credits
from pokerroom.ledger.rake import RakeLedger, RakeRow
from pokerroom.ops.operator_client import (
    JSON_OPTION,
    CommandLedger,
    OnLedger,
    acting,
    print_json,
    print_table,
)

DAYS: Final = 30
"""A report without `--since` begins so many days before today."""

_DAY: Final = click.DateTime(["%Y-%m-%d"])
_DAY_MS: Final = 86_400_000
_COLUMNS: Final = ("day", "table", "hands", "rake")


class ReportLedger(RakeLedger, CommandLedger, Protocol):
    """What the commands need of the ledger."""


def report_commands(on_ledger: OnLedger[ReportLedger]) -> click.Group:
    """Return the group of commands."""

    @click.group("report")
    def group() -> None:
        """Report what the room has earned."""

    @group.command("rake")
    @click.option("--since", type=_DAY, help=f"The first day, as 2026-11-30. [default: {DAYS} days ago]")
    @click.option("--until", type=_DAY, help="The last day. [default: today]")
    @click.option("--table", help="Only this table.")
    @click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
    @JSON_OPTION
    def rake_command(
        since: datetime | None, until: datetime | None, table: str | None, *, as_csv: bool, as_json: bool
    ) -> None:
        """Report the rake of cash tables by day and table.

        Days are of UTC; a hand counts on the day on which it ended. Amounts are in credits, in JSON in 1/100 credit.
        """
        if as_csv and as_json:
            raise click.UsageError("give either --csv or --json")
        acting(on_ledger)
        today = datetime.now(UTC).replace(tzinfo=None, hour=0, minute=0, second=0, microsecond=0)
        first, last = since or today - timedelta(days=DAYS), until or today
        rows = on_ledger(lambda ledger: ledger.rake_by_day(_ms(first), _ms(last) + _DAY_MS))
        rows = [row for row in rows if table in {None, row.table}]
        if as_json:
            print_json(rows)
        elif as_csv:
            click.echo(_csv(rows), nl=False)
        else:
            whole = ("total", "", sum(row.hands for row in rows), in_credits(sum(row.rake for row in rows)))
            print_table(_COLUMNS, [*map(_cells, rows), whole])

    return group


def _ms(day: datetime) -> int:
    """Return the first moment of a day of UTC."""
    return int(day.replace(tzinfo=UTC).timestamp() * 1000)


def _cells(row: RakeRow) -> tuple[str | int, ...]:
    return row.day, row.table, row.hands, in_credits(row.rake)


def _csv(rows: list[RakeRow]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_COLUMNS, *map(_cells, rows)])
    return text.getvalue()
