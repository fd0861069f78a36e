"""The README of Ultimate's rules: its example runs, and its index names modules that there are."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "pokerroom/rules/ultimate"
README = (PACKAGE / "README.md").read_text()
TABLE = README.split("## Where a clause is kept")[1].split("##")[0]
MODULES = sorted(set(re.findall(r"`(\w+)`", "".join(re.findall(r"\| ([^|]*) \|$", TABLE, re.MULTILINE)))))


def test_the_example_runs():
    """What a reader copies from the README plays the round it describes."""
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}

    exec(compile(example, "README.md", "exec"), names)

    assert names["state"].finished


def test_every_module_of_the_index_is_there():
    """The index names modules of this package, and functions of theirs."""
    sources = {path.stem: path.read_text() for path in PACKAGE.glob("*.py")}

    for name in MODULES:
        assert name in sources or any(
            f"def {name}(" in text or f"{name}:" in text for text in sources.values()
        )
