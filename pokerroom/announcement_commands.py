"""`pokerroom announcement`: what operators tell all players. Works beside a running room or without one."""

from __future__ import annotations

import time
from typing import Protocol

import click

from pokerroom.ledger.announcements import ANNOUNCED_DAYS_MAX, AnnouncementLedger
from pokerroom.ledger.api import LedgerRefusal
from pokerroom.ops.operator_client import (
    JSON_OPTION,
    REASON_OPTION,
    CommandLedger,
    OnLedger,
    acting,
    ended,
    of_ledger,
    print_rows,
)
from pokerroom.ops.reports import OrderRefused
from pokerroom.ops.times import utc_minute

_MINUTES = click.IntRange(1, ANNOUNCED_DAYS_MAX * 24 * 60)


class AnnouncementCommandLedger(AnnouncementLedger, CommandLedger, Protocol):
    """What the commands need of the ledger."""


def announcement_commands(on_ledger: OnLedger[AnnouncementCommandLedger]) -> click.Group:
    """Return the group of commands."""

    @click.group("announcement")
    def group() -> None:
        """Tell all players something, or those at one table."""

    @group.command("add")
    @click.argument("text")
    @click.option("--minutes", type=_MINUTES, required=True, help="For so long.")
    @click.option(
        "--in-minutes", type=_MINUTES, default=None, help="It begins in so many minutes. [default: now]"
    )
    @click.option("--table", help="Only those who watch this table.")
    @REASON_OPTION
    def add(text: str, minutes: int, in_minutes: int | None, table: str | None, reason: str) -> None:
        """Announce a text to players, within ten seconds of its beginning. Prints its number."""
        from pokerroom.ops.announcement_pages import announcement_of  # noqa: PLC0415 -- the others start faster without it

        by = acting(on_ledger, reason)
        try:
            new = announcement_of(text, table, int(time.time() * 1_000), in_minutes or 0, minutes)
            row = on_ledger(lambda ledger: ledger.announce(new, by=by))
        except (OrderRefused, LedgerRefusal) as refused:
            ended(1, f"refused: {refused}")
        click.echo(row.number)

    @group.command("withdraw")
    @click.argument("number", type=click.IntRange(1))
    @REASON_OPTION
    def withdraw(number: int, reason: str) -> None:
        """End an announcement now."""
        by = acting(on_ledger, reason)
        of_ledger(on_ledger, lambda ledger: ledger.withdraw_announcement(number, by=by))
        click.echo(f"announcement {number} is over")

    @group.command("list")
    @click.option("--limit", type=click.IntRange(1, 1_000), default=20, show_default=True)
    @JSON_OPTION
    def list_(limit: int, *, as_json: bool) -> None:
        """List announcements, the latest first, also those that are over."""
        acting(on_ledger)
        rows = on_ledger(lambda ledger: ledger.announcements(None, limit))
        print_rows(
            rows,
            ("number", "from (UTC)", "to (UTC)", "for", "operator", "text"),
            lambda row: (
                *(row.number, utc_minute(row.begins_ms)),
                utc_minute(row.ends_ms if row.withdrawn_ms is None else row.withdrawn_ms),
                *(row.table or "all", row.who, row.text),
            ),
            as_json=as_json,
        )

    return group
