"""Tables of other nodes as the clients of this one see them: this is their clients' home node.

Behind a table's handle is a channel per client: a number under which the table's owner knows the client, and the
requests that the owner has not answered yet. A channel belongs to one owner. When the table gets another owner or has
none, three things follow: the requests are answered `unavailable`, deliveries of the old owner find no channel, and
clients that watched the table are announced to the new owner, which shows it to them unasked. When only messages were
lost the channels stay, and the clients are shown the table in the same way. This module knows no rules and no bus, and
does not decode what it passes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import cast

from msgspec.structs import replace

from pokerroom.cluster.bus_sender import BusSender
from pokerroom.cluster.messages import (
    ChannelOpened,
    ChannelRequest,
    ChannelsClosed,
    ChannelsResumed,
    Delivery,
)
from pokerroom.table.actor import TableActor
from pokerroom.table.api import LobbyRow
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.traces import Traces
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


@dataclass(slots=True, kw_only=True, eq=False)
class _Channel:
    """One client at one table of one owner. `account` is the client's when the channel was opened."""

    number: int
    table: str
    viewer: Viewer
    account: int
    name: str
    instance: str
    address_group: str
    wants_pause: bool
    watches: bool
    behind: bool = False
    """Events may be missing: deliveries before the next snapshot are dropped."""
    unanswered: Counter[int] = field(default_factory=Counter)
    """Requests by their ids, which a client may use twice."""

    def opened(self) -> ChannelOpened:
        """Return what the owner has to know."""
        return ChannelOpened(
            self.number,
            self.table,
            self.account,
            self.name,
            instance=self.instance,
            address_group=self.address_group,
            wants_pause=self.wants_pause,
            watches=self.watches,
        )


class RemoteTable:
    """A table of another node: a `TableHandle`."""

    def __init__(self, tables: RemoteTables, name: str, info: Callable[[str], LobbyRow]) -> None:
        self._tables = tables
        self._name = name
        self._info = info

    def request(self, viewer: Viewer, message: wire.Request) -> None:
        """Pass a client's message on to the table's owner."""
        self._tables.request(self._name, viewer, message)

    def viewer_gone(self, viewer: Viewer) -> None:
        """Note that a client's connection is lost, or that it logged out."""
        self._tables.viewer_gone(self._name, viewer)

    def info(self) -> LobbyRow:
        """Return the table's lobby row."""
        return self._info(self._name)


