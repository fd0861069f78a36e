"""Clients of other nodes at the tables that live here: this is the tables' owner.

For each line of another node (see `remote_tables`) a `RemoteViewer` stands for the client; the tables cannot tell it
from a session. What they tell it is collected, and leaves at the end of the reactor turn: one message per node, each
bundle in it once with the lines that get it. What only one account may see is in no other line's bundle, and so goes to
no node but his. A line may be of a table that is not here yet, or not here any more: then it waits, or is closed by its
home node. This module knows no rules and no sockets, and encodes nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
from pokerroom.table.api import TableActor
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

Soon = Callable[[Callable[[], None]], object]
"""Calls at the end of this reactor turn, or in the next."""


class RemoteViewer:
    """A client of another node: a `Viewer`."""

    __slots__ = (
        "_viewers",
        "account",
        "connected",
        "home",
        "last",
        "line",
        "name",
        "table",
        "wants_pause",
        "watches",
    )

    def __init__(self, viewers: RemoteViewers, home: str, opened: ChannelOpened) -> None:
        self._viewers = viewers
        self.home = home
        self.line = opened.line
        self.table = opened.table
        self.account: int | None = opened.account
        self.name = opened.name
        self.wants_pause = opened.wants_pause
        self.connected = True
        self.watches = opened.watches
        """Whether he is to be shown the table when it is here."""
        self.last = 0
        """Number of the last entry that he is in."""

    def deliver(self, outgoing: Outgoing | Bundle) -> None:
        """See `Viewer`."""
        if self.connected:
            self._viewers.collect(self, outgoing)


class _Entry:
    """One bundle, and the lines that get it; `first` is the viewer of the first of them."""

    __slots__ = ("bundle", "first", "lines", "number")

    def __init__(self, bundle: Outgoing | Bundle, number: int, first: RemoteViewer) -> None:
        self.bundle = bundle
        self.number = number
        self.first = first
        self.lines: list[int] = []


class _Turn:
    """What one node is told at the end of this reactor turn. For each line its order is kept."""

    __slots__ = ("entries", "last_of")

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self.last_of: dict[int, _Entry] = {}
        """By the identity of the bundle, which the entry keeps alive."""


class RemoteViewers:
    """See the module. `here` finds a table that lives on this node."""

    def __init__(self, sender: BusSender, here: Callable[[str], TableActor | None], soon: Soon) -> None:
        self._sender = sender
        self._here = here
        self._soon = soon
        self._of: dict[str, dict[int, RemoteViewer]] = {}
        self._turns: dict[str, _Turn] = {}
        self._numbers = count(1)
        self._asked_how_it_stands: set[str] = set()

    def homes(self) -> list[str]:
        """The nodes that have lines here."""
        return list(self._of)

    # --- from home nodes --------------------------------------------------------------------------------------------

    def opened(self, home: str, opened: ChannelOpened) -> None:
        """A client is going to ask something."""
        self._of.setdefault(home, {})[opened.line] = RemoteViewer(self, home, opened)

    def asked(self, home: str, asked: ChannelRequest) -> None:
        """A client asks something. If his line is not known messages were lost, and his node gives the request up."""
        viewer = self._of.get(home, {}).get(asked.line)
        if viewer is None:
            self._ask_how_it_stands(home)
            return
        table = self._here(viewer.table)
        if table is None:
            code = Code.UNAVAILABLE
            error = wire.Error(re=asked.request.id, code=code.value, message=code.sentence)
            viewer.deliver(Outgoing(error))
        else:
            table.request(viewer, asked.request)

    def closed(self, home: str, closed: ChannelsClosed) -> None:
        """Clients are gone."""
        of_home = self._of.get(home, {})
        self._gone([of_home.pop(line) for line in closed.lines if line in of_home])
        if not of_home:
            self._of.pop(home, None)

    def resumed(self, home: str, resumed: ChannelsResumed) -> None:
        """All lines of one table, or of all: who watches is shown it again, and who is not among them is gone."""
        self._asked_how_it_stands.discard(home)
        of_home = self._of.setdefault(home, {})
        named = {opened.line for opened in resumed.lines}
        for opened in resumed.lines:
            viewer = of_home.get(opened.line)
            if viewer is None:
                viewer = of_home[opened.line] = RemoteViewer(self, home, opened)
            table = self._here(viewer.table)
            viewer.watches = opened.watches or (table is not None and table.outbox.watches(viewer))
            if table is not None and viewer.watches:
                table.rejoin(viewer)
        left = [line for line, viewer in of_home.items() if line not in named]
        if resumed.table is not None:
            left = [line for line in left if of_home[line].table == resumed.table]
        self.closed(home, ChannelsClosed(left))

    def lost(self, home: str) -> None:
        """The node lives no more: all its clients are gone."""
        self._asked_how_it_stands.discard(home)
        self._turns.pop(home, None)
        self._gone(self._of.pop(home, {}).values())

    # --- tables that come and go ------------------------------------------------------------------------------------

    def attached(self, table: TableActor) -> None:
        """The table lives here from now on: who waits for it is shown it."""
        for viewer in self._at(table.settings.table):
            if viewer.watches:
                table.rejoin(viewer)

    def detached(self, table: str) -> None:
        """The table lives here no more: what clients have asked of it is not answered any more."""
        for home in dict.fromkeys(viewer.home for viewer in self._at(table)):
            self._sender.to(home, MessagesLost(table))

    # --- what is told -----------------------------------------------------------------------------------------------

    def collect(self, viewer: RemoteViewer, bundle: Outgoing | Bundle) -> None:
        """Leaves for the viewer's node at the end of the turn.

        A bundle that others get, too, is sent once, unless this line has got something behind it already.
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
        entry.lines.append(viewer.line)
        viewer.last = entry.number

    def _flush(self) -> None:
        turns, self._turns = self._turns, {}
        for home, turn in turns.items():
            self._sender.to(home, Deliveries([self._delivery(entry) for entry in turn.entries]))

    def _delivery(self, entry: _Entry) -> Delivery:
        bundle, lines = entry.bundle, entry.lines
        if isinstance(bundle, Bundle):
            return Delivery(lines, bundle.framed())
        message = bundle.message
        re = getattr(message, "re", None)
        snapshot = isinstance(message, wire.Snapshot | wire.UltimateSnapshot)
        watches = None
        # else it is for the spectator_delay's viewers, who go on watching
        if len(lines) == 1 and (re is not None or snapshot):
            viewer = entry.first
            table = self._here(viewer.table)
            watches = viewer.watches = viewer.watches if table is None else table.outbox.watches(viewer)
        return Delivery(lines, bundle.framed(), re, snapshot, watches)

    # --- inside -----------------------------------------------------------------------------------------------------

    def _at(self, table: str) -> list[RemoteViewer]:
        return [
            viewer for of_home in self._of.values() for viewer in of_home.values() if viewer.table == table
        ]

    def _gone(self, viewers: Iterable[RemoteViewer]) -> None:
        for viewer in viewers:
            viewer.connected = False
            table = self._here(viewer.table)
            if table is not None:
                table.viewer_gone(viewer)

    def _ask_how_it_stands(self, home: str) -> None:
        if home not in self._asked_how_it_stands:
            self._asked_how_it_stands.add(home)
            self._sender.to(home, MessagesLost())
