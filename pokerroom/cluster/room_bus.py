"""The other nodes of the room, as one node sees them: the one object that knows the bus, and who says what to whom.

Any node serves any client. What a client does at a table that lives elsewhere goes through `remote_tables` at his node
and `remote_viewers` at the table's; waiting lists are kept at one node (`waiting`, `leader`), an account has one
connection (`accounts`), everybody knows the lobby (`lobby_lines`) and today's uses of the clock's protection. Who lives
and who owns what this module is told (`living`, `placed`, `came`, `went`). A node that is alone says nothing.

Messages may be lost, and that is noticed. Who has lost some says so to their sender (`Missed`), and each of the two
tells the other again how things stand on its side, whoever it was that lost some; nothing else is repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall

from pokerroom.cluster import messages
from pokerroom.cluster.arrivals import Arrivals
from pokerroom.cluster.bus_sender import BusSender
from pokerroom.cluster.lobby_rows import LobbyRows
from pokerroom.cluster.node_waitlist import NodeWaitlist
from pokerroom.cluster.remote_tables import RemoteTables
from pokerroom.cluster.remote_viewers import RemoteViewer, RemoteViewers, Soon
from pokerroom.coordination.api import Bus
from pokerroom.lobby.lobby import AccountSeats, TableHandle
from pokerroom.lobby.timeouts import TimeoutDay, TimeoutUse
from pokerroom.table.api import ActorSettings, TableActor
from pokerroom.table.context import SeatDirectory, TimeoutCount
from pokerroom.table.outbox import Viewer
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

LOOK_S = 1.0
STRANGER_S = 15.0
"""A node that is not among the living for so long, but has clients here, is gone with them."""

MakeBus = Callable[[Callable[[str, bytes], None], Callable[[str], None], Callable[[], None]], Bus]
"""Makes the bus of this node with `heard`, `lost` and `cut`: see `coordination.api.Bus`."""

_TO_LEADER = (
    messages.WaitlistRequested,
    messages.WaitersConnected,
    messages.WaiterDisconnected,
    messages.SeatEvent,
    messages.TableSeats,
    messages.SeatOfferAnswered,
)

_log = structlog.get_logger()


class RefusalObserver(Protocol):
    """Who counts refusals."""

    def refusal(self, code: str) -> None:
        """A request was refused."""


class WaitlistClient(Protocol):
    """The waiting lists, for sessions."""

    def wish(self, viewer: Viewer, message: wire.JoinWaitlist | wire.LeaveWaitlist) -> Code | None:
        """WaitlistClient, or waits no longer: the answer follows. Returns why not, if that is known at once."""

    def connected(self, viewer: Viewer) -> None:
        """The account is here: its places are kept, or it hears that they are lost."""

    def disconnected(self, viewer: Viewer) -> None:
        """The connection is lost, or logged out."""


class RoomBus:
    """See the module. `settings` are all tables of the room, `seats` those of this node.

    `soon` calls at the end of the reactor turn; without it the clock does, which costs more.
    """

    def __init__(
        self,
        *,
        node: str,
        clock: IReactorTime,
        now_ms: Callable[[], int],
        bus: MakeBus,
        settings: Mapping[str, ActorSettings],
        seats: AccountSeats,
        timeouts: TimeoutDay,
        observer: RefusalObserver,
        soon: Soon | None = None,
    ) -> None:
        self.node = node
        self.taken_over: Callable[[int], None] = lambda account: None  # noqa: ARG005 -- until there are sessions
        """Told of an account whose connection here is over, since it has arrived at another node."""
        self.tells: Callable[[int, Outgoing | Bundle], None] = lambda *_: None
        """Told what is for an account, if it is connected here; until there are sessions nobody is."""
        self.news: Callable[[], None] = lambda: None
        """Called when another node says that it has told the directory something new."""
        self._clock = clock
        self._settings = settings
        self._day = timeouts
        self._soon: Soon = soon or (lambda work: clock.callLater(0, work))
        self._bus = bus(self._heard, self._lost, self._cut)
        self._sender = sender = BusSender(node, self._bus)
        self._here: dict[str, TableActor] = {}
        self._placed: dict[str, str] = {}
        self._announced: dict[str, tuple[int, str]] = {}
        """Epoch and node of tables whose owners have said so themselves, until `placed` says it, too."""
        self._owners: dict[str, str] = {}
        """Of the tables that live anywhere, as far as known."""
        self._living: tuple[str, ...] = (node,)
        self._died: frozenset[str] = frozenset()
        self._strangers: dict[str, float] = {}
        self._looking = LoopingCall(self._look)
        self._looking.clock = clock
        self._waiting = NodeWaitlist(
            settings=dict(settings),  # what comes later nobody waits at
            seats=seats,
            now=clock.seconds,
            now_ms=now_ms,
            sender=sender,
            soon=self._soon,
            here=self._here,
            owners=self._owners,
            refused=observer.refusal,
        )
        self._lines = LobbyRows(settings, sender, self._here, self._waiting.waiting)
        self._arrivals = Arrivals(sender, now_ms, self._taken_over)
        self._viewers = RemoteViewers(sender, self._here.get, self._soon)
        self._tables = RemoteTables(sender, self._lines.info, observer.refusal)
        self._handlers = self._make_handlers()

    # --- for the room -----------------------------------------------------------------------------------------------

    def start(self) -> Deferred[None]:
        """Fires when this node hears the others."""
        self._looking.start(LOOK_S, now=False).addErrback(_fault)
        return self._bus.start()

    def stop(self) -> Deferred[None]:
        """Says and hears nothing more."""
        if self._looking.running:
            self._looking.stop()
        self._sender.living((self.node,))
        return self._bus.stop()

    def door(self, name: str) -> TableHandle:
        """The door of a table that does not live here; it refuses everything while nobody has the table."""
        return self._tables.door(name)

    @property
    def seating(self) -> SeatDirectory:
        """For the tables that live here."""
        return self._waiting

    @property
    def waits(self) -> WaitlistClient:
        """For sessions."""
        return _Waits(self._waiting, self._arrivals)

    @property
    def timeouts(self) -> TimeoutCount:
        """For the tables that live here."""
        return _Timeouts(self._day, self._sender)

    def arrived(self, account: int) -> None:
        """A session of this node was authenticated: connections of the account at other nodes are over.

        To be said after an earlier session of the account at this node has ended.
        """
        self._arrivals.arrived(account)

    def tell(self, account: int, message: wire.Answer) -> None:
        """Something for an account, wherever it is connected. It may be lost, as anything between nodes."""
        outgoing = Outgoing(message)
        self.tells(account, outgoing)
        self._sender.to_all(messages.AccountDelivery(account, outgoing.framed()))

    # --- who lives, who owns what -----------------------------------------------------------------------------------

    def tell_news(self) -> None:
        """What this node has told the directory is new: nobody need wait for his next look at it."""
        self._sender.to_all(messages.DirectoryChanged())

    def living(self, nodes: Sequence[str]) -> None:
        """The living nodes, this one among them, in order; the first is the leader."""
        assert self.node in nodes
        if tuple(nodes) == self._living:
            return
        before, now = frozenset(self._living), frozenset(nodes)
        self._living = tuple(nodes)
        self._sender.living(nodes)
        for node in before - now:
            self._viewers.lost(node)
        self._waiting.died(before - now)
        self._waiting.led_by(nodes[0])
        for node in sorted(now - before):
            self._tell_all_to(node)
            if node in self._died:
                self._sender.to(node, messages.MessagesLost())  # its clients here were given up
        self._died = (self._died | (before - now)) - now
        self._reckon()

    def placed(self, owners: Mapping[str, str]) -> None:
        """Which node has which table."""
        self._placed = dict(owners)
        self._announced = {
            name: (epoch, node) for name, (epoch, node) in self._announced.items() if owners.get(name) != node
        }
        self._reckon()

    def attached(self, table: TableActor) -> None:
        """The table lives here from now on; it has been restored. Its clients are shown it."""
        name = table.settings.table
        self._here[name] = table
        self._announced.pop(name, None)
        self._reckon()
        self._tables.attached(table)
        self._viewers.attached(table)
        if self._waiting.knows(name):
            self._waiting.attached(table)
        self._lines.look()
        self._sender.to_all(messages.TableAttached(name, table.epoch))

    def detached(self, table: TableActor) -> None:
        """The table lives here no more; it says nothing any more. Its clients wait for its next owner."""
        name = table.settings.table
        if self._here.get(name) is not table:
            return
        del self._here[name]
        if self._placed.get(name) == self.node:
            del self._placed[name]
        watching = [viewer for viewer in table.outbox.audience() if not isinstance(viewer, RemoteViewer)]
        asked = [each for each in table.unanswered() if not isinstance(each[0], RemoteViewer)]
        self._lines.detached(table)
        self._reckon()
        if self._waiting.knows(name):
            self._waiting.detached(name)
        self._viewers.detached(name)
        self._tables.detached(name, watching, asked)

    def lives(self, name: str) -> bool:
        """Whether somebody who lives has the table, as far as known."""
        return name in self._owners

    def over(self, name: str) -> None:
        """There is no such table any more: nobody waits for its next owner."""
        self._announced.pop(name, None)
        self._tables.over(name)

    def _reckon(self) -> None:
        """Where each table lives now, from what is known; tells of what has changed."""
        for name in dict.fromkeys(
            (*self._settings, *self._placed, *self._announced, *self._here, *self._owners)
        ):
            owner = self._owner(name)
            if owner == self._owners.get(name):
                continue
            if owner is None:
                del self._owners[name]
            else:
                self._owners[name] = owner
            self._tables.moved(name, None if owner == self.node else owner)
            if self._waiting.knows(name):
                self._waiting.moved(name, owner)

    def _owner(self, name: str) -> str | None:
        if name in self._here:
            return self.node
        _, announced = self._announced.get(name, (0, None))
        owner = announced if announced in self._living else self._placed.get(name)
        return owner if owner in self._living and owner != self.node else None

    def _announces(self, sender: str, message: messages.TableAttached) -> None:
        name = message.table
        here, (epoch, _) = self._here.get(name), self._announced.get(name, (0, ""))
        if message.epoch > max(epoch, here.epoch if here is not None else 0):
            self._announced[name] = message.epoch, sender
            if self._placed.get(name) == sender:
                del self._announced[name]
            self._reckon()

    # --- the bus ----------------------------------------------------------------------------------------------------

    def _heard(self, sender: str, said: bytes) -> None:
        try:
            message = messages.unpacked(said)
            if sender not in self._living:
                self._strangers.setdefault(sender, self._clock.seconds())
            self._handlers[type(message)](sender, message)
        except Exception as error:  # noqa: BLE001 -- one message is lost, and must not cost those behind it
            _log.critical("bus.fault", sender=sender, exc_info=error)

    def _make_handlers(self) -> dict[type[messages.BusMessage], Callable[[str, Any], None]]:
        viewers, waiting = self._viewers, self._waiting
        return {
            messages.ChannelOpened: viewers.opened,
            messages.ChannelRequest: viewers.asked,
            messages.ChannelsClosed: viewers.closed,
            messages.ChannelsResumed: viewers.resumed,
            messages.Deliveries: lambda _, message: self._tables.told(message.deliveries),
            messages.TableAttached: self._announces,
            messages.DirectoryChanged: lambda *_: self.news(),
            messages.MessagesLost: self._missed,
            messages.AccountsArrived: self._arrivals.heard,
            messages.LobbyRowChanges: lambda _, message: self._lines.heard(message.lines),
            messages.TimeoutsUsed: lambda _, message: self._protected(message),
            messages.AccountDelivery: lambda _, message: self.tells(
                message.account, Bundle(None, message.framed)
            ),
            **dict.fromkeys(_TO_LEADER, waiting.to_leader),
            **dict.fromkeys(
                (
                    messages.WaiterDelivery,
                    messages.SeatOfferRequested,
                    messages.SeatOfferWithdrawn,
                    messages.WaiterAdded,
                    messages.WaiterRemoved,
                    messages.WaiterList,
                    messages.WaiterCounts,
                ),
                waiting.from_leader,
            ),
        }

    def _lost(self, sender: str) -> None:
        """Messages of that node were lost. One of them may have said that it has missed some itself."""
        self._announced.clear()
        self._sender.to(sender, messages.MessagesLost())
        self._missed(sender, messages.MessagesLost())

    def _cut(self) -> None:
        """Messages of anybody may be lost, and messages to anybody."""
        for node in sorted(self._sender.others.union(self._viewers.homes())):
            self._lost(node)

    def _missed(self, sender: str, message: messages.MessagesLost) -> None:
        self._tables.missed(sender, message.table)
        if message.table is None:
            self._waiting.missed(sender)
            self._tell_all_to(sender)

    def _tell_all_to(self, node: str) -> None:
        """What everybody should know of this node, to who knows nothing of it yet, or has missed something."""
        self._waiting.tell_all_to(node)
        self._lines.tell_all_to(node)
        self._arrivals.tell_all_to(node)
        uses = [(use.account, use.hand_id, use.at_ms) for use in self._day.uses()]
        if uses:
            self._sender.to(node, messages.TimeoutsUsed(uses))

    def _protected(self, message: messages.TimeoutsUsed) -> None:
        for account, hand_id, at_ms in message.uses:
            self._day.heard(TimeoutUse(account=account, hand_id=hand_id, at_ms=at_ms))

    # --- inside -----------------------------------------------------------------------------------------------------

    def _taken_over(self, account: int) -> None:
        self.taken_over(account)

    def _look(self) -> None:
        self._lines.look()
        now = self._clock.seconds()
        for node, since in list(self._strangers.items()):
            if node in self._living:
                del self._strangers[node]
            elif now - since > STRANGER_S:
                del self._strangers[node]
                self._viewers.lost(node)


class _Waits:
    """The waiting lists and the arrivals hear of the same sessions."""

    def __init__(self, waiting: NodeWaitlist, arrivals: Arrivals) -> None:
        self.wish = waiting.wish
        self.connected = waiting.connected
        self._waiting = waiting
        self._arrivals = arrivals

    def disconnected(self, viewer: Viewer) -> None:
        """See `WaitlistClient`."""
        account = viewer.account
        if account is not None and self._waiting.viewer_of(account) is viewer:
            self._arrivals.left(account)
        self._waiting.disconnected(viewer)


class _Timeouts:
    """Counts a use at a table of this node, and tells all."""

    def __init__(self, day: TimeoutDay, sender: BusSender) -> None:
        self.today = day.today
        self._day = day
        self._sender = sender

    def note(self, account: int, hand_id: str) -> None:
        """See `world.TimeoutCount`."""
        use = self._day.happened(account, hand_id)
        if use is not None:
            self._sender.to_all(messages.TimeoutsUsed([(use.account, use.hand_id, use.at_ms)]))


def _fault(failure: Any) -> None:
    _log.critical("others.fault", exc_info=failure.value)
