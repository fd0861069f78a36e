"""Whole nodes of one room in one process: real `Room` objects on one virtual clock, one ledger, one journal, one bus.

A node can be killed, stopped where it is and continued later, and cut off from its ledger or its directory and journal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from argon2 import PasswordHasher
from twisted.internet.base import DelayedCall
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from zope.interface import implementer

from pokerroom.coordination.memory import (
    MemoryBus,
    MemoryDirectory,
    MemoryHub,
    MemoryJournalStore,
    MemoryLogInAttempts,
    MemoryPayouts,
    MemoryPayoutStore,
    MemoryRegistrations,
)
from pokerroom.coordination.registrations import RegistrationBook
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ops.config import parse
from pokerroom.room import Room, RoomDependencies
from pokerroom.table.actor import TableActor
from pokerroom.table.seal import Seal
from pokerroom_protocol import messages as wire
from tests.coordination.memory_journal import MemoryJournal
from tests.poker.support import OPENING, Client, Counts, now

TICK_S = 0.05

TABLES = """
[[tables]]
id = "{id}"
seats = 4
small_blind = 50
action_clock_s = 20
countdown_s = 20
hand_pause_ms = 0
"""


def settings(*tables: str) -> str:
    return "".join(TABLES.format(id=table) for table in tables)


NAMES = ["t1", "t2", "t3", "t4", "t5", "t6"]
MANY = settings(*NAMES)


@implementer(IReactorTime)
class NodeClock:
    """A process's own clock: while it is stopped nothing of it runs, once it is killed nothing ever does."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.stopped = False
        self.dead = False
        self._late: list[Callable[[], Any]] = []

    def seconds(self) -> float:
        return self._clock.seconds()

    def callLater(self, delay: float, work: Callable[..., Any], *args: Any, **kwargs: Any) -> DelayedCall:  # noqa: N802 -- Twisted's name
        return self._clock.callLater(delay, self.run, partial(work, *args, **kwargs))

    def getDelayedCalls(self) -> list[DelayedCall]:  # noqa: N802 -- Twisted's name
        return [
            call for call in self._clock.getDelayedCalls() if getattr(call.func, "__self__", None) is self
        ]

    def run(self, work: Callable[[], Any]) -> None:
        """Now, or when the process goes on."""
        if self.stopped:
            self._late.append(work)
        elif not self.dead:
            work()

    def go_on(self) -> None:
        """Everything that was due meanwhile, in its order."""
        self.stopped = False
        late, self._late = self._late, []
        for work in late:
            self.run(work)


class NodeLedger:
    """The ledger as one node reaches it, or does not."""

    def __init__(self, ledger: MemoryLedger) -> None:
        self._ledger = ledger
        self.away = False

    def __getattr__(self, name: str) -> Callable[..., Deferred[Any]]:
        method = getattr(self._ledger, name)

        def ask(*args: Any, **named: Any) -> Deferred[Any]:
            if self.away:
                return fail(LedgerUnavailable("cut off"))
            answer: Deferred[Any] = method(*args, **named)
            return answer

        return ask


class NodeStore:
    """The journal's store as one node reaches it: what it writes while it is cut off waits, and is tried again."""

    def __init__(self, store: MemoryJournalStore) -> None:
        self._store = store
        self.refused = 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)

        def tried(*args: Any) -> Any:
            try:
                return method(*args)
            except Exception:
                self.refused += 1
                raise

        return tried


