"""The director of one tournament: levels, absences, places and the end, for all of its tables.

It holds the state of the rules. A table asks for its next hand and reports each result; the director answers with seat
plans (`messages`). Chips and places are certain when the ledger has them, so no hand is ordered while a place is on its
way there. Runs inside the mailbox of the tournament's actor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import TypeVar

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall

from pokerroom.ledger.tournaments import table_of
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.seat_awards import with_seats
from pokerroom.rules.tournament.seat_draw import RandomNumbers
from pokerroom.rules.tournament.state import (
    PlacedPlayer,
    TablePlay,
    Tournament,
    TournamentHand,
    TournamentPhase,
)
from pokerroom.rules.tournament.step import moved, moves_due, waiting_tables
from pokerroom.rules.tournament.tables import SeatMove
from pokerroom.table.game import GamePorts
from pokerroom.table.ledger_requests import fault_of_ours
from pokerroom.tournament.deal_making import DealMaking
from pokerroom.tournament.late_entries import LateEntries
from pokerroom.tournament.messages import TOLD_REASONS, DeskReport, HandOrder, SeatOrigin, TournamentStatus
from pokerroom.tournament.play_clock import PlayClock
from pokerroom.tournament.restore import places_of, seat_changes_of
from pokerroom.tournament.seat_plans import Directed, DirectedTable, SeatPlans

T = TypeVar("T")

LINGER_S = 2.0
"""Seconds for which a tournament and its tables stay after the end, so that all viewers are told."""


class Director:
    """The tournament; `tournament` is None until the ledger has returned its state.

    `next_number` numbers the plans. `keep` writes the state to the journal, or what the table of this number has
    changed (None: more than that). `ask_again` reads the ledger; until it calls `begin`, `tournament` is None once
    more. `over` is called when nothing more is played, and all tables had the time to hear of it.
    """

    def __init__(
        self,
        name: str,
        ports: GamePorts,
        next_number: Callable[[], int],
        *,
        keep: Callable[[int | None], None],
        ask_again: Callable[[], None],
        over: Callable[[], None],
    ) -> None:
        self._name = name
        self._post = ports.mailbox.post
        self._requests = ports.requests
        self._context = ports.context
        self._next_number = next_number
        self._plans = SeatPlans(ports.context, next_number)
        self._keep = keep
        self._ask_again = ask_again
        self._declare_over = over
        self._log = structlog.get_logger().bind(tournament=name)
        self._tables: dict[str, DirectedTable] = {}
        self._timer: IDelayedCall | None = None
        self._clock = PlayClock(ports.context.clock, ports.context.now_ms)
        self._given = 0
        """The best number that the ledger has given, or one more than there are players."""
        self._stopped = False
        self._waits_for_ledger = False
        """Whether places, or the end, are at the ledger: no hand is ordered meanwhile."""
        self._afterwards: list[Callable[[], None]] = []
        """Callbacks that wait until places are given."""
        self._break_off = 0
        """The number of the first plan that tells all tables to break off, or 0."""
        self._when_reported: list[Callable[[], None]] = []
        """Callbacks that wait for a report of a table."""
        self._late = LateEntries(name, ports, self)
        self._deals = DealMaking(name, ports, self)
        self.tournament: Tournament | None = None
        self.names: Mapping[int, str] = {}
        self.ending = False
        """Whether no more hands are ordered: the tournament is over, or an operator is about to end it."""
        self._told_end = False
        self._origins: dict[int, SeatOrigin] = {}
        """Where each player came from with the last move, by account."""

    # --- questions --------------------------------------------------------------------------------------------------

    @property
    def here(self) -> Tournament:
        """The tournament, once it is known."""
        assert self.tournament is not None
        return self.tournament

    def status(self) -> TournamentStatus | None:
        """Return the clock; None if the tournament is not known, or is over."""
        if self.tournament is None or self._told_end or self.here.phase is not TournamentPhase.running:
            return None
        now = self.by_now()
        return TournamentStatus(
            tournament=self._name,
            epoch=self._context.epoch,
            level=self._plans.steady_level(now),
            paused=now.paused,
            break_until_ms=self._clock.break_until_ms(now),
            hand_for_hand=now.hand_for_hand,
        )

    # --- its beginning here ---------------------------------------------------------------------------------------

    def begin(
        self,
        tournament: Tournament,
        names: Mapping[int, str],
        given: int,
        *,
        started_ms: int,
        last_table: int,
    ) -> None:
        """Go on from this state, which started at `started_ms`; `given` is the best number that the ledger has given,
        `last_table` the largest number of a table.
        """
        self.tournament, self.names, self._given = tournament, names, given
        self._clock.begin(tournament, started_ms)
        self._know_tables()
        self._give()
        self._late.begin(last_table)
        self._changed()

    def show_end(self, tournament: Tournament, names: Mapping[int, str]) -> None:
        """Tell the tables that the tournament is over, if they do not know yet."""
        self.tournament, self.names, self._given = tournament, names, 1
        self._know_tables()
        self.end(tournament.phase)

    def _know_tables(self) -> None:
        numbers = [table.number for table in self.here.tables]
        closed = [table for table in self._tables.values() if table.number not in numbers]
        for table in closed:
            table.closed, table.order = True, None
        tables = [DirectedTable(number, table_of(self._name, number)) for number in numbers]
        self._tables = {table.name: table for table in (*closed, *tables)}

    def stop(self) -> None:
        """Cancel all timers, and do nothing more; work that waits for a report finds that out by itself."""
        self._stopped = True
        self._cancel()
        self._late.stop()
        self._deals.stop()
        self._work_on()

    # --- tables -----------------------------------------------------------------------------------------------------

    def heard(self, report: DeskReport) -> None:
        """Take a report, and answer with a plan, also one that is known: only a table that no director knows hears
        nothing. A report with a smaller number than the last one is late.
        """
        table = self._tables.get(report.table)
        if table is None or self._stopped:
            return
        last = table.report
        if last is not None and report.number < last.number:
            return
        rested, table.report = table.rests, report
        if table.closed:
            self._plans.send([table], self._directed(), again=True)
            return
        if last is None or report.number > last.number:
            self._count()
            if self.here.phase is TournamentPhase.running and report.seen:
                self._take(table, report, last)
            self._changed()
        else:
            # it has nothing to say but that it has seen the first plan of this director
            if table.rests and not rested:
                self._changed()
            self._plans.send([table], self._directed(), again=True)
        self._work_on()

    def _work_on(self) -> None:
        waiting, self._when_reported = self._when_reported, []
        for then in waiting:
            self._post(then)

    def _take(self, table: DirectedTable, report: DeskReport, last: DeskReport | None) -> None:
        play = self.here.table(table.number)
        self._note_absences(report)
        if report.hands == play.hands + 1:
            self._finish(play, report)
        elif report.hands != play.hands:
            self._log.warning("tournament.behind", table=report.table, hands=report.hands, known=play.hands)
        elif report.playing and not report.frozen and play.hand is None:
            self._deal_again(play, report, report.level)
        elif report.ready and play.hand is not None and table.has_lost_hand(report, last):
            table.order = None
            self.tournament = rules.void_hand(self.here, table.number)
            self._give()
        self._deals.heard(report.deal)

    def _deal_again(self, play: TablePlay, report: DeskReport, level: int) -> None:
        """Note a hand that was dealt already: players may have come to its table since."""
        hand = (
            rules.hand_at(self.here, play.number, level)
            if report.plan is None
            else TournamentHand(plan=report.plan, level=level)
        )
        self.tournament = self.here.with_hand(play.number, hand)

    def _finish(self, play: TablePlay, report: DeskReport) -> None:
        """Place the bust players of a hand that is in the ledger; the next level may begin."""
        if play.hand is None:  # ordered by a director before this one
            self._deal_again(play, report, self.here.clock.level)
        hand = self.here.table(play.number).hand
        assert hand is not None
        left = self.here.left_at(play.number)
        stacks = {
            player.seat: report.stacks[player.account] for player in left if player.seat in hand.plan.order
        }
        self._timed(rules.finish_hand(self.here, play.number, stacks))
        self._tables[report.table].order = None
        self._give()
        self._keep(play.number)
        self._late.consider(play.number)

    def _note_absences(self, report: DeskReport) -> None:
        away = set(report.away)
        for player in self.here.left_at(self._tables[report.table].number):
            if player.away is not (player.account in away):
                step = rules.come_back if player.away else rules.go_away
                self.tournament = step(self.here, player.account)

    def _order_hands(self) -> None:
        """Order the next hand of each table that waits for one, unless no hand may be dealt now."""
        tournament = self.here
        waits = self.is_busy() or self._late.closing or self._deals.is_open or not self._clock.deals()
        if (
            waits
            or tournament.paused
            or tournament.phase is not TournamentPhase.running
            or tournament.clock.break_left_ms
        ):
            return
        if not self._context.lease.deals:
            return
        idle = {table.number for table in tournament.tables if table.hand is None}
        if tournament.hand_for_hand and self.at_rest() != {table.number for table in tournament.tables}:
            return  # L8: until the last table has finished; one that cannot answer is waited for
        deals = idle - waiting_tables(tournament, self.frozen_tables()) - self._late.unsure
        for table in self._open():
            ready = table.report is not None and table.report.ready
            if ready and table.number in deals and len(tournament.left_at(table.number)) > 1:
                self._order(table)

    def _order(self, table: DirectedTable) -> None:
        self.tournament = rules.deal(self.here, table.number)
        play = self.here.table(table.number)
        assert play.hand is not None
        table.order = HandOrder(
            id=self._next_number(), number=play.hands + 1, level=play.hand.level, plan=play.hand.plan
        )
        self._keep(table.number)  # or the next owner's clock could stand at a level before that of the hand

    def _changed(self) -> None:
        """Order hands, begin a break that is due, and tell the tables what is new to them."""
        if self._behind():
            self._post(self._catch_up)
        self._count()
        self._clock.follow(self.here)
        self._move()
        self._deals.consider()
        self._order_hands()
        self._plans.send(self._tables.values(), self._directed())
        self._schedule()

    def _behind(self) -> bool:
        """Return whether a table and this director differ about its hands.

        The table was played on for an earlier owner of the tournament, or has lost a hand with its ledger.
        """
        hands = {table.number: table.hands for table in self.here.tables}
        return self.here.phase is TournamentPhase.running and any(
            table.report is not None and table.report.seen and table.report.hands != hands[table.number]
            for table in self._open()
        )

    def _catch_up(self) -> None:
        """Let the ledger count; nothing is done until it has answered, so that nothing is overtaken by the answer.

        It is asked when no other answer is due: the next change comes here again.
        """
        if (
            not self._stopped
            and self.tournament is not None
            and self._behind()
            and not self._requests.waits()
        ):
            self._cancel()
            self._ask_again()
            self.tournament = None

    def consider_ordering(self) -> None:
        """Order hands that had to wait."""
        if self.tournament is not None and not self._stopped:
            self._changed()

    def _directed(self) -> Directed:
        return Directed(
            name=self._name,
            tournament=self.here,
            names=self.names,
            given=self._given,
            break_off=bool(self._break_off),
            on_break=self._clock.on_break,
            break_until_ms=self._clock.break_until_ms(self.here),
            told_end=self._told_end,
            origins=self._origins,
            deals=self._deals.planned(),
        )

    # --- moves ------------------------------------------------------------------------------------------------------

    def _open(self) -> list[DirectedTable]:
        return [table for table in self._tables.values() if not table.closed]

    def at_rest(self) -> set[int]:
        """Return the tables that have ended their last hand, and deal no other without an order."""
        idle = {table.number for table in self.here.tables if table.hand is None}
        return {table.number for table in self._open() if table.rests} & idle

    def frozen_tables(self) -> frozenset[int]:
        """Return the tables that cannot answer."""
        return frozenset(
            table.number for table in self._open() if table.report is not None and table.report.frozen
        )

    def _move(self) -> None:
        """Move players between tables, if that is due: the ledger first, then the tables are told (L4, L5, L9).

        The tables that players leave have no hand and no order for one, and get none until the ledger has answered.
        """
        tournament = self.here
        waits = self.is_busy() or not self._context.lease.deals
        if waits or tournament.phase is not TournamentPhase.running or len(tournament.tables) == 1:
            return
        numbers = RandomNumbers(self._context.random_bytes)
        moves = moves_due(tournament, self.at_rest(), self.frozen_tables(), numbers)
        if moves:
            changes = seat_changes_of(moves)
            move = partial(self._context.ledger.move_players, self._name, self._context.epoch, changes)
            self.ask(move, lambda _: self._moved(moves))

    def _moved(self, moves: Sequence[SeatMove]) -> None:
        for move in moves:
            reason, left, to = move.reason.value, move.from_table, move.to_table
            self._log.info("tournament.moved", reason=reason, from_table=left, to_table=to)
            self._origins[move.account] = SeatOrigin(
                table=table_of(self._name, move.from_table), reason=TOLD_REASONS[move.reason]
            )
        self.tournament = moved(self.here, moves)
        open_tables = {table.number for table in self.here.tables}
        for table in self._open():
            table.closed = table.number not in open_tables
        self._keep(None)
        self._give()  # players of other tables may have gone out meanwhile
        self._changed()
        self._do_afterwards()

    # --- places -----------------------------------------------------------------------------------------------------

    def _give(self) -> None:
        """Send the places that the ledger lacks, then tell the tables; no hand is ordered meanwhile.

        The ledger takes them from the last one down, so later ones wait for the answer.
        """
        if self.here.seats_won:
            self.tournament = with_seats(self.here, RandomNumbers(self._context.random_bytes))
            self._keep(None)
        missing = list(takewhile(lambda one: one.number < self._given, self.here.standings))
        if not missing or self._waits_for_ledger:
            return
        give = partial(
            self._context.ledger.give_places,
            self._name,
            self._context.epoch,
            missing[0].number,
            places_of(missing),
            rolled_forward=self.here.phase is TournamentPhase.rolled_forward,
        )
        self.ask(give, lambda _: self._placed(missing))

    def _placed(self, standings: Sequence[PlacedPlayer]) -> None:
        self._given = standings[0].number
        for one in reversed(standings):
            self._log.info("tournament.placed", place=one.place, prize=one.prize)
            if one.prize and self._context.payouts is not None:
                self._context.payouts.publish(self._name, one.number)
        self._give()
        if self._given == 1:
            self.end(self.here.phase)
        else:
            self._changed()
        self._do_afterwards()

    def _do_afterwards(self) -> None:
        afterwards, self._afterwards = self._afterwards, []
        for then in afterwards:
            then()

    def end(self, phase: TournamentPhase) -> None:
        """End the tournament here. It is gone after `LINGER_S`."""
        self.ending = self._told_end = True
        self._cancel()
        self._log.info("tournament.ended", phase=phase.value)
        self._changed()
        self._timer = self._context.clock.callLater(LINGER_S, self._post, self._over)

    def _over(self) -> None:
        if not self._stopped:
            self._declare_over()

    # --- the operator -----------------------------------------------------------------------------------------------

    def pause(self, *, paused: bool) -> None:
        """Pause or resume. Raises `TournamentRefusal`."""
        self._count()
        self.tournament = (rules.pause if paused else rules.resume)(self.here)
        self._clock.counted()
        self._changed()

    def when_given(self, then: Callable[[], None]) -> bool:
        """Call `then` when the ledger has answered. Return False, and do nothing, if no answer is due."""
        if self._waits_for_ledger:
            self._afterwards.append(then)
            return True
        return False

    def break_off(self, then: Callable[[], None]) -> list[DeskReport]:
        """Void the hands in progress; return the last reports of all tables, once nothing goes on at any of them.

        Until then return nothing, and call `then` after the next report. A table that is frozen may have a hand in
        progress.
        """
        if not self._break_off:
            self._break_off = self._next_number()
            self._changed()
        reports = [table.report for table in self._open() if table.report is not None]
        quiet = [
            report
            for report in reports
            if report.seen > self._break_off and (not report.playing or (report.frozen and not report.held))
        ]
        if len(quiet) == len(self._open()):
            return quiet
        self._when_reported.append(then)
        return []

    def go_on(self) -> None:
        """Order hands again: the operator's order that has broken them off was refused."""
        if self._break_off and not self.ending:
            self._break_off = 0
            self.consider_ordering()

    def roll_back(self, done: Callable[[], None]) -> None:
        """Return all buy-ins. Raises `TournamentRefusal`."""
        rules.roll_back(self.here)
        self.ending = True

        def ended(_: None) -> None:
            self.rolled_back()
            done()

        back = partial(self._context.ledger.roll_back_tournament, self._name, self._context.epoch)
        self.ask(back, ended, late=done)

    def rolled_back(self) -> None:
        """The ledger has rolled the tournament back."""
        if not (self._told_end or self._stopped):
            self.tournament = rules.roll_back(self.here)
            self.end(TournamentPhase.rolled_back)

    def roll_forward(self, done: Callable[[], None]) -> None:
        """Place the remaining players by their chips. Raises `TournamentRefusal`."""
        self.tournament = rules.roll_forward(self.here)
        self.ending = True
        self._afterwards.append(done)
        self._give()

    def is_busy(self) -> bool:
        """See `TakesEntries`."""
        decided = self.tournament is not None and self.tournament.seats_won
        return self.ending or self._break_off > 0 or self._waits_for_ledger or decided

    def ask(
        self,
        attempt: Callable[[], Deferred[T]],
        done: Callable[[T], None],
        late: Callable[[], None] | None = None,
    ) -> None:
        """Ask the ledger for what it has no reason to refuse.

        `late` is called in place of `done` where the tournament was frozen meanwhile: a restart goes on with what the
        ledger says then, but the operator waits for an answer. By default callbacks that wait are called.
        """

        def answered(answer: T) -> None:
            self._waits_for_ledger = False
            done(answer)

        self._waits_for_ledger = True
        instead = late or self._do_afterwards
        self._requests.ask(attempt, done=answered, refused=fault_of_ours, late=lambda _: instead())

    # --- entries after the start (`LateEntries`) ----------------------------------------------------------------------

    def entered(self, tournament: Tournament, names: Mapping[int, str]) -> None:
        """See `TakesEntries`."""
        self.tournament, self.names = tournament, {**self.names, **names}
        numbers = [table.number for table in tournament.tables]
        new = [one for one in numbers if table_of(self._name, one) not in self._tables]
        opened = [DirectedTable(one, table_of(self._name, one)) for one in new]
        self._tables |= {table.name: table for table in opened}
        self._origins |= dict.fromkeys(names, SeatOrigin(table="", reason="entered"))
        if new:
            self._context.tables_open(new)
        self.stored(tournament)

    def entries_closed(self, tournament: Tournament) -> None:
        """See `TakesEntries`."""
        self._given = len(tournament.players) + 1
        self.stored(tournament)

    def changed_by_deal(self, tournament: Tournament) -> None:
        """See `MakesDeals`."""
        self.tournament = tournament
        self._keep(None)

    def stored(self, tournament: Tournament) -> None:
        """See `MakesDeals` and `TakesEntries`."""
        self.changed_by_deal(tournament)
        self._give()
        self._changed()
        self._do_afterwards()

    # --- time -------------------------------------------------------------------------------------------------------

    def by_now(self) -> Tournament:
        """Return the tournament with the time that has passed since the last count."""
        return self.here if self._stopped else self._clock.by_now(self.here)

    def _count(self) -> None:
        """Count the time since the last count."""
        self._timed(self.by_now())
        self._clock.counted()

    def _timed(self, after: Tournament) -> None:
        """Take the state after a hand or some time: a level may have begun, or a break ended."""
        before, self.tournament = self.here.clock, after
        if after.clock.level != before.level:
            self._log.info("tournament.level", level=after.clock.level + 1)
            self._post(self._late.consider)
        if before.break_left_ms and not after.clock.break_left_ms:
            self._clock.on_break = False
            self._post(self._late.consider)

    def _schedule(self) -> None:
        """Set the timer for the end of the level or break; while the clock stands, for the next journal entry."""
        if self._stopped or self._told_end or self.here.phase is not TournamentPhase.running:
            return
        self._cancel()
        if (due_s := self._clock.due_s(self.here)) is not None:
            self._timer = self._context.clock.callLater(due_s, self._post, self._due)

    def _due(self) -> None:
        if self._stopped or self.ending or self.tournament is None:
            return
        self._count()
        if self._clock.on_break or self.here.paused:
            self._keep(None)
        self._changed()

    def _cancel(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None
