"""A table with boxes for each test; whatever it does, nothing is left on the clock and no chip is lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ultimate.support import COMMON, House


@pytest.fixture
def house() -> Iterator[House]:
    house = House()
    yield house
    house.stop()


@pytest.fixture
def live() -> Iterator[House]:
    """A table with a common hand, where players who are away at the close have no bets."""
    house = House(COMMON, presence=True)
    yield house
    house.stop()
