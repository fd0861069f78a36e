"""Several nodes in one process over a virtual clock: real tables, lobbies and `RoomBus`, and a bus that loses messages.

The test says which nodes live and own which tables, in place of membership and ownership.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from msgspec import structs
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock

from pokerroom.chips import Money
from pokerroom.cluster.local_tables import LocalTables
from pokerroom.cluster.room_bus import RoomBus
from pokerroom.cluster.table_owners import TableOwners
from pokerroom.gateway.connections import AccountConnections
from pokerroom.ledger.api import SeatRow
from pokerroom.lobby.lobby import AccountSeats, Lobby
from pokerroom.lobby.timeouts import TimeoutDay
from pokerroom.ops.table_settings import TableSettings
from pokerroom.table.actor import TableActor
from pokerroom.table.context import TableContext
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding, encode
from pokerroom_protocol.errors import Code
from tests.poker.support import OPENING, SETTINGS, Client, Counts, HeldJournal, Room, cash_table, now

LATENCY_S = 0.001


class Hub:
    """The wire between the nodes: in order between two, `LATENCY_S` on the way; the test says what is lost.

    A loss is noticed as the real bus does: before the next message of the same sender, or when the test says so.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.latency_s = LATENCY_S
        self.buses: dict[str, LossyBus] = {}
        self.loses: Callable[[str, str, bytes], bool] = lambda sender, to, message: False
        self.passed: list[tuple[str, str, bytes]] = []
        """Sender, receiver and bytes of everything that arrived."""
        self.unnoticed: set[tuple[str, str]] = set()

    def send(self, sender: str, to: str, message: bytes) -> None:
        self._clock.callLater(self.latency_s, self._arrive, sender, to, message)

    def _arrive(self, sender: str, to: str, message: bytes) -> None:
        bus = self.buses.get(to)
        if bus is None or not bus.running:
            return
        if self.loses(sender, to, message):
            self.unnoticed.add((sender, to))
            return
        self.notice(sender, to)
        self.passed.append((sender, to, message))
        bus.heard(sender, message)

    def notice(self, sender: str, to: str) -> None:
        """What was lost so far is noticed, as by the heartbeat of the real bus."""
        if (sender, to) in self.unnoticed:
            self.unnoticed.discard((sender, to))
            self.buses[to].lost(sender)


class LossyBus:
    """A `Bus`."""

    def __init__(
        self,
        hub: Hub,
        node: str,
        heard: Callable[[str, bytes], None],
        lost: Callable[[str], None],
        cut: Callable[[], None],
    ) -> None:
        self._hub = hub
        self._node = node
        self.heard, self.lost, self.cut = heard, lost, cut
        self.running = False
        hub.buses[node] = self

    def send(self, node: str, message: bytes) -> None:
        if self.running:
            self._hub.send(self._node, node, message)

    def send_all(self, message: bytes) -> None:
        for node in list(self._hub.buses):
            if node != self._node:
                self.send(node, message)

    def start(self) -> Deferred[None]:
        self.running = True
        return succeed(None)

    def stop(self) -> Deferred[None]:
        self.running = False
        return succeed(None)


class Node:
    """One node: what the room makes of `RoomBus`, lobby and tables."""

    def __init__(self, cluster: Cluster, name: str, tables_max: int) -> None:
        self.name = name
        self.cluster = cluster
        self.counts = Counts()
        self.now_ms = cluster.now_ms
        self.seats = AccountSeats(tables_max)
        self.uses: list[str] = []
        self.timeouts = TimeoutDay(cluster.now_ms, lambda: self.uses.append(name))
        self.local_tables = LocalTables()
        self.connections = AccountConnections()
        self.over: list[int] = []
        """Accounts whose connection here ended as they connected elsewhere."""
        self.watching: list[Callable[[Viewer], None]] = []
        """Called with each client that begins to watch a table of another node."""
        self.room_bus = RoomBus(
            node=name,
            clock=cluster.clock,
            now_ms=lambda: self.now_ms(),  # noqa: PLW0108 -- a test may replace it
            bus=lambda heard, lost, cut: LossyBus(cluster.hub, name, heard, lost, cut),
            settings=cluster.settings,
            local=self.local_tables,
            owners=TableOwners(name, self.local_tables),
            seats=self.seats,
            deliver=self.connections.deliver,
            taken_over=self._taken_over,
            sessions_ended=self.connections.sessions_ended,
            directory_changed=lambda: None,
            hosted_table_changed=lambda _: None,
            timeouts=self.timeouts,
            observer=self.counts,
            watches_elsewhere=self._watches_elsewhere,
        )
        self.lobby = Lobby(cluster.settings, self.local_tables, self.room_bus.remote_table)
        self.room_bus.start()

    def _taken_over(self, account: int, instance: str) -> None:
        self.over.append(account)
        self.connections.taken_over(account, instance)

    def _watches_elsewhere(self, viewer: Viewer) -> None:
        for watching in self.watching:
            watching(viewer)

    def bring(self, table: str, rows: list[SeatRow], entries: list[bytes]) -> TableActor:
        """What `Ownership` does when it has taken a table."""
        made = cash_table(self.cluster.settings[table], self.cluster.world(self, table))
        self.seats.restore(rows)
        made.restore(rows, entries, frozenset(record.hand_id for record in self.cluster.settled()))
        self.local_tables.attach(made)
        self.room_bus.attached([made])
        return made

    def drop(self, table: str) -> TableActor:
        """What it does when it has lost or given one."""
        lost = self.local_tables.detach(table)
        lost.relinquish()
        self.seats.forget(table)
        self.room_bus.detached(lost)
        return lost


