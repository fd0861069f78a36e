"""The lobby rows of other nodes' tables: every node sends the rows of its own tables as they change.

Each node answers the list of tables by itself; of other nodes' tables it knows the state of a moment ago.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pokerroom.cluster.bus_sender import BusSender
from pokerroom.cluster.messages import LobbyRowChange, LobbyRowChanges
from pokerroom.table.actor import TableActor
from pokerroom.table.api import ActorSettings, LobbyRow


class LobbyRows:
    """See the module. `local` are this node's tables; `waiting` returns how many accounts wait for a table."""

    def __init__(
        self,
        settings: Mapping[str, ActorSettings],
        sender: BusSender,
        local: Mapping[str, TableActor],
        waiting: Callable[[str], int],
    ) -> None:
        self._settings = settings
        self._sender = sender
        self._local = local
        self._waiting = waiting
        self._sent: dict[str, LobbyRowChange] = {}
        self._remote: dict[str, LobbyRowChange] = {}

    def info(self, table: str) -> LobbyRow:
        """Return the row of another node's table; an empty one until its owner has sent it."""
        row = self._remote.get(table) or LobbyRowChange(table, 0, 0, closing=False)
        return self._settings[table].info(
            row.occupied, row.players, waiting=self._waiting(table), closing=row.closing
        )

    def send_changes(self) -> None:
        """Send the rows that changed; called every second, and when seats have changed."""
        if not self._sender.others:
            return
        rows = [_row(table) for table in self._shown()]
        changed = [row for row in rows if self._sent.get(row.table) != row]
        self._sent = {row.table: row for row in rows}
        if changed:
            self._sender.to_all(LobbyRowChanges(changed))

    def send_all_to(self, node: str) -> None:
        """Send all rows to a node that is new or has missed some."""
        rows = [_row(table) for table in self._shown()]
        if rows:
            self._sender.to(node, LobbyRowChanges(rows))

    def detached(self, table: TableActor) -> None:
        """Keep the last row of a table that lives here no longer."""
        if table.settings.free_to_leave:
            self.heard([_row(table)])

    def over(self, table: str) -> None:
        """Forget the row of a table that does not exist any more."""
        self._remote.pop(table, None)

    def heard(self, rows: Iterable[LobbyRowChange]) -> None:
        """Note rows of other nodes' tables."""
        self._remote.update((row.table, row) for row in rows)

    def _shown(self) -> list[TableActor]:
        return [table for table in self._local.values() if table.settings.free_to_leave]


def _row(table: TableActor) -> LobbyRowChange:
    info = table.info()
    return LobbyRowChange(info.table, info.occupied, info.players, info.closing)
