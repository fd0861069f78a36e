"""Faults of tables in the operators' log."""

import pytest
from twisted.internet.defer import fail

from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ops.fault_log import FaultLog


@pytest.fixture
def ledger():
    return MemoryLedger()


def lines(run, ledger):
    found = run(ledger.log_lines(LogQuery(verb="table")))[::-1]
    return [(line.by.who, line.verb, line.subject, line.named()) for line in found]


def test_new_faults_of_a_table_are_a_line(run, ledger):
    """Each once; a table without faults has none, and one that comes back to this node begins at 0."""
    faults = {"t1": (0, False), "t2": (2, True)}
    log = FaultLog(ledger, lambda: faults)
    run(log.run())
    run(log.run())
    first = ("room", "table.fault", "t2", {"faults": 2, "frozen": True})
    assert lines(run, ledger) == [first]
    faults["t2"] = (3, False)
    run(log.run())
    second = ("room", "table.fault", "t2", {"faults": 1, "frozen": False})
    del faults["t2"]
    run(log.run())
    faults["t2"] = (1, True)
    run(log.run())
    assert lines(run, ledger) == [first, second, ("room", "table.fault", "t2", {"faults": 1, "frozen": True})]


def test_a_fault_that_cannot_be_logged_is_logged_later(run, ledger, monkeypatch):
    """The ledger may be what has failed."""
    log = FaultLog(ledger, lambda: {"t1": (1, True)})
    with monkeypatch.context() as away:
        away.setattr(ledger, "record_rarely", lambda _: fail(LedgerUnavailable("away")))
        run(log.run())
    assert lines(run, ledger) == []
    run(log.run())
    assert len(lines(run, ledger)) == 1
