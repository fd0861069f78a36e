"""Clients of this node that go on at another node of this machine, where all their tables are; and those that come.

The kernel spreads new connections over the nodes, and what a client does at a table of another node crosses the bus. So
a client is moved to the node that has all its tables: its socket is passed there, with what its session is
(`MovedSession`). The client notices no more than a snapshot of each table, as when a table moves.

1. The client's node asks whether the other one has room for its address. Only nodes of this machine hear it. A place
   is kept for a moment.
2. When nothing of the client is on its way (no request, no part of a message, no byte that its socket has not taken),
   the socket and the session are sent in one datagram. If that fails, the session goes on here.
3. The other node makes the session, shows it the tables, and closes the channels through which it used them; so does
   the client's node as it forgets the client.

A node that dies with a client on the way closes its socket, and the client resumes by its token. Sockets with TLS are
not moved: their keys are in this process. This module knows no rules.
"""

from __future__ import annotations

import socket
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Final, Protocol, runtime_checkable

import msgspec
import structlog
from cryptography.exceptions import InvalidTag
from msgspec import Struct
from msgspec.structs import replace
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.task import deferLater

from pokerroom.cluster.moving_clients import MovingClients
from pokerroom.gateway.link import ClientLink, FrameReceiver, ReceiverFactory, host_of
from pokerroom.gateway.moved_session import MovedSession
from pokerroom.gateway.session import Session
from pokerroom.gateway.sessions import Sessions
from pokerroom.gateway.shared_socket import can_leave, leave
from pokerroom.table.viewer import Viewer

LOOK_S: Final = 0.25
"""Clients that may be moved are looked at this often."""

AT_ONCE: Final = 32
"""[D] So many of them at a time, with so many tables: each table costs the next node a snapshot."""

TABLES_MAX: Final = 32
"""[D] A client that has asked something of more tables stays: its next node would show it all that it watches at once,
and each look at it costs time for each of its tables.
"""

PATIENCE_S: Final = 30.0
"""[D] A client that is never idle for so long stays where it is."""

PLACE_ASKED_S: Final = 3.0
"""A client that has not moved so long after its node asked for room is asked for again."""

TRIES: Final = 8
"""[D] A node that cannot be sent to is asked in so many looks: a socket of Linux takes as few as 11 datagrams
until they are read. But the node may also be on another machine.
"""

PLACE_KEPT_S: Final = 5.0
"""The place of a client that may come is kept so long: longer than its node counts on it, for answers take time."""

FINISH_S: Final = 2.0
"""[D] A node that stops waits this long for its clients to move. The others reconnect."""

_log = structlog.get_logger()

Seal = Callable[[bytes, str], bytes]
"""Encrypts or decrypts what is said to the node of this name, and raises `InvalidTag` for what no node has said."""


class RoomAsked(Struct, frozen=True, array_like=True, tag=1):
    """To another node: is there room for a client of this address and account?

    `number` is one that the sender uses once.
    """

    number: int
    home: str
    address: str
    account: int


class RoomAnswered(Struct, frozen=True, array_like=True, tag=2):
    """The answer. A place is kept for `PLACE_KEPT_S`."""

    number: int
    has_room: bool


_Place = tuple[str, int]
"""The address and the account of a client that may come."""

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(RoomAsked | RoomAnswered | MovedSession)


class NodesOfMachine(Protocol):
    """The other nodes of this machine (`move_socket.MoveSocket`)."""

    def send(self, node: str, said: bytes, descriptor: int | None = None) -> bool:
        """Send to a node, perhaps with a descriptor; return False if that is not possible now, or at all."""


MakeLink = Callable[[socket.socket, MovedSession, ReceiverFactory], None]
"""Goes on with a connection. Raises `OSError` if the client is gone."""


@runtime_checkable
class MovableLink(Protocol):
    """A connection that may be left to another process (`tcp.TcpLink`, `websocket.WebSocketLink`)."""

    @property
    def transport(self) -> object:
        """What has the socket; one with keys of TLS cannot leave it."""

    def is_idle(self) -> bool:
        """Return whether no message has come in part, and the socket has everything that was to be sent."""

    def left(self) -> None:
        """Note that another process has the socket."""


