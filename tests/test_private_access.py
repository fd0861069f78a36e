"""Tests speak to public interfaces: each access to a private name carries its reason, and there are few.

A test of a private name fails when the code is rearranged, although nothing is broken. A planted fault must go inside
the code, and some facts have no public trace: those lines end with `# private: REASON`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.syntax import parsed

TESTS = Path(__file__).parent
LINES_MAX = 63  # three for faults of tickets and for clubs' sit-and-gos, which have no public trace
PRIVATE = re.compile(r"_(?!replace$|asdict$)[A-Za-z]\w*")  # those of a named tuple are public
REASON = re.compile(r"# private: \w")
MAY_ACCESS = re.compile(
    r"(?<!\bself)(?<!\bcls)\._[A-Za-z]|['\"]_[A-Za-z]\w*['\"]|\bimport\b.*\b_[A-Za-z]|^\s+_[A-Za-z]\w*,?$",
    re.MULTILINE,
)
"""What is in every file with such an access: to take the others apart takes seconds."""
BY_NAME = {"getattr", "setattr", "delattr", "object", "plant"}
"""Functions that take the name of a member as a string."""


def private_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The line and the name of each access to a private name of another object or module."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                continue
            case ast.Attribute(attr=name) if PRIVATE.fullmatch(name):
                yield node.end_lineno or node.lineno, name
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called in BY_NAME:
                for argument in node.args:
                    match argument:
                        case ast.Constant(value=str(name)) if PRIVATE.fullmatch(name):
                            yield argument.lineno, name
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("pokerroom"):
                yield from ((node.lineno, alias.name) for alias in names if PRIVATE.fullmatch(alias.name))


@cache
def accesses() -> list[tuple[str, str]]:
    """Each line with such an access: where it is, and its text."""
    found = []
    for path in sorted(TESTS.rglob("*.py")):
        text, name = path.read_text(), path.relative_to(TESTS).as_posix()
        if MAY_ACCESS.search(text) is None:
            continue
        lines = text.splitlines()
        numbers = sorted({number for number, _ in private_names(parsed(text))})
        found += [(f"{name}:{number}", lines[number - 1]) for number in numbers]
    return found


def test_each_access_to_a_private_name_has_its_reason():
    """The reason stands on the same line."""
    assert [where for where, line in accesses() if not REASON.search(line)] == []


def test_few_lines_access_private_names():
    """A new one replaces another, or gives a reason to raise the limit."""
    assert len(accesses()) <= LINES_MAX


def test_the_search_finds_each_way_to_a_private_name():
    """An attribute, a name in a string and an import; not an object's own members."""
    text = "from pokerroom.a import _b\nx._c\nsetattr(x, '_d', 1)\nplant(m, x, '_e', f)\nself._f\nx.__class__\nx.g\n"
    assert sorted(private_names(ast.parse(text))) == [(1, "_b"), (2, "_c"), (3, "_d"), (4, "_e")]
