"""The referee of one simulation: hears everything that passes, and lets the checkers look at it.

What the room tells is heard where it leaves the room, what clients ask where it reaches the room, what is booked where
the ledger has done it. The referee knows the wire's messages and the ledger's interface, and no code that it judges.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgpack
import msgspec

from pokerroom.ledger.api import AuditReport, SeatRow, Settlement
from pokerroom.simulation.checks.cards import HiddenCards, may_hold_cards, texts_of_cards
from pokerroom.simulation.checks.chips import Books, ToldChips, record_of
from pokerroom.simulation.checks.hands import Hands
from pokerroom.simulation.checks.progress import Pace, Progress
from pokerroom.simulation.checks.table_facts import HandFacts, TableFacts
from pokerroom.simulation.checks.turns import InTime, OneToAct
from pokerroom.simulation.checks.viewers import Answers, Order, Viewer
from pokerroom.simulation.checks.violation import Kind, Violation
from pokerroom.simulation.clock import VirtualClock
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding, decode_request, decode_server

if TYPE_CHECKING:  # connections tell the referee
    from pokerroom.simulation.network import Connection

VIOLATIONS_MAX = 20
"""Beyond these a run only repeats itself."""

_MEMO_MAX = 4000


class Referee:
    """See the module. `strict`: a table has to recover from a fault by itself, and no hand may be lost with one."""

    def __init__(self, *, clock: VirtualClock, paces: dict[str, Pace], total: int, strict: bool) -> None:
        self._clock = clock
        self._strict = strict
        self.violations: list[Violation] = []
        self._drains = False
        self._memo: dict[bytes, tuple[wire.ServerMessage, tuple[str, ...]]] = {}
        self._tables = {table: TableFacts(table) for table in paces}
        self._known_hands: dict[str, HandFacts] = {}
        self._viewers: dict[Connection, Viewer] = {}
        self._following: dict[str, set[int]] = {table: set() for table in paces}
        self._disturbed: set[str] = set()
        """Tables of this process where a fault was injected: an event may be lost, a hand left open."""
        self._chips = ToldChips(self._blame)
        self.books = Books(self._blame, total)
        self._one = OneToAct(self._blame)
        self._in_time = InTime(self._blame)
        self.hands = Hands(self._blame, strict=strict)
        self._cards = HiddenCards(self._blame)
        self._order = Order(self._blame)
        self._answers = Answers(self._blame)
        self._progress = Progress(self._blame, clock.seconds, paces)

    def _blame(self, kind: Kind, table: str, hand_id: str, line: str) -> None:
        if len(self.violations) < VIOLATIONS_MAX:
            self.violations.append(
                Violation(kind=kind, table=table, hand_id=hand_id, at_s=self._clock.elapsed_s(), line=line)
            )

    # --- processes and faults ---------------------------------------------------------------------------------

    def crashed(self) -> None:
        """The process is gone."""
        self._order.forget()
        self._disturbed.clear()
        for name in self._tables:
            self._tables[name] = TableFacts(name)
            self._following[name].clear()

    def struck(self, table: str) -> None:
        """An exception is about to be raised inside a handler of this table, or of any ("")."""
        self._disturbed.update([table] if table else self._tables)
        self._progress.struck(table)

    def outage(self, until_s: float) -> None:
        """See `Progress.outage`."""
        self._progress.outage(until_s)

    def fault(self, where: str, error: BaseException | str) -> None:
        """The room has raised, and no fault was injected."""
        text = error if isinstance(error, str) else f"{type(error).__name__}: {error}{_place(error)}"
        self._blame(Kind.FAULT, "", "", f"{where}: {text}")

    def draining(self) -> None:
        """No new hands are dealt from now on."""
        self._drains = True

    def look(self) -> None:
        """Called every few seconds of virtual time."""
        if not self._drains:
            self._progress.look(self._tables, strict=self._strict)

    @property
    def frozen(self) -> list[str]:
        """Tables that have said so last."""
        return [name for name, facts in self._tables.items() if facts.frozen]

    # --- the ledger and the deal ------------------------------------------------------------------------------

    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        """The ledger has done something."""
        if name != "settle":
            self.books.booked(name, args, result)
            return
        for settlement in args[0]:
            self._settled(settlement)

    def _settled(self, settlement: Settlement) -> None:
        record = record_of(settlement)
        if self.hands.settled(settlement, record):
            self.books.settled(settlement, record)
            self._cards.settled(settlement.table, settlement.hand_id, record)

    def audited(self, report: AuditReport, rows: list[SeatRow]) -> None:
        """The ledger was looked at as a whole."""
        self.books.audited(report, rows)

    def dealt(self, hand_id: str, holes: Sequence[tuple[str, str]], board: Sequence[str]) -> None:
        """The room has dealt a hand."""
        self.hands.dealt(hand_id)
        self._cards.dealt(hand_id, holes, board)

    # --- connections ------------------------------------------------------------------------------------------

    def opened(self, connection: Connection) -> None:
        """A connection was made."""
        self._viewers[connection] = Viewer(connection.number)

    def closed(self, connection: Connection) -> None:
        """The room has been told that a connection is gone."""
        self._viewers.pop(connection, None)
        for table in self._following:
            self._unfollow(connection.number, table)

    def _unfollow(self, number: int, table: str) -> None:
        following = self._following[table]
        following.discard(number)
        if not following:
            self._tables[table].synced = False

    def reached(self, connection: Connection, body: bytes) -> None:
        """A client's message is about to be handed to its session."""
        viewer = self._viewers[connection]
        request = decode_request(body, connection.encoding)
        self._answers.reached(viewer, request, self._clock.rightNow)
        self._in_time.reached(viewer.name, request, self._clock.now_ms())

    def told(self, connection: Connection, bodies: Sequence[bytes]) -> None:
        """Messages leave the room for a client."""
        viewer = self._viewers[connection]
        for body in bodies:
            message, cards = self.decoded(body, connection.encoding)
            self._told(connection, viewer, message)
            if cards:
                self._cards.told(viewer.name, message, cards)

    def decoded(self, body: bytes, encoding: Encoding) -> tuple[wire.ServerMessage, tuple[str, ...]]:
        """A message and every text of a card in it; the same bytes are read once for all viewers."""
        known = self._memo.get(body)
        if known is None:
            if len(self._memo) > _MEMO_MAX:
                self._memo.clear()
            known = self._memo[body] = decode_server(body, encoding), _cards_in(body, encoding)
        return known

    def _told(self, connection: Connection, viewer: Viewer, message: wire.ServerMessage) -> None:
        if isinstance(message, wire.Event):
            self._event(viewer, message)
            return
        request = self._answers.told(viewer, message, disturbed=bool(self._disturbed))
        match message:
            case wire.Ok() if isinstance(request, wire.Act):
                self.hands.acknowledged(viewer.name, request)
            case wire.Ok() if isinstance(request, wire.Unobserve):
                viewer.seqs.pop(request.table, None)
                self._unfollow(viewer.number, request.table)
            case wire.Ok() if isinstance(request, wire.LogOut):
                viewer.name, connection.account = "", None
            case wire.Goodbye():  # the session has left its tables already
                for table in self._following:
                    self._unfollow(viewer.number, table)
            case wire.Authenticated():
                viewer.name, connection.account = message.name, message.account
            case wire.Snapshot():
                self._snapshot(viewer, message)
            case _:
                pass

    def _snapshot(self, viewer: Viewer, snapshot: wire.Snapshot) -> None:
        facts = self._tables[snapshot.table]
        delayed = snapshot.info.observer_delay_s > 0 and snapshot.your_seat is None
        self._order.snapshot(viewer, snapshot, may_go_back=delayed)
        if delayed:
            self._unfollow(viewer.number, snapshot.table)
            if not facts.synced:
                self._cards.synced(snapshot)
            return
        self._following[snapshot.table].add(viewer.number)
        # Events that everybody has skipped with a snapshot are told to nobody; after a fault what was told may be void.
        disturbed = snapshot.table in self._disturbed
        if facts.synced and (snapshot.seq < facts.seq or (snapshot.seq == facts.seq and not disturbed)):
            return
        facts.sync(snapshot, self._known_hands.get(snapshot.table))
        self._chips.synced(facts, snapshot)
        self._cards.synced(snapshot)

    def _event(self, viewer: Viewer, event: wire.TableEvent) -> None:
        if self._order.event(viewer, event, may_jump=event.table in self._disturbed):
            self._cards.event(event)
        facts = self._tables[event.table]
        if isinstance(event, wire.TableNotice):
            self._noticed(facts, event)
        if not facts.synced or event.seq <= facts.seq:
            return
        if viewer.number not in self._following[event.table]:
            return  # a delayed observer while no player is there
        if event.seq > facts.seq + 1:
            facts.synced = False  # told by `Order` already
            return
        if not facts.knows_seats_of(event):
            self._blame(Kind.ORDER, facts.table, "", f"event {event.seq} is about a seat that nobody holds")
            facts.synced = False
            return
        if not facts.frozen:  # what is told meanwhile is void: a snapshot follows
            self._check(facts, event)
        facts.apply(event)
        if isinstance(event, wire.HandStarted):
            assert facts.hand is not None
            self._known_hands[event.table] = facts.hand

    def _noticed(self, facts: TableFacts, event: wire.TableNotice) -> None:
        if event.seq <= facts.noticed_seq:
            return  # a delayed observer hears it now
        facts.noticed_seq = event.seq
        if event.state == "frozen" and not facts.frozen and facts.table not in self._disturbed:
            self._blame(Kind.FAULT, facts.table, "", "the table froze, and no fault was injected")
        facts.frozen = event.state == "frozen" or (facts.frozen and event.state != "running")
        facts.closing = facts.closing or event.state in {"closing", "closed"}

    def _check(self, facts: TableFacts, event: wire.TableEvent) -> None:
        self._chips.event(facts, event)
        self._one.event(facts, event)
        self._in_time.event(facts, event)
        self._progress.event(facts, event)
        self.hands.event(facts.table, event, in_progress=None if facts.hand is None else facts.hand.hand_id)

    def unlike(self, table: str, viewer: int, lines: Sequence[str]) -> None:
        """A client's own state of a table does not become what a snapshot said; after a fault it need not."""
        if table in self._disturbed:
            return
        for line in lines[:3]:
            self._blame(Kind.SNAPSHOT, table, "", f"viewer {viewer}, kept and told differ: {line}")

    # --- the end ----------------------------------------------------------------------------------------------

    def finished(self) -> None:
        """The simulation is over: nothing may be left open."""
        frozen = frozenset(self.frozen)
        left = {name for name, facts in self._tables.items() if _nobody_is_there(facts)}
        self.hands.finished(frozen | left if self._strict else frozen | left | self._disturbed)
        for viewer in self._viewers.values():
            self._answers.left_open(viewer, self._clock.rightNow, frozen | self._disturbed)


def _nobody_is_there(facts: TableFacts) -> bool:
    """Whether a hand is in progress that nobody could finish: a room that stops leaves it to its journal."""
    hand = facts.hand
    return not facts.synced or (
        hand is not None
        and not any(facts.seats[seat].connected for seat in hand.dealt_in if seat in facts.seats)
    )


def _cards_in(body: bytes, encoding: Encoding) -> tuple[str, ...]:
    if not may_hold_cards(body):
        return ()
    plain = msgpack.unpackb(body) if encoding is Encoding.MSGPACK else msgspec.json.decode(body)
    return tuple(texts_of_cards(plain))


def _place(error: BaseException) -> str:
    """Where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return "".join(f" < {Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames[-4:]))
