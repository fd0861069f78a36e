"""Each public method is described once, and each public class has a name of its own."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from tests.syntax import definitions, parsed

ROOT = Path(__file__).parent.parent
MODULES = [*(ROOT / "pokerroom").rglob("*.py"), *(ROOT / "protocol" / "python").rglob("*.py")]


@cache
def _classes() -> list[tuple[Path, ast.ClassDef]]:
    return [
        (path, node)
        for path in MODULES
        if "class " in (text := path.read_text())
        for node in definitions(parsed(text))
        if isinstance(node, ast.ClassDef)
    ]


@cache
def _methods(of: ast.ClassDef) -> dict[str, str | None]:
    found = [node for node in of.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {method.name: ast.get_docstring(method) for method in found}


@cache
def _names(of: ast.ClassDef) -> set[str]:
    """The classes that this one inherits from, or names in its docstring."""
    bases = {name.rsplit(".", 1)[-1].split("[")[0] for name in map(ast.unparse, of.bases)}
    return bases | {
        name.rsplit(".", 1)[-1] for name in re.findall(r"`([\w.]+)`", ast.get_docstring(of) or "")
    }


def test_a_public_method_has_a_docstring_or_its_class_names_where_it_has_one():
    """A class that says which protocol it implements does not repeat the docstrings of its methods."""
    classes = _classes()
    by_name: dict[str, list[ast.ClassDef]] = {}
    for _, node in classes:
        by_name.setdefault(node.name, []).append(node)

    def described(method: str, owner: ast.ClassDef, seen: frozenset[str] = frozenset()) -> bool:
        return bool(_methods(owner).get(method)) or any(
            described(method, other, seen | {name})
            for name in _names(owner) - seen
            for other in by_name.get(name, [])
        )

    lacking = [
        f"{path.relative_to(ROOT)}: {node.name}.{method}"
        for path, node in classes
        for method in _methods(node)
        if not (node.name.startswith("_") or method.startswith("_"))
        and not (described(method, node) or "`twisted." in (ast.get_docstring(node) or ""))
    ]
    assert lacking == []


def test_a_public_class_has_a_name_that_no_other_has():
    """One word for one thing: a search for the name finds one class."""
    homes: dict[str, list[str]] = {}
    for path, node in _classes():
        if not node.name.startswith("_"):
            homes.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}
