"""How much tests with random input try; `make soak` multiplies it by POKERROOM_EFFORT."""

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

EFFORT = int(os.environ.get("POKERROOM_EFFORT", "1"))


def times(count: int) -> int:
    """How many examples or seeds to try, where an everyday run tries `count`."""
    return count * EFFORT


def part(items: Iterable[T], step: int) -> Iterator[T]:
    """One of `step` items, where an everyday run takes a part; `make soak` takes all."""
    return islice(items, 0, None, step if EFFORT == 1 else 1)
