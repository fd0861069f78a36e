"""`pokerroom hand`: an operator reads a hand, with the key."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pokerroom.chips import Money
from pokerroom.history.cli import hand_command
from pokerroom.history.hidden_cards import HAND_RECORDS, with_hidden_cards
from pokerroom.ledger.api import HandSettlement
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.operators import Role, operator_token_hash
from pokerroom.ops.operator_client import local_acting
from pokerroom.table.seal import Seal
from tests import commands
from tests.poker.support import now

SEAL = Seal(bytes(32)).of(HAND_RECORDS)
SEATS = [{"seat": 1, "cards": ["As", "Ad"]}, {"seat": 2, "cards": ["Kh", "Kd"]}]


@pytest.fixture
def ledger() -> MemoryLedger:
    """With a hand in which seat 1 has shown."""
    ledger = MemoryLedger()
    accounts = [now(ledger.create_account(name, "hash", Money(500))).account for name in ("anna", "bert")]
    now(ledger.take_table("T1", "n1", 0))
    for seat, account in enumerate(accounts, 1):
        now(ledger.buy_in(f"buyin:{seat:032x}", "T1", 1, seat, account, Money(500), 4))
    record = with_hidden_cards({"hand_id": "h1", "seats": SEATS, "events": [["show", 1]]}, SEAL)
    deltas = tuple((account, 0) for account in accounts)
    settled = {"hand_id": "h1", "table": "T1", "epoch": 1, "started_ms": 1, "ended_ms": 2, "deltas": deltas}
    now(ledger.settle([HandSettlement(**settled, record=json.dumps(record).encode())]))
    return ledger


def said(ledger: MemoryLedger, seal: Seal | None, *arguments: str) -> Any:
    """What the command answers."""
    return commands.said(ledger, lambda on_ledger: hand_command(on_ledger, lambda: seal), *arguments)


def test_a_hand_is_printed_with_all_cards(ledger: MemoryLedger) -> None:
    """The look is a line of the operators' log."""
    result = said(ledger, SEAL, "h1", "--reason", "a dispute")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"hand_id": "h1", "seats": SEATS, "events": [["show", 1]]}
    (line,) = now(ledger.log_lines(LogQuery()))
    assert (line.verb, line.subject, line.by) == ("hand.read", "h1", local_acting("a dispute"))


def test_the_role_of_a_token_is_checked(ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    """An admin's name is in the log; another role looks at no cards, and the log tells that it tried."""
    for name, role in (("ann", Role.ADMIN), ("ben", Role.CASHIER)):
        now(ledger.add_operator(name, role, operator_token_hash(name)))
    monkeypatch.setenv("POKERROOM_OPERATOR_TOKEN", "ben")
    refused = said(ledger, SEAL, "h1")
    assert (refused.exit_code, refused.stdout) == (1, "")
    monkeypatch.setenv("POKERROOM_OPERATOR_TOKEN", "ann")
    assert said(ledger, SEAL, "h1").exit_code == 0
    lines = now(ledger.log_lines(LogQuery()))[:2]
    assert [(line.verb, line.by.who, line.result) for line in lines] == [
        ("hand.read", "ann", "done"),
        ("operator.refused", "ben", "refused: not_permitted"),
    ]


@pytest.mark.parametrize("seal", [None, Seal(b"another key of the room's kind..")])
def test_without_the_key_it_says_what_to_do(ledger: MemoryLedger, seal: Seal | None) -> None:
    """It names the key by its id and prints no half of a hand."""
    result = said(ledger, seal, "h1")
    assert (result.exit_code, result.stdout) == (1, "")
    assert (
        f"the key {SEAL.key_id}, which is not here: run this with the room's POKERROOM_JOURNAL_KEY"
        in result.stderr
    )


def test_a_hand_that_was_not_played_is_refused(ledger: MemoryLedger) -> None:
    """It has no line."""
    result = said(ledger, SEAL, "h2")
    assert (result.exit_code, result.stderr) == (1, "refused: no settled hand has the id h2\n")
    assert now(ledger.log_lines(LogQuery())) == []
