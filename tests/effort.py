"""How much tests with random input try; `make soak` multiplies it by POKERROOM_EFFORT."""

import os

EFFORT = int(os.environ.get("POKERROOM_EFFORT", "1"))


def times(count: int) -> int:
    """How many examples or seeds to try, where an everyday run tries `count`."""
    return count * EFFORT
