"""Small faults in Python: each operator changes one node of a syntax tree, and the lines keep their numbers.

What no test can or should notice is left alone: annotations, decorators and options of classes, docstrings, asserts,
texts of errors, log lines, and checks that raise `InvariantBroken` or `AssertionError`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
NEGATED = ast.Eq | ast.NotEq | ast.Is | ast.IsNot | ast.In | ast.NotIn
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
}  # fmt: skip
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}
LOGS = {"log", "_log", "logger", "get_logger"}
INVARIANTS = {"InvariantBroken", "AssertionError", "assert_never", "check_chips"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One fault. `number` is its place among those of the file, `lines` are the first and the last it stands on.

    `function` is the qualified name of the function that has it; without one it is code that an import runs.
    """

    file: str
    function: str
    number: int
    lines: tuple[int, int]
    before: str
    after: str
    repeated: int = 0
    """How many earlier ones of the function look the same."""

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What names it in the list of equivalent ones, wherever the lines move."""
        return self.file, self.function, self.before, self.after, self.repeated


def _of(node: ast.AST, **changes: Any) -> Any:
    """A copy of the node with other fields, at the same place."""
    changed = copy(node)
    for name, value in changes.items():
        setattr(changed, name, value)
    return changed


def _without(items: list[Any], at: int) -> list[Any]:
    return items[:at] + items[at + 1 :]


def faulty(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in place of the node."""
    yield from _faulty_condition(node)
    yield from _faulty_amount(node)
    yield from _faulty_call(node)
    yield from _faulty_statement(node)


