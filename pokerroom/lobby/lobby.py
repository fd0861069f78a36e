"""What can be joined: a place for every table of the room, be it on this node or on another; and who sits here.

A session asks for a table by its name and gets a door, behind which the table itself or the way to it is. Knows no
transports and no money, and not how another node is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from pokerroom.ledger.api import SeatRow
from pokerroom.table.api import ActorSettings, LobbyRow, TableActor
from pokerroom.table.outbox import Viewer
from pokerroom_protocol import messages as wire


class TableHandle(Protocol):
    """A table as its clients' sessions see it, wherever it lives. A `TableActor` is one."""

    def request(self, viewer: Viewer, message: wire.Request) -> None:
        """A client's message for this table."""

    def viewer_gone(self, viewer: Viewer) -> None:
        """A client's connection is lost, or it logged out."""

    def info(self) -> LobbyRow:
        """The table's line in the lobby."""


class AccountSeats:
    """Who holds a seat at which tables of this node, or has one held for him.

    The tables, which alone decide about their chairs, are refused by it early; what an account may hold in the whole
    room the ledger knows (`Ledger.buy_in`).
    """

    def __init__(self, tables_per_account_max: int) -> None:
        self.tables_max = tables_per_account_max
        self._tables_of: dict[int, set[str]] = {}

    def may_sit(self, account: int, table: str) -> bool:
        """Whether the account could claim a seat here."""
        held = self._tables_of.get(account, set())
        return table not in held and len(held) < self.tables_max

    def claim(self, account: int, table: str) -> bool:
        """See `world.Seating`."""
        held = self._tables_of.get(account, set())
        if table not in held and len(held) >= self.tables_max:
            return False
        self._tables_of.setdefault(account, held).add(table)
        return True

    def freed(self, account: int, table: str) -> None:
        """See `world.Seating`."""
        held = self._tables_of.get(account)
        if held is not None:
            held.discard(table)
            if not held:
                del self._tables_of[account]

    def restore(self, rows: Iterable[SeatRow]) -> None:
        """Notes the seats of a table that comes to live here, however many they are."""
        for row in rows:
            self.note(row.account, row.table)

    def note(self, account: int, table: str) -> None:
        """The account holds a seat here, or has one held for it, however many it has."""
        self._tables_of.setdefault(account, set()).add(table)

    def forget(self, table: str) -> None:
        """The table lives here no more: its seats are counted elsewhere."""
        for account in [account for account, held in self._tables_of.items() if table in held]:
            self.freed(account, table)

    def at(self, table: str) -> list[int]:
        """The accounts that hold a seat at a table, or have one held for them."""
        return [account for account, held in self._tables_of.items() if table in held]

    def tables_of(self, account: int) -> list[str]:
        """The tables of this node at which the account sits, or is about to."""
        return sorted(self._tables_of.get(account, ()))


class Lobby:
    """All tables of the room by their names, in the order of the settings, which may get others.

    `door(name)` makes the door of a table that does not live here; it is asked once for each, when it is first needed.
    `lives(name)` says whether somebody has a table that is not in the settings, or not yet.
    """

    def __init__(
        self,
        settings: Mapping[str, ActorSettings],
        seats: AccountSeats,
        door: Callable[[str], TableHandle],
        lives: Callable[[str], bool] = lambda name: False,  # noqa: ARG005 -- no table but those of the settings
    ) -> None:
        self.settings = settings
        self.seats = seats
        self._door = door
        self._lives = lives
        self._here: dict[str, TableActor] = {}
        self._elsewhere: dict[str, TableHandle] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self.settings)

    def table(self, name: str) -> TableHandle | None:
        """The table of this name, wherever it lives; None if the room has none."""
        here = self._here.get(name)
        if here is not None:
            return here
        if name not in self.settings and not self._lives(name):
            return None
        door = self._elsewhere.get(name)
        if door is None:
            door = self._elsewhere[name] = self._door(name)
        return door

    def here(self, name: str) -> TableActor | None:
        """The table of this name, if it lives on this node."""
        return self._here.get(name)

    def owned(self) -> list[TableActor]:
        """The tables that live on this node, in order."""
        return [self._here[name] for name in self.settings if name in self._here]

    def attached(self, table: TableActor) -> None:
        """The table lives here from now on."""
        assert table.settings.table in self.settings
        assert table.settings.table not in self._here
        self._here[table.settings.table] = table

    def detached(self, name: str) -> None:
        """The table lives here no more."""
        del self._here[name]
        self.seats.forget(name)

    def over(self, name: str) -> None:
        """There is no such table any more."""
        self._elsewhere.pop(name, None)

    def infos(self) -> list[LobbyRow]:
        """One line per table that is listed."""
        doors = (self.table(name) for name, settings in self.settings.items() if settings.listed)
        return [door.info() for door in doors if door is not None]

    def listed(self, re: int) -> wire.Tables:
        """The same as the answer to a request."""
        lines = self.infos()
        return wire.Tables(
            re=re,
            tables=[line for line in lines if isinstance(line, wire.TableInfo)],
            ultimate=[line for line in lines if isinstance(line, wire.UltimateInfo)],
        )
