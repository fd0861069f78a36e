"""Draws of seats from random bytes. The caller provides the source: the rules draw no random number themselves (L3).

Every draw is fair: a number that would favour one result is rejected, and drawn again.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

RandomBytes = Callable[[int], bytes]
"""Returns as many random bytes as asked for; in the room, the operating system's."""

FIRST_BUTTON: Final = 1
"""B1: all players sit down at once, in the order of their seats [D]: the first seat gets the button."""

_POOL: Final = 96
"""Bytes to ask for at a time: more than a draw for one table needs."""
_REJECTIONS_MAX: Final = 300
"""A fair source comes to so many rejections in a row with a probability below 2^-300."""


class RandomNumbers:
    """Fair random numbers from random bytes.

    Raises ValueError for a source that cannot be random, because all its numbers are rejected.
    """

    def __init__(self, random_bytes: RandomBytes) -> None:
        self._random_bytes = random_bytes
        self._pool = iter(b"")

    def below(self, bound: int) -> int:
        """Return a number from 0 to `bound` - 1 (`bound` >= 1), each as likely."""
        if bound < 1:
            raise ValueError("there is no number below nothing")
        size = max(1, ((bound - 1).bit_length() + 7) // 8)
        everything = 256**size
        fair = everything - everything % bound
        for _ in range(_REJECTIONS_MAX):
            number = int.from_bytes([self._byte() for _ in range(size)], "big")
            if number < fair:
                return number % bound
        raise ValueError("all bytes were rejected: they are not random")

    def one_of(self, choices: Collection[T]) -> T:
        """Return one of the choices (at least one), each as likely."""
        return list(choices)[self.below(len(choices))]

    def _byte(self) -> int:
        byte = next(self._pool, None)
        if byte is None:
            self._pool = iter(self._random_bytes(_POOL))
            byte = next(self._pool)
        return byte


def shuffled(items: Sequence[T], numbers: RandomNumbers) -> list[T]:
    """Return the items in random order, every order as likely (Fisher-Yates)."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        swap = numbers.below(last + 1)
        order[last], order[swap] = order[swap], order[last]
    return order


def place_of(number: int, tables: int) -> tuple[int, int]:
    """Return the table and the seat of the player who was drawn as this number, all counted from 1.

    The players are dealt out to the tables in turn, so the sizes of two tables differ by one at most.
    """
    seat, table = divmod(number - 1, tables)
    return table + 1, seat + 1


def drawn_seats(accounts: Sequence[int], random_bytes: RandomBytes) -> dict[int, int]:
    """Return the account of each number, counted from 1, for `place_of`. Every order of the accounts is as likely.

    Raises ValueError for an account that is given twice.
    """
    if len(set(accounts)) != len(accounts):
        raise ValueError("each account is drawn once")
    return dict(enumerate(shuffled(accounts, RandomNumbers(random_bytes)), 1))


def drawn_into(
    accounts: Sequence[int],
    open_seats: Mapping[int, Collection[int]],
    sizes: Mapping[int, int],
    numbers: RandomNumbers,
) -> dict[int, tuple[int, int]]:
    """Return the table and the seat of accounts that join running tables: late, or from a broken table (L3, L4).

    `open_seats` and `sizes` (players with those on their way) are by the number of the table. The accounts are drawn in
    random order. Each draws one of the tables with the fewest players that have an open seat, then one of its seats.
    Raises ValueError for more accounts than open seats.
    """
    free = {table: sorted(seats) for table, seats in open_seats.items()}
    if sum(map(len, free.values())) < len(accounts):
        raise ValueError("there are more players than open seats: open a table first")
    now, drawn = dict(sizes), dict[int, tuple[int, int]]()
    for account in shuffled(accounts, numbers):
        fewest = min(now[table] for table, seats in free.items() if seats)
        table = numbers.one_of(
            [table for table, seats in sorted(free.items()) if seats and now[table] == fewest]
        )
        seat = numbers.one_of(free[table])
        free[table].remove(seat)
        now[table] += 1
        drawn[account] = (table, seat)
    return drawn
