"""The draw of seats from random bytes. The caller provides the bytes: the rules draw none themselves."""

from collections.abc import Sequence
from typing import Final

DRAW_BYTES: Final = 96
"""Number of random bytes for a draw.

Each byte is rejected less than once in 28 times, so nine swaps never use them up.
"""

FIRST_BUTTON: Final = 1
"""B1: all players sit down at once, in the order of their seats [D]: the first seat gets the button."""


def place_of(number: int, tables: int) -> tuple[int, int]:
    """Return the table and the seat of the player who was drawn as this number, all counted from 1.

    The players are dealt out to the tables in turn, so the sizes of two tables differ by one at most.
    """
    seat, table = divmod(number - 1, tables)
    return table + 1, seat + 1


def drawn_seats(accounts: Sequence[int], random_bytes: bytes) -> dict[int, int]:
    """Return the account in each seat, counted from 1. Every order of the accounts is equally likely.

    Fisher-Yates; rejection keeps each swap free of modulo bias. Raises ValueError for fewer bytes than DRAW_BYTES, for
    an account that is given twice, and for more than ten accounts.
    """
    if len(random_bytes) < DRAW_BYTES or len(set(accounts)) != len(accounts) or len(accounts) > 10:
        raise ValueError(
            f"a draw takes at least {DRAW_BYTES} random bytes and at most ten accounts, each once"
        )
    order = list(accounts)
    source = iter(random_bytes)
    for last in range(len(order) - 1, 0, -1):
        choices = last + 1
        fair = 256 - 256 % choices
        byte = next((byte for byte in source if byte < fair), None)
        if byte is None:
            raise ValueError("all bytes were rejected: they are not random")
        swap = byte % choices
        order[last], order[swap] = order[swap], order[last]
    return dict(enumerate(order, 1))
