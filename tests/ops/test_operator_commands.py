"""The declarations of the operator's commands."""

from dataclasses import fields
from string import Formatter

import click
import pytest

from pokerroom.cli import main
from pokerroom.ops.operator_commands import GROUPS, QUERIES

ORDERS = [(group, order) for group in GROUPS for order in group.orders]


@pytest.mark.parametrize(("group", "order"), ORDERS, ids=[f"{g.command}-{o.name}" for g, o in ORDERS])
def test_each_order_is_a_command_or_the_flag_of_one(group, order):
    """Under the group's command, with its help."""
    commands = main.commands[group.command].commands
    command = commands[(order.variant or order.name).replace("_", "-")]
    if order.variant is None:
        assert command.help.split() == order.help.split()
    else:
        [flag] = [param for param in command.params if param.name == order.flag]
        assert isinstance(flag, click.Option)
        assert flag.is_flag
        assert flag.help == order.help


@pytest.mark.parametrize(("group", "order"), ORDERS, ids=[f"{g.command}-{o.name}" for g, o in ORDERS])
def test_an_accepted_order_prints_fields_of_its_answer(group, order):
    """The text after an accepted order names only fields that the answer of its group has."""
    named = {field for _, field, _, _ in Formatter().parse(order.done) if field is not None}
    assert named <= {field.name for field in fields(group.accepted)}


def test_each_query_is_a_command():
    """Below its group, or beside the groups."""
    for group in GROUPS:
        assert set(group.queries) <= set(main.commands[group.command].commands)
    assert set(QUERIES) <= set(main.commands)


def test_names_are_unique():
    """A path and a command name one thing each."""
    for group in GROUPS:
        names = [order.name for order in group.orders] + list(group.queries)
        assert len(names) == len(set(names))
