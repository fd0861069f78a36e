"""The bus of a room as one node uses it: who sends what to which node, and who handles what arrives.

Any node serves any client. What a client does at a table of another node goes through `remote_tables` at the client's
node and `remote_viewers` at the table's. One node leads the waiting lists (`node_waitlist`, `waitlist_leader`), an
account has one connection of each instance in the whole room (`arrivals`), and every node knows the lobby
(`lobby_rows`, `tournament_statuses`) and today's uses of the timeout protection. A node that is alone sends nothing.

Messages may be lost, and the loss is noticed. A node that missed messages tells their sender (`MessagesLost`); then
both send each other their current state again. Nothing else is repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from pokerroom.cluster import messages
from pokerroom.cluster.arrivals import Arrivals
from pokerroom.cluster.bus_sender import BusSender
from pokerroom.cluster.lobby_rows import LobbyRows
from pokerroom.cluster.local_tables import LocalTables
from pokerroom.cluster.moving_clients import MovingClients
from pokerroom.cluster.node_waitlist import NodeWaitlist
from pokerroom.cluster.remote_tables import RemoteTables
from pokerroom.cluster.remote_viewers import RemoteViewer, RemoteViewers, Soon
from pokerroom.cluster.table_owners import TableOwners
from pokerroom.cluster.tournament_statuses import TournamentStatuses
from pokerroom.coordination.api import Bus
from pokerroom.lobby.lobby import AccountSeats, TableHandle
from pokerroom.lobby.timeouts import TimeoutDay, TimeoutUse
from pokerroom.ops.observer import Observer
from pokerroom.ops.periodic_task import PeriodicTask
from pokerroom.table.actor import TableActor
from pokerroom.table.api import ActorSettings
from pokerroom.table.context import SeatDirectory, TimeoutCount
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.traces import Traces
from pokerroom.table.viewer import Viewer
from pokerroom.tournament.messages import LetterBox, TournamentLetter
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

LOBBY_INTERVAL_S = 1.0
"""Changed lobby rows are sent this often."""

UNKNOWN_NODE_S = 15.0
"""A node with clients here that is not living for this long counts as gone, and its clients with it."""

MakeBus = Callable[[Callable[[str, bytes], None], Callable[[str], None], Callable[[], None]], Bus]
"""Makes the bus of this node from `heard`, `lost` and `cut`: see `coordination.api.Bus`."""

_log = structlog.get_logger()


class WaitlistClient(Protocol):
    """The waiting lists as sessions see them."""

    def request(self, viewer: Viewer, message: wire.JoinWaitlist | wire.LeaveWaitlist) -> Code | None:
        """Join or leave a list; the answer follows. Return the reason of a refusal if it is known at once."""

    def connected(self, viewer: Viewer) -> None:
        """Note that the account is connected: its places are kept, or it is told that they are lost."""

    def disconnected(self, viewer: Viewer) -> None:
        """Note that the connection is lost or logged out."""


class RoomBus:
    """See the module. `settings` are all tables of the room, `local` and `seats` those of this node.

    `owners` is written here alone. `deliver` sends a message to an account if it is connected here, `taken_over` closes
    the connection of an account's instance that has connected to another node, `sessions_ended` those of sessions of
    an account. `directory_changed` is called when another node says that its entry in the directory has changed,
    `hosted_table_changed` when it has changed a hosted table. `watches_elsewhere` is called with each client that
    begins to watch a table of another node. `soon` calls a function at the end of the reactor turn; without it the
    clock does, at a higher cost.
    """

    def __init__(
        self,
        *,
        node: str,
        clock: IReactorTime,
        now_ms: Callable[[], int],
        bus: MakeBus,
        settings: Mapping[str, ActorSettings],
        local: LocalTables,
        owners: TableOwners,
        seats: AccountSeats,
        timeouts: TimeoutDay,
        deliver: Callable[[int, Outgoing | Bundle], None],
        taken_over: Callable[[int, str], None],
        sessions_ended: Callable[[int, list[int]], None],
        directory_changed: Callable[[], None],
        hosted_table_changed: Callable[[str], None],
        observer: Observer,
        soon: Soon | None = None,
        traces: Traces | None = None,
        watches_elsewhere: Callable[[Viewer], None] = lambda _: None,
    ) -> None:
        self.node = node
        self._clock = clock
        self._day = timeouts
        self._local = local
        self._deliver = deliver
        self._sessions_ended = sessions_ended
        self._directory_changed = directory_changed
        self._hosted_table_changed = hosted_table_changed
        self._bus = bus(self._heard, self._lost, self._cut)
        self._sender = sender = BusSender(node, self._bus)
        self._owners = owners
        self._living: tuple[str, ...] = (node,)
        self._died: frozenset[str] = frozenset()
        self._unknown_since: dict[str, float] = {}
        """Nodes that sent something and are not living, by the time of their first message."""
        self._lobby_task = PeriodicTask(clock, LOBBY_INTERVAL_S, self._every_second)
        self._soon = soon = soon or (lambda work: clock.callLater(0, work))
        self._waitlist = NodeWaitlist(
            settings=dict(settings),  # tournament tables, which are added later, have no waiting list
            seats=seats,
            now=clock.seconds,
            now_ms=now_ms,
            sender=sender,
            soon=soon,
            local=local,
            owners=owners,
            refused=observer.refusal,
        )
        self._rows = LobbyRows(settings, sender, local, self._waitlist.waiting)
        self._statuses = TournamentStatuses(sender, local)
        self.tournament_status = self._statuses.status
        self._arrivals = Arrivals(sender, now_ms, taken_over)
        self._viewers = RemoteViewers(sender, local, soon, traces)
        self._tables = RemoteTables(
            sender, self._rows.info, observer.refusal, traces, watches=watches_elsewhere
        )
        self.moving_clients = MovingClients(
            sender=sender,
            local=local,
            tables=self._tables,
            viewers=self._viewers,
            waitlist=self._waitlist,
            arrivals=self._arrivals,
        )
        self._handlers = self._make_handlers()

    # --- for the room -----------------------------------------------------------------------------------------------

    def start(self) -> Deferred[None]:
        """Start the bus; fires when this node hears the others."""
        self._lobby_task.start()
        return self._bus.start()

    def stop(self) -> Deferred[None]:
        """Send and receive nothing more."""
        self._lobby_task.stop()
        self._sender.living((self.node,))
        return self._bus.stop()

    def remote_table(self, name: str) -> TableHandle:
        """Return the handle of a table of another node; it refuses every request while the table has no owner."""
        return self._tables.handle(name)

    @property
    def seating(self) -> SeatDirectory:
        """The room's seats and waiting lists, for the tables of this node."""
        return self._waitlist

    @property
    def waitlist(self) -> WaitlistClient:
        """The waiting lists, for the sessions of this node."""
        return _SessionWaitlist(self._waitlist, self._arrivals)

    @property
    def timeouts(self) -> TimeoutCount:
        """The timeout protection, for the tables of this node."""
        return _SharedTimeouts(self._day, self._sender)

    def arrived(self, account: int, instance: str, at_ms: int | None = None) -> None:
        """Close this instance's connections at other nodes: a session of this node was authenticated.

        Call it after an earlier session of the instance at this node has ended.
        """
        self._arrivals.arrived(account, instance, at_ms)

    def sessions_ended(self, account: int, sessions: Sequence[int]) -> None:
        """Close the connections of these sessions of an account, at all nodes. A node may miss it."""
        if sessions:
            self._sender.to_all(messages.SessionsEnded(account, list(sessions)))
            self._sessions_ended(account, list(sessions))

    def tell_hosted_table(self, table: str) -> None:
        """Make the other nodes read a hosted table again. A node may miss it."""
        self._sender.to_all(messages.HostedTableChanged(table))

    def tell(self, account: int, message: wire.Answer) -> None:
        """Send a message to an account at whichever node it is connected. The message may be lost."""
        outgoing = Outgoing(message)
        self._deliver(account, outgoing)
        self._sender.to_all(messages.AccountDelivery(account, outgoing.framed()))

    def send(self, to: str, letter: TournamentLetter) -> None:
        """Send a message to a tournament or one of its tables, at whichever node that is. It may be lost."""
        self._soon(partial(self._send, to, letter))

    def _send(self, to: str, letter: TournamentLetter) -> None:
        actor: object = self._local.get(to)
        owner = self._owners.get(to)
        if isinstance(actor, LetterBox):
            actor.hear(letter)
        elif owner is not None and owner != self.node:
            self._sender.to(owner, messages.TournamentMail(to, letter))

    def _mail(self, message: messages.TournamentMail) -> None:
        actor: object = self._local.get(message.to)
        if isinstance(actor, LetterBox):
            actor.hear(message.letter)

    # --- living nodes and owners ------------------------------------------------------------------------------------

    def tell_directory_changed(self) -> None:
        """Make the other nodes read the directory now: the entry of this node has changed."""
        self._sender.to_all(messages.DirectoryChanged())

    def living(self, nodes: Sequence[str]) -> None:
        """Set the living nodes in order, this one among them; the first leads the waiting lists."""
        assert self.node in nodes
        if tuple(nodes) == self._living:
            return
        before, now = frozenset(self._living), frozenset(nodes)
        self._living = tuple(nodes)
        self._owners.living(self._living)
        self._sender.living(nodes)
        for node in before - now:
            self._viewers.lost(node)
        self._waitlist.died(before - now)
        self._waitlist.led_by(nodes[0])
        for node in sorted(now - before):
            self._send_state_to(node)
            if node in self._died:
                self._sender.to(node, messages.MessagesLost())  # its clients here were given up
        self._died = (self._died | (before - now)) - now
        self._owners_changed()

    def placed(self, owners: Mapping[str, str]) -> None:
        """Set which node has which table, by the directory."""
        self._owners.placed(owners)
        self._owners_changed()

    def attached(self, tables: Sequence[TableActor]) -> None:
        """Show tables that live here from now on to their clients, and announce them. They have been restored."""
        names = [table.settings.table for table in tables]
        for name in names:
            self._owners.forget_announcement(name)
        self._owners_changed(names)
        for name, table in zip(names, tables, strict=True):
            self._tables.attached(table)
            self._viewers.attached(table)
            if self._waitlist.knows(name):
                self._waitlist.attached(table)
        self._rows.send_changes()
        for name, table in zip(names, tables, strict=True):
            self._sender.to_all(messages.TableAttached(name, table.epoch))

    def detached(self, table: TableActor) -> None:
        """Keep the clients of a table that lives here no longer until it has its next owner."""
        name = table.settings.table
        self._owners.detached(name)
        watching = [viewer for viewer in table.outbox.audience() if not isinstance(viewer, RemoteViewer)]
        asked = [each for each in table.unanswered() if not isinstance(each[0], RemoteViewer)]
        self._rows.detached(table)
        self._owners_changed()
        if self._waitlist.knows(name):
            self._waitlist.detached(name)
        self._viewers.detached(name)
        self._tables.detached(name, watching, asked)

    def over(self, name: str) -> None:
        """Forget a table that does not exist any more: no client waits for its next owner."""
        self._owners.forget_announcement(name)
        self._tables.over(name)
        self._rows.over(name)
        self._statuses.over(name)

    def _owners_changed(self, names: Sequence[str] | None = None) -> None:
        """Follow the owners of these tables, or of all."""
        for name, owner in self._owners.changes(names):
            self._tables.moved(name, None if owner == self.node else owner)
            if self._waitlist.knows(name):
                self._waitlist.moved(name, owner)

    def _table_announced(self, sender: str, message: messages.TableAttached) -> None:
        self._owners.announced(sender, message.table, message.epoch)
        self._owners_changed([message.table])

    # --- the bus ----------------------------------------------------------------------------------------------------

    def _heard(self, sender: str, said: bytes) -> None:
        try:
            message = messages.unpacked(said)
            if sender not in self._living:
                self._unknown_since.setdefault(sender, self._clock.seconds())
            self._handlers[type(message)](sender, message)
        except Exception as error:  # noqa: BLE001 -- one message is lost, and must not cost those behind it
            _log.critical("bus.fault", sender=sender, exc_info=error)

    def _make_handlers(self) -> dict[type[messages.BusMessage], Callable[[str, Any], None]]:
        return {
            messages.ChannelOpened: self._viewers.opened,
            messages.ChannelRequest: self._viewers.asked,
            messages.ChannelsClosed: self._viewers.closed,
            messages.ChannelsResumed: self._viewers.resumed,
            messages.Deliveries: lambda _, message: self._tables.told(message.deliveries),
            messages.TableAttached: self._table_announced,
            messages.DirectoryChanged: lambda *_: self._directory_changed(),
            messages.MessagesLost: self._missed,
            messages.AccountsArrived: self._arrivals.heard,
            messages.LobbyRowChanges: lambda _, message: self._rows.heard(message.rows),
            messages.TimeoutsUsed: lambda _, message: self._timeouts_used(message),
            messages.AccountDelivery: lambda _, message: self._deliver(
                message.account, Bundle(None, message.framed)
            ),
            messages.SessionsEnded: lambda _, message: self._sessions_ended(
                message.account, message.sessions
            ),
            messages.TournamentMail: lambda _, message: self._mail(message),
            messages.TournamentStatusChanges: lambda _, message: self._statuses.heard(message.statuses),
            messages.HostedTableChanged: lambda _, message: self._hosted_table_changed(message.table),
            **dict.fromkeys(messages.TO_LEADER, self._waitlist.to_leader),
            **dict.fromkeys(messages.FROM_LEADER, self._waitlist.from_leader),
        }

    def _lost(self, sender: str) -> None:
        """Repair after lost messages of that node. One of them may have said that it missed messages itself."""
        self._owners.forget_announcements()
        self._sender.to(sender, messages.MessagesLost())
        self._missed(sender, messages.MessagesLost())

    def _cut(self) -> None:
        """Repair after the connection to the bus was lost: messages from and to every node may be lost."""
        for node in sorted(self._sender.others.union(self._viewers.homes())):
            self._lost(node)

    def _missed(self, sender: str, message: messages.MessagesLost) -> None:
        self._tables.missed(sender, message.table)
        if message.table is None:
            self._waitlist.missed(sender)
            self._send_state_to(sender)

    def _send_state_to(self, node: str) -> None:
        """Send what every node should know of this one, to a node that is new or has missed messages."""
        self._waitlist.send_state_to(node)
        self._rows.send_all_to(node)
        self._statuses.send_all_to(node)
        self._arrivals.send_all_to(node)
        uses = [(use.account, use.hand_id, use.at_ms) for use in self._day.uses()]
        if uses:
            self._sender.to(node, messages.TimeoutsUsed(uses))

    def _timeouts_used(self, message: messages.TimeoutsUsed) -> None:
        for account, hand_id, at_ms in message.uses:
            self._day.heard(TimeoutUse(account=account, hand_id=hand_id, at_ms=at_ms))

    def _every_second(self) -> None:
        self._rows.send_changes()
        self._statuses.send_changes()
        now = self._clock.seconds()
        for node, since in list(self._unknown_since.items()):
            if node in self._living:
                del self._unknown_since[node]
            elif now - since > UNKNOWN_NODE_S:
                del self._unknown_since[node]
                self._viewers.lost(node)


class _SessionWaitlist:
    """Passes the sessions' events to the waiting lists and to the arrivals: a `WaitlistClient`."""

    def __init__(self, waitlist: NodeWaitlist, arrivals: Arrivals) -> None:
        self.request = waitlist.request
        self.connected = waitlist.connected
        self._waitlist = waitlist
        self._arrivals = arrivals

    def disconnected(self, viewer: Viewer) -> None:
        account = viewer.account
        if account is not None and self._waitlist.has(viewer):
            self._arrivals.left(account, viewer.instance)
        self._waitlist.disconnected(viewer)


class _SharedTimeouts:
    """Counts a use at a table of this node, and tells the other nodes: a `TimeoutCount`."""

    def __init__(self, day: TimeoutDay, sender: BusSender) -> None:
        self.today = day.today
        self._day = day
        self._sender = sender

    def note(self, account: int, hand_id: str) -> None:
        use = self._day.happened(account, hand_id)
        if use is not None:
            self._sender.to_all(messages.TimeoutsUsed([(use.account, use.hand_id, use.at_ms)]))
