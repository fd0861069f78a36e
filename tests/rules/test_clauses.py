"""Each clause of the rules is found from the code that keeps it, and from a test that says so."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = [
    *(ROOT / "pokerroom/rules").glob("*.py"),
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
    *("I2", "J", "K"),
]
"""Those of hold'em that the rules keep. H1, H4 to H6 and I4 are the table's; I1 and I3 the tournament's."""


def cited(text: str) -> set[str]:
    """The clauses that a text names, each for itself: "D2", "(F1, K)", not those of a range such as "B1-B8"."""
    return set(re.findall(r"\b[A-I]\d\b|\b[JK]\b", re.sub(r"\b[A-I]\d-[A-I]\d\b", "", text)))


def docstrings(path: Path) -> list[str]:
    """What the tests of a file say they show."""
    tree = ast.parse(path.read_text())
    named = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [ast.get_docstring(node) or "" for node in named if node.name.startswith("test_")]


IN_CODE = {clause for path in CODE for clause in cited(path.read_text())}
IN_TESTS = {clause for path in TESTS for text in docstrings(path) for clause in cited(text)}


@pytest.mark.parametrize("clause", CLAUSES)
def test_a_clause_is_found(clause):
    """The clause stands in the code, and in the sentence of a test."""
    assert clause in IN_CODE
    assert clause in IN_TESTS
