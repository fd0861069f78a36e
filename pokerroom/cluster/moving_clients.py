"""Clients that move to the node of their tables: whether one should, and what its tables are told.

If all tables of a client live at one other node, it costs both nodes: everything for it crosses the bus. This module
says which node that is, and hands the client's channels over. It knows no sessions and no sockets (`gateway/moves.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pokerroom.cluster.arrivals import Arrivals
from pokerroom.cluster.bus_sender import BusSender
from pokerroom.cluster.messages import ChannelsClosed
from pokerroom.cluster.node_waitlist import NodeWaitlist
from pokerroom.cluster.remote_tables import RemoteTables
from pokerroom.cluster.remote_viewers import RemoteViewers
from pokerroom.table.actor import TableActor
from pokerroom.table.viewer import Viewer


class MovingClients:
    """See the module. `local` are the tables of this node."""

    def __init__(
        self,
        *,
        sender: BusSender,
        local: Mapping[str, TableActor],
        tables: RemoteTables,
        viewers: RemoteViewers,
        waitlist: NodeWaitlist,
        arrivals: Arrivals,
    ) -> None:
        self._sender = sender
        self._local = local
        self._tables = tables
        self._viewers = viewers
        self._waitlist = waitlist
        self.arrived_ms = arrivals.arrived_ms
        """Returns when the instance of an account that is connected here was authenticated; 0 if there is none."""

    def node_of(self, viewer: Viewer, tables: Iterable[str]) -> str | None:
        """Return the other node that owns all tables which the client watches; None if there is no such node.

        `tables` are those that the client may use.
        """
        here = [table for name in tables if (table := self._local.get(name)) is not None]
        owners = self._tables.owners(viewer, tables)
        if len(owners) != 1 or any(table.outbox.watches(viewer) for table in here):
            return None
        return owners.pop()

    def is_idle(self, viewer: Viewer, tables: Iterable[str]) -> bool:
        """Return whether the client waits for nothing: no answer of a table, and no place on a waiting list."""
        asked = [
            each
            for name in tables
            if (table := self._local.get(name)) is not None
            for each in table.unanswered()
            if each[0] is viewer
        ]
        account = viewer.account
        return (
            not asked
            and self._tables.is_idle(viewer, tables)
            and not (account is not None and self._waitlist.waits(account))
        )

    def channels(self, viewer: Viewer, tables: Iterable[str]) -> list[tuple[str, int]]:
        """Return the tables that the client watches, each with its channel."""
        return self._tables.watching(viewer, tables)

    def leave(self, viewer: Viewer, tables: Iterable[str]) -> None:
        """Forget these channels: from now on the client gets nothing of the tables.

        Their owner is not told: it closes the channels when it has the client, or when `left` is called.
        """
        self._tables.leave(viewer, tables)

    def left(self, node: str, channels: Sequence[int]) -> None:
        """Close channels of a client that has moved, if the other node has not done it.

        Call it a moment after `leave`: a player must not count as gone before the other node has the client.
        """
        self._sender.to(node, ChannelsClosed(list(channels)))

    def came(self, viewer: Viewer, home: str, tables: Iterable[tuple[str, int]]) -> None:
        """Show a client that has come from another node the tables that it watched there."""
        for name, channel in tables:
            table = self._local.get(name)
            if table is None:
                self._tables.join(viewer, name)
            else:
                self._viewers.moved_here(home, channel, table, viewer)
