"""The example in the rules' README runs."""

import re
from pathlib import Path

from tests.rules import test_pokerkit

README = Path(__file__).parents[2] / "pokerroom/rules/README.md"


def test_the_example_runs():
    """What a reader copies from the README plays the hand it describes."""
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    names: dict[str, object] = {}

    exec(compile(example, "README.md", "exec"), names)

    assert names["state"].finished


def test_every_difference_from_other_engines_is_listed():
    """The README's table of differences and the differential test's list name the same clauses."""
    table = README.read_text().split("## Where other engines differ")[1].split("##")[0]
    listed = re.findall(r"^\| ([A-H]\d) \|", table, re.MULTILINE)
    left_out = re.findall(r"^\* ([A-H]\d):", test_pokerkit.__doc__ or "", re.MULTILINE)

    assert sorted(listed) == sorted(set(left_out))


def test_the_counts_of_the_differential_test():
    """The README says how many hands the differential test plays."""
    hands = sum(test_pokerkit.HANDS.values()) // test_pokerkit.TIMES
    every_day, asked_for = hands * test_pokerkit.SEEDS_EVERY_DAY, 35 * hands * test_pokerkit.SEEDS_ASKED_FOR

    assert f"{every_day:,} hands in every run of the tests, {asked_for:,} with" in README.read_text()
    assert f"35 plays {asked_for:,}" in (test_pokerkit.__doc__ or "")
