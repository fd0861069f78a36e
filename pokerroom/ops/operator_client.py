"""Asks a running room over its operations port, for the operator's commands, and prints the answers.

The port is found as by `pokerroom serve`. On the room's machine its user and root go through the Unix socket and need
no token; with a token, or from elsewhere, the command goes over TCP. Exit code 1: the room refused; 2: it could not be
asked.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Final, NoReturn, Protocol, TypeVar

import click
import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pokerroom.ledger.api import LedgerRefusal
from pokerroom.ledger.operator_log import STRANGER, Acting, LoggedAct, OperatorLog, legible
from pokerroom.ledger.operators import Operator, OperatorAccounts, acting_as, operator_token_hash
from pokerroom.ops.config import ListenConfig, default_config_path, load
from pokerroom.ops.config_reader import ConfigError
from pokerroom.ops.embedded import default_data_dir
from pokerroom.ops.embedded.places import operations_socket
from pokerroom.ops.environment import Environment
from pokerroom.ops.operator_roles import local_operator, may, roles_for
from pokerroom.ops.reports import OperatorRefusal

L = TypeVar("L")
R = TypeVar("R")
T = TypeVar("T")
L_co = TypeVar("L_co", covariant=True)

ANSWER_S: Final = 10.0
"""The room's answer is waited for this long."""

TOKEN: Final = "POKERROOM_OPERATOR_TOKEN"  # noqa: S105 -- the name of a variable
TOKEN_FILE: Final = "POKERROOM_OPERATOR_TOKEN_FILE"  # noqa: S105 -- as above

CONFIG_OPTION: Final = click.option(
    "--config",
    "config_path",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Settings of the room (TOML). Default: the room that ships with pokerroom.",
)
REASON_OPTION: Final = click.option("--reason", default="", help="Why, for the operators' log.")
JSON_OPTION: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def print_json(value: object) -> None:
    """Print the room's answer as JSON."""
    click.echo(msgspec.json.encode(value))


def print_rows(
    rows: Sequence[R], columns: tuple[str, ...], cells: Callable[[R], tuple[str | int, ...]], *, as_json: bool
) -> None:
    """Print the room's answer, a row to a line with these cells, or as JSON."""
    if as_json:
        print_json(rows)
    else:
        print_table(columns, [cells(row) for row in rows])


def print_table(columns: tuple[str, ...], rows: Sequence[tuple[str | int, ...]]) -> None:
    """Print one row to a line."""
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))  # as Text, no name is taken for markup
    terminal().print(table)


def terminal() -> Console:
    """Return where tables are printed, with its width."""
    console = Console()
    if not console.is_terminal:
        console.width = 240  # in a file or a pipe every row stays on its line
    return console


def asked(config_path: Path | None, path: str, expected: type[T], *, post: bool = False) -> T:
    """Return the room's answer. On any failure, print what went wrong and end the process."""
    listen = _settings(config_path)
    room = _address(listen)
    try:
        token = _token()
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        with closing(_connection(listen, room, local=token is None)) as connection:
            connection.request("POST" if post else "GET", path, headers=headers)
            response = connection.getresponse()
            body = response.read()
    except (OSError, HTTPException) as unreachable:
        ended(
            2,
            f"no room answers at the operations port {room}: {unreachable}. Start it, or set POKERROOM_OPS_PORT",
        )
    if response.status >= 400:
        _refused(room, body)
    try:
        return msgspec.json.decode(body, type=expected)
    except msgspec.DecodeError:
        ended(2, f"{room} does not answer as a pokerroom of this version does")


class LocalConnection(HTTPConnection):
    """A connection to the Unix socket of an operations port."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=ANSWER_S)
        self._path = path

    def connect(self) -> None:
        """Connect; HTTP begins then as over TCP."""
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connected.settimeout(self.timeout)
        try:
            connected.connect(str(self._path))
        except OSError:
            connected.close()
            raise
        self.sock = connected


def _connection(listen: ListenConfig, room: str, *, local: bool) -> HTTPConnection:
    """Return an open connection: to the Unix socket if there is one that this user may use, else over TCP."""
    if local and is_this_machine(listen.ops_host):
        with suppress(OSError, RuntimeError):  # a user without a home has no data directory
            connection = LocalConnection(operations_socket(default_data_dir(), listen.ops_port))
            connection.connect()
            return connection
    remote = HTTPConnection(room, timeout=ANSWER_S)
    remote.connect()
    return remote


def is_this_machine(host: str) -> bool:
    """Return whether an address is one of this machine: then it can be listened on."""
    found = []
    with suppress(OSError):
        found = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)
    for family, kind, protocol, _, address in found:
        with suppress(OSError), socket.socket(family, kind, protocol) as trial:
            trial.bind(address)
            return True
    return False


def _token() -> str | None:
    """Return the operator's token, of the environment or of the file that it names."""
    token = os.environ.get(TOKEN, "").strip()
    if not token and (name := os.environ.get(TOKEN_FILE)):
        try:
            token = Path(name).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            ended(2, f"the file of {TOKEN_FILE} cannot be read: {error}")
    if not token:
        return None
    if not (token.isascii() and token.isprintable()):
        ended(2, f"{TOKEN} or the file of {TOKEN_FILE} holds no token: it is one line of letters and digits")
    return token


