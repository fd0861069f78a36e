"""The desk of a tournament's table: takes seat plans, tells viewers what is new in them, and reports to the tournament.

A plan has the whole state, so viewers are told the difference to the plan before. The desk knows the last plan, the
number of hands and the chips; it deals a hand only when a plan orders it. Runs inside the table's mailbox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

import structlog
from msgspec import structs
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall

from pokerroom.ledger.tournaments import TournamentRow, owned_as, table_of
from pokerroom.poker import views as hand_views
from pokerroom.poker.play import HandPlay
from pokerroom.poker.ports import HandPorts
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.rules.planned_hand import HandPlan
from pokerroom.table.game import GamePorts
from pokerroom.table.viewer import public
from pokerroom.tournament import views
from pokerroom.tournament.deal_desk import DealDesk
from pokerroom.tournament.director import LINGER_S
from pokerroom.tournament.journal import TournamentFacts
from pokerroom.tournament.messages import (
    DealDeskState,
    DeskReport,
    HandOrder,
    PlannedSeat,
    SeatOrigin,
    SeatPlan,
)
from pokerroom.tournament.restore import bought_by, chips_of, ended, hands_of, places_in
from pokerroom.tournament.seat_plans import PLAY_PHASES
from pokerroom.tournament.seats import TournamentSeats
from pokerroom.tournament.settings import TournamentSettings
from pokerroom_protocol import messages as wire

RESEND_S: Final = 1.0
"""[D] Seconds after which a report that no plan has answered is sent again."""

POLL_S: Final = 5.0
"""[D] Seconds after which an answered report is sent again: a later plan may have been lost."""

DOUBT_S: Final = 5.0
"""[D] Seconds without an answer to a report after which the ledger is asked whether the table is closed."""


class TournamentDesk:
    """The desk of one table. `next_number` numbers its reports.

    `doubt` is called when the tournament does not answer, and `over` when nothing more is played at the table, and all
    viewers have been told.
    """

    def __init__(
        self,
        settings: TournamentSettings,
        ports: GamePorts,
        hands: HandPorts,
        seats: Callable[[], TournamentSeats],
        *,
        next_number: Callable[[], int],
        doubt: Callable[[], None],
        over: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._name = settings.table
        self._announcer = ports.announcer
        self._snapshots = ports.snapshots
        self._post = ports.mailbox.post
        self._table = ports.table
        self._restarts = ports.restarts
        self._context = ports.context
        self._hands = hands
        self._seats = seats
        self._next_number = next_number
        self._doubt = doubt
        self._declare_over = over
        self._log = structlog.get_logger().bind(table=self._name)
        self.deals = DealDesk(settings, ports.announcer, hands, self, seats=seats, next_number=next_number)
        self.plan: SeatPlan | None = None
        """The last plan, whether the table is open or not."""
        self.level: int | None = None
        """The level of the hand in progress, counted from 0."""
        self.dealt: HandPlan | None = None
        """The plan of the last hand that was dealt."""
        self.taken = 0
        """The id of the last order that was dealt; 0 if there was none."""
        self._open = False
        self._ready = False
        self._quiet = False
        """Whether the table is frozen and none of its results is on its way to the ledger."""
        self._hands_played = 0
        self._stacks: dict[int, int] = {}
        self._bought: dict[int, int] = {}
        """The chips of rebuys and add-ons that are in the stacks, by account."""
        self._report: DeskReport | None = None
        """The last one."""
        self._answered_s = 0.0
        """When the tournament was last heard, or the ledger was last asked about it."""
        self._timer: IDelayedCall | None = None
        self._waiting: list[Deferred[None]] = []
        self._stopped = False

    # --- questions --------------------------------------------------------------------------------------------------

    @property
    def opens(self) -> bool:
        """Whether the table is not known yet."""
        return not self._open

    @property
    def present(self) -> SeatPlan:
        """The last plan, once the table is open."""
        assert self.plan is not None
        return self.plan

    @property
    def ends(self) -> bool:
        """Whether no more hands are played: the tournament or this table is over, or an operator is about to end it."""
        plan = self.plan
        return plan is not None and (plan.phase != "running" or plan.break_off or plan.closed)

    @property
    def deal_state(self) -> DealDeskState | None:
        """See `PlanKeeper`."""
        return self.deals.state

    def view(self) -> wire.TournamentView:
        """Return the view of the tournament for a snapshot."""
        return views.tournament_view(self.present, self._settings.terms)

    # --- its beginning here ---------------------------------------------------------------------------------------

    def adopt(self, plan: SeatPlan | None) -> None:
        """Take a plan that was heard before, unless a later one is known."""
        if plan is not None and (self.plan is None or plan.number > self.plan.number):
            self.plan = plan

    def asked(self) -> Deferred[None]:
        """Ask the tournament for a plan; fires when one has come, or after a while."""
        done: Deferred[None] = Deferred()
        self._waiting.append(done)
        self._send()
        return done

    def begin(self, row: TournamentRow, facts: TournamentFacts, plan: SeatPlan, *, playing: bool) -> None:
        """Go on with the hands that the ledger has, and with the hand in progress if there is one.

        The players of `plan` are seated; those of a later plan have come since the ledger was asked.
        """
        if self.plan is not None and self.plan.number > plan.number:
            self._post(self.heard, self.plan)
        self.plan = plan
        number = self._settings.number
        self._hands_played = hands_of(row, number)
        self._stacks = {entry.account: entry.chips or 0 for entry in row.seated.at(number)}
        self._bought = {account: bought_by(row, account) for account in self._stacks}
        self.level, self.taken, self.dealt = facts.level if playing else None, facts.taken, facts.dealt
        self.deals.state = facts.deal
        self._open = True
        self._answered_s = self._context.clock.seconds()
        self._send()
        if self.ends:
            self._post(self._break_off)

    def show_end(self, row: TournamentRow, names: Mapping[int, str]) -> None:
        """Show a tournament that is over for a moment, to clients that may not know its end."""
        self.plan = self._final(row, names)
        self._open = True
        self._linger()

    def tell_end(self, row: TournamentRow, names: Mapping[int, str]) -> None:
        """Tell that the tournament is over, or the table closed, as the ledger says: no director has told it."""
        own, chips = self._settings.number, chips_of(row)
        told = [
            wire.MovedPlayer(name=names[account], table=table_of(self._settings.tournament, table), seat=seat)
            for account, (table, seat) in places_in(row).items()
            if row.phase == "running" and self._stacks.get(account) and chips[account] and table != own
        ]
        self.heard(structs.replace(self._final(row, names), moved=told))

    def _final(self, row: TournamentRow, names: Mapping[int, str]) -> SeatPlan:
        over, known = ended(self._settings.terms, row), self.plan
        level = views.level_view(over, self._context.now_ms()) if known is None else known.level
        return SeatPlan(
            table=self._name,
            number=1 if known is None else known.number + 1,
            answers=0 if self._report is None else self._report.number,
            seats=[],
            order=None,
            break_off=False,
            phase=PLAY_PHASES[over.phase],
            level=level,
            paused=over.paused,
            on_break=False,
            break_until_ms=None,
            places=views.planned_places(over, over.standings, names, 1, self._settings.number),
            closed=row.phase == "running",
            players=len(over.players),
            prizes=list(over.fixed_prizes),
            deals=views.deals_of_ended(over, names),
        )

    def stop(self) -> None:
        """Cancel all timers, and do nothing more."""
        self._stopped = True
        self._cancel()

    # --- hands ------------------------------------------------------------------------------------------------------

    def next_hand(self) -> HandOrder | None:
        """Return the hand to deal now; None if no plan orders it: then the tournament learns that the table waits."""
        if self.opens or self.present.phase != "running":
            return None
        plan, order = self.present, self.present.order
        fits = order is not None and order.id > self.taken and order.number == self._hands_played + 1
        if order is not None and fits and (plan.paused or order.level != plan.level.level - 1):
            fits, self.taken = False, order.id  # it is late (B9): the next one is of the present level
        if order is None or not fits or self.ends:
            self._ready = True
            self.changed()
            return None
        self._ready, self.level, self.taken, self.dealt = False, order.level, order.id, order.plan
        return order

    def settled(self, play: HandPlay) -> None:
        """A hand is in the ledger."""
        self._hands_played += 1
        self.level = None
        stacks = zip(play.seats, play.state.stacks, strict=True)
        self._stacks |= {seat.account: stack for seat, stack in stacks}
        entries = self._settings.terms.entries
        if entries is not None and entries.entry.bounty and not all(play.state.stacks):
            self._ask_for_bounties(play)  # before the report, which may end the tournament
        self.changed()

    def _ask_for_bounties(self, play: HandPlay) -> None:
        """Ask the ledger what the hand has won of heads, and tell it. A loss of the answer loses no money."""
        asked = self._context.ledger.tournament(self._settings.tournament)
        asked.addCallback(lambda row: self._post(self._tell_bounties, row, play))
        asked.addErrback(
            lambda failure: self._log.info("tournament.bounties_not_told", error=str(failure.value))
        )

    def _tell_bounties(self, row: TournamentRow, play: HandPlay) -> None:
        if self._stopped or self._table.frozen or self.opens or self.ends:
            return
        names = {seat.account: seat.name for seat in play.seats}
        heads = {entry.account: entry.head for entry in row.entries if entry.counts}
        gone = {seat.account for seat, stack in zip(play.seats, play.state.stacks, strict=True) if not stack}
        for won in views.bounties_won(row, gone):
            seat = self._seats().seats.of(won.winner)
            message = wire.BountyWon(
                table=self._name,
                seq=self._announcer.next_seq(),
                seat=None if seat is None else seat.number,
                name=names[won.winner],
                out=names[won.account],
                cash=won.cash,
                head=heads[won.winner],
            )
            self._announcer.tell(public(message))

    def changed(self) -> None:
        """Report, unless nothing has changed since the last report."""
        if self.opens or self._stopped:
            return
        if self._report is None or not _same(self._now(), self._report):
            self._send()

    def _break_off(self) -> None:
        """End the hand in progress void, by the operator's order; a result on its way to the ledger still counts."""
        if not self.ends or self._hands.hand.name in {"settling", "frozen"}:
            return
        play = self._hands.break_off()
        self.level = None
        if play is not None:
            self._announcer.tell(hand_views.hand_ended(play, self._announcer.next_seq(), void=True))
            self._hands.journal.keep()
        self._send()
        self._hands.consider_dealing()

    # --- plans ------------------------------------------------------------------------------------------------------

    def heard(self, plan: SeatPlan) -> None:
        """Take a plan, unless a later one is known."""
        before = self.plan
        if self._stopped or (before is not None and plan.number <= before.number):
            return
        self.plan = plan
        self.deals.heard(plan)
        self._answered_s = self._context.clock.seconds()
        waiting, self._waiting = self._waiting, []
        for done in waiting:
            done.callback(None)
        if self._table.frozen:
            self._heard_frozen(before, plan)
        elif self._open and before is not None:
            self._take(before, plan)

    def _heard_frozen(self, before: SeatPlan | None, plan: SeatPlan) -> None:
        """Report that the table is frozen if it is to break off, and restart it if the tournament is over."""
        knew = before is not None and before.break_off
        if plan.phase != "running" and self._restarts.held:
            self._restarts.resume()
        elif plan.break_off and not (knew and self._quiet):
            self._restarts.when_quiet(self._no_results)

    def _no_results(self) -> None:
        self._quiet = True
        self._send()

    def _take(self, before: SeatPlan, plan: SeatPlan) -> None:
        if before.phase != "running" or before.closed:
            return
        if plan.phase != "running" or plan.closed:
            self._break_off()
            self._tell(before, plan)
            return
        self._tell(before, plan)
        if plan.break_off and not before.break_off:
            self._break_off()
        elif not plan.answers:
            self._send()  # the tournament is at another owner, or starts again
        else:
            self._schedule()
        self._hands.consider_dealing()

    def _tell(self, before: SeatPlan, plan: SeatPlan) -> None:
        for event in self._events(before, plan):
            self._announcer.tell(public(event))
        known = {place.number for place in before.places}
        for one in reversed(plan.places):
            if one.number not in known:
                message = views.placed(self._name, self._announcer.next_seq(), one)
                seat = self._seats().seats.of(one.account)
                if seat is None:  # they left it when they went out, and another player may have it
                    message = structs.replace(message, seat=None)
                if seat is not None:
                    self._seats().left(seat)
                self._announcer.tell(public(message), left=partial(self._snapshots.lost_seat, one.account))
        if plan.phase == "running":
            self._move(plan)
        if plan.phase != "running" and before.phase == "running":
            self._cancel()
            self._log.info("table.ends", phase=plan.phase)
            ended_event = wire.TournamentEnded(
                table=self._name, seq=self._announcer.next_seq(), phase=plan.phase
            )
            self._announcer.tell(public(ended_event), left=partial(self._post, self._linger))
        elif plan.closed:
            self._cancel()
            self._log.info("table.ends", closed=True)
            notice = wire.TableNotice(
                table=self._name,
                seq=self._announcer.next_seq(),
                state="closed",
                message="The table is closed. Its players have moved to other tables.",
                moved=plan.moved,
            )
            self._announcer.tell(public(notice), left=partial(self._post, self._linger))

    def _move(self, plan: SeatPlan) -> None:
        """Free the seats of players that have moved away, and seat those that have come. A player that is out stays."""
        seats, planned = self._seats(), {one.account: one for one in plan.seats}
        for seat in list(seats.seats):
            stays = planned.get(seat.account)
            leaves = plan.out_leave or self._stacks.get(seat.account)
            if leaves and (stays is None or stays.seat != seat.number):
                self._stacks.pop(seat.account, None)
                seats.moved_away(seat)
            elif stays is not None and self.level is None:
                self._add_chips(seat, stays)
        for one in plan.seats:
            if seats.seats.of(one.account) is None:
                self._stacks[one.account] = one.chips
                self._bought[one.account] = one.bought
                seats.came(one)
                self._tell_seat(one.account, one.seat, one.origin)

    def _add_chips(self, seat: Seat, planned: PlannedSeat) -> None:
        """Add to a stack what the player has bought since the last plan; the ledger has it."""
        new = planned.bought - self._bought.get(seat.account, 0)
        if new > 0:
            self._bought[seat.account] = planned.bought
            seat.stack += new
            self._stacks[seat.account] = seat.stack
            self._seats().changed(seat)

    def _tell_seat(self, account: int, seat: int, origin: SeatOrigin | None) -> None:
        """Tell a player, wherever connected, of the seat here; None: it is not known where the player came from."""
        tournament, reason = self._settings.tournament, None if origin is None else origin.reason
        if reason == "entered":
            begun = wire.SngStarted(tournament=tournament, table=self._name, seat=seat)
            self._context.moved(account, begun)
            return
        moved = wire.TournamentMoved(
            tournament=tournament,
            from_table=None if origin is None else origin.table,
            table=self._name,
            seat=seat,
            reason=reason,
        )
        self._context.moved(account, moved)

    def _events(self, before: SeatPlan, plan: SeatPlan) -> Iterator[wire.Event]:
        table, next_seq, level = self._name, self._announcer.next_seq, plan.level
        if level.level != before.level.level:
            yield wire.LevelStarted(table=table, seq=next_seq(), level=level)
        if before.on_break and not plan.on_break:
            yield wire.BreakEnded(table=table, seq=next_seq(), level=level)
        if plan.paused and not before.paused:
            yield wire.TournamentPaused(table=table, seq=next_seq())
        elif before.paused and not plan.paused:
            until_ms = plan.break_until_ms if before.on_break else None
            yield wire.TournamentResumed(table=table, seq=next_seq(), level=level, break_until_ms=until_ms)
        if plan.on_break and not before.on_break and plan.break_until_ms is not None:
            yield wire.BreakStarted(table=table, seq=next_seq(), until_ms=plan.break_until_ms)
        yield from self.deals.events(before.deals, plan.deals, level)

    def _linger(self) -> None:
        if not self._stopped:
            self._cancel()
            self._timer = self._context.clock.callLater(LINGER_S, self._post, self._over)

    def _over(self) -> None:
        if not self._stopped:
            self._declare_over()

    # --- reports ----------------------------------------------------------------------------------------------------

    def _now(self) -> DeskReport:
        seats, frozen = self._seats().seats, self._table.frozen
        return DeskReport(
            table=self._name,
            number=0,
            seen=0 if self.plan is None else self.plan.number,
            hands=self._hands_played,
            stacks=dict(self._stacks),
            playing=not self._quiet if frozen else self.level is not None,
            level=self.level or 0,
            plan=self.dealt,
            taken=self.taken,
            ready=self._ready,
            away=[seat.account for seat in seats if seat.state is SeatState.AWAY],
            frozen=frozen,
            held=self._restarts.held,
            deal=self.deal_state,
        )

    def _send(self) -> None:
        """Send the last report once more, or a new one if something has changed."""
        if not self._stopped:
            last, present = self._report, self._now()
            number = last.number if last is not None and _same(present, last) else self._next_number()
            self._report = structs.replace(present, number=number)
            self._context.send(owned_as(self._settings.tournament), self._report)
            self._schedule()

    def _schedule(self) -> None:
        self._cancel()
        answered = (
            self._report is not None and self.plan is not None and self.plan.answers >= self._report.number
        )
        self._timer = self._context.clock.callLater(
            POLL_S if answered else RESEND_S, self._post, self._poll, answered=answered
        )

    def _poll(self, *, answered: bool) -> None:
        if self._stopped:
            return
        waiting, self._waiting = self._waiting, []
        for done in waiting:
            done.callback(None)
        now = self._context.clock.seconds()
        # an answered report was sent again after POLL_S: a director that does not know this table is silent
        if now - self._answered_s >= (POLL_S + DOUBT_S if answered else DOUBT_S):
            self._answered_s = now
            self._doubt()
        self._call()
        self._send()

    def _call(self) -> None:
        """Tell players of a field with a seat here, and no client that watches, where they sit: the message of their
        move may be lost with a node. A player who does not come is away after the first decision.
        """
        terms = self._settings.terms
        if not self._open or self.ends or terms.table_seats == terms.seats:
            return
        for seat in self._seats().seats:
            if seat.state is SeatState.PLAYING and not seat.connected:
                self._tell_seat(seat.account, seat.number, None)

    def _cancel(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None


def _same(one: DeskReport, other: DeskReport) -> bool:
    """Return whether both say the same of the table, whatever plan it has seen."""
    return structs.replace(one, number=other.number, seen=other.seen) == other
