"""How a run went beside C1 to C8: nodes that ended by themselves, exit codes, logs, the audit, faults that never came.

Each is a violation under a word of its own:

    ended     a node ended, or was started again, without being killed by the run
    exit      a node did not end in order when it was asked to
    critical  a node logged a fault of its own
    audit     the room's own audit could not be made
    missed    too many faults did not come about, so that the run proves less than it says
    harness   the harness itself failed somewhere
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

Blame = Callable[[str, str, str, str], None]

TRIES: Final = 3
"""A kind that was tried so often must have come about once."""

MISSED_PART_MAX: Final = 1 / 3
"""Of all tries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What is known at the end. `no_audit` says why there is none; `tried` and `missed` count faults by kind."""

    ended: int
    codes: Sequence[int]
    criticals: Mapping[str, int]
    no_audit: str | None
    tried: Counter[str]
    missed: Counter[str]
    harness_faults: int


def check_outcome(outcome: Outcome, blame: Blame) -> None:
    """See the module."""
    if outcome.ended:
        blame("ended", "", "", f"{outcome.ended} times a node ended that nobody had killed")
    if any(outcome.codes):
        blame("exit", "", "", f"the nodes ended with {list(outcome.codes)} after SIGTERM")
    for event, count in outcome.criticals.items():
        blame("critical", "", "", f"{event} is {count} times in the nodes' logs")
    if outcome.no_audit is not None:
        blame("audit", "", "", f"no audit could be made: {outcome.no_audit}")
    for line in _missed(outcome.tried, outcome.missed):
        blame("missed", "", "", line)
    if outcome.harness_faults:
        blame("harness", "", "", f"{outcome.harness_faults} tasks of the harness have failed")


def _missed(tried: Counter[str], missed: Counter[str]) -> list[str]:
    found = [
        f"{kind} was tried {count} times and never came about"
        for kind, count in sorted(tried.items())
        if count >= TRIES and missed[kind] == count
    ]
    if missed.total() == tried.total():
        return [*found, f"none of {tried.total()} faults came about"]
    if missed.total() > MISSED_PART_MAX * tried.total():
        found.append(f"{missed.total()} of {tried.total()} faults did not come about: {dict(missed)}")
    return found


def criticals(lines: Sequence[str]) -> dict[str, int]:
    """What nodes logged as critical, by the name of the event; and tracebacks and unhandled errors past the log."""
    found: Counter[str] = Counter()
    for line in lines:
        if said := _read(line):
            if said.get("level") == "critical":
                found[str(said.get("event"))] += 1
        elif line.startswith("Traceback") or "Unhandled" in line:
            found[line[:60]] += 1
    return dict(found)


def missing_entries(lines: Sequence[str]) -> dict[str, list[float]]:
    """Table -> when a node logged that entries of its journal are missing in Redis, by the wall clock.

    A journal that was sealed by another owner, under a greater epoch, has none missing.
    """
    found: defaultdict[str, list[float]] = defaultdict(list)
    for said in filter(None, map(_read, lines)):
        event, last = said.get("event"), said.get("last")
        if event == "journal.torn" or (event == "journal.sealed" and (last is None or last <= said["epoch"])):
            found[said["table"]].append(datetime.fromisoformat(said["timestamp"]).timestamp())
    return dict(found)


def _read(line: str) -> dict[str, Any]:
    """What a node logged; empty for a line past the log, or one in the middle of which it was killed."""
    try:
        said = json.loads(line) if line.startswith("{") else {}
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def log_lines(logs: Path) -> list[str]:
    """All that the nodes have written."""
    return [
        line
        for path in sorted(logs.glob("node-*.log"))
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
    ]
