"""The README of the hands names every code that a replay can answer with."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_code_is_named():
    """A code in the sources stands in the table, and the other way round."""
    folder = ROOT / "pokerroom/history"
    table = (folder / "README.md").read_text().split("| `error`")[1]
    named = set(re.findall(r"`([a-z_]+)`", table)) - {"detail"}
    sources = "".join(path.read_text() for path in folder.glob("*.py"))
    raised = set(re.findall(r'UnreadableHand\(\s*"([a-z_]+)"', sources))
    raised |= set(re.findall(r'"(stacks_differ|hand_unfinished|broken_invariant|missing_field)"', sources))
    refusals = (ROOT / "pokerroom/rules/errors.py").read_text().split("class InvariantBroken")[0]
    refused = set(re.findall(r"`([a-z_]+)`", refusals)) - {"code", "fold_instead"}

    assert named == raised | refused