class Node:
    """One process."""

    def __init__(self, rooms: Rooms, name: str, text: str) -> None:
        self.name = name
        self.rooms = rooms
        self.clock = clock = NodeClock(rooms.clock)
        self.ledger = NodeLedger(rooms.ledger)
        self.store = NodeStore(rooms.store)
        self.directory = MemoryDirectory(rooms.said)
        self.registrations = MemoryRegistrations(rooms.books, rooms.permits)
        self.counts = Counts()

        def bus(
            heard: Callable[[str, bytes], None], lost: Callable[[str], None], cut: Callable[[], None]
        ) -> MemoryBus:
            return MemoryBus(
                rooms.hub,
                node=name,
                heard=lambda sender, message: clock.run(partial(heard, sender, message)),
                lost=lambda sender: clock.run(partial(lost, sender)),
                cut=lambda: clock.run(cut),
            )

        self.room = Room(
            parse(text),
            RoomDependencies(
                node=name,
                ledger=self.ledger,  # type: ignore[arg-type]  # by name it is one
                journal=lambda sealed: MemoryJournal(self.store, clock, sealed=sealed),  # type: ignore[arg-type]  # as above
                directory=self.directory,
                bus=bus,
                registrations=self.registrations,
                payouts=MemoryPayouts(rooms.payouts, clock),
                log_in_attempts=MemoryLogInAttempts(rooms.failures, clock),
                clock=clock,
                now_ms=rooms.now_ms,
                random_bytes=rooms.random_bytes,
                seal=Seal(bytes(32)),
                observer=self.counts,
                in_thread=_in_thread,
                hasher=PasswordHasher(time_cost=1, memory_cost=8, parallelism=1),
            ),
        )
        self.failed: list[Failure] = []
        self.has_opened_ledger = False

        async def open_ledger() -> None:
            self.has_opened_ledger = True

        started = self.room.start(open_ledger=open_ledger)
        self.started = Deferred.fromCoroutine(started).addErrback(self.failed.append)

    def tables(self) -> list[str]:
        """Those that live here."""
        return [table.settings.table for table in self.room.local_tables.values()]

    def table(self, name: str = "t1") -> TableActor:
        found = self.room.local_tables.get(name)
        assert found is not None
        return found

    def away(self, *, ledger: bool = False, directory: bool = False) -> None:
        """Cut off from these, and from nothing else."""
        self.ledger.away, self.directory.away = ledger, directory

    def kill(self) -> None:
        """Kill the process as kill -9 does: no other node is told anything."""
        self.clock.dead = True
        self.rooms.hub.leave(self.name)
        self.rooms.nodes.remove(self)

    def stop(self) -> None:
        """As SIGSTOP."""
        self.clock.stopped = True

    def go_on(self) -> None:
        """As SIGCONT."""
        self.clock.go_on()

    def ask(self, client: Client, kind: type[wire.Request], table: str = "t1", **fields: Any) -> int:
        """Send a request of a client that is connected here; return its number."""
        number = client.next_id()
        door = self.room.lobby.table(table)
        assert door is not None
        door.request(client, kind(id=number, table=table, **fields))
        return number

    def answer(self, client: Client, kind: type[wire.Request], table: str = "t1", **fields: Any) -> Any:
        """The one answer to it."""
        number = self.ask(client, kind, table, **fields)
        self.rooms.pass_s(0.2)
        [answer] = [message for message in client.got if getattr(message, "re", None) == number]
        return answer


