"""Each clause of the rules can be found: its letters stand in the code, and a test that checks something bears them.

This sees to the index, not to what it points at: whether the code keeps the clause is for those tests to say.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = [
    *(ROOT / "pokerroom/rules").rglob("*.py"),
    ROOT / "pokerroom/chips.py",
    ROOT / "pokerroom/table/shuffle.py",
]
TESTS = [path for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__)]
CLAUSES = [
    *("A1", "A2", "A3"),
    *("B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "B9"),
    *("C1", "C2", "C3"),
    *("D1", "D2", "D3", "D4", "D5", "D6"),
    *("E1", "E2"),
    *("F1", "F2", "F3"),
    *("G1", "G2", "G3", "G4"),
    *("H2", "H3"),
    *("H5", "I1", "I2", "I3", "J1", "K1"),
]
"""Those of hold'em that the rules keep. H1, H4, H6 and I4 are the table's."""


def cited(text: str) -> set[str]:
    """The clauses that a text names, each for itself: "D2", "(F1, K1)", not those of a range such as "B1-B8"."""
    return set(re.findall(r"\b[A-K]\d\b", re.sub(r"\b[A-I]\d-[A-I]\d\b", "", text)))


def named_for(path: Path) -> set[str]:
    """The clauses that tests of a file are named for: their sentence begins with them, and they check something."""
    clauses: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and checks(node):
            heading = LEADING.match(ast.get_docstring(node) or "")
            clauses |= cited(heading.group(1)) if heading else set()
    return clauses


def checks(test: ast.FunctionDef) -> bool:
    """Whether a test has something that can fail: an assert, an expected error, a call of a check."""
    found = [ast.unparse(node.func) for node in ast.walk(test) if isinstance(node, ast.Call)]
    return any(isinstance(node, ast.Assert) for node in ast.walk(test)) or any(
        name == "pytest.raises" or name.startswith("check_") for name in found
    )


LEADING = re.compile(r"([A-K]\d(?:, [A-K]\d)*)(?: \[D\])?:")
"""The clauses a test's sentence begins with: "D5: ...", "B5, F1: ...", "E2 [D]: ..."."""
IN_CODE = {clause for path in CODE for clause in cited(path.read_text())}
IN_TESTS = {clause for path in TESTS for clause in named_for(path)}


@pytest.mark.parametrize("clause", CLAUSES)
def test_a_clause_is_found(clause):
    """The clause's letters stand in the code, and at the head of a test's sentence."""
    assert clause in IN_CODE
    assert clause in IN_TESTS
