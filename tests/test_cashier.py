"""`pokerroom cashier` on a real ledger: what the operator says is done once, and printed."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from pokerroom.adapters import opened_ledger
from pokerroom.bridge import as_future
from pokerroom.cashier import cashier_commands
from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.cashier import CashRequest
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.operators import Role, operator_token_hash
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.ops.operator_client import local_acting
from tests.ledger.contract_of_scheduled_tournaments import scheduled

pytestmark = pytest.mark.services


@pytest.fixture
def address(own_rows):
    """The address for the owner of a database without rows."""
    return own_rows[1]


@pytest.fixture
def on_ledger(address):
    """Asks the ledger for something, as the command line does."""

    def on_ledger(work):
        async def run():
            async with opened_ledger(address) as ledger:
                return await as_future(work(ledger))

        return asyncio.run(run())

    return on_ledger


@pytest.fixture
def group(on_ledger):
    """The commands."""
    return cashier_commands(on_ledger)


@pytest.fixture
def cashier(group):
    """A command; returns its exit code, its output and its errors."""

    def run(*arguments):
        result = CliRunner().invoke(group, arguments)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return run


@pytest.fixture
def alice(on_ledger, cashier):
    """An account with 100.00, and a source with 50.00."""
    account = on_ledger(lambda ledger: ledger.create_account("alice", "hash", Money(10_000))).account
    assert cashier("open", "cash")[0] == 0
    assert cashier("fund", "cash", "50", "--key", "f1")[0] == 0
    return account


def wallet(on_ledger, account):
    return on_ledger(lambda ledger: ledger.wallet(account))


def test_a_deposit_and_a_withdrawal_by_the_operator(alice, cashier, on_ledger):
    """Done at once; with the same key they are done once."""
    for _ in range(2):
        code, told, _ = cashier("deposit", "Alice", "12.50", "--source", "cash", "--key", "op-1")
        assert code == 0
        assert told == "deposit 1 of 12.50 for alice (cash, key op-1): approved\n"
    assert wallet(on_ledger, alice) == 11_250
    for _ in range(2):
        assert cashier("withdraw", "alice", "100", "--source", "cash", "--key", "op-2")[0] == 0
    assert wallet(on_ledger, alice) == 1_250
    (row,) = json.loads(cashier("sources", "--json")[1])
    assert row == {"source": "cash", "is_open": True, "balance": 5_000 - 1_250 + 10_000}
    assert on_ledger(lambda ledger: ledger.audit()).differences == ()


def test_what_the_operator_did_is_in_the_log(alice, cashier, on_ledger):
    """With the user of this machine, the reason and the amounts; what is repeated and changes nothing is not."""
    for _ in range(2):
        cashier("deposit", "alice", "1", "--source", "cash", "--key", "op-1", "--reason", "lost bet")
    cashier("close", "cash")
    lines = on_ledger(lambda ledger: ledger.log_lines(LogQuery()))[::-1]
    assert [(line.verb, line.subject) for line in lines] == [
        ("cashier.open", "cash"),
        ("cashier.fund", "cash"),
        ("cashier.deposit", "account:1"),
        ("cashier.approve", "account:1"),
        ("cashier.close", "cash"),
    ]
    assert lines[3].named() == {"amount": 100, "kind": "deposit", "note": "", "number": 1, "source": "cash"}
    assert {line.by.who for line in lines} == {local_acting().who}
    assert [line.by.reason for line in lines] == ["", "", "lost bet", "lost bet", ""]


def test_an_adjustment_by_one_operator(alice, cashier, on_ledger):
    """In both directions, once for each key; a reason must be given."""
    for amount, key in (("12.50", "fix-1"), ("-2.50", "fix-2"), ("-2.50", "fix-2")):
        code, told, _ = cashier(
            *("adjust", "Alice", amount, "--source", "cash", "--key", key, "--reason", "lost hand")
        )
        assert code == 0
    assert told == "adjustment 2 of -2.50 for alice (cash, key fix-2): made\n"
    assert wallet(on_ledger, alice) == 11_000
    assert cashier("adjust", "alice", "1", "--source", "cash")[0] == 2
    code, _, error = cashier("adjust", "alice", "-1000", "--source", "cash", "--reason", "x")
    assert (code, "balance_is_not_negative" in error) == (1, True)


def test_four_eyes(alice, cashier, on_ledger, monkeypatch):
    """Nothing moves until another operator approves, and money cannot be moved at once in another way."""
    on_ledger(lambda ledger: ledger.set_four_eyes(on=True))
    two = ("--source", "cash", "--reason", "lost hand")
    for command in ("adjust", "deposit", "withdraw"):
        assert cashier(command, "alice", "7", *two)[0] == 1  # a user of the machine is no operator
    as_operator(on_ledger, monkeypatch, "ann")
    code, told, _ = cashier("adjust", "alice", "7", "--key", "fix-1", *two)
    assert (code, told.splitlines()) == (
        0,
        [
            "adjustment 1 of 7.00 for alice (cash, key fix-1): proposed",
            "another operator approves it: pokerroom cashier approve-adjustment 1",
        ],
    )
    code, _, error = cashier("approve-adjustment", "1")
    assert (code, error) == (1, "refused: another operator than ann must approve\n")
    assert wallet(on_ledger, alice) == 10_000
    assert cashier("adjustments")[1].splitlines()[1].split()[:6] == [
        *("1", "alice", "7.00", "cash", "proposed", "ann"),
    ]
    as_operator(on_ledger, monkeypatch, "ben")
    assert cashier("approve-adjustment", "1")[1] == "adjustment 1 of 7.00 for alice (cash, key fix-1): made\n"
    assert wallet(on_ledger, alice) == 10_700
    assert json.loads(cashier("adjustments", "--json")[1]) == []
    cashier("adjust", "alice", "-7", "--key", "fix-2", *two)
    assert cashier("refuse-adjustment", "2")[1].endswith("refused\n")
    (last, first) = json.loads(cashier("adjustments", "--all", "--json")[1])
    assert (first["decided_by"], last["state"]) == ("ben", "refused")
    lines = on_ledger(lambda ledger: ledger.log_lines(LogQuery(verb="operator.refused")))[::-1]
    assert [(line.by.who.split(":")[0], line.subject) for line in lines] == [
        ("local", "cashier.adjust"),
        ("local", "cashier.deposit"),
        ("local", "cashier.withdraw"),
        ("ann", "cashier.approve_adjustment"),
    ]
    assert on_ledger(lambda ledger: ledger.audit()).differences == ()


def test_a_ticket_is_given_and_taken_back(alice, cashier, on_ledger):
    """Once per key, from a source, worth the buy-in of its offer; its list, its end, and refusals."""
    given = ("give-ticket", "alice", "sunday", "--source", "cash", "--key", "t-1")
    code, _, error = cashier(*given)
    assert (code, error) == (
        1,
        "refused: no tournament of the offer sunday was announced: see `pokerroom offer list`\n",
    )
    terms = replace(scheduled(), tournament="sunday.1", offer="sunday", buy_in=Money(1_100))
    on_ledger(lambda ledger: ledger.open_tournament(terms))
    for _ in range(2):
        assert cashier(*given)[1] == "ticket 1 for sunday, worth 11.00 (key t-1): given\n"
    assert cashier("tickets", "alice")[1].splitlines()[1].split() == ["1", "sunday", "11.00", "cash"]
    (row,) = json.loads(cashier("tickets", "alice", "--json")[1])
    assert (row["offer"], row["value"]) == ("sunday", 1_100)
    code, _, error = cashier("give-ticket", "alice", "monday", "--source", "cash", "--key", "t-1")
    assert (code, error) == (1, "refused: the key t-1 was used for another ticket\n")
    assert cashier("end-ticket", "1")[1] == "ticket 1: ended\n"
    assert json.loads(cashier("tickets", "alice", "--json")[1]) == []
    assert wallet(on_ledger, alice) == 10_000
    assert on_ledger(lambda ledger: ledger.audit()).differences == ()


def as_operator(on_ledger, monkeypatch, name, role=Role.CASHIER):
    """From now on commands have the token of this operator."""
    token = f"token-of-{name}"
    on_ledger(lambda ledger: ledger.add_operator(name, role, operator_token_hash(token)))
    monkeypatch.setenv("POKERROOM_OPERATOR_TOKEN", token)


def test_a_command_with_a_token_is_that_operators(alice, cashier, on_ledger, monkeypatch):
    """The role is checked, and refusals are lines of the log without the token."""
    as_operator(on_ledger, monkeypatch, "ann")
    assert cashier("deposit", "alice", "1", "--source", "cash")[0] == 0
    code, _, error = cashier("close", "cash")
    assert (code, error) == (1, "refused: not_permitted. Use the token of an operator with the role admin.\n")
    monkeypatch.setenv("POKERROOM_OPERATOR_TOKEN", "stolen")
    code, _, error = cashier("close", "cash")
    assert (code, "token_refused" in error) == (1, True)
    lines = on_ledger(lambda ledger: ledger.log_lines(LogQuery(limit=4)))[::-1]
    assert [(line.by.who, line.by.role, line.verb, line.subject, line.result) for line in lines] == [
        ("ann", "cashier", "cashier.deposit", "account:1", "requested"),
        ("ann", "cashier", "cashier.approve", "account:1", "done"),
        ("ann", "cashier", "operator.refused", "cashier.close", "refused: not_permitted"),
        ("stranger", "", "operator.refused", "cashier.close", "refused: token_refused"),
    ]
    assert "stolen" not in repr(lines)


def test_requests_of_players_are_listed_and_decided(alice, cashier, on_ledger):
    """`list` has those that wait; approved or refused once, with a word for the player."""
    for key, kind, amount in (("key-0001", "deposit", 700), ("key-0002", "withdrawal", 300)):
        request = CashRequest(account=alice, key=key, kind=kind, amount=Money(amount), source="cash")
        on_ledger(lambda ledger, request=request: ledger.request_cash(request, 9))
    lines = cashier("list")[1].splitlines()
    assert [line.split()[:6] for line in lines[1:]] == [
        ["2", "alice", "withdrawal", "3.00", "cash", "waiting"],
        ["1", "alice", "deposit", "7.00", "cash", "waiting"],
    ]
    assert cashier("approve", "1")[0] == 0
    assert cashier("refuse", "2", "--note", "come to the desk")[0] == 0
    code, _, told = cashier("approve", "2")
    assert (code, told) == (1, "refused: request 2 is refused already\n")
    assert json.loads(cashier("list", "--json")[1]) == []
    rows = json.loads(cashier("list", "--all", "--account", "alice", "--json")[1])
    assert [(row["state"], row["note"]) for row in rows] == [
        ("refused", "come to the desk"),
        ("approved", ""),
    ]
    assert wallet(on_ledger, alice) == 10_700


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("deposit", "bob", "1", "--source", "cash"), "there is no account bob"),
        (("deposit", "alice", "50.01", "--source", "cash"), "the source cash does not hold 5001"),
        (("withdraw", "alice", "100.01", "--source", "cash"), "balance_is_not_negative"),
        (("deposit", "alice", "1", "--source", "wire"), "there is no open source wire"),
        (("fund", "wire", "1"), "there is no source wire"),
        (("approve", "7"), "there is no request 7"),
        (("close", "wire"), "there is no source wire"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(alice, cashier, on_ledger, arguments, told):
    """Exit code 1, and nothing has moved or is held."""
    before = on_ledger(lambda ledger: ledger.log_head()).n
    code, _, error = cashier(*arguments)
    assert code == 1
    assert told in error
    (line, *_) = on_ledger(lambda ledger: ledger.log_lines(LogQuery(limit=1)))
    assert (line.verb, line.subject) == ("operator.refused", f"cashier.{arguments[0]}")
    assert line.n > before
    assert wallet(on_ledger, alice) == 10_000
    assert on_ledger(lambda ledger: ledger.audit()).held == 0


@pytest.mark.parametrize("amount", ["0", "-1", "0.001", "1e30", "ten", "NaN", "Infinity"])
def test_what_is_no_amount_is_refused_before_the_ledger_is_asked(cashier, amount):
    """Exit code 2, as for every wrong option."""
    assert cashier("fund", "cash", "--", amount)[0] == 2


def test_a_source_that_is_closed_says_so(alice, cashier):
    """And may be opened again."""
    assert cashier("close", "cash")[1] == "cash is closed\n"
    assert cashier("sources")[1].splitlines()[1].split() == ["cash", "closed", "50.00"]
    assert cashier("open", "cash")[1] == "cash is open\n"


def test_of_an_unknown_outcome_the_key_is_told(alice, group, monkeypatch):
    """So that the same can be asked again, and is done once."""

    def lost(*_, **__):
        raise LedgerUnavailable("cut")

    monkeypatch.setattr(PostgresLedger, "fund_source", lost)
    monkeypatch.setattr("pokerroom.cashier.secrets.token_hex", lambda _: "abc")
    result = CliRunner().invoke(group, ["fund", "cash", "1"])
    assert isinstance(result.exception, LedgerUnavailable)
    assert result.stderr == "The outcome is unknown. Repeat the command with --key op-abc.\n"
