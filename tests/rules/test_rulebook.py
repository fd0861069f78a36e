"""The rulebook, the code and the tests cite the same clauses.

A citation names one or more clauses by their anchors. It has one of three forms:

* at the head of a docstring or comment, before a colon: "D5: ...", "B5, F1: ...", "E2 [D]: ...", or a comment that is
  the anchors alone;
* in parentheses: "(F1)", "(B1-B8)", "(dead button, B3)", "(C2, G3) [D]";
* after a word for it: "by E2", "see B4", "clause H2".

Anything else that looks like an anchor is none: A3 paper, the F1 key, hexadecimal digits.
"""

import ast
import io
import json
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from tests.syntax import definitions, parsed

ROOT = Path(__file__).parents[2]
RULEBOOK = sorted((ROOT / "pokerroom/rules").rglob("RULES.md"))

ANCHOR = r"[A-LU][1-9]\d?"
LIST = rf"{ANCHOR}(?:(?:, | and | to |-){ANCHOR})*"
CITATIONS = (
    re.compile(rf"^\W*({LIST})(?: \[D\])?(?:[:.]|, |\s*$)", re.MULTILINE),
    re.compile(rf"\((?:[^()]*[,;:] )??({LIST})(?:,? \[D\]|[,;:] [^()]*)?\)"),
    re.compile(rf"\b(?:by|By|see|See|clauses?) ({LIST})\b"),
)
RANGE = re.compile(r"([A-LU])(\d+)(?:-| to )\1(\d+)")
MAY_CITE = re.compile(rf"\b{ANCHOR}\b|_[a-lu][1-9]\d?(?![a-z0-9])")
"""What is in every file that cites a clause: to take most other files apart takes seconds."""


def cited(text: str) -> set[str]:
    """The clauses that a comment, docstring or message cites."""
    found = set()
    for citation in CITATIONS:
        for match in citation.finditer(text):
            found |= set(re.findall(ANCHOR, match.group(1)))
            for letter, first, last in RANGE.findall(match.group(1)):
                found |= {f"{letter}{number}" for number in range(int(first), int(last) + 1)}
    return found


def prose(path: Path) -> Iterator[str]:
    """Comments and strings of a Python file, each for itself; other files line by line."""
    text = path.read_text()
    if MAY_CITE.search(text) is None:
        return
    if path.suffix != ".py":
        yield from text.splitlines()
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
        elif token.type in {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", None)}:
            yield token.string.strip("rbfu").strip("\"'")


@cache
def product() -> list[tuple[str, str]]:
    """Each piece of prose in which the room's and the protocol's files may cite a clause, with the file's name."""
    folders = [ROOT / "pokerroom", ROOT / "protocol"]
    paths = [path for folder in folders for path in folder.rglob("*") if path.suffix in {".py", ".sql"}]
    return [
        (str(path.relative_to(ROOT)), text)
        for path in paths
        for text in prose(path)
        if re.search(ANCHOR, text) is not None
    ]


def clauses() -> list[tuple[str, str]]:
    """(anchor, text) of every clause of the rulebook."""
    parts = [re.split(r"^### ", path.read_text(), flags=re.MULTILINE)[1:] for path in RULEBOOK]
    headed = [re.match(rf"({ANCHOR})\. (.*)", part, re.DOTALL) for part in chain.from_iterable(parts)]
    assert all(headed), "a heading of a clause is its anchor, a point and its name"
    return [(clause.group(1), clause.group(2)) for clause in headed if clause]


CLAUSES = dict(clauses())


def checks(test: ast.FunctionDef) -> bool:
    """Whether a test has something that can fail: an assert, an expected error, a call of a check."""
    called = [ast.unparse(node.func) for node in ast.walk(test) if isinstance(node, ast.Call)]
    return any(isinstance(node, ast.Assert) for node in ast.walk(test)) or any(
        name in {"pytest.raises", "refused"} or name.startswith(("check", "assert")) for name in called
    )


def cited_by_tests() -> set[str]:
    """The clauses that the docstring of a test cites, or its name: `test_b7_...`."""
    found: set[str] = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        text = path.read_text()
        for node in definitions(parsed(text)) if MAY_CITE.search(text) else ():
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                own = cited(ast.get_docstring(node) or "")
                own |= {word.upper() for word in node.name.split("_") if re.fullmatch(ANCHOR, word.upper())}
                if own and checks(node):
                    found |= own
    return found


def test_anchors_are_unique():
    """No two clauses have one anchor, wherever they are."""
    counted = Counter(anchor for anchor, _ in clauses())

    assert len(counted) > 50
    assert [anchor for anchor, number in counted.items() if number > 1] == []


def test_every_clause_is_cited_by_a_test():
    """At least one test that can fail cites the clause, in its name or its docstring."""
    assert set(CLAUSES) - cited_by_tests() == set()


@pytest.mark.parametrize("anchor", CLAUSES)
def test_a_clause_names_its_source(anchor):
    """Every clause says where it comes from, and what the house chose where the source says nothing."""
    text = CLAUSES[anchor]

    assert re.search(r"^Source: ", text, re.MULTILINE)
    assert "Source: none" not in text or "House choice: all of this clause." in text


def test_every_citation_is_a_clause():
    """Every clause that the code cites is in the rulebook."""
    unknown = {(name, anchor) for name, text in product() for anchor in cited(text) - set(CLAUSES)}

    assert unknown == set()


def test_every_rule_case_is_of_a_clause():
    """The small hands of `rule_cases.json` name the clause that they show."""
    cases = json.loads(Path(__file__).with_name("rule_cases.json").read_text())

    assert {case["clause"] for case in cases} <= set(CLAUSES)


def test_every_house_choice_of_the_code_is_in_the_rulebook():
    """A clause that the code cites beside `[D]` has a house choice."""
    marked = {
        (name, anchor)
        for name, text in product()
        for sentence in re.findall(r"[^.;\n]*\[D\]", text)
        for anchor in cited(sentence)
    }

    assert marked
    assert {mark for mark in marked if "House choice: " not in CLAUSES[mark[1]]} == set()


@pytest.mark.parametrize(
    ("text", "anchors"),
    [
        ("D5: the cap", {"D5"}),
        ("B5, F1: short", {"B5", "F1"}),
        ("E2 [D]: half", {"E2"}),
        ("# B9", {"B9"}),
        ("between hands (B1-B4)", {"B1", "B2", "B3", "B4"}),
        ("the next (dead button, B3) and so on", {"B3"}),
        ("chips were lost or made (A2)", {"A2"}),
        ("matched like a bet (F2, U18) [D]", {"F2", "U18"}),
        ("by E2 it is", {"E2"}),
        ("printed on A3 paper (size A3)", set()),
        ("press F1 for help", set()),
        ("the bytes (A1 B2 C3), 0xA1, \\xE2", set()),
        ("(RRP 4-2) and (TDA 47-A)", set()),
        ("the key D10F and AB12", set()),
        ("U235", set()),
    ],
)
def test_what_is_a_citation(text, anchors):
    """The pattern finds what is meant as a citation, and nothing that only looks like one."""
    assert cited(text) == anchors
