"""Which nodes live and where each table lives, as the nodes say; changes are passed on to a listener."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from typing import Protocol

from pokerroom.cluster.membership import Membership
from pokerroom.cluster.node_facts import HandoverTarget
from pokerroom.cluster.placement import NodeLoad
from pokerroom.table.actor import TableActor


class PlacementListener(Protocol):
    """The part of a node that must know which nodes live and where the tables are (`room_bus.RoomBus`)."""

    def placed(self, owners: Mapping[str, str]) -> None:
        """Set which node has which table; tables without an owner are missing."""

    def living(self, nodes: Sequence[str]) -> None:
        """Set the living nodes in order; the first is the leader."""

    def attached(self, tables: Sequence[TableActor]) -> None:
        """Note tables that live here from now on."""

    def detached(self, table: TableActor) -> None:
        """Note a table that lives here no longer."""

    def tell_directory_changed(self) -> None:
        """Tell the other nodes that this node's entry in the directory has changed."""


class PlacementView:
    """The room as this node sees it. A table without an owner is missing in `placed`."""

    def __init__(self, membership: Membership, listener: PlacementListener) -> None:
        self._nodes = membership
        self._listener = listener
        self._living: list[str] = []
        self.placed: dict[str, str] = {}
        self.loads: dict[str, int] = {}
        """The load of each table when its last owner reported it, whether that node lives or not."""

    def update(self, here: Mapping[str, int]) -> list[str]:
        """Put together what the nodes say. `here` are this node's tables with their epochs.

        Returns those of them that another node has under a later epoch.
        """
        known = {name: (epoch, self._nodes.node) for name, epoch in here.items()}
        for node, facts in self._nodes.others().items():
            for name, owned in facts.tables.items():
                if name not in known or known[name][0] < owned.epoch:
                    known[name] = owned.epoch, node
                    self.loads[name] = owned.load
        living, placed = self._nodes.living(), {name: node for name, (_, node) in known.items()}
        if living != self._living:
            self._living = living
            self._listener.living(living)
        if placed != self.placed:
            self.placed = placed
            self._listener.placed(placed)
        return [name for name in here if placed[name] != self._nodes.node]

    def forget_loads(self, tables: Container[str]) -> None:
        """Forget the loads of all other tables: they are over."""
        self.loads = {name: load for name, load in self.loads.items() if name in tables}

    def other_loads(self, coming: Mapping[str, Mapping[str, int]]) -> list[NodeLoad]:
        """Return the other nodes that may have tables, with theirs and those that are `coming` from here."""
        return [
            NodeLoad(
                node=node,
                tables={name: owned.load for name, owned in facts.tables.items()}
                | dict(coming.get(node, {})),
            )
            for node, facts in self._nodes.others().items()
            if not (facts.draining or facts.suspended)
        ]

    def meant(
        self, own: Mapping[str, HandoverTarget], epochs: Mapping[str, int]
    ) -> dict[str, HandoverTarget]:
        """Return the tables that their owners of these last epochs gave to a node; `own` are this node's."""
        return {
            name: target
            for tables in (own, *(facts.given for facts in self._nodes.others().values()))
            for name, target in tables.items()
            if target.epoch == epochs.get(name)
        }

    def without_owner(self, names: Collection[str]) -> list[str]:
        """Return those of the tables that no node reports as its own."""
        return [name for name in names if name not in self.placed]