class _Candidate:
    """A client that may be moved."""

    __slots__ = ("asked_s", "has_room", "node", "number", "tries_left", "until_s")

    def __init__(self, until_s: float) -> None:
        self.node = ""
        """The node that was asked for room."""
        self.asked_s = 0.0
        self.tries_left = TRIES
        self.number = 0
        """The number of that request."""
        self.has_room = False
        self.until_s = until_s


class Moves:
    """See the module. `accepts` returns whether this node takes clients of others now."""

    def __init__(
        self,
        *,
        node: str,
        clock: IReactorTime,
        sessions: Sessions,
        clients: MovingClients,
        accepts: Callable[[], bool],
    ) -> None:
        self._node = node
        self._clock = clock
        self._sessions = sessions
        self._clients = clients
        self._accepts = accepts
        self._nodes: NodesOfMachine | None = None
        self._numbers = count(1)
        self._candidates: OrderedDict[Session, _Candidate] = OrderedDict()
        self._asked: dict[int, Session] = {}
        """Those that wait for an answer, or have it, by the number of the request."""
        self._kept: dict[_Place, list[IDelayedCall]] = {}
        """Places that are kept for clients of other nodes: when each is free again."""
        self._left: list[tuple[str, list[int]]] = []
        """Nodes and channels of clients that have moved since the last look."""
        self._next_look: IDelayedCall | None = None

    def open(self, nodes: NodesOfMachine, seal: Seal, unseal: Seal, make_link: MakeLink) -> None:
        """Begin: the other nodes can send to this one now."""
        self._nodes, self._seal, self._unseal, self._make_link = nodes, seal, unseal, make_link

    async def finish(self, hurries: Callable[[], bool]) -> None:
        """Let clients follow the last tables to other nodes, for `FINISH_S` or until this node `hurries`."""
        until_s = self._clock.seconds() + FINISH_S
        while self._candidates and not hurries() and self._clock.seconds() < until_s:
            await deferLater(self._clock, LOOK_S)

    def close(self) -> None:
        """Move no client any more."""
        self._nodes = None
        self._candidates.clear()
        self._asked.clear()
        for place in list(self._kept):
            while self._place_is_free(place):
                pass
        if self._next_look is not None:
            self._next_look.cancel()
            self._next_look = None

    def heard(self, sealed: bytes, connection: socket.socket | None) -> bool:
        """Take what another node of this machine says. Return whether the connection that came with it goes on here."""
        if self._nodes is None:
            return False  # this node stops
        try:
            said: RoomAsked | RoomAnswered | MovedSession = _decoder.decode(self._unseal(sealed, self._node))
        except (InvalidTag, ValueError, msgspec.DecodeError) as error:
            _log.error("moves.unreadable", reason=type(error).__name__)
            return False
        match said:
            case RoomAsked():
                self._say(
                    said.home, RoomAnswered(said.number, self._keep_place((said.address, said.account)))
                )
            case RoomAnswered():
                self._answered(said)
            case MovedSession():
                return connection is not None and self._come(said, connection)
        return False

    def _say(
        self, node: str, message: RoomAsked | RoomAnswered | MovedSession, descriptor: int | None = None
    ) -> bool:
        if self._nodes is None:
            return False
        return self._nodes.send(node, self._seal(_encoder.encode(message), node), descriptor)

    # --- clients that go ----------------------------------------------------------------------------------------------

    def consider(self, viewer: Viewer) -> None:
        """Note a client that watches a table of another node."""
        if self._nodes is None or not isinstance(viewer, Session):
            return
        link = viewer.link
        if len(viewer.tables) <= TABLES_MAX and isinstance(link, MovableLink) and can_leave(link.transport):
            self._candidates.setdefault(viewer, _Candidate(self._clock.seconds() + PATIENCE_S))
            self._look_later()

    def _look_later(self) -> None:
        if self._next_look is None and (self._candidates or self._left):
            self._next_look = self._clock.callLater(LOOK_S, self._look)

    def _look(self) -> None:
        """Move clients that are idle, and ask other nodes for room."""
        self._next_look = None
        left, self._left = self._left, []
        for node, channels in left:
            self._clients.left(node, channels)
        for session in list(self._candidates)[:AT_ONCE]:
            if sum(len(channels) for _, channels in self._left) >= AT_ONCE:
                break
            candidate = self._candidates.pop(session)
            if self._may_still_move(session, candidate):
                self._candidates[session] = candidate  # behind the others
            else:
                self._asked.pop(candidate.number, None)
        self._look_later()

    def _may_still_move(self, session: Session, candidate: _Candidate) -> bool:
        if len(session.tables) > TABLES_MAX:
            return False
        node = self._clients.node_of(session, session.tables)
        if node is None or not session.connected or self._clock.seconds() > candidate.until_s:
            return False
        if node != candidate.node or self._clock.seconds() >= candidate.asked_s + PLACE_ASKED_S:
            return self._ask(session, node, candidate)
        return not (candidate.has_room and self._move(session, node))

    def _ask(self, session: Session, node: str, candidate: _Candidate) -> bool:
        """Return False if this node could not be sent to several times."""
        self._asked.pop(candidate.number, None)
        candidate.node, candidate.has_room, candidate.number = node, False, next(self._numbers)
        candidate.asked_s = self._clock.seconds()
        self._asked[candidate.number] = session
        if session.account is None:
            return False
        if not self._say(node, RoomAsked(candidate.number, self._node, session.address, session.account)):
            candidate.node = ""
            candidate.tries_left -= 1
        return candidate.tries_left > 0

    def _answered(self, answer: RoomAnswered) -> None:
        """A client that has a place is the next one that is looked at: the place is kept for a moment only."""
        session = self._asked.get(answer.number)
        if session is None:
            return
        candidate = self._candidates[session]
        candidate.has_room = answer.has_room
        if answer.has_room:
            self._candidates.move_to_end(session, last=False)
        else:
            candidate.until_s = 0.0

    def _move(self, session: Session, node: str) -> bool:
        """Return whether the client has gone. Otherwise nothing has changed."""
        moved, link, clients = session.as_moved(self._node), session.link, self._clients
        if moved is None or not isinstance(link, MovableLink):
            return False
        if not clients.is_idle(session, session.tables) or not link.is_idle():
            return False
        channels = clients.channels(session, session.tables)
        arrived_ms = clients.arrived_ms(moved.account, moved.instance)
        moved = replace(moved, tables=channels, arrived_ms=arrived_ms)

        def passed(descriptor: int) -> bool:
            if not self._say(node, moved, descriptor):
                return False
            clients.leave(session, session.tables)
            self._left.append((node, [channel for _, channel in channels]))
            return True

        return leave(link.transport, passed, link.left)

    # --- clients that come --------------------------------------------------------------------------------------------

    def _keep_place(self, place: _Place) -> bool:
        """Return whether there is room for a client that may come soon, and keep its place."""
        address, account = place
        coming = sum(len(calls) for (_, each), calls in self._kept.items() if each == account)
        if not self._accepts() or not self._sessions.context.connections.has_room(account, coming + 1):
            return False
        if not self._sessions.keep_place(address):
            return False
        free = self._clock.callLater(PLACE_KEPT_S, self._place_is_free, place)
        self._kept.setdefault(place, []).append(free)
        return True

    def _place_is_free(self, place: _Place) -> bool:
        """Give up the first of these places. Return False if there was none."""
        kept = self._kept.get(place)
        if not kept:
            return False
        call = kept.pop(0)
        if call.active():
            call.cancel()
        if not kept:
            del self._kept[place]
        self._sessions.free_place(place[0])
        return True

    def _come(self, moved: MovedSession, connection: socket.socket) -> bool:
        self._place_is_free((host_of(moved.peer), moved.account))
        if self._clients.arrived_ms(moved.account, moved.instance) > moved.arrived_ms:
            return False  # the client has connected to this node meanwhile
        try:
            self._make_link(connection, moved, partial(self._go_on, moved))
        except OSError as error:
            _log.info("connection.gone", account=moved.account, reason=type(error).__name__)
            return False
        return True

    def _go_on(self, moved: MovedSession, link: ClientLink) -> FrameReceiver:
        session = self._sessions.make_moved(moved, link)
        if session.connected:
            self._clients.came(session, moved.home, moved.tables)
        return session