def _refused(room: str, body: bytes) -> NoReturn:
    try:
        refused = msgspec.json.decode(body, type=OperatorRefusal)
    except msgspec.DecodeError:
        ended(2, f"{room} does not answer as an operations port of pokerroom does")
    not_heard = refused.code in {"unavailable", "node_unreachable"}
    ended(2 if not_heard else 1, f"{refused.code}: {refused.message}")


def _settings(config_path: Path | None) -> ListenConfig:
    """Return where the room listens."""
    try:
        listen = Environment.read(os.environ).applied_to(load(config_path or default_config_path())).listen
    except ConfigError as error:
        ended(2, str(error))
    if listen.ops_port == 0:
        ended(2, "the system chose the room's operations port: set POKERROOM_OPS_PORT to its number")
    return listen


def _address(listen: ListenConfig) -> str:
    """Return host and port of the operations port, as in a URL."""
    try:
        address = ipaddress.ip_address(listen.ops_host)
    except ValueError:
        return f"{listen.ops_host}:{listen.ops_port}"
    if address.is_unspecified:  # the room listens on every address of this machine
        address = ipaddress.ip_address("127.0.0.1" if address.version == 4 else "::1")
    host = f"[{address}]" if address.version == 6 else str(address)
    return f"{host}:{listen.ops_port}"


class CommandLedger(OperatorAccounts, OperatorLog, Protocol):
    """What each command that goes to the ledger needs of it."""


class OnLedger(Protocol[L_co]):
    """Opens the ledger, runs `work` on it, and returns the result. `L_co` is what `work` needs of the ledger.

    It prints what the operator can correct, such as a database that does not answer, and exits with code 2.
    """

    def __call__(self, work: Callable[[L_co], Awaitable[T]]) -> T:
        """Run `work`: a Deferred, or a coroutine that awaits Deferreds."""


def local_acting(reason: str = "") -> Acting:
    """Return the user of the process as the operators' log names them."""
    return acting_as(local_operator(os.getuid()), reason)


def acting(on_ledger: OnLedger[CommandLedger], reason: str = "", verb: str | None = None) -> Acting:
    """Return who gives the running command, which goes to the ledger: the operator of the token, else the user.

    A token that is not valid, or of a role without the command's verb, ends the process, and is in the operators' log.
    `verb` is that of a command outside the groups.
    """
    token = _token()
    if token is None:
        return local_acting(reason)
    verb = verb or running_verb()

    async def identified(ledger: CommandLedger) -> Operator | str:
        row = await ledger.find_operator(operator_token_hash(token))
        operator = None if row is None else row.operator
        if operator is not None and may(operator, verb):
            return operator
        code = "token_refused" if operator is None else "not_permitted"
        by = Acting(who=STRANGER) if operator is None else acting_as(operator, reason)
        refusal = LoggedAct(by=by, verb="operator.refused", subject=legible(verb), result=f"refused: {code}")
        await ledger.record_rarely(refusal)
        return code

    found = on_ledger(identified)
    if isinstance(found, str):
        ended(1, f"refused: {found}. Use the token of an operator with the role {roles_for(verb)}.")
    return acting_as(found, reason)


def running_verb() -> str:
    """Return the verb of the running command of a group, as `operator_roles` has it."""
    context = click.get_current_context()
    return f"{context.parent.info_name if context.parent else ''}.{context.info_name}".replace("-", "_")


def of_ledger(on_ledger: OnLedger[L], work: Callable[[L], Awaitable[T]]) -> T:
    """Return what the ledger answers. A refusal ends the process."""
    try:
        return on_ledger(work)
    except LedgerRefusal as refused:
        ended(1, f"refused: {refused}")


def ended(code: int, message: str) -> NoReturn:
    """End the process with a message on standard error."""
    click.echo(message, err=True)
    sys.exit(code)
