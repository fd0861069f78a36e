"""The lobby's lines of tables that live on other nodes: every node tells the others those of its own as they change.

Asked for the list of tables each node answers by itself; of other nodes' tables it knows how they were a moment ago.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pokerroom.cluster.bus_sender import BusSender
from pokerroom.cluster.messages import LobbyRowChange, LobbyRowChanges
from pokerroom.table.api import ActorSettings, LobbyRow, TableActor


class LobbyRows:
    """See the module. `here` are the tables of this node, by name; `waiting` says how many wait for a table."""

    def __init__(
        self,
        settings: Mapping[str, ActorSettings],
        sender: BusSender,
        here: Mapping[str, TableActor],
        waiting: Callable[[str], int],
    ) -> None:
        self._settings = settings
        self._sender = sender
        self._tables = here
        self._waiting = waiting
        self._told: dict[str, LobbyRowChange] = {}
        self._elsewhere: dict[str, LobbyRowChange] = {}

    def info(self, table: str) -> LobbyRow:
        """The line of a table that does not live here; an empty one before its owner has said anything."""
        line = self._elsewhere.get(table) or LobbyRowChange(table, 0, 0, closing=False)
        return self._settings[table].info(
            line.occupied, line.players, waiting=self._waiting(table), closing=line.closing
        )

    def look(self) -> None:
        """Tells what has changed; called every second, and when seats have changed."""
        if not self._sender.others:
            return
        lines = [_line(table) for table in self._listed()]
        changed = [line for line in lines if self._told.get(line.table) != line]
        self._told = {line.table: line for line in lines}
        if changed:
            self._sender.to_all(LobbyRowChanges(changed))

    def tell_all_to(self, node: str) -> None:
        """That node knows nothing yet, or has missed something."""
        lines = [_line(table) for table in self._listed()]
        if lines:
            self._sender.to(node, LobbyRowChanges(lines))

    def detached(self, table: TableActor) -> None:
        """The table lives here no more: so it was."""
        if table.settings.listed:
            self.heard([_line(table)])

    def _listed(self) -> list[TableActor]:
        return [table for table in self._tables.values() if table.settings.listed]

    def heard(self, lines: Iterable[LobbyRowChange]) -> None:
        """LobbyRows of other nodes' tables."""
        self._elsewhere.update((line.table, line) for line in lines)


def _line(table: TableActor) -> LobbyRowChange:
    info = table.info()
    return LobbyRowChange(info.table, info.occupied, info.players, info.closing)
