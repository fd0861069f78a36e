"""The referee of sit-and-gos: tournaments, their chips, players who are away, and hidden cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pokerroom.ledger.api import AuditReport
from pokerroom.ledger.tournaments import tournament_at
from pokerroom.simulation.checks.absences import AbsenceChecker
from pokerroom.simulation.checks.address_entries import AddressEntryChecker
from pokerroom.simulation.checks.bounties import BountyChecker
from pokerroom.simulation.checks.cards import HiddenCardChecker
from pokerroom.simulation.checks.connections import CheckedConnection
from pokerroom.simulation.checks.referee import AnsweredRequest, Referee
from pokerroom.simulation.checks.results import ResultChecker
from pokerroom.simulation.checks.tournaments import TournamentChecker
from pokerroom.simulation.checks.viewers import CheckedViewer
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.clock import VirtualClock
from pokerroom_protocol import messages as wire


class SitAndGoReferee(Referee):
    """See the module."""

    def __init__(self, *, clock: VirtualClock, total: int) -> None:
        super().__init__(clock)
        self._total = total
        self._frozen: set[str] = set()
        self._told_up_to: dict[str, int] = {}
        """Table -> the last notice that was heard of."""
        self.paused: dict[str, object] = {}
        """Tournaments that the operator has stopped, or frozen."""
        # no option: a player of a tournament mucks
        self._results = ResultChecker(self._blame, lambda *_: {True})
        self.tournaments = TournamentChecker(self._blame, clock.seconds, self._results)
        self.bounties = BountyChecker(self._blame)
        self._addresses = AddressEntryChecker(self._blame, clock.seconds)
        self._absent = AbsenceChecker(self._blame)
        self._cards = HiddenCardChecker(self._blame)

    @property
    def settled_count(self) -> int:
        return self.tournaments.settled_count

    @property
    def progress(self) -> tuple[int, ...]:
        """See `Referee`: hands and tournaments."""
        return (self.settled_count, self.tournaments.ended)

    def has_seen(self, hands: int) -> bool:
        """See `Referee`: one tournament has ended, too."""
        return super().has_seen(hands) and self.tournaments.ended > 0

    # --- processes and faults -------------------------------------------------------------------------------------

    def crashed(self) -> None:
        super().crashed()
        self._absent.forget(None)
        self._frozen.clear()

    def look(self) -> None:
        for table in self._strikes.silent(self.outage_until_s):
            if any(table in viewer.seqs for viewer in self._viewers.values()):
                self._blame(Kind.ORDER, table, "", "events have a gap, and the table has not frozen")
        if not self._drains:
            self.tournaments.look(self.outage_until_s, self.paused)

    @property
    def frozen(self) -> list[str]:
        """See `Referee`: tables that should go on by themselves."""
        running = self.tournaments.running()
        return sorted(
            name
            for name in self._frozen
            if tournament_at(name) in running and tournament_at(name) not in self.paused
        )

    # --- the ledger and the deal ----------------------------------------------------------------------------------

    def account_opened(self, account: int, amount: int) -> None:
        """See `Referee`; what each holds the ledger's own audit adds up."""

    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:  # noqa: ARG002 -- as of cash tables
        self.tournaments.booked(name, args)
        self.bounties.booked(name, args)
        self._addresses.booked(name, args)

    def dealt(self, hand_id: str, holes: Sequence[tuple[str, ...]], board: Sequence[str]) -> None:
        """The room has dealt a hand."""
        self._results.dealt(hand_id, holes, board)
        self._cards.dealt(hand_id, holes, board)

    def audited(self, report: AuditReport) -> None:
        """The ledger was looked at as a whole."""
        for difference in report.differences:
            self._blame(Kind.CHIPS, "", "", difference)
        if report.total != self._total:
            self._blame(Kind.CHIPS, "", "", f"the ledger holds {report.total}, genesis was {self._total}")

    def _asked(self, viewer: CheckedViewer, request: wire.Request) -> None:
        self.tournaments.deals.asked(viewer.account, request)
        self._addresses.asked(viewer, request)

    def _answered(self, asked: AnsweredRequest, answer: wire.ServerMessage) -> None:
        self._addresses.answered(asked.viewer, asked.account, asked.request, answer, self.outage_until_s)

    def closed(self, connection: CheckedConnection) -> None:
        viewer = self._viewers.get(connection)
        if viewer is not None:
            self._addresses.closed(viewer)
        super().closed(connection)

    # --- connections ----------------------------------------------------------------------------------------------

    def _shown(self, viewer: CheckedViewer, message: wire.ServerMessage, cards: tuple[str, ...]) -> None:
        self._cards.told(viewer.name, message, cards)

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
        may_jump = self._may_jump(viewer, event)
        if self._order.event(viewer, event, may_jump=may_jump):
            self.situations.told(event)
            self._cards.event(event)
            self._results.event(event)
            if may_jump:
                self._absent.forget(table)
            else:
                self._absent.event(event)

    def _hears(self, event: wire.TableNotice) -> None:
        if event.seq <= self._told_up_to.get(event.table, -1):
            return
        self._told_up_to[event.table] = event.seq
        self._absent.forget(event.table)
        self.tournaments.told_frozen(event.table, is_frozen=event.state == "frozen")
        if event.state != "frozen":
            self._frozen.discard(event.table)
            return
        if not self._strikes.explains(event.table) and tournament_at(event.table) not in self.paused:
            self._blame(Kind.FAULT, event.table, "", "the table froze, and no fault was injected")
        self._frozen.add(event.table)
        self._excuse(event.table)

    def finished(self) -> None:
        self._left_open(self._frozen)
