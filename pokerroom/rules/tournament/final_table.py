"""The final table: when the last tables combine, and the draw of all its seats and of its button (L9)."""

from collections.abc import Sequence
from dataclasses import dataclass

from pokerroom.rules.tournament.seat_draw import RandomNumbers, shuffled


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalTable:
    """The account in each seat, counted from 1, and the seat that has the first button."""

    seats: dict[int, int]
    button: int


def final_table_seats(seats: int) -> int:
    """Return the seats of the final table of a tournament with so many `seats` (2 to 10) at each table.

    Six- and eight-handed tables combine to seven and nine players; others to as many as they have seats.
    """
    if not 2 <= seats <= 10:
        raise ValueError("a table has two to ten seats")
    return seats + 1 if seats in {6, 8} else seats


def is_final_table_due(players: int, *, seats: int, tables: int, registration_closed: bool) -> bool:
    """Return whether no further hand is dealt at two tables: once the hands in progress have ended, all combine.

    `seats` are those of the final table. It is due also where the players would need two tables still.
    """
    return tables > 1 and registration_closed and players <= seats


def drawn_final_table(accounts: Sequence[int], numbers: RandomNumbers) -> FinalTable:
    """Return the draw of all seats, from 1 on, and of the first button.

    Raises ValueError for fewer than two players, or for one that is given twice.
    """
    if not 2 <= len(set(accounts)) == len(accounts):
        raise ValueError("a final table has two players or more, each once")
    seats = dict(enumerate(shuffled(accounts, numbers), 1))
    return FinalTable(seats=seats, button=1 + numbers.below(len(seats)))