@dataclass
class Cluster:
    """The whole room; `settings` are its tables, which begin at the first node."""

    nodes: dict[str, Node]

    def __init__(
        self, *names: str, settings: tuple[TableSettings, ...] = (SETTINGS,), tables_max: int = 4
    ) -> None:
        self.base = Room()
        self.clock = self.base.clock
        self.ledger = self.base.ledger
        self.hub = Hub(self.clock)
        self.settings = {each.table: each for each in settings}
        self.journals: defaultdict[str, HeldJournal] = defaultdict(HeldJournal)
        self.owners: dict[str, str] = {}
        self.tables_max = tables_max
        self.nodes = {name: Node(self, name, tables_max) for name in names}
        self.tell_living()
        for table in self.settings:
            self.own(table, names[0])
        self.tell_placed()
        self.settle()

    def now_ms(self) -> int:
        return int(self.clock.seconds() * 1000)

    def world(self, node: Node, table: str) -> TableContext:
        """Made of what the tests of single tables have; the ledger knows the new owner."""
        epochs = {row.table: row.epoch for row in now(self.ledger.owners())}
        epoch = now(self.ledger.take_table(table, node.name, epochs.get(table, 0)))
        return replace(
            self.base.table.context,
            epoch=epoch,
            tables_max=self.tables_max,
            relinquished=partial(node.drop, table),
            journal=self.journals[table],
            observer=node.counts,
            seating=node.room_bus.seating,
            timeouts=node.room_bus.timeouts,
        )

    def settled(self) -> list[Any]:
        return self.base.settler.settled

    # --- who lives, who owns ------------------------------------------------------------------------------------------

    def join(self, name: str) -> Node:
        """One more node."""
        node = self.nodes[name] = Node(self, name, self.tables_max)
        self.tell_living()
        self.tell_placed()
        self.settle()
        return node

    def own(self, table: str, name: str) -> TableActor:
        """The table comes to a node, from what journal and ledger hold."""
        self.owners[table] = name
        rows = [row for row in now(self.ledger.seats()) if row.table == table]
        return self.nodes[name].bring(table, rows, list(self.journals[table].kept))

    def move(self, table: str, name: str) -> None:
        """Move a table between hands: one node gives it, the other takes it, then every node knows."""
        self.nodes[self.owners[table]].drop(table)
        self.own(table, name)
        self.tell_placed()
        self.settle()

    def kill(self, name: str) -> None:
        """Kill the process; no node knows it yet. Its tables stop where they are."""
        node = self.nodes.pop(name)
        self.hub.buses[name].running = False
        node.room_bus.stop()
        for table in node.local_tables.values():
            table.relinquish()

    def tell_living(self) -> None:
        for node in self.nodes.values():
            node.room_bus.living(sorted(self.nodes))

    def tell_placed(self) -> None:
        for node in self.nodes.values():
            node.room_bus.placed(self.owners)

    def settle(self, seconds: float = 0.1) -> None:
        """Time for messages to come and go, behind what `seconds` bring about, too."""
        for step in (0.0, seconds / 10, 0.001):
            for _ in range(10):
                self.clock.advance(step)
                for _ in range(6):
                    self.clock.advance(0)

    def stop(self) -> None:
        """Nothing may be left on the clock."""
        for node in self.nodes.values():
            for table in node.local_tables.values():
                table.stop()
            node.room_bus.stop()
        self.settle()
        self.base.table.stop()
        assert self.clock.getDelayedCalls() == []

    # --- clients ------------------------------------------------------------------------------------------------------

    def client(self, name: str, node: str) -> Person:
        """A new account, connected to that node."""
        account = now(self.ledger.create_account(name, "x", OPENING)).account
        return Person(self.nodes[node], name, account)

    def table(self, name: str = "t1") -> TableActor:
        return self.nodes[self.owners[name]].local_tables[name]

    def turn(self, name: str = "t1") -> wire.TurnView | None:
        """The decision for which a table waits, as its observers are shown it."""
        hand = self.table(name).game.view.snapshot(None, None).hand
        return None if hand is None else hand.turn


