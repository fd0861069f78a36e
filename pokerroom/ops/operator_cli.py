"""The operator's commands on the command line, made of their declarations (`operator_commands`).

They parse, ask the operations port of a node (`operator_client`) and print; any node of the room answers.
"""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path
from urllib.parse import quote, urlencode

import click
import msgspec

from pokerroom.ops.operator_client import (
    CONFIG_OPTION,
    JSON_OPTION,
    REASON_OPTION,
    asked,
    print_json,
    print_table,
    terminal,
)
from pokerroom.ops.operator_commands import (
    API,
    GROUPS,
    QUERIES,
    CommandGroup,
    OperatorOrder,
    Query,
    TextTable,
)


def operator_commands() -> list[click.Command]:
    """Return all commands: one group for each kind of thing, and the queries without a group."""
    groups: list[click.Command] = [_group(group) for group in GROUPS]
    return groups + [_query_command(name, query) for name, query in QUERIES.items()]


def _group(group: CommandGroup) -> click.Group:
    commands = [_query_command(name, query) for name, query in group.queries.items()]
    commands += [_order_command(group, order) for order in group.orders if order.variant is None]
    return click.Group(
        group.command, help=group.help, commands={command.name or "": command for command in commands}
    )


def _query_command(name: str, query: Query) -> click.Command:
    @CONFIG_OPTION
    @JSON_OPTION
    def run(*, config_path: Path | None, as_json: bool, subject: str = "", **numbers: int | None) -> None:
        given = urlencode({name: number for name, number in numbers.items() if number is not None})
        path = API + query.path.format(quote(subject, safe="")) + (f"?{given}" if given else "")
        found = asked(config_path, path, query.answer)
        if as_json:
            print_json(found)
            return
        for shown in query.show(found):
            for part in shown(terminal().width) if callable(shown) else (shown,):
                if isinstance(part, TextTable):
                    print_table(part.columns, part.rows)
                else:
                    click.echo(part)

    for parameter in reversed(query.parameters):
        number = click.IntRange(1, parameter.most)
        run = click.option(f"--{parameter.name}", type=number, help=parameter.help)(run)
    if "{}" in query.path:
        run = click.argument("subject", metavar="ID")(run)
    return click.command(name, help=query.help)(run)


def _order_command(group: CommandGroup, order: OperatorOrder) -> click.Command:
    variants = [variant for variant in group.orders if variant.variant == order.name]

    @CONFIG_OPTION
    @JSON_OPTION
    @REASON_OPTION
    def run(
        *,
        config_path: Path | None,
        as_json: bool,
        reason: str,
        subject: str,
        argument: str | None = None,
        **flags: bool,
    ) -> None:
        given = next((variant for variant in variants if flags[variant.flag]), order)
        parts = (group.path, subject, given.name, argument)
        path = "/".join(quote(part, safe="") for part in parts if part is not None)
        query = f"?{urlencode({'reason': reason})}" if reason else ""
        accepted = asked(config_path, f"{API}/{path}{query}", group.accepted, post=True)
        if as_json:
            print_json(accepted)
            return
        facts = msgspec.to_builtins(accepted)
        click.echo(f"{facts[group.subject]} {given.done.format(**facts)}")

    for variant in variants:
        run = click.option(f"--{variant.flag}", is_flag=True, help=variant.help)(run)
    if order.argument is not None:
        run = click.argument("argument", metavar=f"[{order.argument.upper()}]", required=False)(run)
    run = click.argument("subject", metavar="ID")(run)
    return click.command(order.name.replace("_", "-"), help=cleandoc(order.help))(run)
