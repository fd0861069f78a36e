"""Clients of other nodes at the tables of this node: this is the tables' owner.

For each channel of another node (see `remote_tables`) a `RemoteViewer` stands for the client; a table cannot tell it
from a session. Deliveries are collected and leave at the end of the reactor turn: one message per node, which holds
each bundle once with the channels that get it. What one account alone may see is in no other channel's bundle, and so
goes to no node but that account's. A channel's table may not be here yet, or not any more: then the channel waits, or
its home node closes it. This module knows no rules and no sockets, and encodes nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import count

from pokerroom.cluster.bus_sender import BusSender
from pokerroom.cluster.messages import (
    ChannelOpened,
    ChannelRequest,
    ChannelsClosed,
    ChannelsResumed,
    Deliveries,
    Delivery,
    MessagesLost,
)
from pokerroom.table.actor import TableActor
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.traces import Traces
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

Soon = Callable[[Callable[[], None]], object]
"""Calls at the end of this reactor turn, or in the next."""


class RemoteViewer:
    """A client of another node: a `Viewer`."""

    __slots__ = (
        "_viewers",
        "account",
        "address_group",
        "connected",
        "home",
        "instance",
        "last",
        "channel",
        "name",
        "table",
        "wants_pause",
        "watches",
    )

    def __init__(self, viewers: RemoteViewers, home: str, opened: ChannelOpened) -> None:
        self._viewers = viewers
        self.home = home
        self.channel = opened.channel
        self.table = opened.table
        self.account: int | None = opened.account
        self.name = opened.name
        self.instance = opened.instance
        self.address_group = opened.address_group
        self.wants_pause = opened.wants_pause
        self.connected = True
        self.watches = opened.watches
        """Whether the client is to be shown the table when it is here."""
        self.last = 0
        """Number of the last entry that holds this channel."""

    def deliver(self, outgoing: Outgoing | Bundle) -> None:
        if self.connected:
            self._viewers.collect(self, outgoing)


class _Entry:
    """One bundle and the channels that get it; `first` is the viewer of the first channel."""

    __slots__ = ("bundle", "first", "channels", "number")

    def __init__(self, bundle: Outgoing | Bundle, number: int, first: RemoteViewer) -> None:
        self.bundle = bundle
        self.number = number
        self.first = first
        self.channels: list[int] = []


class _Turn:
    """The deliveries to one node in this reactor turn, in the order of each channel."""

    __slots__ = ("entries", "last_of")

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self.last_of: dict[int, _Entry] = {}
        """By the identity of the bundle, which the entry keeps alive."""


class RemoteViewers:
    """See the module. `local` are the tables of this node."""

    def __init__(
        self,
        sender: BusSender,
        local: Mapping[str, TableActor],
        soon: Soon,
        traces: Traces | None = None,
    ) -> None:
        self._sender = sender
        self._traces = traces
        self._local = local
        self._soon = soon
        self._of: dict[str, dict[int, RemoteViewer]] = {}
        self._turns: dict[str, _Turn] = {}
        self._numbers = count(1)
        self._state_requested: set[str] = set()

    def homes(self) -> list[str]:
        """Return the nodes that have channels here."""
        return list(self._of)

    # --- from home nodes ----------------------------------------------------------------------------------------------

    def opened(self, home: str, opened: ChannelOpened) -> None:
        """Note a new channel; its client is about to send a request."""
        self._of.setdefault(home, {})[opened.channel] = RemoteViewer(self, home, opened)

    def asked(self, home: str, asked: ChannelRequest) -> None:
        """Pass a client's request to its table. If the channel is unknown messages were lost, and its node is asked to
        resume.
        """
        viewer = self._of.get(home, {}).get(asked.channel)
        if viewer is None:
            self._request_state(home)
            return
        table = self._local.get(viewer.table)
        if table is None:
            code = Code.UNAVAILABLE
            error = wire.Error(re=asked.request.id, code=code.value, message=code.sentence)
            viewer.deliver(Outgoing(error))
        elif self._traces is None:
            table.request(viewer, asked.request)
        else:
            handle = partial(table.request, viewer, asked.request)
            self._traces.arrived(asked.trace, viewer.table, type(asked.request).__name__, handle)

    def closed(self, home: str, closed: ChannelsClosed) -> None:
        """Forget clients that are gone."""
        of_home = self._of.get(home, {})
        self._gone([of_home.pop(channel) for channel in closed.channels if channel in of_home])
        if not of_home:
            self._of.pop(home, None)

    def moved_here(self, home: str, channel: int, table: TableActor, viewer: Viewer) -> None:
        """Show the table to a client that was connected to another node and is connected here now.

        Not if the table has ended its watching meanwhile.
        """
        before = self._of.get(home, {}).get(channel)
        if before is None or table.outbox.watches(before):
            table.rejoin(viewer)
        self.closed(home, ChannelsClosed([channel]))

    def resumed(self, home: str, resumed: ChannelsResumed) -> None:
        """Take over the list of all channels to one table or to all: show the table to watchers, forget unlisted
        clients.
        """
        self._state_requested.discard(home)
        of_home = self._of.setdefault(home, {})
        named = {opened.channel for opened in resumed.channels}
        for opened in resumed.channels:
            viewer = of_home.get(opened.channel)
            if viewer is None:
                viewer = of_home[opened.channel] = RemoteViewer(self, home, opened)
            table = self._local.get(viewer.table)
            viewer.watches = opened.watches or (table is not None and table.outbox.watches(viewer))
            if table is not None and viewer.watches:
                table.rejoin(viewer)
        left = [channel for channel, viewer in of_home.items() if channel not in named]
        if resumed.table is not None:
            left = [channel for channel in left if of_home[channel].table == resumed.table]
        self.closed(home, ChannelsClosed(left))

    def lost(self, home: str) -> None:
        """Forget all clients of a node that lives no longer."""
        self._state_requested.discard(home)
        self._turns.pop(home, None)
        self._gone(self._of.pop(home, {}).values())

    # --- tables that are attached and detached ------------------------------------------------------------------------

    def attached(self, table: TableActor) -> None:
        """Show the table, which lives here from now on, to the clients that wait for it."""
        for viewer in self._at(table.settings.table):
            if viewer.watches:
                table.rejoin(viewer)

    def detached(self, table: str) -> None:
        """Tell the home nodes that the table lives here no longer: requests are not answered any more."""
        for home in dict.fromkeys(viewer.home for viewer in self._at(table)):
            self._sender.to(home, MessagesLost(table))

    # --- what is told -------------------------------------------------------------------------------------------------

    def collect(self, viewer: RemoteViewer, bundle: Outgoing | Bundle) -> None:
        """Queue a delivery for the viewer's node; it leaves at the end of the turn.

        A bundle for several channels is sent once, unless this channel has got a later delivery since.
        """
        turn = self._turns.get(viewer.home)
        if turn is None:
            if not self._turns:
                self._soon(self._flush)
            turn = self._turns[viewer.home] = _Turn()
        entry = turn.last_of.get(id(bundle))
        if entry is None or entry.number <= viewer.last:
            entry = turn.last_of[id(bundle)] = _Entry(bundle, next(self._numbers), viewer)
            turn.entries.append(entry)
        entry.channels.append(viewer.channel)
        viewer.last = entry.number

    def _flush(self) -> None:
        turns, self._turns = self._turns, {}
        for home, turn in turns.items():
            self._sender.to(home, Deliveries([self._delivery(entry) for entry in turn.entries]))

    def _delivery(self, entry: _Entry) -> Delivery:
        bundle, channels = entry.bundle, entry.channels
        if isinstance(bundle, Bundle):
            return Delivery(channels, bundle.framed())
        message = bundle.message
        re = getattr(message, "re", None)
        snapshot = isinstance(message, wire.Snapshot | wire.UltimateSnapshot)
        watches = None
        # otherwise it is for delayed spectators, who go on watching
        ends = isinstance(message, wire.TableTaken | wire.RemovedFromTable)
        if len(channels) == 1 and (re is not None or snapshot or ends):
            viewer = entry.first
            table = self._local.get(viewer.table)
            watches = viewer.watches = viewer.watches if table is None else table.outbox.watches(viewer)
        return Delivery(channels, bundle.framed(), re, snapshot, watches)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _at(self, table: str) -> list[RemoteViewer]:
        return [
            viewer for of_home in self._of.values() for viewer in of_home.values() if viewer.table == table
        ]

    def _gone(self, viewers: Iterable[RemoteViewer]) -> None:
        for viewer in viewers:
            viewer.connected = False
            table = self._local.get(viewer.table)
            if table is not None:
                table.viewer_gone(viewer)

    def _request_state(self, home: str) -> None:
        if home not in self._state_requested:
            self._state_requested.add(home)
            self._sender.to(home, MessagesLost())
