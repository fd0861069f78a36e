"""Who lives and which table lives where, as the nodes say it; what is new of that is told to `others`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from pokerroom.cluster.membership import Membership
from pokerroom.cluster.node_facts import HandoverTarget
from pokerroom.cluster.placement import NodeLoad
from pokerroom.table.api import TableActor


class PlacementListener(Protocol):
    """What crosses nodes, as far as it must know who lives and where the tables are (`others.Others`)."""

    def placed(self, owners: Mapping[str, str]) -> None:
        """Which node has which table; tables without an owner are missing."""

    def living(self, nodes: Sequence[str]) -> None:
        """The living nodes, in order; the first is the leader."""

    def attached(self, table: TableActor) -> None:
        """The table lives here from now on."""

    def detached(self, table: TableActor) -> None:
        """The table lives here no more."""

    def tell_news(self) -> None:
        """What this node has told the directory is new."""


class PlacementView:
    """As this node sees them. A table that is in nobody's hands is missing in `placed`."""

    def __init__(self, membership: Membership, others: PlacementListener) -> None:
        self._nodes = membership
        self._others = others
        self._living: list[str] = []
        self.placed: dict[str, str] = {}
        self.loads: dict[str, int] = {}
        """What each table weighed when its last owner said so, whether he lives or not."""

    def look(self, here: Mapping[str, int]) -> list[str]:
        """Puts together what the nodes say; `here` are this node's tables with their epochs.

        Returns those of them that another node has under a larger one.
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
            self._others.living(living)
        if placed != self.placed:
            self.placed = placed
            self._others.placed(placed)
        return [name for name in here if placed[name] != self._nodes.node]

    def other_bearers(self, coming: Mapping[str, Mapping[str, int]]) -> list[NodeLoad]:
        """The other nodes that may have tables, with what they have, and what is about to come to each from here."""
        return [
            NodeLoad(
                node=node,
                weight=facts.weight,
                tables={name: owned.load for name, owned in facts.tables.items()}
                | dict(coming.get(node, {})),
            )
            for node, facts in self._nodes.others().items()
            if not (facts.draining or facts.suspended)
        ]

    def meant(
        self, own: Mapping[str, HandoverTarget], epochs: Mapping[str, int]
    ) -> dict[str, HandoverTarget]:
        """Who is meant to have which tables, by their last epochs and the word of the owners of these, `own` too."""
        return {
            name: given
            for tables in (own, *(facts.given for facts in self._nodes.others().values()))
            for name, given in tables.items()
            if given.epoch == epochs.get(name)
        }

    def without_owner(self, names: Collection[str]) -> list[str]:
        """Those of the tables that nobody says he has."""
        return [name for name in names if name not in self.placed]
