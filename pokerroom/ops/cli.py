"""Commands for the operator of a running room, over an operations port: `pokerroom table`, `nodes` and `timeouts`.

They parse, ask and print (`asking`); any node of the room answers.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import click

from pokerroom.ops.operator_client import CONFIG_OPTION, JSON_OPTION, asked, print_json, print_table
from pokerroom.ops.reports import Accepted, AccountTimeouts, Asked, NodeReport, TableReport

_TABLE_ARGUMENT = click.argument("table_id", metavar="ID")


@click.group("table")
def table_commands() -> None:
    """Look at the tables of a running room, and say what they should do."""


@table_commands.command("list")
@CONFIG_OPTION
@JSON_OPTION
def list_command(*, config_path: Path | None, as_json: bool) -> None:
    """What every table is doing."""
    tables = asked(config_path, "/tables", list[TableReport])
    if as_json:
        print_json(tables)
        return
    print_table(
        ("table", "name", "node", "state", "hand", "seats", "connected", "waiting", "crashes", "frozen"),
        [
            (
                table.table,
                table.name,
                table.node or "",
                _state(table),
                table.hand_id or "",
                _seats(table),
                table.connected,
                table.waiting,
                table.crashes,
                table.frozen or "",
            )
            for table in tables
        ],
    )


def _seats(table: TableReport) -> str:
    return f"{table.occupied}/{table.seats}" if table.seats is not None else str(table.occupied)


def _state(table: TableReport) -> str:
    if not table.closing:
        return table.state
    return f"{table.state}, closing" if table.occupied else "closed"


@table_commands.command("close")
@_TABLE_ARGUMENT
@CONFIG_OPTION
@JSON_OPTION
def close_command(*, table_id: str, config_path: Path | None, as_json: bool) -> None:
    """Take no more players at a table.

    Its hand in progress is finished, then its stacks go to their wallets.
    """
    _order(config_path, table_id, "close", "closes when its hand is finished", as_json=as_json)


@table_commands.command("open")
@_TABLE_ARGUMENT
@CONFIG_OPTION
@JSON_OPTION
def open_command(*, table_id: str, config_path: Path | None, as_json: bool) -> None:
    """Take players again at a table that was closed."""
    _order(config_path, table_id, "open", "takes players", as_json=as_json)


@table_commands.command("freeze")
@_TABLE_ARGUMENT
@CONFIG_OPTION
@JSON_OPTION
def freeze_command(*, table_id: str, config_path: Path | None, as_json: bool) -> None:
    """Stop a table where it is.

    Its players are told, no clock runs, and its hand in progress is kept, also if its node ends.
    """
    _order(config_path, table_id, "freeze", "is frozen", as_json=as_json)


@table_commands.command("resume")
@_TABLE_ARGUMENT
@CONFIG_OPTION
@JSON_OPTION
def resume_command(*, table_id: str, config_path: Path | None, as_json: bool) -> None:
    """Let a frozen table go on from journal and ledger.

    Also one that stays frozen after faults. Refused with not_frozen.
    """
    _order(config_path, table_id, "resume", "goes on", as_json=as_json)


@table_commands.command("void")
@_TABLE_ARGUMENT
@click.option(
    "--complete",
    is_flag=True,
    help="Also where nothing is left to decide: for a result that the ledger will not take.",
)
@CONFIG_OPTION
@JSON_OPTION
def void_command(*, table_id: str, complete: bool, config_path: Path | None, as_json: bool) -> None:
    """Declare the hand of a frozen table void: every stack as at its start, every bet back.

    The table stays frozen. Refused with not_frozen, no_hand, or hand_complete where nothing is left to decide: such a
    hand is finished when the table goes on.
    """
    what: Asked = "void_complete" if complete else "void"
    _order(config_path, table_id, what, "has no hand in progress: {hand_id} is void", as_json=as_json)


@table_commands.command("move")
@_TABLE_ARGUMENT
@click.argument("node", required=False)
@CONFIG_OPTION
@JSON_OPTION
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
    accepted = asked(config_path, f"/{path}", Accepted, post=True)
    if as_json:
        print_json(accepted)
    else:
        click.echo(f"{accepted.table} {done.format(node=accepted.node, hand_id=accepted.hand_id)}")


@click.command("nodes")
@CONFIG_OPTION
@JSON_OPTION
def nodes_command(*, config_path: Path | None, as_json: bool) -> None:
    """The nodes of a running room: which live, and what they carry."""
    nodes = asked(config_path, "/nodes", list[NodeReport])
    if as_json:
        print_json(nodes)
        return
    print_table(
        ("node", "state", "tables", "seats", "operations", "uptime"),
        [
            (node.node, _node_state(node), len(node.tables), node.seats, node.ops, _uptime(node.uptime_s))
            for node in nodes
        ],
    )


def _node_state(node: NodeReport) -> str:
    if not node.living:
        return "gone"
    states = {"leader": node.leader, "draining": node.draining, "suspended": node.suspended}
    return ", ".join(["living", *(state for state, holds in states.items() if holds)])


def _uptime(seconds: int) -> str:
    days, rest = divmod(seconds, 86_400)
    return f"{days}d " * (days > 0) + f"{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}"


@click.command("timeouts")
@CONFIG_OPTION
@JSON_OPTION
def timeouts_command(*, config_path: Path | None, as_json: bool) -> None:
    """Who was all-in by the clock, and how often: today (UTC) and in all."""
    counts = asked(config_path, "/timeouts", list[AccountTimeouts])
    if as_json:
        print_json(counts)
        return
    print_table(
        ("account", "name", "today", "total"),
        [(count.account, count.name, count.today, count.total) for count in counts],
    )
