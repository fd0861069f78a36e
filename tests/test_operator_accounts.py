"""`pokerroom operator`: accounts of operators."""

from __future__ import annotations

from typing import Any

import pytest

from pokerroom.cashier import cashier_commands
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.operators import Role, new_operator_token, operator_token_hash
from pokerroom.operator_accounts import operator_account_commands
from pokerroom.ops.operator_client import local_acting
from pokerroom.report_commands import report_commands
from tests import commands
from tests.poker.support import now


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


def said(ledger: MemoryLedger, *arguments: str) -> Any:
    """What the command answers."""
    return commands.said(ledger, operator_account_commands, *arguments)


def test_the_token_of_a_new_operator_is_printed_once(ledger):
    """It is all that is printed; the ledger keeps the hash."""
    token = said(ledger, "add", "ann", "--role", "floor").stdout.strip()
    assert now(ledger.find_operator(operator_token_hash(token))).role is Role.FLOOR
    assert token not in said(ledger, "list", "--json").stdout


@pytest.mark.parametrize("command", [("add", "bob", "--role", "floor"), ("token", "ann")])
def test_a_new_token_says_where_it_is_used(ledger, command):
    """A script reads the token alone on stdout; a person reads on stderr what to do with it."""
    said(ledger, "add", "ann", "--role", "floor")
    result = said(ledger, *command)
    assert now(ledger.find_operator(operator_token_hash(result.stdout.removesuffix("\n")))) is not None
    assert "/operator" in result.stderr
    assert "POKERROOM_OPERATOR_TOKEN" in result.stderr


def test_changes_of_operators_are_in_the_log(ledger):
    """Each with who made it and why; a second revocation changes nothing."""
    said(ledger, "add", "ann", "--role", "floor", "--reason", "night shift")
    said(ledger, "token", "ann")
    for _ in range(2):
        said(ledger, "revoke", "ann")
    lines = now(ledger.log_lines(LogQuery(verb="operator")))[::-1]
    assert [line.verb for line in lines] == ["operator.add", "operator.token", "operator.revoke"]
    assert {line.subject for line in lines} == {"ann"}
    assert lines[0].by == local_acting("night shift")
    assert lines[0].named() == {"role": "floor"}


def test_a_new_token_makes_the_old_one_void(ledger):
    """Also if it has an end."""
    old = said(ledger, "add", "ann", "--role", "admin").stdout.strip()
    new = said(ledger, "token", "ann", "--expires-days", "30").stdout.strip()
    assert now(ledger.find_operator(operator_token_hash(old))) is None
    row = now(ledger.find_operator(operator_token_hash(new)))
    assert 0 <= row.expires_ms - row.created_ms - 30 * 86_400_000 < 60_000


def test_operators_are_listed_with_their_states(ledger):
    """Also those that are gone."""
    now(ledger.add_operator("old", Role.VIEWER, b"1", 0))
    said(ledger, "add", "ann", "--role", "cashier")
    said(ledger, "add", "bob", "--role", "support")
    assert said(ledger, "revoke", "bob").stdout == "bob is revoked\n"
    rows = [line.split()[:3] for line in said(ledger, "list").stdout.splitlines()[1:]]
    assert rows == [["ann", "cashier", "active"], ["bob", "support", "revoked"], ["old", "viewer", "expired"]]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("add", "ann", "--role", "admin"), 1, "refused: the name ann was used before: choose another one"),
        (("revoke", "bob"), 1, "refused: there is no operator bob, or it is revoked"),
        (("token", "bob"), 1, "refused: there is no operator bob, or it is revoked"),
        (("add", "Ann", "--role", "admin"), 2, "1 to 32 characters"),
        (("add", "cid", "--role", "owner"), 2, "'owner' is not one of"),
        (("add", "cid"), 2, "Missing option '--role'"),
    ],
)
def test_a_refusal_says_why(ledger, arguments, code, sentence):
    """And changes nothing."""
    said(ledger, "add", "ann", "--role", "viewer")
    before = now(ledger.operators())
    result = said(ledger, *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert sentence in result.stderr
    assert now(ledger.operators()) == before


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (operator_account_commands, ("list",)),
        (operator_account_commands, ("log",)),
        (cashier_commands, ("sources",)),
        (cashier_commands, ("list",)),
        (cashier_commands, ("adjustments",)),
        (report_commands, ("rake",)),
    ],
)
def test_a_command_that_only_prints_also_checks_the_role(ledger, monkeypatch, command, arguments):
    """A support's token reads neither the operators' log nor the cashier's lists, an admin's does."""
    for role, code in ((Role.SUPPORT, 1), (Role.ADMIN, 0)):
        now(ledger.add_operator(role.value, role, operator_token_hash(role.value)))
        monkeypatch.setenv("POKERROOM_OPERATOR_TOKEN", role.value)
        result = commands.said(ledger, command, *arguments)
        assert result.exit_code == code
        assert ("refused: not_permitted" in result.stderr, result.stdout == "") == (code == 1, code == 1)


def test_tokens_are_random():
    """Two are never the same, and have 256 bits."""
    tokens = {new_operator_token() for _ in range(100)}
    assert len(tokens) == 100
    assert {len(token) for token in tokens} == {47}
