"""Which role may do what, in the one table of verbs."""

import click
import pytest

from pokerroom.cli import main
from pokerroom.ledger.operators import Operator, Role
from pokerroom.ops.operator_commands import GROUPS, QUERIES
from pokerroom.ops.operator_roles import VERBS, local_operator, may

PAGES = {
    group.verb(name) for group in GROUPS for name in [*group.queries, *(one.name for one in group.orders)]
}
PAGES |= set(QUERIES)


def test_every_page_has_a_verb_with_roles():
    """An order or a query without roles could be given by no operator."""
    assert set(VERBS) >= PAGES
    assert all(VERBS.values())


def test_every_verb_is_a_page_or_a_command():
    """A verb that nothing asks for would be a promise."""
    commands = {
        f"{group}.{name.replace('-', '_')}"
        for group, found in main.commands.items()
        if isinstance(found, click.Group)
        for name in found.commands
    }
    assert set(VERBS) - PAGES <= commands | set(main.commands)


def test_every_command_on_the_database_has_a_verb():
    """The audit names them by it."""
    for group in ("cashier", "account", "operator", "history", "report"):
        assert {f"{group}.{name.replace('-', '_')}" for name in main.commands[group].commands} <= set(VERBS)
    assert {"hand", "erase"} <= set(VERBS)


def test_an_admin_may_do_everything_and_every_role_may_look():
    """Of the pages, those that change nothing."""
    assert all(may(Operator("ann", Role.ADMIN), verb) for verb in VERBS)
    queries = {group.verb(name) for group in GROUPS for name in group.queries} | set(QUERIES)
    assert all(may(Operator("ann", role), verb) for role in Role for verb in queries)


@pytest.mark.parametrize(
    ("role", "verb", "allowed"),
    [
        (Role.VIEWER, "table.freeze", False),
        (Role.SUPPORT, "table.freeze", False),
        (Role.CASHIER, "table.freeze", False),
        (Role.FLOOR, "table.freeze", True),
        (Role.FLOOR, "table.void_complete", False),
        (Role.FLOOR, "cashier.approve", False),
        (Role.CASHIER, "cashier.approve", True),
        (Role.CASHIER, "cashier.fund", False),
        (Role.CASHIER, "report.rake", True),
        (Role.VIEWER, "report.rake", False),
        (Role.SUPPORT, "account.recovery_code", True),
        (Role.SUPPORT, "cashier.approve", False),
        (Role.FLOOR, "operator.add", False),
    ],
)
def test_a_role_has_its_own_verbs(role, verb, allowed):
    """The floor moves no money, the cashier stops no table."""
    assert may(Operator("ann", role), verb) is allowed


def test_an_unknown_verb_belongs_to_no_role():
    """Not even to an admin: it has to be declared first."""
    assert not any(may(Operator("ann", role), "table.burn") for role in Role)


def test_a_user_of_this_machine_is_an_admin():
    """The name cannot be that of an account, which has no colon."""
    assert local_operator(0) == Operator("local:root", Role.ADMIN)
