"""Small faults in the ledger's SQL functions: words and operators outside of texts and comments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.mutants.operators import Mutant

OWNER_URL = pytest.StashKey[str]()
"""The address of the server on which the functions are replaced."""

FUNCTION = re.compile(r"CREATE OR REPLACE FUNCTION (\w+)\(.*?\$\$;", re.DOTALL)
TOKEN = re.compile(
    r"--[^\n]*|'(?:[^']|'')*'|:=|=>|\|\||->>?|::|\bPERFORM [^;]*;|<=|>=|<>|<|>|=|\+|-"
    r"|\b(?:AND|OR|IS NOT NULL|IS NULL|NOT|true|false)\b|(?<![\w$.])\d+\b"
)
CHANGES = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "<>", "<>": "=", "+": "-", "-": "+", "AND": "OR", "OR": "AND",
    "IS NULL": "IS NOT NULL", "IS NOT NULL": "IS NULL", "NOT": "", "true": "false", "false": "true",
}  # fmt: skip


def _changes(source: str) -> Iterator[tuple[str, int, int, str]]:
    """(function, where, where it ends, what comes there instead) of each."""
    for function in FUNCTION.finditer(source):
        at = source.index("$$", function.start())
        for token in TOKEN.finditer(source, at, function.end()):
            word = token[0]
            if word.startswith("PERFORM "):
                yield function[1], token.start(), token.end(), "NULL;"
            elif word.isdigit():
                yield function[1], token.start(), token.end(), str(int(word) + 1)
            elif word in CHANGES:
                yield function[1], token.start(), token.end(), CHANGES[word]


def mutated(source: str, number: int) -> str:
    """The file with the change of that number."""
    _, start, end, after = list(_changes(source))[number]
    return source[:start] + after + source[end:]


def mutants_of(root: Path, file: str) -> list[Mutant]:
    """All of a file, in its order."""
    source = (root / file).read_text()
    found: list[Mutant] = []
    for number, (function, start, end, after) in enumerate(_changes(source)):
        line = source.count("\n", 0, start) + 1
        first, last = source.rfind("\n", 0, start) + 1, source.find("\n", start)
        mutant = Mutant(
            file=file,
            function=function,
            number=number,
            lines=(line, line),
            before=source[first:last].strip(),
            after=f"{source[first:start]}{after}{source[end : max(end, last)]}".strip(),
        )
        found.append(mutant)
    return found


def _texts(tree: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Texts and names of a module, each with its first and last line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value, node.lineno, node.end_lineno or node.lineno
        elif isinstance(node, ast.Name):
            yield node.id, node.lineno, node.lineno


@cache
def _lines_of_names(root: Path) -> dict[str, dict[str, int]]:
    """Of each function the lines of the adapter that name it, or a function that calls it, as bits by file.

    A constant with a text of SQL stands for the text where it is used.
    """
    schema = root / "pokerroom/ledger/schema/functions"
    bodies = {one[1]: one[0] for path in schema.glob("*.sql") for one in FUNCTION.finditer(path.read_text())}
    named: dict[str, dict[str, int]] = {name: {} for name in bodies}
    words = [rf"{name}(?=\()" for name in bodies]
    adapter = {
        path: ast.parse(path.read_text()) for path in (root / "pokerroom/ledger/postgres").glob("*.py")
    }
    for tree in adapter.values():
        for node in tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                bodies[ast.unparse(target)] = ast.unparse(node)
                words.append(re.escape(ast.unparse(target)))
    word = re.compile("|".join(rf"\b{one}(?!\w)" for one in words))
    calls = {name: set(word.findall(body)) - {name} for name, body in bodies.items()}
    for path, tree in adapter.items():
        file = str(path.relative_to(root))
        for text, first, last in _texts(tree):
            reached, waiting = set(), set(word.findall(text))
            while waiting:
                name = waiting.pop()
                reached.add(name)
                waiting |= calls[name] - reached
            for name in reached & named.keys():
                lines = named[name]
                lines[file] = lines.get(file, 0) | sum(1 << line for line in range(first, last + 1))
    return named


def callers(root: Path, function: str) -> dict[str, int]:
    """The lines of the adapter behind which the function runs, as bits by file; none for a trigger."""
    return _lines_of_names(root).get(function, {})
