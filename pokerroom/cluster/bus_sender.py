"""The way out to other nodes, for whatever has something to say to them. A node that is alone says nothing.

Knows the bus and how messages are written; not what they mean, and not who should get which.
"""

from __future__ import annotations

from collections.abc import Collection

from pokerroom.cluster.messages import BusMessage, packed
from pokerroom.coordination.api import Bus


class BusSender:
    """See the module. `alone` is whether no other node lives; `others` are those that do."""

    def __init__(self, node: str, bus: Bus) -> None:
        self.node = node
        self.others: frozenset[str] = frozenset()
        self._bus = bus

    def living(self, nodes: Collection[str]) -> None:
        """Who lives; this node is one of them."""
        self.others = frozenset(nodes) - {self.node}

    def to(self, node: str, message: BusMessage) -> None:
        """To one other node, be it known to live or not."""
        assert node != self.node
        self._bus.send(node, packed(message))

    def to_all(self, message: BusMessage) -> None:
        """To all other nodes."""
        if self.others:
            self._bus.send_all(packed(message))
