"""The referee of poker tables: hands, clocks, requests for seats, and the promises of the rules of poker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pokerroom.ledger.api import AuditReport, HandSettlement, SeatRow
from pokerroom.ledger.rake import RakeRow
from pokerroom.simulation.checks.cards import HiddenCardChecker, links_of
from pokerroom.simulation.checks.cash_seats import CashSeatsChecker
from pokerroom.simulation.checks.checker import CheckContext
from pokerroom.simulation.checks.chips import ChipChecker, LedgerChecker, record_of
from pokerroom.simulation.checks.clocks import ClockChecker
from pokerroom.simulation.checks.connections import CheckedConnection
from pokerroom.simulation.checks.delays import DelayChecker
from pokerroom.simulation.checks.hands import HandChecker
from pokerroom.simulation.checks.notes import PrivateNoteChecker
from pokerroom.simulation.checks.pre_actions import PreActionChecker
from pokerroom.simulation.checks.private_tables import PrivateTableChecker
from pokerroom.simulation.checks.progress import ProgressChecker
from pokerroom.simulation.checks.referee import AnsweredRequest, Referee
from pokerroom.simulation.checks.results import ResultChecker
from pokerroom.simulation.checks.seat_requests import SeatRequestChecker
from pokerroom.simulation.checks.settings import CheckedOffer, CheckedSettings
from pokerroom.simulation.checks.table_facts import CheckedHand, CheckedTable
from pokerroom.simulation.checks.timeouts import TimeoutChecker
from pokerroom.simulation.checks.turns import TurnChecker
from pokerroom.simulation.checks.viewers import CheckedViewer
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.clock import VirtualClock
from pokerroom_protocol import messages as wire


class PokerReferee(Referee):
    """See the module. `strict`: a table has to recover from a fault by itself, and no hand may be lost with one.

    `terms` are by table; `private` reads those of a table that a player opens, by its id and settings, of those that
    are `offered`.
    """

    def __init__(
        self,
        *,
        clock: VirtualClock,
        terms: dict[str, CheckedSettings],
        private: Callable[[str, Mapping[str, Any]], CheckedSettings],
        offered: CheckedOffer,
        total: int,
        strict: bool,
    ) -> None:
        super().__init__(clock)
        self._strict = strict
        self._private = private
        self._hosting = PrivateTableChecker(self._blame, offered)
        self._tables = {table: CheckedTable(table) for table in terms}
        self._known_hands: dict[str, CheckedHand] = {}
        self._following: dict[str, set[int]] = {table: set() for table in terms}
        self._disturbed: set[str] = set()
        """Tables that froze, until the first snapshot after their restart: the last events may be void."""
        self._terms = terms
        self._offered: dict[str, list[CheckedSettings]] = {}
        """What the hosts of private tables have set, the oldest first."""
        self._chips = ChipChecker(self._blame)
        self.books = LedgerChecker(self._blame, total)
        self.wallet.wallets = self.books.wallets
        self._one = TurnChecker(self._blame)
        context = CheckContext(blame=self._blame, clock=clock, terms=terms, situations=self.situations)
        self._pre_acts = PreActionChecker(context)
        self._clocks = ClockChecker(context, self._pre_acts)
        self._timeouts = TimeoutChecker(context)
        self._wishes = SeatRequestChecker(self._blame)
        self._seats = CashSeatsChecker(context, self.books, self.wallet.is_linked)
        self._results = ResultChecker(self._blame, self._seats.options.mucks)
        self._delays = DelayChecker(context)
        self.hands = HandChecker(self._blame, strict=strict)
        self._cards = HiddenCardChecker(self._blame)
        self._notes = PrivateNoteChecker(self._blame)
        self._progress = ProgressChecker(context, self._strikes)

    @property
    def settled_count(self) -> int:
        return self.hands.settled_count

    # --- processes and faults ---------------------------------------------------------------------------------

    def crashed(self) -> None:
        super().crashed()
        self._disturbed.clear()
        self._clocks.crashed()
        self._seats.crashed()
        self._delays.crashed()
        self._pre_acts.restarted(None)
        self._timeouts.restarted(None)
        for name in self._tables:
            self._tables[name] = CheckedTable(name)
            self._following[name].clear()

    def outage(self, until_s: float) -> None:
        super().outage(until_s)
        self._progress.outage(until_s)
        self._clocks.outage(until_s)
        self._seats.outage(until_s)

    def draining(self) -> None:
        super().draining()
        self._left = {name for name, facts in self._tables.items() if _nobody_is_there(facts)}

    def look(self) -> None:
        for table in self._strikes.silent(self.outage_until_s):
            if self._following[table]:
                self._blame(Kind.ORDER, table, "", "events have a gap, and the table has not frozen")
        if not self._drains:
            self._progress.look(self._tables, strict=self._strict)
            self._seats.look(self._tables)

    @property
    def frozen(self) -> list[str]:
        return [name for name, facts in self._tables.items() if facts.frozen]

    # --- the ledger and the deal ------------------------------------------------------------------------------

    def account_opened(self, account: int, amount: int) -> None:
        self.books.opened(account, amount)

    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        if name == "open_hosted_table":
            self._opened(args[0], args[2])
            self._hosting.opened(args[0], args[1], args[3], self._terms[args[0]])
        if name == "change_hosted_terms":
            self._offered[args[0]].append(self._private(args[0], args[2]))
            self._set_stakes(args[0], self._terms[args[0]])
        if name != "settle":
            self._hosting.booked(name, args, result)
            self._seats.booked(name, args, result, self._tables)
            self.books.booked(name, args, result)
            self._wishes.booked(name, args)
            return
        for settlement in args[0]:
            self._settled(settlement)

    def _opened(self, table: str, settings: Mapping[str, Any]) -> None:
        self._terms[table] = self._private(table, settings)
        self._offered[table] = [self._terms[table]]
        self._tables[table] = CheckedTable(table)
        self._following[table] = set()
        self._progress.opened(table)

    def _settled(self, settlement: HandSettlement) -> None:
        record = record_of(settlement)
        self._follow_stakes(settlement.hand_id, record)
        if self.hands.settled(settlement, record):
            self.books.settled(settlement, record)
            self._cards.settled(settlement.table, settlement.hand_id, record)
            self._seats.settled(record)
            self._results.settled(self._terms[settlement.table], settlement.hand_id, record)
            self._timeouts.settled(settlement, record)
            self._wishes.settled(settlement.table, record)

    def _follow_stakes(self, hand_id: str, record: Mapping[str, Any]) -> None:
        """The stakes of a hand at a private table are those that the host has set and the table has told."""
        table, stakes = record["table"], (record["small_blind"], record["big_blind"])
        offered = self._offered.get(table)
        if offered is None:
            return
        fits = [one for one in offered if (one.small_blind, one.big_blind) == stakes]
        facts = self._tables[table]
        told = () if facts.hand is None or facts.hand.hand_id != hand_id else facts.hand.stakes
        if not fits or (told and stakes not in told):
            line = f"the hand is of {stakes}, the table has told {told}"
            self._blame(Kind.RESULT, table, hand_id, line)
        facts.dealt(stakes)
        self._set_stakes(table, (fits or offered)[-1])

    def _set_stakes(self, table: str, terms: CheckedSettings) -> None:
        """A buy-in may be on its way when the host changes the bounds: the largest of all holds."""
        most = max(one.max_buy_in for one in self._offered[table])
        self._terms[table] = replace(terms, max_buy_in=most)

    def audited(self, report: AuditReport, rows: list[SeatRow], rakes: Sequence[RakeRow]) -> None:
        """The ledger was looked at as a whole."""
        self.books.audited(report, rows, rakes)

    def dealt(self, hand_id: str, holes: Sequence[tuple[str, ...]], board: Sequence[str]) -> None:
        """The room has dealt a hand."""
        self.hands.dealt(hand_id)
        self._delays.dealt(hand_id)
        self._results.dealt(hand_id, holes, board)
        self._cards.dealt(hand_id, holes, board)

    # --- connections ------------------------------------------------------------------------------------------

    def closed(self, connection: CheckedConnection) -> None:
        super().closed(connection)
        for table in self._following:
            self._unfollow(connection.number, table)

    def _looks_away(self, viewer: CheckedViewer) -> None:
        super()._looks_away(viewer)
        for table in self._following:
            self._unfollow(viewer.number, table)

    def _unfollow(self, number: int, table: str) -> None:
        following = self._following[table]
        following.discard(number)
        if not following:
            self._tables[table].synced = False

    def _unobserved(self, viewer: CheckedViewer, table: str) -> None:
        super()._unobserved(viewer, table)
        self._unfollow(viewer.number, table)

    def _asked(self, viewer: CheckedViewer, request: wire.Request) -> None:
        key = viewer.number, request.id
        self._clocks.reached(viewer.name, request)
        self._pre_acts.reached(viewer.name, key, request)
        self._timeouts.reached(viewer.name, request)
        self._wishes.reached(viewer.account, key, request)
        self._seats.reached(viewer.account, key, request)
        self._notes.asked(viewer.name, request)
        self._hosting.asked(request)

    def _answered(self, asked: AnsweredRequest, answer: wire.ServerMessage) -> None:
        number, name, account, request = asked
        key, accepted = (number, request.id), isinstance(answer, wire.Ok)
        self._seats.answered(account, key, request, answer)
        self._notes.answered(name, request, answer)
        self._hosting.answered(request, answer)
        for link in links_of(answer):
            self._cards.linked(name, link)
        if isinstance(answer, wire.Ok | wire.Error):
            self._pre_acts.answered(name, key, request, accepted=accepted)
            self._wishes.answered(account, key, request, self._clock.now_ms(), accepted=accepted)
            if accepted and isinstance(request, wire.Act):
                self.hands.acknowledged(name, request)

    def _shown(self, viewer: CheckedViewer, message: wire.ServerMessage, cards: tuple[str, ...]) -> None:
        self._cards.told(viewer.name, message, cards)

    def _snapshot(self, viewer: CheckedViewer, snapshot: wire.Snapshot) -> None:
        facts = self._tables[snapshot.table]
        self._hosting.seen(snapshot.table, viewer.account)
        self._seats.options.snapshot(viewer.account, snapshot)
        self._pre_acts.snapshot(viewer.name, snapshot)
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
        self._seats.synced(facts)
        self._cards.synced(snapshot)

    def _event(self, viewer: CheckedViewer, event: wire.TableEvent) -> None:
        facts = self._tables[event.table]
        if isinstance(event, wire.TableNotice):
            self._noticed(facts, event)
            if event.state == "frozen":
                viewer.disturbed.add(event.table)
        if self._order.event(viewer, event, may_jump=self._may_jump(viewer, event)):
            self.situations.told(event)
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
        self._seats.applied(facts, event)
        if self._drains and _nobody_is_there(facts):
            self._left.add(facts.table)
        if isinstance(event, wire.HandStarted):
            assert facts.hand is not None
            self._known_hands[event.table] = facts.hand

    def _noticed(self, facts: CheckedTable, event: wire.TableNotice) -> None:
        if event.seq <= facts.noticed_seq:
            return  # a delayed observer hears it now
        facts.noticed_seq = event.seq
        self._seats.noticed(facts.table)
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
        self._excuse(facts.table)  # a delayed viewer may have lost something, too

    def _check(self, facts: CheckedTable, event: wire.TableEvent) -> None:
        if isinstance(event, wire.HandStarted):
            self._pre_acts.hand_started(facts.table)
        if isinstance(event, wire.HandStarted) and facts.paused:
            self._blame(
                Kind.REQUEST, facts.table, event.hand_id, "a hand begins at a table that its host has paused"
            )
        self._chips.event(facts, event)
        self._seats.told(facts, event)
        self._one.event(facts, event)
        self._timeouts.event(facts, event, self._tables)
        self._progress.event(facts, event)
        self.hands.event(facts.table, event, in_progress=None if facts.hand is None else facts.hand.hand_id)

    # --- the end ----------------------------------------------------------------------------------------------

    def finished(self) -> None:
        frozen = frozenset(self.frozen)
        left = self._left | {name for name, facts in self._tables.items() if _nobody_is_there(facts)}
        self.hands.finished(frozen | left)
        self._wishes.finished(self._clock.now_ms(), frozen | left)
        self._left_open(frozen)


def _nobody_is_there(facts: CheckedTable) -> bool:
    """Whether a hand is in progress that no connected player could finish: a stopping room leaves it in the journal."""
    hand = facts.hand
    return not facts.synced or (
        hand is not None
        and not any(facts.seats[seat].connected for seat in hand.dealt_in if seat in facts.seats)
    )
