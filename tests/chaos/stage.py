"""What a fault can lay hands on, and what it leaves behind."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import psycopg

from tests.chaos.crowd import Crowd
from tests.chaos.evidence import Evidence
from tests.chaos.nodes import Node, Nodes
from tests.chaos.player import Player
from tests.chaos.proxy import Proxies
from tests.chaos.services import Services

if TYPE_CHECKING:
    from tests.chaos.versions import Versions

LEASE_S: Final = 2.5
"""A node that has told nothing for so long is dead to the others."""


class NotReached(Exception):  # noqa: N818 -- the moment did not come
    """The fault could not be brought about; nothing is broken."""


@dataclass(slots=True, kw_only=True)
class Blow:
    """What became of one fault. Times in seconds since the run began.

    `takeover`: the tables live on at another node, so that recovery counts from the blow, not from the healing.
    """

    kind: str
    tables: frozenset[str]
    struck_s: float
    healed_s: float
    takeover: bool
    note: str = ""
    reached: bool = True
    """Whether it struck at the chosen point; if not it was a fault all the same."""
    holds_clients: bool = False
    """The node lives on with its clients, who are the players of its tables: they hear nothing before the healing."""
    hung: bool = False
    """A node was stopped until its parent killed it."""
    killed: list[Node] = field(default_factory=list)
    """To be started again."""


@dataclass(slots=True, kw_only=True)
class Stage:
    """All that a fault can lay hands on."""

    nodes: Nodes
    services: Services
    proxies: Proxies
    evidence: Evidence
    players: list[Player]
    crowd: Crowd
    tables: list[str]
    random: random.Random
    now: Callable[[], float]
    versions: Versions | None = None
    """Two versions of the program, if nodes change between them."""
    owners: dict[str, int] = field(default_factory=dict)
    """Table -> process of its owner, as the ledger said a moment ago; empty for a room without owners."""

    @property
    def alone(self) -> bool:
        """Whether there is no other node to take over."""
        return len(self.nodes.all) == 1

    def running(self) -> list[Node]:
        """Nodes that can be struck."""
        return [node for node in self.nodes.all if node.process is not None and not node.stopped]

    def tables_of(self, node: Node) -> frozenset[str]:
        """Where its end is felt, of the tables that players of the harness watch."""
        if not self.owners:
            return frozenset(self.tables)
        return frozenset(table for table in self.tables if self.owners.get(table) == node.pid)

    def owner_of(self, table: str) -> Node | None:
        """The node that has the table."""
        if not self.owners:
            return self.running()[0] if self.running() else None
        return self.nodes.of_pid(self.owners.get(table, 0))

    def a_node(self) -> Node:
        """One that has tables, if any has."""
        running = self.running()
        if not running:
            raise NotReached("no node runs")
        return self.random.choice([node for node in running if self.tables_of(node)] or running)

    def everywhere(self, kind: str, at: float, note: str) -> Blow:
        """A blow that every table feels, healed now."""
        return Blow(
            kind=kind,
            tables=frozenset(self.tables),
            struck_s=at,
            healed_s=self.now(),
            takeover=False,
            note=note,
        )

    @asynccontextmanager
    async def database(self) -> Any:
        """A connection of the harness's own."""
        connection = await psycopg.AsyncConnection.connect(
            self.services.database_url, autocommit=True, connect_timeout=5
        )
        try:
            yield connection
        finally:
            await connection.close()
