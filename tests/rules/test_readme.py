"""The example in the rules' README runs."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "pokerroom/rules/README.md"


def test_the_example_runs():
    """What a reader copies from the README plays the hand it describes."""
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    names: dict[str, object] = {}

    exec(compile(example, "README.md", "exec"), names)

    assert names["state"].finished


def test_every_house_choice_is_listed():
    """Each clause that the code marks as a house choice has its line in the README's table."""
    table = README.read_text().split("## House choices")[1].split("##")[0]
    listed = set(re.findall(r"\b[A-I]\d\b", table))
    marked = set()
    for path in README.parent.glob("*.py"):
        for sentence in re.findall(r"[^.\n]*\[D\]", path.read_text()):
            marked |= set(re.findall(r"\b[A-I]\d\b", sentence))

    assert marked
    assert marked <= listed
