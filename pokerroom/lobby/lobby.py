"""What can be joined: every table of the room, on this node or on another; and which accounts sit here.

A session asks for a table by its name and gets a handle, behind which is the table itself or the way to it. Knows no
transports and no money, and not how another node is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Protocol

from pokerroom.ledger.api import SeatRow
from pokerroom.ledger.hosted_tables import is_hosted
from pokerroom.ledger.tournaments import tournament_owned_as
from pokerroom.table.actor import TableActor
from pokerroom.table.api import ActorSettings, LobbyRow
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire


class TableHandle(Protocol):
    """A table as its clients' sessions see it, wherever it lives. A `TableActor` is one."""

    def request(self, viewer: Viewer, message: wire.Request) -> None:
        """Handle a client's message for this table."""

    def viewer_gone(self, viewer: Viewer) -> None:
        """Note that a client's connection is lost, or that it logged out."""

    def info(self) -> LobbyRow:
        """Return the table's lobby row."""


class AccountSeats:
    """Which accounts hold a seat at which tables of this node, or have one held for them.

    The tables decide about their seats alone, and ask here to refuse early. What an account may hold in the whole room
    the ledger checks (`Ledger.buy_in`).
    """

    def __init__(self, tables_per_account_max: int) -> None:
        self.tables_max = tables_per_account_max
        self._tables_of: dict[int, set[str]] = {}

    def may_sit(self, account: int, table: str) -> bool:
        """Return whether the account could claim a seat here."""
        return table not in self._tables_of.get(account, set()) and not self._is_full(account, table)

    def claim(self, account: int, table: str) -> bool:
        """See `SeatDirectory`."""
        held = self._tables_of.get(account, set())
        if table not in held and self._is_full(account, table):
            return False
        self.note(account, table)
        return True

    def _is_full(self, account: int, table: str) -> bool:
        """Return whether one more table is too many. Hosted tables do not count here: the waiting lists, which do not
        know them, would call the account again and again. The ledger counts all.
        """
        counted = [name for name in self._tables_of.get(account, ()) if not is_hosted(name)]
        return not is_hosted(table) and len(counted) >= self.tables_max

    def freed(self, account: int, table: str) -> None:
        """See `SeatDirectory`."""
        held = self._tables_of.get(account)
        if held is not None:
            held.discard(table)
            if not held:
                del self._tables_of[account]

    def restore(self, rows: Iterable[SeatRow]) -> None:
        """Note the seats of a table that comes to live here, without checking the limit."""
        for row in rows:
            self.note(row.account, row.table)

    def note(self, account: int, table: str) -> None:
        """Note that the account holds a seat here, or has one held for it, without checking the limit."""
        self._tables_of.setdefault(account, set()).add(table)

    def forget(self, table: str) -> None:
        """Forget the seats of a table that lives here no longer: another node counts them."""
        for account in [account for account, held in self._tables_of.items() if table in held]:
            self.freed(account, table)

    def at(self, table: str) -> list[int]:
        """Return the accounts that hold a seat at a table, or have one held for them."""
        return [account for account, held in self._tables_of.items() if table in held]

    def tables_of(self, account: int) -> list[str]:
        """Return the tables of this node at which the account sits, or is about to."""
        return sorted(self._tables_of.get(account, ()))


class Lobby:
    """All tables of the room by their names, in the order of the settings, to which tournament tables are added.

    `local` are the tables of this node. `remote(name)` makes the handle of a table of another node. `owned` contains
    the tables that have an owner, including those that are not in the settings, or not yet.
    """

    def __init__(
        self,
        settings: Mapping[str, ActorSettings],
        local: Mapping[str, TableActor],
        remote: Callable[[str], TableHandle],
        owned: Container[str] = (),
    ) -> None:
        self.settings = settings
        self._local = local
        self._remote = remote
        self._owned = owned

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.settings if tournament_owned_as(name) is None)

    def table(self, name: str) -> TableHandle | None:
        """Return the handle of the table of this name; None if the room has no such table."""
        if tournament_owned_as(name) is not None:
            return None  # clients see its tables
        try:
            return self._local[name]
        except KeyError:
            return self._remote(name) if name in self.settings or name in self._owned else None

    def rows(self) -> list[LobbyRow]:
        """Return one row for each table that is listed."""
        handles = (self.table(name) for name, settings in self.settings.items() if settings.listed)
        return [handle.info() for handle in handles if handle is not None]

    def listed(self, re: int) -> wire.Tables:
        """Return the rows as the answer to a request."""
        rows = self.rows()
        return wire.Tables(
            re=re,
            tables=[row for row in rows if isinstance(row, wire.TableInfo)],
            ultimate=[row for row in rows if isinstance(row, wire.UltimateInfo)],
        )
