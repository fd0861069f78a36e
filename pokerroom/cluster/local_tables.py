"""The tables that live on this node: the one place that says so.

`Ownership` writes it, every other part reads it as a mapping from table ids to tables. A table in it has been restored.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView

from pokerroom.table.actor import TableActor


class LocalTables(Mapping[str, TableActor]):
    """The tables of this node by their ids, in the order in which they came to live here."""

    def __init__(self) -> None:
        self._tables: dict[str, TableActor] = {}

    def __getitem__(self, name: str) -> TableActor:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def items(self) -> ItemsView[str, TableActor]:
        """See `Mapping`. Its own view looks up each table, and every heartbeat goes through all of them."""
        return self._tables.items()

    def values(self) -> ValuesView[TableActor]:
        """See `items`."""
        return self._tables.values()

    def attach(self, table: TableActor) -> None:
        """Add a table that this node owns from now on."""
        name = table.settings.table
        assert name not in self._tables
        self._tables[name] = table

    def detach(self, name: str) -> TableActor:
        """Remove a table that this node owns no longer, and return it."""
        return self._tables.pop(name)
