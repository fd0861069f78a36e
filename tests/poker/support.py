"""A table over a virtual clock with memory adapters, and clients that remember what they were told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from pokerroom.chips import Money
from pokerroom.ledger.api import HandSettlement
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.lobby.lobby import AccountSeats
from pokerroom.lobby.timeouts import TimeoutDay
from pokerroom.ops.observer import Observer
from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.cash.seating import cash_game
from pokerroom.rules.betting import NoLimit
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.variants import HOLDEM
from pokerroom.table.actor import TableActor
from pokerroom.table.context import TableContext
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.seal import Seal
from pokerroom_protocol import messages as wire

M = TypeVar("M", bound=wire.Answer)

SETTINGS = TableSettings(
    variant=HOLDEM,
    table="t1",
    name="Test",
    structure=NoLimit(),
    seats_max=6,
    stakes=Stakes(small_blind=50, big_blind=100),
    min_buy_in=Money(2_000),
    max_buy_in=Money(10_000),
    action_clock_s=10,
    countdown_s=20,
    hand_pause_ms=0,
    away_limit_s=120,
    timeout_protection="always",
    moving_button=False,
    show_all_in=True,
)
OPENING = Money(100_000)


class HeldJournal:
    """A journal whose entries become durable when the test says so, or at once."""

    def __init__(self) -> None:
        self.hold = False
        self.all: list[bytes] = []
        """Every entry ever."""
        self.kept: list[bytes] = []
        """Those that a restart finds."""
        self.fails_with: Exception | None = None
        self._waiting: list[Callable[[], None]] = []

    def append(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        if self.fails_with is not None:
            error, self.fails_with = self.fails_with, None
            raise error
        self.all.append(entry)
        self._waiting.append(lambda: (self.kept.append(entry), durable()))
        if not self.hold:
            self.store()

    def begin(self, table: str, entry: bytes, durable: Callable[[], None]) -> None:
        self.append(table, entry, lambda: (self.kept.__delitem__(slice(-1)), durable()))

    def forget(self, table: str) -> None:
        raise NotImplementedError

    def entries(self, table: str) -> Deferred[list[bytes]]:
        found: Deferred[list[bytes]] = Deferred()
        self._waiting.append(lambda: found.callback(list(self.kept)))
        if not self.hold:
            self.store()
        return found

    def unfinished(self) -> Deferred[dict[str, list[bytes]]]:
        raise NotImplementedError

    def store(self) -> None:
        """What waits is durable now."""
        while self._waiting:
            self._waiting.pop(0)()


class HeldSettler:
    """Settles in a memory ledger when the test says so, or at once."""

    def __init__(self, ledger: MemoryLedger) -> None:
        self.hold = False
        self.fails_with: Exception | None = None
        self._ledger = ledger
        self.waiting: list[tuple[HandSettlement, Deferred[None]]] = []
        """Settlements that are not committed yet."""
        self.settled: list[HandSettlement] = []

    def submit(self, settlement: HandSettlement) -> Deferred[None]:
        done: Deferred[None] = Deferred()
        self.waiting.append((settlement, done))
        if not self.hold:
            self.commit()
        return done

    def commit(self) -> None:
        """What waits is committed now."""
        while self.waiting:
            settlement, done = self.waiting.pop(0)
            if self.fails_with is not None:
                done.errback(self.fails_with)
                continue
            self.settled.append(settlement)
            self._ledger.settle([settlement]).chainDeferred(done)


class NobodyWaits(AccountSeats):
    """`Seating` of a room without waiting lists."""

    def opening(self, table: str) -> None:
        """See `Seating`; nor do the others below concern anybody."""

    def waiting(self, table: str) -> int:
        return 0

    def held_seat_lapsed(self, account: int, table: str) -> None: ...

    def calls_lost(self, table: str) -> None: ...

    def seated(self, account: int, table: str) -> None: ...

    def closed(self, table: str) -> None: ...


@dataclass
class Counts(Observer):
    """Keeps what the tests ask for."""

    told: int = 0
    crashes: int = 0
    refusals: list[str] = field(default_factory=list)
    hands: int = 0
    rounds: int = 0

    def action(self) -> None:
        self.told += 1

    def action_latency(self, seconds: float) -> None:
        assert seconds >= 0

    def refusal(self, code: str) -> None:
        self.refusals.append(code)

    def frames_out(self, count: int = 1) -> None:
        assert count >= 0

    def crash(self) -> None:
        self.crashes += 1

    def hand(self) -> None:
        self.hands += 1

    def round(self) -> None:
        self.rounds += 1


class Client:
    """A viewer with an account; `got` is what it was told, oldest first."""

    def __init__(self, name: str, account: int | None) -> None:
        self.name = name
        self.account = account
        self.wants_pause = False
        self.instance = ""
        self.address_group = ""
        self.connected = True
        self.got: list[wire.Answer] = []
        self._id = 0

    def deliver(self, outgoing: Outgoing | Bundle) -> None:
        self.got += [part.message for part in outgoing.parts]

    def next_id(self) -> int:
        self._id += 1
        return self._id

    def all(self, kind: type[M]) -> list[M]:
        return [message for message in self.got if isinstance(message, kind)]

    def last(self, kind: type[M]) -> M:
        return self.all(kind)[-1]


def cash_table(settings: TableSettings, context: TableContext) -> TableActor:
    """A cash table."""
    return TableActor(settings, context, cash_game(settings))


class Room:
    """One table and its world."""

    def __init__(self, **changes: Any) -> None:
        self.clock = Clock()
        self.clock.advance(1_700_000_000)
        self.ledger = MemoryLedger(self.clock.seconds)
        self.journal = HeldJournal()
        self.settler = HeldSettler(self.ledger)
        self.counts = Counts()
        self.seats = NobodyWaits(4)
        self.timeouts = TimeoutDay(lambda: int(self.clock.seconds() * 1000))
        self._random = 0
        self.key = bytes(32)
        self.epoch = 0
        self.tables_max = 4
        self.relinquished = 0
        """How often the room was told that the table has another owner."""
        self.settings = replace(SETTINGS, **changes)
        self.table = self.open()

    def open(self) -> TableActor:
        """Another table object on the same ledger under a new epoch, as after a restart."""
        self.epoch = now(self.ledger.take_table("t1", "n1", self.epoch))
        return cash_table(self.settings, self.context(self.epoch, self.journal))

    def context(self, epoch: int, journal: HeldJournal) -> TableContext:
        """What a table of this room is given under this epoch."""
        return TableContext(
            clock=self.clock,
            now_ms=lambda: int(self.clock.seconds() * 1000),
            random_bytes=self.random_bytes,
            journal=journal,
            ledger=self.ledger,
            settler=self.settler,
            seal=Seal(self.key),
            observer=self.counts,
            seating=self.seats,
            timeouts=self.timeouts,
            epoch=epoch,
            tables_max=self.tables_max,
            relinquished=self.lose,
        )

    def lose(self) -> None:
        """A table was told by the ledger that it has another owner."""
        self.relinquished += 1

    def random_bytes(self, count: int) -> bytes:
        """A fixed, varied stream: tests see the same cards each run."""
        out = bytearray()
        for _ in range(count):
            self._random = (self._random * 6364136223846793005 + 1442695040888963407) % 2**64
            out.append(self._random >> 56)
        return bytes(out)

    def client(self, name: str) -> Client:
        """A logged-in client with a funded wallet."""
        return Client(name, now(self.ledger.create_account(name, "x", OPENING)).account)

    def spend_elsewhere(self, client: Client, amount: int, table: str = "t2") -> None:
        """The client buys in at another table of the room."""
        assert client.account is not None
        epoch = now(self.ledger.take_table(table, "n2", 0))
        key = f"buyin:{table.encode().hex():0>32}"
        now(self.ledger.buy_in(key, table, epoch, 1, client.account, Money(amount), self.tables_max))

    def ask(self, client: Client, kind: type[wire.Request], /, **fields: Any) -> int:
        """Sends a request for the table; returns its id."""
        number = client.next_id()
        self.table.request(client, kind(id=number, table="t1", **fields))
        return number

    def answer(self, client: Client, kind: type[wire.Request], /, **fields: Any) -> wire.Answer:
        """Sends a request and returns the answer to it."""
        number = self.ask(client, kind, **fields)
        return next(message for message in client.got if getattr(message, "re", None) == number)

    def sit(self, *clients: Client, buy_in: int = 10_000) -> None:
        """Seat clients one after the other; the first hand begins with the second."""
        for client in clients:
            self.ask(client, wire.SitDown, buy_in=buy_in)

    def sit_together(self, *clients: Client, buy_in: int = 10_000) -> None:
        """Seat clients so that the first hand has them all."""
        self.table.context.lease.deals = False
        self.sit(*clients, buy_in=buy_in)
        self.table.context.lease.deals = True
        self.table.game.play.consider_next()

    def turn(self) -> wire.Turn:
        """The decision that is awaited."""
        turns = [m for viewer in self.viewers() for m in viewer.all(wire.Turn)]
        return max(turns, key=lambda turn: turn.seq)

    def viewers(self) -> Sequence[Client]:
        return list(self.table.outbox.viewers())  # type: ignore[arg-type] # they are our clients

    def at(self, seat: int) -> Client:
        """The client who holds a seat."""
        account = self.table.game.seats.seats[seat].account
        return next(viewer for viewer in self.viewers() if viewer.account == account)

    def act(self, action: str, amount: int | None = None, client: Client | None = None) -> wire.Answer:
        """The decision of the player to act (or of `client` in their place)."""
        turn = self.turn()
        actor = client or self.at(turn.seat)
        return self.answer(actor, wire.Act, hand_id=turn.hand_id, seq=turn.seq, action=action, amount=amount)

    def act_blindly(self, action: str) -> int:
        """As `act`, where no answer is to be expected; returns the number of the request."""
        turn = self.turn()
        return self.ask(self.at(turn.seat), wire.Act, hand_id=turn.hand_id, seq=turn.seq, action=action)

    def check_down(self) -> None:
        """Checks and calls until the hand is over."""
        hand_id = self.turn().hand_id
        while self.table.game.play.hand_id() == hand_id and self.table.state_name == "playing":
            self.act("check" if self.turn().check else "call")

    def stop(self) -> None:
        """Nothing may be left on the clock."""
        self.table.stop()
        for call in self.clock.getDelayedCalls():
            if call.getTime() <= self.clock.seconds():
                call.cancel()  # what was put off to the next reactor turn
        assert self.clock.getDelayedCalls() == []


def now(deferred: Deferred[Any]) -> Any:
    """The result of a Deferred that has fired."""
    results: list[Any] = []
    deferred.addBoth(results.append)
    assert results, "not fired yet"
    if hasattr(results[0], "raiseException"):
        results[0].raiseException()
    return results[0]
