"""Balance of the tables of a tournament: who moves, to which seat, and which short table waits (L5, L7).

Sizes count moving players, so two moves never fill one gap. See `tables` for the values.
"""

from collections.abc import Collection, Sequence
from typing import Final

from pokerroom.rules.button import Owes, next_big_blind
from pokerroom.rules.tournament.seat_draw import FIRST_BUTTON
from pokerroom.rules.tournament.tables import MoveReason, SeatedTable, SeatMove

_UNBALANCED: Final = 2
"""The difference between two tables from which one gives the other a player [D]."""
_HALT: Final = 3
"""The difference to the largest table from which a short table does not deal."""


def balancing_move(
    tables: Collection[SeatedTable],
    order: Sequence[int],
    *,
    at_rest: Collection[int],
    frozen: Collection[int] = (),
) -> SeatMove | None:
    """Return the next move that balances the tables; None while they are balanced, or none can give a player now.

    `order` is that of breaking. `at_rest` are the tables whose last hand has ended; a player leaves no other. `frozen`
    are tables that cannot answer: they neither give nor take, as a table that is being broken. A largest table gives,
    of several at rest the earliest in the order; the smallest takes, of several the latest in the order. Repeat it with
    the move counted in.
    """
    able = [table for table in tables if table.number not in frozen and table.size]
    if not able:
        return None
    largest, smallest = max(table.size for table in able), min(table.size for table in able)
    if largest - smallest < _UNBALANCED:
        return None
    rank = {number: index for index, number in enumerate(order)}
    ranked = sorted(able, key=lambda table: rank[table.number])
    takes = [table for table in ranked if table.size == smallest][-1]
    if not takes.open_count:  # until a player on the way from it has left
        return None
    for gives in ranked:
        seat = _mover(gives) if gives.size == largest and gives.number in at_rest else None
        if seat is not None:
            return SeatMove(
                account=gives.players[seat],
                from_table=gives.number,
                from_seat=seat,
                to_table=takes.number,
                to_seat=worst_seat(takes),
                reason=MoveReason.balance,
                owes=Owes.balanced,
            )
    return None


def worst_seat(table: SeatedTable) -> int:
    """Return the open seat that has the big blind soonest, also as the single big blind (L5).

    Clockwise from the last big blind. The seats behind it follow, and its own comes last: as the next small blind it
    stays dead for a hand. The last big blind is that of the hand in progress, if there is one. Raises ValueError where
    no seat is open.
    """
    last = FIRST_BUTTON if table.positions is None else table.positions.big_blind
    return min(table.open_seats, key=lambda seat: (seat - last - 1) % table.seats)


def halted_tables(tables: Collection[SeatedTable], frozen: Collection[int] = ()) -> frozenset[int]:
    """Return the tables that deal no next hand until a player has come: three or more short of the largest (L7).

    A `frozen` table halts no other, because no player can come from it.
    """
    able = [table for table in tables if table.number not in frozen]
    largest = max((table.size for table in able), default=0)
    return frozenset(table.number for table in able if largest - table.size >= _HALT)


def _mover(table: SeatedTable) -> int | None:
    """Return the seat that would be the big blind next, of those that may move; None if there is none."""
    seats = table.players.keys() - table.leaving - table.waiting
    if not seats:
        return None
    return next_big_blind(table.positions, seats, table.seats, first_button=FIRST_BUTTON)
