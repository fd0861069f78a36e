"""`pokerroom operator log`, and the head of the log in the room's own log."""

from __future__ import annotations

import json

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import fail
from twisted.internet.task import Clock

from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import Acting, LoggedAct
from pokerroom.operator_accounts import operator_account_commands
from pokerroom.ops.log_head import tell_log_head
from tests import commands
from tests.poker.support import now

DAY_S = 86_400


@pytest.fixture
def ledger() -> MemoryLedger:
    """Three lines, a day apart from each other, the first at 2023-11-14."""
    clock = Clock()
    clock.advance(1_700_000_000)
    ledger = MemoryLedger(clock.seconds)
    ann = Acting(who="ann", role="floor", reason="the disk is slow", address="192.0.2.7")
    now(
        ledger.record(
            LoggedAct(by=ann, verb="table.move", subject="T1", arguments={"node": "n2"}, result="ordered")
        )
    )
    clock.advance(DAY_S)
    now(ledger.record(LoggedAct(by=ann, verb="table.move", subject="T1", result="refused: already_there")))
    clock.advance(DAY_S)
    now(
        ledger.record(
            LoggedAct(by=Acting(who="local:ben"), verb="cashier.open", arguments={"source": "cash"})
        )
    )
    return ledger


def said(ledger: MemoryLedger, *arguments: str) -> str:
    """What the command prints."""
    result = commands.said(ledger, operator_account_commands, "log", *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_lines_are_printed_oldest_first(ledger):
    """With all that they tell."""
    first, _, third = said(ledger).splitlines()[1:]
    assert first.split() == [
        *("1", "2023-11-14", "22:13:20", "ann", "floor", "table.move", "T1", "node=n2", "ordered"),
        *("the", "disk", "is", "slow", "192.0.2.7"),
    ]
    assert third.split()[3:] == ["local:ben", "cashier.open", "source=cash", "done"]


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        ((), [1, 2, 3]),
        (("--who", "ann"), [1, 2]),
        (("--verb", "cashier"), [3]),
        (("--since", "2023-11-15"), [2, 3]),
        (("--since", "2023-11-15T22:13:21"), [3]),
        (("--limit", "2"), [2, 3]),
    ],
)
def test_lines_are_chosen(ledger, arguments, numbers):
    """By actor, verb and time; the limit keeps the newest. JSON has what a reader needs to check the hash."""
    lines = json.loads(said(ledger, "--json", *arguments))
    assert [line["n"] for line in lines] == numbers
    assert all(len(line["hash"]) == len(line["prev_hash"]) == 64 for line in lines)


def test_the_head_is_named_in_the_log_of_the_room(ledger):
    """As `pokerroom audit --log-head` takes it; a ledger that is away is no fault."""
    with capture_logs() as logs:
        now(tell_log_head(ledger))
        ledger.log_head = lambda: fail(LedgerUnavailable("cut"))  # type: ignore[method-assign]
        now(tell_log_head(ledger))
    assert [entry["event"] for entry in logs] == ["operator_log.head", "operator_log.not_told"]
    assert logs[0]["head"].startswith("3:")