class Person(Client):
    """A client with its session; `got` is decoded from the bytes that a TCP client would get."""

    def __init__(self, node: Node, name: str, account: int) -> None:
        super().__init__(name, account)
        self.node = node
        self.cluster = node.cluster
        self.bytes = b""
        node.room_bus.arrived(account, self.instance)
        node.room_bus.waitlist.connected(self)
        self._tables: dict[str, None] = {}

    def deliver(self, outgoing: Outgoing | Bundle) -> None:
        if self.connected:
            self.bytes += outgoing.framed()
            super().deliver(outgoing)

    def back(self, node: str | None = None) -> Person:
        """The account over a new connection, perhaps to another node."""
        return Person(self.cluster.nodes[node or self.node.name], self.name, self.account)

    def ask(self, kind: type[wire.Request], table: str = "t1", **fields: Any) -> int:
        """Sends a request; what follows from it has time to come."""
        number = self.next_id()
        message = kind(id=number, table=table, **fields)
        if isinstance(message, wire.JoinWaitlist | wire.LeaveWaitlist):
            code = self.node.room_bus.waitlist.request(self, message)
            if code is not None:
                self.deliver(Outgoing(wire.Error(re=number, code=code, message=code.sentence)))
        else:
            self._tables[table] = None
            door = self.node.lobby.table(table)
            assert door is not None
            door.request(self, message)
        return number

    def answers(self, number: int) -> list[wire.Answer]:
        return [message for message in self.got if getattr(message, "re", None) == number]

    def answer(self, kind: type[wire.Request], table: str = "t1", **fields: Any) -> Any:
        """Sends a request and returns the one answer to it."""
        number = self.ask(kind, table, **fields)
        self.cluster.settle()
        [answer] = self.answers(number)
        return answer

    def lose(self) -> None:
        """What a session does when its connection is lost."""
        self.connected = False
        self.node.room_bus.waitlist.disconnected(self)
        for name in self._tables:
            door = self.node.lobby.table(name)
            assert door is not None
            door.viewer_gone(self)

    def events(self) -> list[Any]:
        return [message for message in self.got if isinstance(message, wire.TableEvent)]

    def seqs(self) -> list[int]:
        """The numbers of all events, and of the snapshots between them."""
        return [message.seq for message in self.got if isinstance(message, wire.TableEvent | wire.Snapshot)]


def code_of(answer: Any) -> str:
    assert isinstance(answer, wire.Error), answer
    return answer.code


UNAVAILABLE = Code.UNAVAILABLE.value
BUY_IN = Money(10_000)


def as_observed(event: wire.Event) -> wire.Event:
    """Return an event without what it tells the player to act alone."""
    return structs.replace(event, on_timeout=None) if isinstance(event, wire.Turn) else event


def act(cluster: Cluster, *people: Person, table: str = "t1", action: str | None = None) -> wire.Answer:
    """The decision that is awaited is taken by whoever of `people` has to."""
    here = cluster.table(table)
    decision = here.game.hand.decision
    assert decision is not None
    seat = decision.play.seat_to_act()
    [person] = [person for person in people if person.account == seat.account and person.connected]
    legal = decision.play.legal()
    return person.answer(
        wire.Act,
        table,
        hand_id=decision.play.hand_id,
        seq=decision.seqs[-1],
        action=action or ("check" if legal.check else "call"),
    )


def as_json(message: wire.Answer) -> bytes:
    return encode(message, Encoding.JSON)
