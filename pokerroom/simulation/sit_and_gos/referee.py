"""The referee of a simulation of sit-and-gos: hears what passes, and lets the checkers look at it.

As the referee of cash tables, of whom it has all that is the same for any game: faults that were injected, the order of
events, answers, hidden cards, violations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pokerroom.ledger.api import AuditReport, SeatRow
from pokerroom.simulation.checks.absences import AbsenceChecker
from pokerroom.simulation.checks.connections import CheckedConnection
from pokerroom.simulation.checks.referee import Referee
from pokerroom.simulation.checks.tournaments import TournamentChecker
from pokerroom.simulation.checks.viewers import CheckedViewer
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.clock import VirtualClock
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import decode_request


class SitAndGoReferee(Referee):
    """See the module."""

    def __init__(self, *, clock: VirtualClock, total: int, strict: bool) -> None:
        super().__init__(clock=clock, paces={}, terms={}, total=total, strict=strict)
        self._total = total
        self._frozen: set[str] = set()
        self._told_up_to: dict[str, int] = {}
        """Table -> the last notice that was heard of."""
        self._outage_until_s = 0.0
        self.paused: dict[str, object] = {}
        """Tournaments that the operator has stopped, or frozen."""
        self.tournaments = TournamentChecker(self._blame, clock.seconds)
        self.hands = self.tournaments  # type: ignore[assignment] # of which the simulation asks how many were settled
        self._absent = AbsenceChecker(self._blame)

    # --- processes and faults -------------------------------------------------------------------------------------

    def crashed(self) -> None:
        """See `Referee`."""
        self._order.restarted()
        self._disturbed.clear()
        self._strikes.crashed()
        self._absent.forget(None)
        self._frozen.clear()

    def outage(self, until_s: float) -> None:
        """See `Referee`."""
        self._outage_until_s = max(self._outage_until_s, until_s)

    def draining(self) -> None:
        """See `Referee`."""
        self._drains = True

    def look(self) -> None:
        """See `Referee`."""
        for table in self._strikes.silent(self._outage_until_s):
            if any(table in viewer.seqs for viewer in self._viewers.values()):
                self._blame(Kind.ORDER, table, "", "events have a gap, and the table has not frozen")
        if not self._drains:
            self.tournaments.look(self._outage_until_s, self.paused)

    @property
    def frozen(self) -> list[str]:
        """See `Referee`: tables that should go on by themselves."""
        running = self.tournaments.running()
        return sorted(name for name in self._frozen if name in running and name not in self.paused)

    # --- the ledger and the deal ----------------------------------------------------------------------------------

    def account_opened(self, account: int, amount: int) -> None:
        """See `Referee`; what each holds the ledger's own audit adds up."""

    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:  # noqa: ARG002 -- as of cash tables
        """See `Referee`."""
        self.tournaments.booked(name, args)

    def dealt(self, hand_id: str, holes: Sequence[tuple[str, ...]], board: Sequence[str]) -> None:
        """See `Referee`."""
        self._cards.dealt(hand_id, holes, board)

    def audited(self, report: AuditReport, rows: list[SeatRow]) -> None:  # noqa: ARG002 -- as of cash tables
        """See `Referee`."""
        for difference in report.differences:
            self._blame(Kind.CHIPS, "", "", difference)
        if report.total != self._total:
            self._blame(Kind.CHIPS, "", "", f"the ledger holds {report.total}, genesis was {self._total}")

    # --- connections ----------------------------------------------------------------------------------------------

    def closed(self, connection: CheckedConnection) -> None:
        """See `Referee`."""
        self._viewers.pop(connection, None)

    def _looks_away(self, viewer: CheckedViewer) -> None:
        viewer.seqs.clear()

    def reached(self, connection: CheckedConnection, body: bytes) -> None:
        """See `Referee`."""
        viewer = self._viewers[connection]
        self._answers.reached(viewer, decode_request(body, connection.encoding), self._clock.rightNow)

    def told(self, connection: CheckedConnection, bodies: Sequence[bytes]) -> None:
        """See `Referee`."""
        viewer = self._viewers[connection]
        for body in bodies:
            message, cards = self.decoded(body, connection.encoding)
            self._told(connection, viewer, message)
            if cards:
                self._cards.told(viewer.name, message, cards)

    def _told(
        self, connection: CheckedConnection, viewer: CheckedViewer, message: wire.ServerMessage
    ) -> None:
        if isinstance(message, wire.Event):
            self._event(viewer, message)
            return
        request = self._answers.told(viewer, message, struck=self._strikes.at(self._clock.rightNow))
        match message:
            case wire.Goodbye():
                self._looks_away(viewer)
            case wire.Authenticated():
                self._looks_away(viewer)
                viewer.name, viewer.account = message.name, message.account
                connection.account = message.account
            case wire.Ok() if isinstance(request, wire.Unobserve):
                viewer.seqs.pop(request.table, None)
            case wire.Snapshot():
                self._snapshot(viewer, message)
            case _:
                pass

    def _snapshot(self, viewer: CheckedViewer, snapshot: wire.Snapshot) -> None:
        if snapshot.re is None:
            viewer.disturbed.discard(snapshot.table)
        delayed = snapshot.info.observer_delay_s > 0
        self._order.snapshot(viewer, snapshot, may_go_back=delayed)
        self._cards.synced(snapshot)
        self._check_chips(snapshot)
        if viewer.disturbed:
            self._absent.forget(snapshot.table)
        self._absent.snapshot(snapshot)

    def _check_chips(self, snapshot: wire.Snapshot) -> None:
        """All chips of the tournament are at its table, whoever looks."""
        bank = self.tournaments.bank(snapshot.table)
        if bank is None or not snapshot.seats:
            return
        bets = sum(seat.bet for seat in snapshot.seats)
        pots = 0 if snapshot.hand is None else sum(pot.amount for pot in snapshot.hand.pots)
        chips = sum(seat.stack for seat in snapshot.seats) + bets
        # the pots hold what was bet on earlier streets, and may or may not hold the bets in front of the seats
        if bank not in {chips, chips + pots, chips + pots - bets}:
            self._blame(
                Kind.CHIPS, snapshot.table, "", f"a snapshot has {chips} and pots of {pots}, not {bank}"
            )

    def _event(self, viewer: CheckedViewer, event: wire.TableEvent) -> None:
        table = event.table
        if isinstance(event, wire.TableNotice):
            self._hears(event)
            if event.state == "frozen":
                viewer.disturbed.add(table)
        pending = self._strikes.pending(table) and table not in viewer.disturbed
        last = viewer.seqs.get(table)
        if pending and last is not None and event.seq > last + 1:
            self._strikes.has_gap(table)
        may_jump = pending or table in viewer.disturbed
        if self._order.event(viewer, event, may_jump=may_jump):
            self._cards.event(event)
            if may_jump:
                self._absent.forget(table)
            else:
                self._absent.event(event)

    def _hears(self, event: wire.TableNotice) -> None:
        if event.seq <= self._told_up_to.get(event.table, -1):
            return
        self._told_up_to[event.table] = event.seq
        self._absent.forget(event.table)
        if event.state != "frozen":
            self._frozen.discard(event.table)
            return
        if not self._strikes.explains(event.table) and event.table not in self.paused:
            self._blame(Kind.FAULT, event.table, "", "the table froze, and no fault was injected")
        self._frozen.add(event.table)
        for viewer in self._viewers.values():
            if event.table in viewer.seqs:
                viewer.disturbed.add(event.table)
            viewer.excused.update(
                number
                for number, (request, _) in viewer.asked.items()
                if getattr(request, "table", "") == event.table
            )

    def finished(self) -> None:
        """See `Referee`."""
        for viewer in self._viewers.values():
            self._answers.left_open(viewer, self._clock.rightNow, self._frozen, self._strikes.at)
