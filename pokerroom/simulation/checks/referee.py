"""The referee of one simulation: hears everything that passes, and lets the checkers look at it.

What the room tells is heard where it leaves the room, what clients ask where it reaches the room, what is booked where
the ledger has done it. The referee knows the wire's messages and the ledger's interface, and no code that it judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgpack
import msgspec

from pokerroom.ledger.api import AuditReport, HandSettlement, SeatRow
from pokerroom.simulation.checks.cards import HiddenCardChecker, may_hold_cards, texts_of_cards
from pokerroom.simulation.checks.chips import ChipChecker, LedgerChecker, record_of
from pokerroom.simulation.checks.clocks import ClockChecker
from pokerroom.simulation.checks.connections import CheckedConnection
from pokerroom.simulation.checks.delays import DelayChecker
from pokerroom.simulation.checks.hands import HandChecker
from pokerroom.simulation.checks.injected_faults import InjectedFaults
from pokerroom.simulation.checks.pre_actions import PreActionChecker
from pokerroom.simulation.checks.progress import Pace, ProgressChecker
from pokerroom.simulation.checks.results import ResultChecker
from pokerroom.simulation.checks.seat_requests import SeatRequestChecker
from pokerroom.simulation.checks.settings import CheckedSettings
from pokerroom.simulation.checks.table_facts import CheckedHand, CheckedTable
from pokerroom.simulation.checks.timeouts import TimeoutChecker
from pokerroom.simulation.checks.turns import TurnChecker
from pokerroom.simulation.checks.viewers import AnswerChecker, CheckedViewer, OrderChecker
from pokerroom.simulation.checks.violation import Kind, Violation, place_of
from pokerroom.simulation.clock import VirtualClock
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding, decode_request, decode_server

VIOLATIONS_MAX = 20
"""Beyond these a run only repeats itself."""

_MEMO_MAX = 4000


class Referee:
    """See the module. `strict`: a table has to recover from a fault by itself, and no hand may be lost with one."""

    def __init__(
        self,
        *,
        clock: VirtualClock,
        paces: dict[str, Pace],
        terms: Mapping[str, CheckedSettings],
        total: int,
        strict: bool,
    ) -> None:
        self._clock = clock
        self._strict = strict
        self.violations: list[Violation] = []
        self._drains = False
        self._left: set[str] = set()
        """Tables with a hand that no connected player could finish during the drain: the room stops waiting for it."""
        self._memo: dict[bytes, tuple[wire.ServerMessage, tuple[str, ...]]] = {}
        self._tables = {table: CheckedTable(table) for table in paces}
        self._known_hands: dict[str, CheckedHand] = {}
        self._viewers: dict[CheckedConnection, CheckedViewer] = {}
        self._following: dict[str, set[int]] = {table: set() for table in paces}
        self._disturbed: set[str] = set()
        """Tables that froze, until the first snapshot after their restart: the last events may be void."""
        self._terms = terms
        self._strikes = strikes = InjectedFaults(clock.seconds)
        self._chips = ChipChecker(self._blame)
        self.books = LedgerChecker(self._blame, total)
        self._one = TurnChecker(self._blame)
        self._pre_acts = PreActionChecker(self._blame, clock.seconds)
        self._clocks = ClockChecker(self._blame, clock.seconds, terms, self._pre_acts)
        self._timeouts = TimeoutChecker(self._blame, clock.seconds, terms)
        self._wishes = SeatRequestChecker(self._blame)
        self._results = ResultChecker(self._blame, terms)
        self._delays = DelayChecker(self._blame, clock.seconds, terms)
        self.hands = HandChecker(self._blame, strict=strict)
        self._cards = HiddenCardChecker(self._blame)
        self._order = OrderChecker(self._blame)
        self._answers = AnswerChecker(self._blame)
        self._progress = ProgressChecker(self._blame, clock.seconds, paces, strikes)

    def _blame(self, kind: Kind, table: str, hand_id: str, line: str) -> None:
        if len(self.violations) < VIOLATIONS_MAX:
            self.violations.append(
                Violation(kind=kind, table=table, hand_id=hand_id, at_s=self._clock.elapsed_s(), line=line)
            )

    # --- processes and faults ---------------------------------------------------------------------------------

    def crashed(self) -> None:
        """The process is gone."""
        self._order.restarted()
        self._disturbed.clear()
        self._strikes.crashed()
        self._clocks.crashed()
        self._delays.crashed()
        self._pre_acts.restarted(None)
        self._timeouts.restarted(None)
        for name in self._tables:
            self._tables[name] = CheckedTable(name)
            self._following[name].clear()

    def struck(self, table: str) -> None:
        """An exception is about to be raised inside a handler of this table, or of any ("")."""
        self._strikes.struck(table)

    def outage(self, until_s: float) -> None:
        """Journal, ledger or process may be away until then."""
        self._progress.outage(until_s)
        self._clocks.outage(until_s)

    def fault(self, where: str, error: BaseException | str) -> None:
        """The room has raised, and no fault was injected."""
        text = error if isinstance(error, str) else f"{type(error).__name__}: {error}{place_of(error)}"
        self._blame(Kind.FAULT, "", "", f"{where}: {text}")

    def draining(self) -> None:
        """No new hands are dealt from now on."""
        self._drains = True
        self._left = {name for name, facts in self._tables.items() if _nobody_is_there(facts)}

    def look(self) -> None:
        """Called every few seconds of virtual time."""
        for table in self._strikes.silent(self._progress.outage_until_s):
            if self._following[table]:
                self._blame(Kind.ORDER, table, "", "events have a gap, and the table has not frozen")
        if not self._drains:
            self._progress.look(self._tables, strict=self._strict)

    @property
    def frozen(self) -> list[str]:
        """Tables that have said so last."""
        return [name for name, facts in self._tables.items() if facts.frozen]

    # --- the ledger and the deal ------------------------------------------------------------------------------

    def account_opened(self, account: int, amount: int) -> None:
        """The ledger has opened an account."""
        self.books.opened(account, amount)

    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        """The ledger has done something."""
        if name != "settle":
            self.books.booked(name, args, result)
            self._wishes.booked(name, args)
            return
        for settlement in args[0]:
            self._settled(settlement)

    def _settled(self, settlement: HandSettlement) -> None:
        record = record_of(settlement)
        if self.hands.settled(settlement, record):
            self.books.settled(settlement, record)
            self._cards.settled(settlement.table, settlement.hand_id, record)
            self._results.settled(settlement.table, settlement.hand_id, record)
            self._timeouts.settled(settlement, record)
            self._wishes.settled(settlement.table, record)

    def audited(self, report: AuditReport, rows: list[SeatRow]) -> None:
        """The ledger was looked at as a whole."""
        self.books.audited(report, rows)

    def dealt(self, hand_id: str, holes: Sequence[tuple[str, ...]], board: Sequence[str]) -> None:
        """The room has dealt a hand."""
        self.hands.dealt(hand_id)
        self._delays.dealt(hand_id)
        self._results.dealt(hand_id, holes, board)
        self._cards.dealt(hand_id, holes, board)

    # --- connections ------------------------------------------------------------------------------------------

    def opened(self, connection: CheckedConnection) -> None:
        """A connection was made."""
        self._viewers[connection] = CheckedViewer(connection.number)

    def closed(self, connection: CheckedConnection) -> None:
        """The room has been told that a connection is gone."""
        self._viewers.pop(connection, None)
        for table in self._following:
            self._unfollow(connection.number, table)

    def _looks_away(self, viewer: CheckedViewer) -> None:
        """The viewer is sent no table any more."""
        viewer.seqs.clear()
        for table in self._following:
            self._unfollow(viewer.number, table)

    def _unfollow(self, number: int, table: str) -> None:
        following = self._following[table]
        following.discard(number)
        if not following:
            self._tables[table].synced = False

    def reached(self, connection: CheckedConnection, body: bytes) -> None:
        """A client's message is about to be handed to its session."""
        viewer = self._viewers[connection]
        request = decode_request(body, connection.encoding)
        self._answers.reached(viewer, request, self._clock.rightNow)
        if isinstance(request, wire.LogOut):
            viewer.logs_out = True
            viewer.excused.update(viewer.asked)  # the next account is not sent these answers
        key = viewer.number, request.id
        self._clocks.reached(viewer.name, request)
        self._pre_acts.reached(viewer.name, key, request)
        self._timeouts.reached(viewer.name, request)
        self._wishes.reached(viewer.account, key, request)
        self._results.reached(viewer.account, request)

    def told(self, connection: CheckedConnection, bodies: Sequence[bytes]) -> None:
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

    def _told(
        self, connection: CheckedConnection, viewer: CheckedViewer, message: wire.ServerMessage
    ) -> None:
        if isinstance(message, wire.Event):
            self._event(viewer, message)
            return
        request = self._answers.told(viewer, message, struck=self._strikes.at(self._clock.rightNow))
        name, account = viewer.name, viewer.account
        if request is not None:
            name, account = viewer.asked_as.pop(request.id)
        if request is not None and isinstance(message, wire.Ok | wire.Error):
            key, accepted = (viewer.number, request.id), isinstance(message, wire.Ok)
            self._pre_acts.answered(name, key, request, accepted=accepted)
            self._wishes.answered(account, key, request, self._clock.now_ms(), accepted=accepted)
        match message:
            case wire.Ok() if isinstance(request, wire.Act):
                self.hands.acknowledged(name, request)
            case wire.Ok() if isinstance(request, wire.Unobserve):
                viewer.seqs.pop(request.table, None)
                self._unfollow(viewer.number, request.table)
            case wire.Ok() if isinstance(request, wire.LogOut) and viewer.logs_out:
                self._looks_away(viewer)
                viewer.name, viewer.account, connection.account = "", None, None
            case wire.Goodbye():  # the session has left its tables already
                self._looks_away(viewer)
            case wire.Authenticated():
                self._looks_away(viewer)
                viewer.logs_out = False
                viewer.name, viewer.account = message.name, message.account
                connection.account = message.account
            case wire.Snapshot():
                self._snapshot(viewer, message)
            case _:
                pass

    def _snapshot(self, viewer: CheckedViewer, snapshot: wire.Snapshot) -> None:
        facts = self._tables[snapshot.table]
        if snapshot.re is None:
            viewer.disturbed.discard(snapshot.table)
        delayed = snapshot.info.observer_delay_s > 0 and snapshot.your_seat is None
        self._order.snapshot(viewer, snapshot, may_go_back=delayed)
        if delayed:
            self._unfollow(viewer.number, snapshot.table)
            self._delays.snapshot(facts, snapshot)
            if not facts.synced:
                self._cards.synced(snapshot)
            return
        self._following[snapshot.table].add(viewer.number)
        # Events that all viewers skipped with a snapshot are sent to none; after a fault the last events may be void.
        disturbed = snapshot.table in self._disturbed
        if facts.synced and (snapshot.seq < facts.seq or (snapshot.seq == facts.seq and not disturbed)):
            return
        if not facts.frozen:
            self._disturbed.discard(snapshot.table)
        facts.sync(snapshot, self._known_hands.get(snapshot.table))
        self._clocks.synced(facts)
        self._timeouts.restarted(snapshot.table)
        self._chips.synced(facts, snapshot)
        self._cards.synced(snapshot)

    def _event(self, viewer: CheckedViewer, event: wire.TableEvent) -> None:
        facts = self._tables[event.table]
        if isinstance(event, wire.TableNotice):
            self._noticed(facts, event)
            if event.state == "frozen":
                viewer.disturbed.add(event.table)
        pending = self._strikes.pending(event.table) and event.table not in viewer.disturbed
        last = viewer.seqs.get(event.table)
        if pending and last is not None and event.seq > last + 1:
            self._strikes.has_gap(event.table)
        if self._order.event(viewer, event, may_jump=pending or event.table in viewer.disturbed):
            self._cards.event(event)
            self._results.event(event)
        live = viewer.number in self._following[event.table]
        if live or self._terms[event.table].observer_delay_s:
            self._delays.event(facts, event, live=live)
        self._followed(viewer, facts, event)
        left = isinstance(event, wire.SeatLeft) and event.name == viewer.name and live
        if left and self._terms[event.table].observer_delay_s:
            self._unfollow(viewer.number, event.table)  # from now on the viewer is an observer

    def _followed(self, viewer: CheckedViewer, facts: CheckedTable, event: wire.TableEvent) -> None:
        if not facts.synced or event.seq <= facts.seq:
            return
        if viewer.number not in self._following[event.table]:
            return  # a delayed observer while no player is there
        if event.seq > facts.seq + 1:
            facts.synced = False  # told by `OrderChecker` already
            return
        if not facts.knows_seats_of(event):
            self._blame(Kind.ORDER, facts.table, "", f"event {event.seq} is about an empty seat")
            facts.synced = False
            return
        unknown = isinstance(event, wire.Turn) and (facts.hand is None or facts.hand.hand_id != event.hand_id)
        if unknown and not facts.frozen and self._strikes.pending(facts.table):
            self._froze(facts)  # no viewer was there; now the table goes on
        self._clocks.event(facts, event)
        if not facts.frozen:  # what is told meanwhile is void: a snapshot follows
            self._check(facts, event)
        facts.apply(event)
        if self._drains and _nobody_is_there(facts):
            self._left.add(facts.table)
        if isinstance(event, wire.HandStarted):
            assert facts.hand is not None
            self._known_hands[event.table] = facts.hand

    def _noticed(self, facts: CheckedTable, event: wire.TableNotice) -> None:
        if event.seq <= facts.noticed_seq:
            return  # a delayed observer hears it now
        facts.noticed_seq = event.seq
        if event.state == "frozen":
            self._froze(facts)
        elif event.state == "running":
            facts.closing = False  # where the table restarts, the next messages tell it
        else:
            facts.closing = True
        facts.frozen = facts.frozen and event.state != "running"

    def _froze(self, facts: CheckedTable) -> None:
        if not self._strikes.explains(facts.table):
            self._blame(Kind.FAULT, facts.table, "", "the table froze, and no fault was injected")
        facts.frozen = True
        self._disturbed.add(facts.table)
        self._pre_acts.restarted(facts.table)
        for viewer in self._viewers.values():
            if facts.table in viewer.seqs:  # a delayed viewer may have lost something, too
                viewer.disturbed.add(facts.table)
            viewer.excused.update(
                number
                for number, (request, _) in viewer.asked.items()
                if getattr(request, "table", "") == facts.table
            )

    def _check(self, facts: CheckedTable, event: wire.TableEvent) -> None:
        if isinstance(event, wire.HandStarted):
            self._pre_acts.hand_started(facts.table)
        self._chips.event(facts, event)
        self._one.event(facts, event)
        self._timeouts.event(facts, event, self._tables)
        self._progress.event(facts, event)
        self.hands.event(facts.table, event, in_progress=None if facts.hand is None else facts.hand.hand_id)

    def unlike(self, table: str, viewer: int, lines: Sequence[str]) -> None:
        """A client's own state of a table does not become what a snapshot said; after a fault it need not."""
        if any(table in one.disturbed for one in self._viewers.values() if one.number == viewer):
            return
        for line in lines[:3]:
            self._blame(Kind.SNAPSHOT, table, "", f"viewer {viewer}, kept and told differ: {line}")

    # --- the end ----------------------------------------------------------------------------------------------

    def finished(self) -> None:
        """The simulation is over: nothing may be left open."""
        frozen = frozenset(self.frozen)
        left = self._left | {name for name, facts in self._tables.items() if _nobody_is_there(facts)}
        self.hands.finished(frozen | left)
        self._wishes.finished(self._clock.now_ms(), frozen | left)
        for viewer in self._viewers.values():
            self._answers.left_open(viewer, self._clock.rightNow, frozen, self._strikes.at)


def _nobody_is_there(facts: CheckedTable) -> bool:
    """Whether a hand is in progress that no connected player could finish: a stopping room leaves it in the journal."""
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
