"""`pokerroom wallet`: what moves between a running room and the operator's own wallet, by its operations port."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, urlencode

import click

from pokerroom.ledger.operator_wallet import WalletRow
from pokerroom.ops.operator_client import (
    CONFIG_OPTION,
    JSON_OPTION,
    REASON_OPTION,
    asked,
    print_json,
    print_rows,
    print_table,
)
from pokerroom.ops.operator_commands import API
from pokerroom.ops.reports import PlayerWallet
from pokerroom.ops.times import utc_minute

_TRANSFERS = f"{API}/wallet_transfers"
_NUMBER = click.argument("number", type=click.IntRange(1), metavar="NUMBER")
_PLAYER = click.argument("player", metavar="PLAYER")


@click.group("wallet")
def wallet_commands() -> None:
    """See and mend what moves between the room and a wallet of yours. Amounts are in 1/100."""


@wallet_commands.command("list")
@click.option("--player", help="Only transfers of this player.")
@click.option("--waiting", is_flag=True, help="Only those that have no firm answer yet.")
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="The most lines.")
@click.option("--before", type=click.IntRange(1), help="Continue below this number.")
@CONFIG_OPTION
@JSON_OPTION
def _list(
    *,
    config_path: Path | None,
    as_json: bool,
    player: str | None,
    waiting: bool,
    limit: int,
    before: int | None,
) -> None:
    """List transfers, the latest first."""
    sent = {"player": player, "waiting": "1" if waiting else None, "limit": limit, "before": before}
    query = urlencode({name: value for name, value in sent.items() if value is not None})
    found = asked(config_path, f"{_TRANSFERS}?{query}", list[WalletRow])
    print_rows(
        found,
        ("number", "player", "kind", "amount", "state", "asked (UTC)", "tries", "failure"),
        lambda one: (
            one.number,
            one.name,
            one.kind,
            one.amount,
            one.state,
            utc_minute(one.asked_ms),
            one.tries,
            one.failure,
        ),
        as_json=as_json,
    )


@wallet_commands.command("show")
@_NUMBER
@CONFIG_OPTION
@JSON_OPTION
def _show(*, config_path: Path | None, as_json: bool, number: int) -> None:
    """Show one transfer, with the id by which your server knows it."""
    _print(asked(config_path, f"{_TRANSFERS}/{number}", WalletRow), as_json=as_json)


@wallet_commands.command("retry")
@_NUMBER
@CONFIG_OPTION
@REASON_OPTION
def _retry(*, config_path: Path | None, reason: str, number: int) -> None:
    """Send a credit or a rollback that waits at once."""
    path = f"{_TRANSFERS}/{number}/retry?{urlencode({'reason': reason})}"
    _print(asked(config_path, path, WalletRow, post=True), as_json=False)


@wallet_commands.command("player")
@_PLAYER
@CONFIG_OPTION
@JSON_OPTION
def _player(*, config_path: Path | None, as_json: bool, player: str) -> None:
    """Show the id of a player in your wallet."""
    found = asked(config_path, f"{API}/players/{quote(player, safe='')}/wallet", PlayerWallet)
    if as_json:
        print_json(found)
        return
    click.echo(_told(found))


@wallet_commands.command("link")
@_PLAYER
@click.argument("wallet", metavar="ID")
@CONFIG_OPTION
@REASON_OPTION
def _link(*, config_path: Path | None, reason: str, player: str, wallet: str) -> None:
    """Link a player that holds nothing with ID, your id of the player."""
    _order(config_path, player, "link", {"wallet": wallet, "reason": reason})


@wallet_commands.command("unlink")
@_PLAYER
@CONFIG_OPTION
@REASON_OPTION
def _unlink(*, config_path: Path | None, reason: str, player: str) -> None:
    """Remove the link of a player that holds nothing."""
    _order(config_path, player, "unlink", {"reason": reason})


def _order(config_path: Path | None, player: str, order: str, sent: dict[str, str]) -> None:
    path = f"{API}/players/{quote(player, safe='')}/{order}?{urlencode(sent)}"
    click.echo(_told(asked(config_path, path, PlayerWallet, post=True)))


def _told(one: PlayerWallet) -> str:
    return f"{one.player} (account {one.account}) is " + (
        "not linked" if one.wallet is None else f"linked with {one.wallet}"
    )


def _print(one: WalletRow, *, as_json: bool) -> None:
    if as_json:
        print_json(one)
        return
    print_table(
        ("transfer", str(one.number)),
        [
            ("id", one.id),
            ("player", f"{one.name} (account {one.account})"),
            ("kind", one.kind if one.undoes is None else f"{one.kind} of {one.undoes}"),
            ("amount", one.amount),
            ("state", one.state),
            ("asked (UTC)", utc_minute(one.asked_ms)),
            ("ended (UTC)", "-" if one.ended_ms is None else utc_minute(one.ended_ms)),
            ("next try (UTC)", "-" if one.ended_ms is not None else utc_minute(one.due_ms)),
            ("tries", one.tries),
            ("failure", one.failure),
        ],
    )
