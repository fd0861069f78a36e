"""Commands for the operator of a running room, over an operations port: `pokerroom table`, `nodes` and `timeouts`.

They parse, ask and print; any node of the room answers. Where the port is they read as `pokerroom serve` does. Exit
code 1: the room refused; 2: it could not be asked.
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
from pokerroom.ops.reports import (
    OPERATOR_HEADER,
    Accepted,
    AccountTimeouts,
    Asked,
    NodeReport,
    Refused,
    TableReport,
)

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
    """Look at the tables of a running room, and say what they should do."""


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
        ("table", "name", "node", "state", "hand", "seats", "connected", "waiting", "crashes", "frozen"),
        [
            (
                table.table,
                table.name,
                table.node or "",
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
    _order(config_path, table_id, "close", "closes when its hand is finished", as_json=as_json)


@table_commands.command("open")
@_TABLE_ARGUMENT
@CONFIG_OPTION
@_JSON_OPTION
def open_command(*, table_id: str, config_path: Path | None, as_json: bool) -> None:
    """Take players again at a table that was closed."""
    _order(config_path, table_id, "open", "takes players", as_json=as_json)


@table_commands.command("freeze")
@_TABLE_ARGUMENT
@CONFIG_OPTION
@_JSON_OPTION
def freeze_command(*, table_id: str, config_path: Path | None, as_json: bool) -> None:
    """Stop a table where it is.

    Its players are told, no clock runs, and its hand in progress is kept, also if its node ends.
    """
    _order(config_path, table_id, "freeze", "is frozen", as_json=as_json)


@table_commands.command("resume")
@_TABLE_ARGUMENT
@CONFIG_OPTION
@_JSON_OPTION
def resume_command(*, table_id: str, config_path: Path | None, as_json: bool) -> None:
    """Let a frozen table go on from journal and ledger.

    Also one that stays frozen after faults. Refused with not_frozen.
    """
    _order(config_path, table_id, "resume", "goes on", as_json=as_json)


@table_commands.command("void")
@_TABLE_ARGUMENT
@CONFIG_OPTION
@_JSON_OPTION
def void_command(*, table_id: str, config_path: Path | None, as_json: bool) -> None:
    """Declare the hand of a frozen table void: every stack as at its start.

    The table stays frozen. Refused with not_frozen, no_hand, or hand_complete where nothing is left to decide: such a
    hand is finished when the table goes on.
    """
    _order(config_path, table_id, "void", "has no hand in progress: {hand_id} is void", as_json=as_json)


@table_commands.command("move")
@_TABLE_ARGUMENT
@click.argument("node", required=False)
@CONFIG_OPTION
@_JSON_OPTION
def move_command(*, table_id: str, node: str | None, config_path: Path | None, as_json: bool) -> None:
    """Give a table to another node between two hands.

    To NODE, or to the one with the fewest tables. Nobody at the table notices.
    """
    _order(
        config_path, table_id, "move", "moves to {node} when its hand is finished", node=node, as_json=as_json
    )


def _order(
    config_path: Path | None,
    table_id: str,
    what: Asked,
    done: str,
    *,
    as_json: bool,
    node: str | None = None,
) -> None:
    path = "/".join(quote(part, safe="") for part in ("tables", table_id, what, node) if part is not None)
    accepted = _asked(config_path, f"/{path}", Accepted, post=True)
    if as_json:
        _print_json(accepted)
    else:
        click.echo(f"{accepted.table} {done.format(node=accepted.node, hand_id=accepted.hand_id)}")


@click.command("nodes")
@CONFIG_OPTION
@_JSON_OPTION
def nodes_command(*, config_path: Path | None, as_json: bool) -> None:
    """The nodes of a running room: which live, and what they carry."""
    nodes = _asked(config_path, "/nodes", list[NodeReport])
    if as_json:
        _print_json(nodes)
        return
    _print_table(
        ("node", "state", "tables", "seats", "operations", "uptime"),
        [
            (node.node, _node_state(node), len(node.tables), node.seats, node.ops, _uptime(node.uptime_s))
            for node in nodes
        ],
    )


def _node_state(node: NodeReport) -> str:
    if not node.living:
        return "gone"
    states = {"head": node.head, "draining": node.draining, "suspended": node.suspended}
    return ", ".join(["living", *(state for state, holds in states.items() if holds)])


def _uptime(seconds: int) -> str:
    days, rest = divmod(seconds, 86_400)
    return f"{days}d " * (days > 0) + f"{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"


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
    not_heard = refused.code in {"unavailable", "node_unreachable"}
    _ended(2 if not_heard else 1, f"{refused.code}: {refused.message}")


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
