"""What is planted where, and that functions which exist get it."""

import importlib.util

import pytest

from tests.mutants import operators, statements
from tests.mutants.swap import NotSwappedError, functions_of, swap


def planted(tmp_path, source):
    """(before, after) of all mutants of a file with this source."""
    (tmp_path / "one.py").write_text(source)
    return [(mutant.before, mutant.after) for mutant in operators.mutants_of(tmp_path, "one.py")]


@pytest.mark.parametrize(
    ("line", "faults"),
    [
        ("a = b < c", ["a = b <= c"]),
        ("a = b in c", ["a = b not in c"]),
        ("a = b and c", ["a = b or c", "a = c", "a = b"]),
        ("a = not b", ["a = b"]),
        ("a = b - 2", ["a = b + 2", "a = b - 3", "a = b - 1"]),
        ("a = True", ["a = False"]),
        ("a = min(b, c)", ["a = max(b, c)"]),
        ("a = f(b, c)", ["a = f(c, b)"]),
        ("a = [b for b in c if b]", ["a = [b for b in c]"]),
        ("a.b = c", ["pass"]),
        ("a += b", ["pass", "a -= b"]),
        ("a()", ["pass"]),
    ],
)
def test_an_operator_changes_one_node(tmp_path, line, faults):
    """Each line has exactly these faults."""
    assert planted(tmp_path, line) == [(line, fault) for fault in faults]


def test_a_condition_is_negated_once(tmp_path):
    """By `not`, or by the opposite comparison."""
    assert planted(tmp_path, "if a:\n    b = c\nif a == b:\n    b = c") == [
        ("if a:", "if not a:"),
        ("if a == b:", "if a != b:"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "def f(a: int = b) -> list[2]:\n    '''Text 1.'''\n    return a",
        "assert a < 1",
        "if a < 1:\n    raise InvariantBroken('1')",
        "self._log.info('a', one=1)",
        "structlog.get_logger().info('a', one=1)",
        "@cache(1)\ndef f():\n    return a",
        "a = f'{1}'",
        "a = zip(b, strict=True)",
        "class A(Struct, frozen=True, kw_only=True):\n    a: int",
    ],
)
def test_what_no_test_can_notice_is_left_alone(tmp_path, source):
    """Annotations, docstrings, invariants, log lines, decorators and texts."""
    assert planted(tmp_path, source) == []


def test_functions_that_exist_get_the_mutated_code(tmp_path):
    """A cached function, a property of a slotted class and a closure are mutated where they are."""
    path = tmp_path / "planted_module.py"
    path.write_text(
        "from dataclasses import dataclass\nfrom functools import cache\n"
        "@cache\ndef cached(one):\n    return one + 10\n"
        "@dataclass(frozen=True, slots=True)\nclass Value:\n    one: int\n"
        "    @property\n    def more(self):\n        return self.one + 20\n"
        "def outer(one):\n    def inner():\n        return one + 30\n    return inner\n"
    )
    spec = importlib.util.spec_from_file_location("planted_module", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    inner = module.outer(1)
    mutants = operators.mutants_of(tmp_path, path.name)

    for after in ("return one - 10", "return self.one - 20", "return one - 30"):
        number = next(mutant.number for mutant in mutants if mutant.after == after)
        swap(functions_of(tmp_path)[str(path)], path, number)

    assert (module.cached(1), module.Value(1).more, inner(), module.outer(1)()) == (-9, -19, -29, -29)
    with pytest.raises(NotSwappedError):
        swap([], path, 0)


def test_sql_is_changed_outside_of_texts_and_comments(tmp_path):
    """Only in the bodies of functions."""
    source = (
        "SELECT 1 < 2;\nCREATE OR REPLACE FUNCTION f(a bigint) RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n"
        "    -- a < 1\n    IF a < 5 THEN\n        PERFORM refuse('a < 1');\n    END IF;\nEND $$;\n"
    )
    (tmp_path / "one.sql").write_text(source)

    found = statements.mutants_of(tmp_path, "one.sql")

    assert [(mutant.function, mutant.lines, mutant.after) for mutant in found] == [
        ("f", (5, 5), "IF a <= 5 THEN"),
        ("f", (5, 5), "IF a < 6 THEN"),
        ("f", (6, 6), "NULL;"),
    ]
    assert statements.mutated(source, 0) == source.replace("a < 5", "a <= 5")


def test_a_function_of_the_database_is_called_where_a_text_names_it(tmp_path):
    """Also on a later line of a text, in a constant, and by another function. A mere word is no call."""
    functions, adapter = (
        tmp_path / "pokerroom/ledger/schema/functions",
        tmp_path / "pokerroom/ledger/postgres",
    )
    functions.mkdir(parents=True)
    adapter.mkdir()
    begin = "RETURNS void LANGUAGE sql AS $$"
    (functions / "all.sql").write_text(
        f"CREATE OR REPLACE FUNCTION inner_one() {begin} SELECT 1 $$;\n"
        f"CREATE OR REPLACE FUNCTION outer_one() {begin} SELECT inner_one() $$;\n"
        f"CREATE OR REPLACE FUNCTION by_trigger() {begin} SELECT 1 $$;\n"
    )
    (adapter / "calls.py").write_text(
        'QUERY = (\n    "SELECT 1"\n    " FROM outer_one(%s)"\n)\n\n\n'
        'def f(run):\n    run(QUERY)\n    run("inner_one")\n    run("SELECT by_trigger")\n'
        '    run("SELECT inner_one()")\n'
    )

    def called(name):
        lines = statements.callers(tmp_path, name).get("pokerroom/ledger/postgres/calls.py", 0)
        return [line for line in range(20) if lines >> line & 1]

    assert called("outer_one") == [1, 2, 3, 8]
    assert called("inner_one") == [1, 2, 3, 8, 11]
    assert called("by_trigger") == []
