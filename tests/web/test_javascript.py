"""The parts of the browser client that need no browser, under node."""

from pathlib import Path

import pytest

from tests.node import node

HERE = Path(__file__).parent / "javascript"


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_under_node(name):
    """The tests of the client's pure modules pass."""
    node("--test", HERE / name)
