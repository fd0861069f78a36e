"""Asks a running room over its operations port, for the operator's commands, and prints the answers.

The port is found as by `pokerroom serve`. Exit code 1: the room refused; 2: the room could not be asked.
"""

from __future__ import annotations

import ipaddress
import os
import pwd
import sys
from http.client import HTTPException
from pathlib import Path
from typing import Final, NoReturn, TypeVar
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import click
import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pokerroom.ledger.operator_log import REASON_MAX, Acting, legible
from pokerroom.ops.config import default_config_path, load
from pokerroom.ops.config_reader import ConfigError
from pokerroom.ops.environment import Environment
from pokerroom.ops.operator_roles import local_operator
from pokerroom.ops.reports import OPERATOR_HEADER, OperatorRefusal

T = TypeVar("T")

ANSWER_S: Final = 10.0
"""The room's answer is waited for this long."""

CONFIG_OPTION: Final = click.option(
    "--config",
    "config_path",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Settings of the room (TOML). Default: the room that ships with pokerroom.",
)
REASON_OPTION: Final = click.option("--reason", default="", help="Why, for the operators' log.")
JSON_OPTION: Final = click.option("--json", "as_json", is_flag=True, help="Print the room's answer as JSON.")


def print_json(value: object) -> None:
    """Print the room's answer as JSON."""
    click.echo(msgspec.json.encode(value))


def print_table(columns: tuple[str, ...], rows: list[tuple[str | int, ...]]) -> None:
    """Print one row to a line."""
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))  # as Text, no name is taken for markup
    console = Console()
    if not console.is_terminal:
        console.width = 240  # in a file or a pipe every row stays on its line
    console.print(table)


def asked(config_path: Path | None, path: str, expected: type[T], *, post: bool = False) -> T:
    """Return the room's answer. On any failure, print what went wrong and end the process."""
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
        ended(
            2, f"no room answers at the operations port {room}: {reason}. Start it, or set POKERROOM_OPS_PORT"
        )
    except msgspec.DecodeError:
        ended(2, f"{room} does not answer as a pokerroom of this version does")


def _refused(room: str, body: bytes) -> NoReturn:
    try:
        refused = msgspec.json.decode(body, type=OperatorRefusal)
    except msgspec.DecodeError:
        ended(2, f"{room} does not answer as an operations port of pokerroom does")
    not_heard = refused.code in {"unavailable", "node_unreachable"}
    ended(2 if not_heard else 1, f"{refused.code}: {refused.message}")


def _address(config_path: Path | None) -> str:
    """Return host and port of the operations port, as in a URL."""
    try:
        listen = Environment.read(os.environ).applied_to(load(config_path or default_config_path())).listen
    except ConfigError as error:
        ended(2, str(error))
    if listen.ops_port == 0:
        ended(2, "the system chose the room's operations port: set POKERROOM_OPS_PORT to its number")
    try:
        address = ipaddress.ip_address(listen.ops_host)
    except ValueError:
        return f"{listen.ops_host}:{listen.ops_port}"
    if address.is_unspecified:  # the room listens on every address of this machine
        address = ipaddress.ip_address("127.0.0.1" if address.version == 4 else "::1")
    host = f"[{address}]" if address.version == 6 else str(address)
    return f"{host}:{listen.ops_port}"


def local_acting(reason: str = "") -> Acting:
    """Return who gives a command on this machine, as the operators' log names them: the user of the process."""
    operator = local_operator(_user_name(os.getuid()))
    return Acting(who=operator.name, role=operator.role.value, reason=legible(reason, REASON_MAX))


def _user_name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def ended(code: int, message: str) -> NoReturn:
    """End the process with a message on standard error."""
    click.echo(message, err=True)
    sys.exit(code)
