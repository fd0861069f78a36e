"""`pokerroom sng`: what an operator sees of the sit-and-gos of a running room, and may do to them.

Any node of the room answers. Each ending of a tournament happens once; asked for again it is no error.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import click

from pokerroom.chips import in_credits
from pokerroom.ops.operator_client import CONFIG_OPTION, JSON_OPTION, asked, print_json, print_table
from pokerroom.ops.reports import (
    SitAndGoAccepted,
    SitAndGoAsked,
    SitAndGoDetail,
    SitAndGoEntry,
    SitAndGoReport,
)

_TOURNAMENT_ARGUMENT = click.argument("tournament", metavar="ID")


@click.group("sng")
def sng_commands() -> None:
    """Look at the sit-and-gos of a running room, and end or pause them."""


@sng_commands.command("list")
@CONFIG_OPTION
@JSON_OPTION
def list_command(*, config_path: Path | None, as_json: bool) -> None:
    """The tournaments that take entries or run."""
    found = asked(config_path, "/sit_and_gos", list[SitAndGoReport])
    if as_json:
        print_json(found)
        return
    print_table(
        ("tournament", "phase", "taken", "left", "buy-in", "node", "state"),
        [
            (
                one.tournament,
                one.phase,
                f"{one.taken}/{one.seats}",
                one.left,
                in_credits(one.buy_in),
                one.node or "",
                one.state or "",
            )
            for one in found
        ],
    )


@sng_commands.command("show")
@_TOURNAMENT_ARGUMENT
@CONFIG_OPTION
@JSON_OPTION
def show_command(*, tournament: str, config_path: Path | None, as_json: bool) -> None:
    """One tournament: who is in it, who has finished where, what is paid. Also one that is over."""
    found = asked(config_path, f"/sit_and_gos/{quote(tournament, safe='')}", SitAndGoDetail)
    if as_json:
        print_json(found)
        return
    one = found.report
    prizes = " / ".join(in_credits(prize) for prize in found.prizes)
    click.echo(f"{one.tournament}: {one.phase}, {one.taken} of {one.seats} seats taken, {one.left} left")
    if one.node is not None:
        click.echo(f"runs at {one.node}: {one.state}")
    click.echo(f"buy-in {in_credits(one.buy_in)}, {in_credits(found.fee)} of it the house's; prizes {prizes}")
    print_table(
        ("seat", "account", "name", "chips", ""),
        [
            (
                entry.seat or "",
                entry.account,
                entry.name,
                "" if entry.chips is None else entry.chips,
                _left(entry, one.phase),
            )
            for entry in found.entries
        ],
    )
    if found.places:
        print_table(
            ("place", "account", "name", "prize", ""),
            [
                (
                    place.place,
                    place.account,
                    place.name,
                    in_credits(place.prize),
                    "paid" if place.paid else "to be paid" if place.prize else "",
                )
                for place in found.places
            ],
        )


@sng_commands.command("cancel")
@_TOURNAMENT_ARGUMENT
@CONFIG_OPTION
@JSON_OPTION
def cancel_command(*, tournament: str, config_path: Path | None, as_json: bool) -> None:
    """Cancel a tournament that has not started: everybody gets his buy-in back.

    Refused with registration_closed once it has started.
    """
    _order(config_path, tournament, "cancel", "is cancelled; all buy-ins are returned", as_json=as_json)


@sng_commands.command("roll-back")
@_TOURNAMENT_ARGUMENT
@CONFIG_OPTION
@JSON_OPTION
def roll_back_command(*, tournament: str, config_path: Path | None, as_json: bool) -> None:
    """End a running tournament as if it had never been: everybody gets his buy-in back, fee included.

    Refused with tournament_prizes_won once a prize is won, with tournament_not_running when it is over, and with
    table_frozen while a fault has frozen its table: freeze it yourself then (pokerroom table freeze), and it is done.
    """
    _order(config_path, tournament, "roll_back", "is rolled back; all buy-ins are returned", as_json=as_json)


@sng_commands.command("roll-forward")
@_TOURNAMENT_ARGUMENT
@CONFIG_OPTION
@JSON_OPTION
def roll_forward_command(*, tournament: str, config_path: Path | None, as_json: bool) -> None:
    """End a running tournament now: who is left shares what is not won yet.

    Before the money one half is shared equally, the other by chips; in the money each gets the lowest prize that is
    left, and the rest is shared by chips. Refused with tournament_not_running when it is over.
    """
    done = "is rolled forward; what was not won is shared among who was left"
    _order(config_path, tournament, "roll_forward", done, as_json=as_json)


@sng_commands.command("pause")
@_TOURNAMENT_ARGUMENT
@CONFIG_OPTION
@JSON_OPTION
def pause_command(*, tournament: str, config_path: Path | None, as_json: bool) -> None:
    """Pause a running tournament after its hand in progress.

    No further hand is dealt, and the clock of the levels stands.
    """
    _order(config_path, tournament, "pause", "is paused when its hand is finished", as_json=as_json)


@sng_commands.command("resume")
@_TOURNAMENT_ARGUMENT
@CONFIG_OPTION
@JSON_OPTION
def resume_command(*, tournament: str, config_path: Path | None, as_json: bool) -> None:
    """Let a paused tournament go on."""
    _order(config_path, tournament, "resume", "goes on", as_json=as_json)


def _left(entry: SitAndGoEntry, phase: str) -> str:
    """Of whom it ended without a prize: by his own wish before the start, or with the tournament (I3)."""
    if phase == "cancelled" or (phase == "rolled_back" and not entry.returned):
        return "refunded"
    return "has left" if entry.returned else ""


def _order(
    config_path: Path | None, tournament: str, what: SitAndGoAsked, done: str, *, as_json: bool
) -> None:
    path = f"/sit_and_gos/{quote(tournament, safe='')}/{what}"
    accepted = asked(config_path, path, SitAndGoAccepted, post=True)
    if as_json:
        print_json(accepted)
    else:
        click.echo(f"{accepted.tournament} {done}")