class Rooms:
    """The nodes, and what they have in common."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.clock.advance(1_700_000_000)
        self.ledger = MemoryLedger(self.clock.seconds)
        self.store = MemoryJournalStore()
        self.said: dict[str, bytes] = {}
        self.books: dict[str, RegistrationBook] = {}
        self.permits: dict[tuple[str, str], dict[int, int]] = {}
        self.payouts = MemoryPayoutStore()
        self.failures: dict[str, tuple[int, float, float]] = {}
        self.hub = MemoryHub(self.clock)
        self.nodes: list[Node] = []
        self._random = 0
        self._total = now(self.ledger.audit()).total

    def now_ms(self) -> int:
        return int(self.clock.seconds() * 1000)

    def random_bytes(self, count: int) -> bytes:
        """A fixed, varied stream."""
        out = bytearray()
        for _ in range(count):
            self._random = (self._random * 6364136223846793005 + 1442695040888963407) % 2**64
            out.append(self._random >> 56)
        return bytes(out)

    def begin(self, name: str, text: str = settings("t1")) -> Node:
        """A process starts; it may not be ready yet."""
        node = Node(self, name, text)
        self.nodes.append(node)
        return node

    def start(self, name: str, text: str = settings("t1")) -> Node:
        """A node that is ready."""
        node = self.begin(name, text)
        self.until(lambda: node.started.called)
        assert node.failed == []
        return node

    def pass_s(self, seconds: float) -> None:
        self.clock.pump([TICK_S] * max(1, round(seconds / TICK_S)))

    def until(self, happened: Callable[[], object], seconds_max: float = 60) -> float:
        """How long it takes, in seconds."""
        began = self.clock.seconds()
        while not happened():
            assert self.clock.seconds() - began < seconds_max, "not in time"
            self.pass_s(TICK_S)
        return self.clock.seconds() - began

    def owners(self) -> dict[str, str | None]:
        """As the ledger has them."""
        return {row.table: row.node for row in now(self.ledger.owners())}

    def epochs(self) -> dict[str, int]:
        return {row.table: row.epoch for row in now(self.ledger.owners())}

    def client(self, name: str) -> Client:
        """A logged-in client with a funded wallet."""
        return Client(name, now(self.ledger.create_account(name, "x", OPENING)).account)

    def check(self) -> None:
        """Each table lives at one node, the one that the ledger names, and no chip is missing."""
        here = [(table, node.name) for node in self.nodes for table in node.tables()]
        assert len({table for table, _ in here}) == len(here)
        assert all(self.owners()[table] == name for table, name in here)
        self.check_money()

    def check_money(self) -> None:
        report = now(self.ledger.audit())
        assert (report.differences, report.total) == ((), self._total)

    def end(self) -> None:
        """Every node ends in good order, and nothing is left on the clock."""
        for node in self.nodes:
            node.away()
            node.room.stop()
        self.pass_s(5)
        assert [call for node in self.nodes for call in node.clock.getDelayedCalls()] == []
        self.check_money()


def rooms() -> Iterator[Rooms]:
    """For a fixture."""
    made = Rooms()
    yield made
    made.end()


def seated(rooms: Rooms, node: Node, table: str = "t1") -> tuple[Client, Client]:
    """Two players at a table, and their first hand."""
    anna, ben = rooms.client(f"anna-{table}"), rooms.client(f"ben-{table}")
    for client in (anna, ben):
        assert isinstance(node.answer(client, wire.SitDown, table, buy_in=5_000), wire.Snapshot)
    assert anna.all(wire.Turn)
    return anna, ben


def act(node: Node, *players: Client, table: str = "t1") -> wire.Answer:
    """Whose turn it is calls or checks, through this node."""
    turn = max((player.last(wire.Turn) for player in players), key=lambda turn: turn.seq)
    client = player_of(players, turn)
    action = "check" if turn.check else "call"
    return node.answer(client, wire.Act, table, hand_id=turn.hand_id, seq=turn.seq, action=action)


def player_of(players: tuple[Client, ...], turn: wire.Turn) -> Client:
    """Whose turn it is."""
    return next(player for player in players if player.last(wire.Snapshot).your_seat == turn.seat)


def hand_of(client: Client) -> str:
    return client.last(wire.HandStarted).hand_id


def back(node: Node, *clients: Client, table: str = "t1") -> tuple[Client, ...]:
    """The accounts over new connections to this node."""
    found = []
    for client in clients:
        client.connected = False
        again = Client(client.name, client.account)
        assert isinstance(node.answer(again, wire.Observe, table), wire.Snapshot)
        found.append(again)
    return tuple(found)


def act_from_snapshot(node: Node, players: tuple[Client, ...], table: str) -> wire.Answer:
    """Act for the player to act, as that player's snapshot says."""
    view = players[0].last(wire.Snapshot).hand
    turns = [turn for turn in players[0].all(wire.Turn) if turn.hand_id == view.hand_id]
    turn = max([view.turn, *turns], key=lambda one: one.seq)
    client = player_of(players, turn)
    action = "check" if turn.check else "call"
    return node.answer(client, wire.Act, table, hand_id=view.hand_id, seq=turn.seq, action=action)


def _in_thread(work: Callable[..., Any], *args: Any) -> Deferred[Any]:
    return succeed(work(*args))
