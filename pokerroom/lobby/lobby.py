"""What can be joined, who sits where in the whole room, and who waits to.

Knows the tables by name and how many of them an account may hold. It knows no transports and no money.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pokerroom.ledger.api import SeatRow
from pokerroom.lobby.waitlist import Waitlist
from pokerroom_protocol.messages import TableInfo

if TYPE_CHECKING:  # a table is given the lobby's Seating when it is made
    from pokerroom.table.actor import Table


class Seats:
    """Who holds a seat at which tables, or has one held for him: `world.Seating` for all tables of the room.

    Told by the tables, which alone decide about their chairs.
    """

    def __init__(self, tables_per_account_max: int) -> None:
        self._max = tables_per_account_max
        self._tables_of: dict[int, set[str]] = {}
        self.waitlist = Waitlist(self._may_sit)

    def _may_sit(self, account: int, table: str) -> bool:
        held = self._tables_of.get(account, set())
        return table not in held and len(held) < self._max

    def claim(self, account: int, table: str) -> bool:
        """See `Seating`."""
        held = self._tables_of.get(account, set())
        if table not in held and len(held) >= self._max:
            return False
        self._tables_of.setdefault(account, held).add(table)
        return True

    def freed(self, account: int, table: str) -> None:
        """See `Seating`."""
        held = self._tables_of.get(account)
        if held is not None:
            held.discard(table)
            if not held:
                del self._tables_of[account]
        self.waitlist.freed(account, table)

    def seated(self, account: int, table: str) -> None:
        """See `Seating`."""
        self.waitlist.seated(account, table)

    def opening(self, table: str) -> None:
        """See `Seating`."""
        self.waitlist.opening(table)

    def waiting(self, table: str) -> int:
        """See `Seating`."""
        return self.waitlist.waiting(table)

    def held_seat_lapsed(self, account: int, table: str) -> None:
        """See `Seating`."""
        self.waitlist.held_seat_lapsed(account, table)

    def calls_lost(self, table: str) -> None:
        """See `Seating`."""
        self.waitlist.calls_lost(table)

    def closed(self, table: str) -> None:
        """See `Seating`."""
        self.waitlist.closed(table)

    def restore(self, rows: Iterable[SeatRow]) -> None:
        """Notes the seats held when the room last stopped, however many they are."""
        for row in rows:
            self._tables_of.setdefault(row.account, set()).add(row.table)

    def tables_of(self, account: int) -> list[str]:
        """The tables at which the account sits, or is about to."""
        return sorted(self._tables_of.get(account, ()))


class Lobby:
    """All tables of the room, in the order of the configuration."""

    def __init__(self, seats: Seats) -> None:
        self.seats = seats
        self._tables: dict[str, Table] = {}

    def __iter__(self) -> Iterator[Table]:
        return iter(self._tables.values())

    def open(self, table: Table) -> None:
        """Adds a table."""
        assert table.settings.table not in self._tables
        self._tables[table.settings.table] = table
        self.seats.waitlist.open(table)

    def table(self, name: str) -> Table | None:
        """The table of this name."""
        return self._tables.get(name)

    def infos(self) -> list[TableInfo]:
        """One line per table."""
        return [table.info() for table in self]
