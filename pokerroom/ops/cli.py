"""Commands for the operator of a running room, over its operations port: `pokerroom table`, `pokerroom timeouts`.

They parse, ask and print. Where the port is they read as `pokerroom serve` does. Exit code 1: the room refused; 2: it
could not be asked.
"""

from __future__ import annotations

import ipaddress
import os
import sys
from http.client import HTTPException
from pathlib import Path
from typing import Final, NoReturn, TypeVar
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import ProxyHandler, Request, build_opener

import click
import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pokerroom.ops.config import default_config_path, load
from pokerroom.ops.config_reader import ConfigError
from pokerroom.ops.environment import Environment
from pokerroom.ops.reports import OPERATOR_HEADER, Accepted, AccountTimeouts, Refused, TableReport

T = TypeVar("T")

ANSWER_S: Final = 10.0
"""The room's answer is waited for so long."""

CONFIG_OPTION: Final = click.option(
    "--config",
    "config_path",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Settings of the room (TOML). Default: the room that ships with pokerroom.",
)
_JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Print what the room answers, as JSON.")
_TABLE_ARGUMENT = click.argument("table_id", metavar="ID")


@click.group("table")
def table_commands() -> None:
    """Look at the tables of a running room, close and open them."""


@table_commands.command("list")
@CONFIG_OPTION
@_JSON_OPTION
def list_command(*, config_path: Path | None, as_json: bool) -> None:
    """What every table is doing."""
    tables = _asked(config_path, "/tables", list[TableReport])
    if as_json:
        _print_json(tables)
        return
    _print_table(
        ("table", "name", "state", "hand", "seats", "connected", "waiting", "crashes", "frozen"),
        [
            (
                table.table,
                table.name,
                _state(table),
                table.hand_id or "",
                f"{table.occupied}/{table.seats}",
                table.connected,
                table.waiting,
                table.crashes,
                table.frozen or "",
            )
            for table in tables
        ],
    )


def _state(table: TableReport) -> str:
    if not table.closing:
        return table.state
    return f"{table.state}, closing" if table.occupied else "closed"


@table_commands.command("close")
@_TABLE_ARGUMENT
@CONFIG_OPTION
@_JSON_OPTION
def close_command(*, table_id: str, config_path: Path | None, as_json: bool) -> None:
    """Take no more players at a table.

    Its hand in progress is finished, then its stacks go to their wallets.
    """
    accepted = _asked(config_path, f"/tables/{quote(table_id, safe='')}/close", Accepted, post=True)
    if as_json:
        _print_json(accepted)
    else:
        click.echo(f"{table_id} closes when its hand is finished")


@table_commands.command("open")
@_TABLE_ARGUMENT
@CONFIG_OPTION
@_JSON_OPTION
def open_command(*, table_id: str, config_path: Path | None, as_json: bool) -> None:
    """Take players again at a table that was closed."""
    accepted = _asked(config_path, f"/tables/{quote(table_id, safe='')}/open", Accepted, post=True)
    if as_json:
        _print_json(accepted)
    else:
        click.echo(f"{table_id} takes players")


@click.command("timeouts")
@CONFIG_OPTION
@_JSON_OPTION
def timeouts_command(*, config_path: Path | None, as_json: bool) -> None:
    """Who was all-in by the clock, and how often: today (UTC) and in all."""
    counts = _asked(config_path, "/timeouts", list[AccountTimeouts])
    if as_json:
        _print_json(counts)
        return
    _print_table(
        ("account", "name", "today", "total"),
        [(count.account, count.name, count.today, count.total) for count in counts],
    )


def _print_json(value: object) -> None:
    click.echo(msgspec.json.encode(value))


def _print_table(columns: tuple[str, ...], rows: list[tuple[str | int, ...]]) -> None:
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))  # as Text, no name is taken for markup
    console = Console()
    if not console.is_terminal:
        console.width = 240  # whoever reads it from a file or a pipe wants every row on its line
    console.print(table)


def _asked(config_path: Path | None, path: str, expected: type[T], *, post: bool = False) -> T:
    """What the room answers. Ends the process with what went wrong, if anything did."""
    room = _address(config_path)
    headers = {OPERATOR_HEADER: "1"} if post else {}
    request = Request(f"http://{room}{path}", method="POST" if post else "GET", headers=headers)
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=ANSWER_S) as response:
            return msgspec.json.decode(response.read(), type=expected)
    except HTTPError as refused:
        with refused:
            _refused(room, refused.read())
    except (OSError, HTTPException) as unreachable:  # a URLError is an OSError
        reason = getattr(unreachable, "reason", unreachable)
        _ended(2, f"no room answers at its operations port {room}: {reason}")
    except msgspec.DecodeError:
        _ended(2, f"what answers at {room} is no pokerroom of this version")


def _refused(room: str, body: bytes) -> NoReturn:
    try:
        refused = msgspec.json.decode(body, type=Refused)
    except msgspec.DecodeError:
        _ended(2, f"what answers at {room} is no pokerroom, or has no operator's pages")
    _ended(2 if refused.code == "unavailable" else 1, f"{refused.code}: {refused.message}")


def _address(config_path: Path | None) -> str:
    """Host and port of the operations port, as in a URL."""
    try:
        listen = Environment.read(os.environ).applied_to(load(config_path or default_config_path())).listen
    except ConfigError as error:
        _ended(2, str(error))
    if listen.ops_port == 0:
        _ended(2, "the system chose the room's operations port: name it in POKERROOM_OPS_PORT")
    try:
        address = ipaddress.ip_address(listen.ops_host)
    except ValueError:
        return f"{listen.ops_host}:{listen.ops_port}"
    if address.is_unspecified:  # the room listens on every address of this machine
        address = ipaddress.ip_address("127.0.0.1" if address.version == 4 else "::1")
    host = f"[{address}]" if address.version == 6 else str(address)
    return f"{host}:{listen.ops_port}"


def _ended(code: int, message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(code)
