"""What goes wrong beside the eight checks is a violation, too, under its own word."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.chaos.evidence import Evidence
from tests.chaos.outcome import Outcome, check_outcome, criticals, missing_entries

FINE = Outcome(
    ended=0,
    codes=(0, 0),
    criticals={},
    no_audit=None,
    tried=Counter(kill=6, cut=6),
    missed=Counter(kill=2),
    harness_faults=0,
)


def found(outcome: Outcome) -> list[str]:
    seen = Evidence(lambda: 0.0)
    check_outcome(outcome, seen.blame)
    assert seen.violation_count == seen.by_check.total()
    return [violation.check for violation in seen.violations]


def test_a_run_that_went_well_is_found_well():
    """A fault that did not come about now and then is none of the room's."""
    assert found(FINE) == []


@pytest.mark.parametrize(
    ("outcome", "word"),
    [
        (replace(FINE, ended=1), "ended"),
        (replace(FINE, codes=(0, 1)), "exit"),
        (replace(FINE, criticals={"table.fault": 1}), "critical"),
        (replace(FINE, no_audit="no such command"), "audit"),
        (replace(FINE, missed=Counter(kill=5)), "missed"),
        (replace(FINE, tried=Counter(kill=3, cut=9), missed=Counter(kill=3)), "missed"),
        (replace(FINE, tried=Counter(kill=1), missed=Counter(kill=1)), "missed"),
        (replace(FINE, tried=Counter(), missed=Counter()), "missed"),
        (replace(FINE, harness_faults=1), "harness"),
    ],
)
def test_what_went_wrong_has_its_word(outcome, word):
    """An audit that could not be made is not said to have found something."""
    assert found(outcome) == [word]


def test_criticals_of_the_logs_are_counted_by_event():
    """Whatever else a line says; and what Python or Twisted print past the log."""
    lines = [
        '{"event": "table.fault", "level": "critical"}',
        '{"event": "table.fault", "level": "critical", "n": 2}',
        '{"event": "ledger.away", "level": "error", "reason": "not \\"critical\\""}',
        '{"event": "cut off in the midd',
        "Traceback (most recent call last):",
    ]
    assert criticals(lines) == {"table.fault": 2, "Traceback (most recent call last):": 1}


def test_missing_entries_are_those_that_no_other_owner_accounts_for():
    """A journal that another owner has sealed is under that one's epoch."""
    sealed = '{"table": "%s", "epoch": 4, "last": %s, "event": "journal.sealed", "timestamp": "%s"}'
    at = "1970-01-01T00:00:%02d.500000Z"
    lines = [
        sealed % ("t-1", 4, at % 1),
        sealed % ("t-1", "null", at % 2),
        sealed % ("t-2", 5, at % 3),
        '{"table": "t-3", "event": "journal.torn", "timestamp": "%s"}' % (at % 4),
        '{"table": "t-4", "event": "journal.se',
        "past the log",
    ]
    assert missing_entries(lines) == {"t-1": [1.5, 2.5], "t-3": [4.5]}
