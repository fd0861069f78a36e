"""Mutated code in a running process: the functions that exist get the code of the mutated module.

So decorated functions, methods of slotted classes, handlers of state machines and closures are mutated where they are.
What only an import runs, and functions that an import has called, are mutated before the import instead.
"""

from __future__ import annotations

import gc
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

from tests.mutants.operators import mutated


def functions_of(package: Path) -> dict[str, list[FunctionType]]:
    """By file, all functions there are."""
    found: dict[str, list[FunctionType]] = defaultdict(list)
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename.startswith(str(package)):
            found[one.__code__.co_filename].append(one)
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _by_name(codes: Iterator[CodeType]) -> dict[tuple[str, int], list[CodeType]]:
    named: dict[tuple[str, int], list[CodeType]] = defaultdict(list)
    for code in codes:
        named[code.co_qualname, code.co_firstlineno].append(code)
    return named


class NotSwappedError(Exception):
    """Raised where the functions that exist cannot get the mutated code."""


def swap(functions: list[FunctionType], path: Path, number: int) -> None:
    """Give the functions of a file the code that they have after the change of that number.

    Raises `NotSwappedError`.
    """
    swapped = False
    source = path.read_text()
    old = _by_name(_codes(compile(source, str(path), "exec", dont_inherit=True)))
    new = _by_name(_codes(compile(mutated(source, number), str(path), "exec", dont_inherit=True)))
    for function in functions:
        name = function.__code__.co_qualname, function.__code__.co_firstlineno
        for before, after in zip(old[name], new[name], strict=False):
            if before == function.__code__ and before != after:
                if before.co_freevars != after.co_freevars:
                    raise NotSwappedError
                function.__code__ = after
                swapped = True
                break
    if not swapped:
        raise NotSwappedError


def import_mutated(path: Path, number: int) -> None:
    """From now on the file is imported with the change of that number."""
    compiled = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        if loader.path == str(path):
            return compile(mutated(path.read_text(), number), str(path), "exec", dont_inherit=True)
        return compiled(loader, name)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign] # of this process


class CalledByImports:
    """Which functions of a package imports of the package have called, by file and name. Ends with `stop`."""

    def __init__(self, package: Path) -> None:
        self._package = str(package)
        self.found: set[tuple[str, str]] = set()
        sys.setprofile(self._called)

    def _called(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(self._package) or code.co_name == "<module>":
            return
        outer = frame.f_back
        while outer is not None:
            if outer.f_code.co_name == "<module>":
                if outer.f_code.co_filename.startswith(self._package):
                    self.found.add((code.co_filename, code.co_qualname.replace(".<locals>", "")))
                return
            outer = outer.f_back

    @staticmethod
    def stop() -> None:
        sys.setprofile(None)
