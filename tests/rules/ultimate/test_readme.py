"""The README of Ultimate's rules: its example runs, its index of clauses is true, its house choices are the code's."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "pokerroom/rules/ultimate"
README = (PACKAGE / "README.md").read_text()
TESTS = "\n".join(path.read_text() for path in (ROOT / "tests/rules/ultimate").glob("test_*.py"))
TABLE = README.split("## Where a clause is kept")[1].split("##")[0]
CLAUSES = [
    clause.strip()
    for row in re.findall(r"^\| ([A-Z][^|]*) \|", TABLE, re.MULTILINE)
    for clause in row.split(",")
]
MODULES = sorted(set(re.findall(r"`(\w+)`", "".join(re.findall(r"\| ([^|]*) \|$", TABLE, re.MULTILINE)))))


def test_the_example_runs():
    """What a reader copies from the README plays the round it describes."""
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}

    exec(compile(example, "README.md", "exec"), names)

    assert names["state"].finished


@pytest.mark.parametrize("clause", CLAUSES)
def test_a_clause_is_found(clause):
    """Each clause of the index is named in the code, and a test's sentence begins with it."""
    code = "\n".join(path.read_text() for path in PACKAGE.glob("*.py"))
    heads = re.findall(r'^    """([\w ,-]+?): ', TESTS, re.MULTILINE)

    named = {name for head in heads for name in re.split(", ", head)}
    ranges = {
        f"U{n}"
        for head in heads
        for a, b in re.findall(r"U(\d)-U(\d)", head)
        for n in range(int(a), int(b) + 1)
    }
    assert clause in named | ranges
    assert re.search(rf"\b{clause}\b", code, re.IGNORECASE)


def test_every_module_of_the_index_is_there():
    """The index names modules of this package, and functions of theirs."""
    sources = {path.stem: path.read_text() for path in PACKAGE.glob("*.py")}

    for name in MODULES:
        assert name in sources or any(
            f"def {name}(" in text or f"{name}:" in text for text in sources.values()
        )


def test_every_house_choice_is_listed():
    """What the code marks as a house choice has its clause in the README's table."""
    table = README.split("## House choices")[1].split("##")[0]
    listed = set(re.findall(r"^\| ([A-Z]\w+) \|", table, re.MULTILINE))
    marked = [path.stem for path in PACKAGE.glob("*.py") if "[D]" in path.read_text()]

    assert {"U1", "U3", "U12", "U13", "U15", "U18"} <= listed
    by_module = {
        "slips": "U1",
        "closing": "U1",
        "round": "U3",
        "progressive": "U12",
        "terms": "U12",
    }
    by_module |= {"settlement": "U15"}
    assert {by_module[name] for name in marked} <= listed