class RemoteTables:
    """See the module. `info` returns a table's lobby row, `refused` counts the codes of refusals.

    `watches` is called with each client that begins to watch a table of another node.
    """

    def __init__(
        self,
        sender: BusSender,
        info: Callable[[str], LobbyRow],
        refused: Callable[[str], None],
        traces: Traces | None = None,
        watches: Callable[[Viewer], None] = lambda _: None,
    ) -> None:
        self._sender = sender
        self._traces = traces
        self._watches = watches
        self._info = info
        self._refused = refused
        self._numbers = count(1)
        self._owners: dict[str, str] = {}
        self._channels: dict[int, _Channel] = {}
        self._at: dict[str, dict[Viewer, _Channel]] = {}

    def handle(self, name: str) -> RemoteTable:
        """Return the handle of a table. It refuses every request while the table has no living owner."""
        return RemoteTable(self, name, self._info)

    # --- of clients ---------------------------------------------------------------------------------------------------

    def request(self, table: str, viewer: Viewer, message: wire.Request) -> None:
        """Pass a client's message on to the table's owner."""
        owner = self._owners.get(table)
        if owner is None:
            self._unavailable(viewer, message.id)
            return
        channel = self._at.get(table, {}).get(viewer)
        if channel is None:
            channel = self._open(table, viewer, watches=False)
            self._sender.to(owner, channel.opened())
        channel.unanswered[message.id] += 1
        trace = "" if self._traces is None else self._traces.carried()
        self._sender.to(owner, ChannelRequest(channel.number, cast("wire.TableRequest", message), trace))

    def viewer_gone(self, table: str, viewer: Viewer) -> None:
        """Close the client's channel: nothing reaches the client any more."""
        channel = self._at.get(table, {}).get(viewer)
        if channel is None:
            return
        self._drop(channel)
        owner = self._owners.get(table)
        if owner is not None:
            self._sender.to(owner, ChannelsClosed([channel.number]))

    # --- of clients that move to another node -------------------------------------------------------------------------

    def watching(self, viewer: Viewer, tables: Iterable[str]) -> list[tuple[str, int]]:
        """Return those of the tables that the client watches, each with the number of its channel."""
        return [
            (channel.table, channel.number)
            for channel in self._channels_of(viewer, tables)
            if channel.watches
        ]

    def owners(self, viewer: Viewer, tables: Iterable[str]) -> set[str | None]:
        """Return the owners of the tables that the client watches; None among them if one has no owner."""
        return {self._owners.get(table) for table, _ in self.watching(viewer, tables)}

    def is_idle(self, viewer: Viewer, tables: Iterable[str]) -> bool:
        """Return whether the client has all answers and all events of these tables."""
        return not any(channel.unanswered or channel.behind for channel in self._channels_of(viewer, tables))

    def leave(self, viewer: Viewer, tables: Iterable[str]) -> None:
        """Forget the channels to tables that the client watches. Their owner is not told."""
        for channel in self._channels_of(viewer, tables):
            if channel.watches:
                self._drop(channel)

    def join(self, viewer: Viewer, table: str) -> None:
        """Show a table to a client that watched it at the node from which it has come."""
        self._open(table, viewer, watches=True)
        owner = self._owners.get(table)
        if owner is not None:
            again = [channel.opened() for channel in self._at[table].values()]
            self._sender.to(owner, ChannelsResumed(table, again))

    def _channels_of(self, viewer: Viewer, tables: Iterable[str]) -> list[_Channel]:
        found = (self._at.get(table, {}).get(viewer) for table in tables)
        return [channel for channel in found if channel is not None]

    # --- of owners ----------------------------------------------------------------------------------------------------

    def told(self, deliveries: Iterable[Delivery]) -> None:
        """Deliver what an owner sends. An unknown channel belonged to another owner, or its client is gone."""
        for delivery in deliveries:
            bundle = Bundle(None, delivery.framed)
            for number in delivery.channels:
                channel = self._channels.get(number)
                if channel is not None:
                    self._deliver(channel, delivery, bundle)

    def _deliver(self, channel: _Channel, delivery: Delivery, bundle: Bundle) -> None:
        re = delivery.re
        if re is not None and not self._answered(channel, re):
            if not delivery.snapshot:
                return
            bundle = _unasked(bundle)  # its request is answered already, but the client watches from here on
        if delivery.watches is not None:
            channel.watches = delivery.watches
            if delivery.watches:
                self._watches(channel.viewer)
        if delivery.snapshot:
            channel.behind = False
        elif channel.behind and re is None and delivery.watches is None:  # an event
            return
        channel.viewer.deliver(bundle)

    def _answered(self, channel: _Channel, re: int) -> bool:
        """Take the request off the list; return False if it was answered before."""
        left = channel.unanswered.get(re, 0)
        if left > 1:
            channel.unanswered[re] = left - 1
        elif left:
            del channel.unanswered[re]
        return left > 0

    def moved(self, table: str, owner: str | None) -> None:
        """Follow the table to another node; None while it has no living owner."""
        before = self._owners.pop(table, None)
        channels = list(self._at.pop(table, {}).values())
        for channel in channels:
            del self._channels[channel.number]
        if before is not None and channels:
            self._sender.to(before, ChannelsClosed([channel.number for channel in channels]))
        if owner is not None:
            self._owners[table] = owner
        for channel in channels:
            if channel.watches:
                self._open(table, channel.viewer, watches=True)
        for channel in channels:
            self._give_up(channel)
        again = [channel.opened() for channel in self._at.get(table, {}).values()]
        if owner is not None and again:
            self._sender.to(owner, ChannelsResumed(table, again))

    def missed(self, owner: str, table: str | None) -> None:
        """Resume the channels after lost messages from or to the owner, or (with a table) after the owner lost that
        table.
        """
        tables = [name for name, node in self._owners.items() if node == owner and table in {None, name}]
        channels = [channel for name in tables for channel in self._at.get(name, {}).values()]
        for channel in channels:
            channel.behind = True
            self._give_up(channel)
        alive = [channel.opened() for channel in channels if channel.number in self._channels]
        self._sender.to(owner, ChannelsResumed(table, alive))

    # --- tables that are attached and detached ------------------------------------------------------------------------

    def attached(self, table: TableActor) -> None:
        """Hand the clients that watch the table over to it: it lives here from now on."""
        name = table.settings.table
        self.moved(name, None)
        for channel in list(self._at.pop(name, {}).values()):
            del self._channels[channel.number]
            table.rejoin(channel.viewer)

    def detached(
        self, table: str, viewers: Iterable[Viewer], unanswered: Iterable[tuple[Viewer, int]]
    ) -> None:
        """Follow a table that lives here no longer, for the clients of this node that watched it or wait for its
        answer.
        """
        channels = [
            self._open(table, viewer, watches=True)
            for viewer in viewers
            if viewer.connected and viewer.account is not None
        ]
        owner = self._owners.get(table)
        if owner is not None and channels:  # it was known before the table was lost here
            self._sender.to(owner, ChannelsResumed(table, [channel.opened() for channel in channels]))
        for viewer, re in unanswered:
            self._unavailable(viewer, re)

    def over(self, table: str) -> None:
        """Close the channels to a table that does not exist any more."""
        for channel in self._at.pop(table, {}).values():
            del self._channels[channel.number]
            self._give_up(channel)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _open(self, table: str, viewer: Viewer, *, watches: bool) -> _Channel:
        assert viewer.account is not None  # a session passes messages for tables only when it is logged in
        channel = _Channel(
            number=next(self._numbers),
            table=table,
            viewer=viewer,
            account=viewer.account,
            name=viewer.name,
            instance=viewer.instance,
            address_group=viewer.address_group,
            wants_pause=viewer.wants_pause,
            watches=watches,
        )
        self._channels[channel.number] = self._at.setdefault(table, {})[viewer] = channel
        if watches:
            self._watches(viewer)
        return channel

    def _drop(self, channel: _Channel) -> None:
        del self._channels[channel.number]
        del self._at[channel.table][channel.viewer]

    def _give_up(self, channel: _Channel) -> None:
        """Answer what the owner has not answered: its answer will not come, or come too late."""
        unanswered, channel.unanswered = channel.unanswered, Counter()
        for re in unanswered.elements():
            self._unavailable(channel.viewer, re)

    def _unavailable(self, viewer: Viewer, re: int) -> None:
        code = Code.UNAVAILABLE
        self._refused(code)
        viewer.deliver(Outgoing(wire.Error(re=re, code=code.value, message=code.sentence)))


def _unasked(bundle: Bundle) -> Bundle:
    [part] = bundle.parts
    assert isinstance(part.message, wire.Snapshot | wire.UltimateSnapshot)
    return Bundle([Outgoing(replace(part.message, re=None))])
