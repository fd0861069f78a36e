"""Who sits where: seats drawn at random, from random bytes that are given (the rules draw none themselves)."""

from collections.abc import Sequence
from typing import Final

DRAW_BYTES: Final = 96
"""So many random bytes are asked for. Each is refused less than once in 28 times, so nine swaps never use them up."""

FIRST_BUTTON: Final = 1
"""B1: all sit down at once, in the order of their seats [D]: the seat that the first has drawn gets the button."""


def drawn_seats(accounts: Sequence[int], random_bytes: bytes) -> dict[int, int]:
    """The account in each seat, counted from 1: every order of the accounts is equally likely.

    Fisher-Yates, each swap drawn without modulo bias by rejection. Raises ValueError for fewer bytes than DRAW_BYTES,
    for an account that is given twice, and for more than ten.
    """
    if len(random_bytes) < DRAW_BYTES or len(set(accounts)) != len(accounts) or len(accounts) > 10:
        raise ValueError("a draw takes enough random bytes, and ten accounts at most, each once")
    order = list(accounts)
    source = iter(random_bytes)
    for last in range(len(order) - 1, 0, -1):
        choices = last + 1
        fair = 256 - 256 % choices
        byte = next((byte for byte in source if byte < fair), None)
        if byte is None:
            raise ValueError("these bytes are not random")
        swap = byte % choices
        order[last], order[swap] = order[swap], order[last]
    return dict(enumerate(order, 1))
