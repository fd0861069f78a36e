"""`pokerroom club`: clubs of players, for operators. Works beside a running room or without one."""

from __future__ import annotations

from typing import Protocol

import click

from pokerroom.chips import Money, in_credits
from pokerroom.ledger.operated_clubs import ClubQuery, OperatedClubLedger
from pokerroom.ops.operator_client import (
    JSON_OPTION,
    REASON_OPTION,
    CommandLedger,
    OnLedger,
    acting,
    ended,
    of_ledger,
    print_json,
    print_rows,
    print_table,
)
from pokerroom.ops.reports import OrderRefused
from pokerroom.ops.times import utc_minute


class ClubCommandLedger(OperatedClubLedger, CommandLedger, Protocol):
    """What the commands need of the ledger."""


def club_commands(  # noqa: C901, PLR0915 -- one function per command
    on_ledger: OnLedger[ClubCommandLedger],
) -> click.Group:
    """Return the group of commands."""

    @click.group("club")
    def group() -> None:
        """Look at clubs of players, and help when a club has gone wrong."""

    @group.command("list")
    @click.argument("name", default="")
    @click.option("--player", help="Only clubs of which this player is a member.")
    @click.option("--limit", type=click.IntRange(1, 1_000), default=20, show_default=True)
    @JSON_OPTION
    def list_(name: str, player: str | None, limit: int, *, as_json: bool) -> None:
        """List clubs, the latest first; with NAME, those that have it in their name, or as their id."""
        acting(on_ledger)
        rows = of_ledger(
            on_ledger, lambda ledger: ledger.find_clubs(ClubQuery(search=name, player=player, limit=limit))
        )
        print_rows(
            rows,
            ("club", "name", "owner", "members", "tables", "bank owes", "since (UTC)", "closed (UTC)"),
            lambda row: (
                *(row.club, row.name, row.owner, row.members, row.tables, in_credits(row.issued)),
                *(utc_minute(row.opened_ms), "" if row.closed_ms is None else utc_minute(row.closed_ms)),
            ),
            as_json=as_json,
        )

    @group.command("show")
    @click.argument("club")
    @JSON_OPTION
    def show(club: str, *, as_json: bool) -> None:
        """Show a club by its id: members with roles and balances, and open tables."""
        acting(on_ledger)
        found = of_ledger(on_ledger, lambda ledger: ledger.operated_club(club))
        if as_json:
            print_json(found)
            return
        row = found.overview
        click.echo(f"{row.name}, club {row.club}: its bank owes {in_credits(row.issued)}")
        if row.closed_ms is not None:
            click.echo(f"is closed since {utc_minute(row.closed_ms)} UTC")
        if found.invites:
            until = "" if found.code_until_ms is None else f" until {utc_minute(found.code_until_ms)} UTC"
            click.echo(f"has an invitation{until}")
        if found.tables:
            click.echo(f"has the tables {', '.join(found.tables)}")
        print_table(
            ("member", "role", "balance", ""),
            [
                (one.name, one.role, in_credits(one.balance), "is leaving" if one.leaving else "")
                for one in found.members
            ],
        )

    @group.command("transfers")
    @click.argument("club")
    @click.option("--limit", type=click.IntRange(1, 1_000), default=50, show_default=True)
    @JSON_OPTION
    def transfers(club: str, limit: int, *, as_json: bool) -> None:
        """List chips that the bank of a club has issued and taken back, the latest first."""
        acting(on_ledger)
        rows = of_ledger(on_ledger, lambda ledger: ledger.club_moves(club, None, limit))
        print_rows(
            rows,
            ("number", "at (UTC)", "member", "chips", "ordered by"),
            lambda row: (
                row.number,
                utc_minute(row.at_ms),
                row.name,
                in_credits(Money(row.amount)),
                row.by or "unknown",
            ),
            as_json=as_json,
        )

    @group.command("rename")
    @click.argument("club")
    @click.argument("new_name")
    @REASON_OPTION
    def rename(club: str, new_name: str, reason: str) -> None:
        """Give a club another name."""
        from pokerroom.ops.club_pages import club_name_of  # noqa: PLC0415 -- the others start faster without it

        by = acting(on_ledger, reason)
        try:
            name = club_name_of(new_name)
        except OrderRefused as refused:
            ended(1, f"refused: {refused}")
        of_ledger(on_ledger, lambda ledger: ledger.rename_club(club, name, by=by))
        click.echo(f"club {club} is {name}")

    @group.command("end-invitation")
    @click.argument("club")
    @REASON_OPTION
    def end_invitation(club: str, reason: str) -> None:
        """Make the invitation of a club void. Its managers may make another one."""
        by = acting(on_ledger, reason)
        of_ledger(on_ledger, lambda ledger: ledger.end_club_invitation(club, by=by))
        click.echo(f"club {club} has no invitation")

    @group.command("set-owner")
    @click.argument("club")
    @click.argument("member")
    @REASON_OPTION
    def set_owner(club: str, member: str, reason: str) -> None:
        """Make MEMBER the owner of a club. The owner before is a manager from then on."""
        by = acting(on_ledger, reason)
        found = of_ledger(on_ledger, lambda ledger: ledger.set_club_owner(club, member, by=by))
        click.echo(f"{found.overview.owner} owns club {club}")

    @group.command("close")
    @click.argument("club")
    @REASON_OPTION
    def close(club: str, reason: str) -> None:
        """Close a club for good; all balances go back to its bank. Refused while a table of it is open."""
        by = acting(on_ledger, reason)
        of_ledger(on_ledger, lambda ledger: ledger.close_club_by_order(club, by=by))
        click.echo(f"club {club} is closed")

    return group
