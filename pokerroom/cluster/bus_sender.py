"""Sending messages to other nodes. A node that is alone sends nothing.

Knows the bus and how messages are encoded, not what they mean or which node should get which.
"""

from __future__ import annotations

from collections.abc import Collection

from pokerroom.cluster.messages import BusMessage, packed
from pokerroom.coordination.api import Bus


class BusSender:
    """See the module. `others` are the other nodes that live."""

    def __init__(self, node: str, bus: Bus) -> None:
        self.node = node
        self.others: frozenset[str] = frozenset()
        self._bus = bus

    def living(self, nodes: Collection[str]) -> None:
        """Set the living nodes, this one among them."""
        self.others = frozenset(nodes) - {self.node}

    def to(self, node: str, message: BusMessage) -> None:
        """Send to one other node, whether it is known to live or not."""
        assert node != self.node
        self._bus.send(node, packed(message))

    def to_all(self, message: BusMessage) -> None:
        """Send to all other nodes."""
        if self.others:
            self._bus.send_all(packed(message))