def _faulty_condition(node: ast.AST) -> Iterator[ast.AST]:
    """Other comparisons, negations, and conditions or parts of them that are dropped."""
    match node:
        case ast.Compare(ops=ops):
            for at, op in enumerate(ops):
                yield _of(node, ops=[*ops[:at], COMPARISONS[type(op)](), *ops[at + 1 :]])
        case ast.BoolOp(op=op, values=values):
            yield _of(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
            for at in range(len(values)):
                rest = _without(values, at)
                yield rest[0] if len(rest) == 1 else _of(node, values=rest)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            if not _is_negated_elsewhere(test):
                yield _of(node, test=ast.copy_location(ast.UnaryOp(ast.Not(), test), test))
        case ast.comprehension(ifs=ifs):
            for at in range(len(ifs)):
                yield _of(node, ifs=_without(ifs, at))


def _faulty_amount(node: ast.AST) -> Iterator[ast.AST]:
    """Other arithmetic, numbers and truth values."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            yield operand
        case ast.BinOp(op=op) if type(op) in ARITHMETIC:
            yield _of(node, op=ARITHMETIC[type(op)]())
        case ast.Constant(value=bool(value)):
            yield _of(node, value=not value)
        case ast.Constant(value=int(value)):
            yield _of(node, value=value + 1)
            if value:
                yield _of(node, value=value - 1)


def _faulty_call(node: ast.AST) -> Iterator[ast.AST]:
    """Another function, or arguments in another order."""
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
            yield _of(node, func=_of(node.func, id=FUNCTIONS[name]))
        case ast.Call(args=args):
            for at, pair in enumerate(pairwise(args)):
                if not any(isinstance(one, ast.Starred) for one in pair):
                    yield _of(node, args=[*args[:at], *reversed(pair), *args[at + 2 :]])


def _is_negated_elsewhere(test: ast.expr) -> bool:
    """Whether another operator negates the condition already."""
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Compare(ops=[op]):
            return isinstance(op, NEGATED)
    return False


def _faulty_statement(node: ast.AST) -> Iterator[ast.AST]:
    """Statements that are dropped."""
    match node:
        case ast.Expr(value=ast.Call() | ast.Await() | ast.Yield()) | ast.Delete() | ast.Return():
            yield ast.copy_location(ast.Pass(), node)
        case ast.Raise() | ast.Continue() | ast.Break():
            yield ast.copy_location(ast.Pass(), node)
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]):
            yield ast.copy_location(ast.Pass(), node)
        case ast.AugAssign(op=op):
            yield ast.copy_location(ast.Pass(), node)
            if type(op) in ARITHMETIC:
                yield _of(node, op=ARITHMETIC[type(op)]())


def _called(node: ast.AST | None) -> set[str]:
    """The last two parts of the name of what is called or raised."""
    match node:
        case ast.Call(func=func):
            return _called(func)
        case ast.Await(value=value):
            return _called(value)
        case ast.Attribute(value=ast.Call(func=func), attr=attr):
            return {attr} | _called(func)
        case ast.Attribute(value=value, attr=attr):
            return {attr, value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")}
        case ast.Name(id=name):
            return {name}
    return set()


def _is_left_alone(node: ast.AST) -> bool:
    match node:
        case ast.Assert() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return True
        case ast.Expr(value=ast.Constant()) | ast.keyword(arg="strict" | "frozen" | "kw_only"):
            return True
        case ast.Expr(value=ast.Call() as call):
            return bool(_called(call) & (LOGS | INVARIANTS))
        case ast.Raise(exc=exc):
            return bool(_called(exc) & INVARIANTS)
        case ast.If(body=[ast.Expr(value=ast.Call() as call)]) if _called(call) & INVARIANTS:
            return True
        case ast.If(test=test, body=[ast.Raise(exc=exc)]):
            return bool(_called(exc) & INVARIANTS) or "TYPE_CHECKING" in _called(test)
        case ast.If(test=test):
            return "TYPE_CHECKING" in _called(test)
        case ast.ClassDef(bases=bases):
            return any("Protocol" in _called(base) for base in bases)
    return False


UNSEEN_FIELDS = {"annotation", "returns", "decorator_list", "exc", "pattern"}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a node is kept, the statement that it is in, and the function: without one an import runs it."""

    kept: Any
    key: Any
    node: ast.AST
    statement: ast.AST
    function: str


def _places(node: ast.AST, statement: ast.AST, scope: str = "", function: str = "") -> Iterator[_Place]:
    """All nodes that may be changed, in their order. `scope` is the qualified name of the class or function."""
    for field, value in ast.iter_fields(node):
        if field in UNSEEN_FIELDS:
            continue
        many = isinstance(value, list)
        within = (
            scope
            if field == "body" and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            else function
        )
        for at, child in enumerate(value if many else [value]):
            if not isinstance(child, ast.AST) or _is_left_alone(child):
                continue
            around = child if isinstance(child, ast.stmt) else statement
            inner = scope
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{scope}.{child.name}".strip(".")
            if not (
                isinstance(child, ast.Return) and within == scope != function
            ):  # a function's result, always seen
                yield _Place(value if many else node.__dict__, at if many else field, child, around, within)
            yield from _places(child, around, inner, within)


def _changes(tree: ast.Module) -> Iterator[tuple[_Place, ast.AST]]:
    """Change the tree in one place after another; with each place comes its statement as it is now."""
    for place in list(_places(tree, tree)):
        for fault in faulty(place.node):
            place.kept[place.key] = fault
            yield place, fault if place.statement is place.node else place.statement
            place.kept[place.key] = place.node


def mutated(source: str, number: int) -> ast.Module:
    """The tree with the change of that number."""
    tree = ast.parse(source)
    for at, _ in enumerate(_changes(tree)):
        if at == number:
            return ast.fix_missing_locations(tree)
    raise IndexError(number)


def _header(statement: Any) -> tuple[int, int]:
    """The first and the last line of a statement, without the statements in it."""
    first, last = statement.lineno, statement.end_lineno
    inner = getattr(statement, "body", None)
    if isinstance(inner, list) and inner:
        last = max(first, inner[0].lineno - 1)
    if isinstance(statement, ast.Match):
        last = statement.subject.end_lineno
    return first, last


def mutants_of(root: Path, file: str) -> list[Mutant]:
    """All of a file, in its order."""
    tree = ast.parse((root / file).read_text())
    texts = {
        id(node): ast.unparse(node).splitlines() for node in ast.walk(tree) if isinstance(node, ast.stmt)
    }
    found: list[Mutant] = []
    for number, (place, changed) in enumerate(_changes(tree)):
        old, new = texts[id(place.statement)], ast.unparse(ast.fix_missing_locations(changed)).splitlines()
        before, after = next((pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]), ("", ""))
        if before != after:
            mutant = Mutant(
                file=file,
                function=place.function,
                number=number,
                lines=_header(place.statement),
                before=before.strip(),
                after=after.strip(),
            )
            repeated = sum(one.key[:4] == mutant.key[:4] for one in found)
            found.append(replace(mutant, repeated=repeated))
    return found
