"""Syntax trees of source files, for the tests that read many of them."""

import ast
import gc
from collections.abc import Iterator

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def parsed(text: str) -> ast.Module:
    """The tree. No garbage collection runs meanwhile: it looks at each new node, and takes longer than the parser."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(text)
    finally:
        if collecting:
            gc.enable()


def definitions(tree: ast.Module) -> Iterator[Definition]:
    """Each class and function of a module, also those inside of others. Only statements are looked at."""
    nodes: list[ast.AST] = [tree]
    for node in nodes:  # it grows
        if isinstance(node, Definition):
            yield node
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            nodes.extend(getattr(node, field, ()))
