"""Each public method is described once, and each public class has a name of its own."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.syntax import definitions, parsed

ROOT = Path(__file__).parent.parent
MODULES = [*(ROOT / "pokerroom").rglob("*.py"), *(ROOT / "protocol" / "python").rglob("*.py")]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Class:
    """What the tests ask of a class. Its syntax tree is not kept: each garbage collection would look at all of it."""

    path: str
    name: str
    docstring: str
    methods: dict[str, bool]
    """Whether each has a docstring."""
    related: frozenset[str]
    """The classes that this one inherits from, or names in its docstring."""


def _class(path: Path, node: ast.ClassDef) -> _Class:
    docstring = ast.get_docstring(node) or ""
    names = [*map(ast.unparse, node.bases), *re.findall(r"`([\w.]+)`", docstring)]
    methods = [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
    return _Class(
        path=str(path.relative_to(ROOT)),
        name=node.name,
        docstring=docstring,
        methods={method.name: bool(ast.get_docstring(method)) for method in methods},
        related=frozenset(name.rsplit(".", 1)[-1].split("[")[0] for name in names),
    )


@cache
def _classes() -> list[_Class]:
    return [
        _class(path, node)
        for path in MODULES
        if "class " in (text := path.read_text())
        for node in definitions(parsed(text))
        if isinstance(node, ast.ClassDef)
    ]


def test_a_public_method_has_a_docstring_or_its_class_names_where_it_has_one():
    """A class that says which protocol it implements does not repeat the docstrings of its methods."""
    by_name: dict[str, list[_Class]] = {}
    for one in _classes():
        by_name.setdefault(one.name, []).append(one)

    def described(method: str, owner: _Class, seen: frozenset[str] = frozenset()) -> bool:
        return owner.methods.get(method, False) or any(
            described(method, other, seen | {name})
            for name in owner.related - seen
            for other in by_name.get(name, [])
        )

    lacking = [
        f"{one.path}: {one.name}.{method}"
        for one in _classes()
        for method in one.methods
        if not (one.name.startswith("_") or method.startswith("_"))
        and not (described(method, one) or "`twisted." in one.docstring)
    ]
    assert lacking == []


def test_a_public_class_has_a_name_that_no_other_has():
    """One word for one thing: a search for the name finds one class."""
    homes: dict[str, list[str]] = {}
    for one in _classes():
        if not one.name.startswith("_"):
            homes.setdefault(one.name, []).append(one.path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}
