"""What a node tells the other nodes of its tables. Knows no games.

A heartbeat tells of every table. So a table is looked at again only if its mailbox has had a message since: most of a
thousand tables are at rest.
"""

from __future__ import annotations

from collections.abc import Mapping

from pokerroom.cluster.node_facts import OwnedTable
from pokerroom.cluster.placement import load_of
from pokerroom.table.actor import TableActor


class OwnedTables:
    """The tables of this node (`local`) as the other nodes are told of them."""

    def __init__(self, local: Mapping[str, TableActor]) -> None:
        self._local = local
        self._seen: dict[str, tuple[TableActor, int, OwnedTable]] = {}
        """Each table, how many messages it had had, and what it was then."""

    def now(self) -> dict[str, OwnedTable]:
        """Return all of them by their ids."""
        before, self._seen = self._seen, {}
        for name, table in self._local.items():
            seen = before.get(name)
            if seen is None or seen[0] is not table or seen[1] != table.mailbox.posted:
                seen = table, table.mailbox.posted, _told(table)
            self._seen[name] = seen
        return {name: told for name, (_, _, told) in self._seen.items()}


def _told(table: TableActor) -> OwnedTable:
    return OwnedTable(epoch=table.epoch, seats=len(table.holders()), load=load_of(table.players()))
