"""What may be compiled: mypyc takes more than it keeps, so the list of modules in pyproject.toml has conditions."""

import ast
import importlib
import pkgutil
import tomllib
from collections.abc import Iterator
from enum import EnumType
from pathlib import Path
from typing import Any, Protocol

import msgspec
import pytest
from msgspec import inspect

import pokerroom

ROOT = Path(__file__).parents[1]
HOOK = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"][
    "hooks"
]["mypyc"]
MODULES = sorted(
    {path for pattern in HOOK["include"] for path in ROOT.glob(pattern)}
    - {path for pattern in HOOK["exclude"] for path in ROOT.glob(pattern)}
)


def names_of(modules: list[Path]) -> set[str]:
    return {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in modules}


def test_each_pattern_finds_a_module():
    """A module that was renamed would silently be interpreted, or compiled."""
    for pattern in HOOK["include"] + HOOK["exclude"]:
        assert list(ROOT.glob(pattern)), pattern


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_compiled_module_has_nothing_that_the_compiler_changes(path):
    """No `Struct`: it would lose `frozen` and its tag. No wait in an `except`: the exception would go on meanwhile.

    No decorator of a class but `dataclass`: each method would be looked up and called as an interpreted one is.
    """
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            assert not {"Struct", "msgspec.Struct"} & set(map(ast.unparse, node.bases)), node.name
            assert all(ast.unparse(one).startswith("dataclass") for one in node.decorator_list), node.name
        if isinstance(node, ast.ExceptHandler):
            waits = [one for one in ast.walk(node) if isinstance(one, ast.Await | ast.Yield | ast.YieldFrom)]
            assert not waits, f"line {node.lineno}"


@pytest.fixture(scope="module", autouse=True)
def _all_modules():
    for module in pkgutil.walk_packages(pokerroom.__path__, "pokerroom."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def test_no_interpreted_class_extends_a_compiled_one():
    """No object of such a class could be made. A protocol is not compiled to a class of C."""
    compiled = names_of(MODULES)
    classes = {one for one in _below(object) if str(one.__module__).startswith("pokerroom.")}
    for one in classes:
        bases = {base for base in one.__bases__ if base.__module__ in compiled and not is_protocol(base)}
        assert not bases or one.__module__ in compiled, (one, bases)


def test_what_is_read_by_its_annotations_keeps_them():
    """Compiled, `dict[int, Post]` is `dict`, and `int | None` is `type`."""
    compiled, found = names_of(MODULES), set()
    for struct in _below(msgspec.Struct):
        if struct.__module__.startswith("pokerroom."):
            found |= set(_dataclasses(inspect.type_info(struct), set()))

    read = {one for one in found if one.__module__ in compiled}
    assert read, "there are such classes"
    for one in read:
        for name, annotation in one.__annotations__.items():
            assert type(annotation) in {type, EnumType}, (one, name)


def is_protocol(one: type) -> bool:
    return Protocol in one.__bases__


def _below(struct: type) -> Iterator[type]:
    for one in type.__subclasses__(struct):
        yield one
        yield from _below(one)


def _dataclasses(found: Any, seen: set[type]) -> Iterator[type]:
    """The dataclasses that are read as part of a type."""
    if isinstance(found, inspect.DataclassType | inspect.StructType):
        if found.cls in seen:
            return
        seen.add(found.cls)
        if isinstance(found, inspect.DataclassType):
            yield found.cls
        parts = [field.type for field in found.fields]
    else:
        single = (getattr(found, name, None) for name in ("item_type", "key_type", "value_type"))
        parts = [one for one in single if one is not None]
        parts += [*getattr(found, "types", ()), *getattr(found, "item_types", ())]
    for part in parts:
        yield from _dataclasses(part, seen)
