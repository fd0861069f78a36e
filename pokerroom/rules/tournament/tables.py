"""The tables of a tournament that has several: how many are needed, which one is broken, and where its players go (L4).

Also the seats of late players (L3). A table is a value here: seats and accounts, without chips or cards. The `order` of
breaking is fixed at the start and public, the first to be broken first.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pokerroom.rules.button import Owes
from pokerroom.rules.planned_hand import Positions
from pokerroom.rules.tournament.seat_draw import RandomNumbers, drawn_into


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatedTable:
    """A table between two hands, or with a hand in progress. Seats are counted from 1."""

    number: int
    seats: int
    players: Mapping[int, int]
    """The account in each seat, of the players with chips after the last finished hand."""
    positions: Positions | None = None
    """Those of the hand in progress, or else of the last hand; None before the first one."""
    arriving: Mapping[int, int] = field(default_factory=dict)
    """The account for each seat that is reserved for a player on the way to this table."""
    leaving: frozenset[int] = frozenset()
    """The seats of players that are moving away from this table."""
    waiting: frozenset[int] = frozenset()
    """The seats of players that moved to this table and have not been dealt in yet (L6)."""

    @property
    def size(self) -> int:
        """The number of players, with those on the way to the table and without those on the way from it."""
        return len(self.players) + len(self.arriving) - len(self.leaving)

    @property
    def open_count(self) -> int:
        """The number of open seats."""
        return self.seats - len(self.players) - len(self.arriving)

    @property
    def open_seats(self) -> frozenset[int]:
        """The seats that no player has or is promised. A seat is open once its player has left."""
        return frozenset(range(1, self.seats + 1)) - self.players.keys() - self.arriving.keys()


class MoveReason(StrEnum):
    """Why a player changes tables."""

    balance = "balance"
    broken_table = "break"
    final_table = "final"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatMove:
    """A player who changes tables, and what they owe at the new one: nothing, or a wait (L6)."""

    account: int
    from_table: int
    from_seat: int
    to_table: int
    to_seat: int
    reason: MoveReason
    owes: Owes


def tables_needed(players: int, seats: int) -> int:
    """Return the fewest tables of so many `seats` (>= 2) that hold the players."""
    return -(-players // seats)


def break_order(tables: Iterable[int]) -> tuple[int, ...]:
    """Return the order in which tables are broken: the highest number first [D]."""
    return tuple(sorted(tables, reverse=True))


def with_late_table(order: Sequence[int], opened: int) -> tuple[int, ...]:
    """Return the order with a table that has opened late: it is broken first [D]."""
    return (opened, *order)


def table_to_break(
    tables: Collection[SeatedTable], order: Sequence[int], seats: int, *, frozen: Collection[int] = ()
) -> int | None:
    """Return the table to break, once its hand in progress has ended; None while every table is needed.

    It is the first in the order that no player is on the way to. Its players need open seats at the other tables.
    `seats` are those of a table of the tournament. A `frozen` table is not broken, and takes no player.
    """
    if len(tables) <= tables_needed(sum(table.size for table in tables), seats):
        return None
    by_number = {table.number: table for table in tables}
    for number in order:
        table = by_number.get(number)
        if table is None or table.arriving or number in frozen:
            continue
        elsewhere = sum(
            other.open_count for other in tables if other.number != number and other.number not in frozen
        )
        if len(table.players) - len(table.leaving) <= elsewhere:
            return number
    return None


def broken_table_moves(
    broken: SeatedTable, others: Collection[SeatedTable], numbers: RandomNumbers
) -> tuple[SeatMove, ...]:
    """Return the moves of all players of a table that is broken, between its hands (L4).

    Raises ValueError where the open seats do not suffice.
    """
    seat_of = {account: seat for seat, account in broken.players.items() if seat not in broken.leaving}
    drawn = _drawn(sorted(seat_of), others, numbers)
    return tuple(
        SeatMove(
            account=account,
            from_table=broken.number,
            from_seat=seat_of[account],
            to_table=table,
            to_seat=seat,
            reason=MoveReason.broken_table,
            owes=Owes.moved,
        )
        for account, (table, seat) in drawn.items()
    )


def late_seat(account: int, tables: Collection[SeatedTable], numbers: RandomNumbers) -> tuple[int, int]:
    """Return the table and the seat of a late player: drawn of the tables with the fewest players (L3).

    Raises ValueError where no seat is open: then the player opens a new table.
    """
    return _drawn([account], tables, numbers)[account]


def _drawn(
    accounts: Sequence[int], tables: Collection[SeatedTable], numbers: RandomNumbers
) -> dict[int, tuple[int, int]]:
    return drawn_into(
        accounts,
        {table.number: table.open_seats for table in tables},
        {table.number: table.size for table in tables},
        numbers,
    )
