"""The seating of a tournament's table, put together: drawn seats, hands by the tournament's plans, and its restart.

No player sits down here. The table comes to live here as any other does. Who sits here and which hand is next it hears
from its tournament, which may live at another node (`desk`); the chips are those of the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import structlog
from msgspec.structs import replace
from twisted.internet.defer import Deferred

from pokerroom.ledger.api import SeatRow
from pokerroom.ledger.tournament_entries import seat_number, table_and_seat
from pokerroom.ledger.tournaments import TournamentRow
from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker import recovery
from pokerroom.poker.game import PokerGame
from pokerroom.poker.play import HandPlay
from pokerroom.poker.ports import Dealing, HandPorts, PokerSeating
from pokerroom.poker.recovery import JournalledPoker
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.rules import events as rules_events
from pokerroom.rules.button import Owes
from pokerroom.rules.planned_hand import Positions
from pokerroom.table.game import GamePorts, MakeGame
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.outbox import Outbox
from pokerroom.table.viewer import Viewer
from pokerroom.tournament.desk import TournamentDesk
from pokerroom.tournament.journal import TournamentFacts, decode_facts
from pokerroom.tournament.messages import SeatPlan
from pokerroom.tournament.restore import hands_of, is_closed
from pokerroom.tournament.seats import TournamentSeats, seat_of
from pokerroom.tournament.settings import TournamentSettings
from pokerroom.tournament.starter import TournamentRows, rows_at
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

ALL_AWAY_S: Final = 1.0
"""[D] The pause after a hand where all players are away."""

_LOOKING = (wire.Observe, wire.Unobserve, wire.GetSnapshot)


def tournament_game(settings: TournamentSettings, next_number: Callable[[], int]) -> MakeGame:
    """Return what makes the games of one tournament's table, one after the other; `next_number` is for its reports."""
    return partial(PokerGame, settings, partial(TournamentSeating, settings, next_number))


class TournamentSeating:
    """The seating of one tournament's table (`poker.ports.PokerSeating`)."""

    def __init__(
        self,
        settings: TournamentSettings,
        next_number: Callable[[], int],
        ports: GamePorts,
        hands: HandPorts,
    ) -> None:
        self._announcer = ports.announcer
        self._hands = hands
        self.desk = TournamentDesk(
            settings,
            ports,
            hands,
            lambda: self.seats,
            next_number=next_number,
            doubt=lambda: self.recovery.doubt(),  # noqa: PLW0108 -- it is made below
            over=ports.over,
        )
        self.view = TournamentSeatingView(settings, self.desk, lambda: self.seats)
        self.seats = TournamentSeats(settings, ports, hands, self._when_open, self.desk)
        self.policy = TournamentPolicy(settings, ports.announcer.outbox, hands, self.desk, self.seats)
        self.recovery = TournamentRecovery(settings, ports, hands, self.desk, self.seats, view=self.view)

    @property
    def state_name(self) -> str | None:
        return "paused" if not self.view.opens() and self.desk.present.paused else None

    def admit(self, viewer: Viewer, message: wire.Request) -> Code | None:
        """See `PokerSeating`: a player who decides or looks is back (H5)."""
        if self.view.opens() and not isinstance(message, _LOOKING):
            return Code.UNAVAILABLE
        seat = self.seats.held_by(viewer.account)
        here = isinstance(message, wire.Observe | wire.Act | wire.PreAct | wire.ProposeDeal | wire.AnswerDeal)
        if seat is not None and here and self.policy.goes(seat, away=False):
            self._hands.journal.note()
        return None

    def handle(self, viewer: Viewer, message: wire.Request) -> None:
        match message:
            case wire.SitIn():
                self._present(viewer, message, away=False)
            case wire.SitOut() | wire.StandUp():
                self._present(viewer, message, away=True)
            case wire.SeatOptions():
                self._options(viewer, message)
            case _ if isinstance(message, wire.DealMessage):
                self.desk.deals.handle(viewer, message)
            case _ if isinstance(message, wire.UltimateMessage):
                self._announcer.refuse(viewer, message, Code.WRONG_GAME)
            case _:
                self._announcer.refuse(viewer, message, Code.TOURNAMENT_TABLE)

    def _present(self, viewer: Viewer, message: wire.Request, *, away: bool) -> None:
        """H5: a player who leaves is blinded off, and may return."""
        seat = self.seats.held_by(viewer.account)
        if seat is None:
            self._announcer.refuse(viewer, message, Code.NOT_SEATED)
        elif not self.policy.goes(seat, away=away):
            self._announcer.refuse(viewer, message, Code.NOT_PLAYING if away else Code.ALREADY_PLAYING)
        else:
            self._hands.journal.confirm(viewer, message)
            if away:
                self._hands.leaves(seat)

    def _options(self, viewer: Viewer, message: wire.SeatOptions) -> None:
        seat = self.seats.held_by(viewer.account)
        if seat is None:
            self._announcer.refuse(viewer, message, Code.NOT_SEATED)
        elif message.auto_top_up_to or message.straddle:
            self._announcer.refuse(viewer, message, Code.TOURNAMENT_TABLE)
        else:
            if message.muck_losing is not None:
                seat.muck_losing = message.muck_losing
            self._hands.journal.confirm(viewer, message)

    def _when_open(self, then: Callable[[], None]) -> bool:
        if not self.view.opens():
            return False
        self.view.when_open(then)
        return True


class TournamentPolicy:
    """The players of each hand at a tournament's table, and the work after it (`poker.ports.HandPolicy`)."""

    def __init__(
        self,
        settings: TournamentSettings,
        outbox: Outbox,
        hands: HandPorts,
        desk: TournamentDesk,
        seats: TournamentSeats,
    ) -> None:
        self._settings = settings
        self._outbox = outbox
        self._hands = hands
        self._desk = desk
        self._seats = seats

    @property
    def awaited(self) -> bool:
        """See `HandPolicy`: a player who is not here yet, and is not known to be away."""
        return any(seat.state is SeatState.PLAYING and not seat.connected for seat in self._seats.seats)

    def plan(self, previous: Positions | None) -> Dealing | None:  # noqa: ARG002 -- the tournament knows
        order = self._desk.next_hand()
        if order is None:
            return None
        return self._settings.at(self._settings.terms.schedule.levels[order.level]), order.plan

    def settled(self, play: HandPlay, timed_out: Collection[int], acted: Collection[int]) -> None:  # noqa: ARG002 -- a player who does not act is away at once
        self._desk.settled(play)

    def absent(self, seat: Seat) -> bool:
        """See `HandPolicy` (H5)."""
        return seat.state is SeatState.AWAY

    def protected(self, seat: Seat) -> bool:
        """See `HandPolicy`: by default a player without time left checks if that is free, else folds (H2, H5)."""
        protection = self._settings.timeout_protection
        return protection == "always" or (protection == "disconnected" and not seat.connected)

    def timed_out(self, play: HandPlay, seat: Seat, events: Sequence[rules_events.Event]) -> None:  # noqa: ARG002 -- whatever was done
        """See `HandPolicy`: the player is away until they act (H5) [D]."""
        if self.goes(seat, away=True):
            self._hands.journal.note()

    def goes(self, seat: Seat, *, away: bool) -> bool:
        """Note that the player is away, or back; return whether that is news."""
        state = SeatState.AWAY if away else SeatState.PLAYING
        if self._desk.opens or self._desk.ends or not seat.stack or seat.state is state:
            return False
        seat.state = state
        self._seats.changed(seat)
        self._desk.changed()
        return True

    def pause_s(self) -> float:
        """See `HandPolicy`: where all are away hands take their time, or a node would do nothing else."""
        pause_s = self._settings.hand_pause_ms / 1000
        here = [
            seat.account for seat in self._seats.seats if seat.state is SeatState.PLAYING and seat.connected
        ]
        if not here:
            return max(pause_s, ALL_AWAY_S)
        looks = any(viewer.wants_pause and viewer.account in here for viewer in self._outbox.viewers())
        return pause_s if looks else 0

    def no_more_hands(self) -> None:
        """See `HandPolicy`."""


class TournamentSeatingView:
    """The view of the seats of a tournament's table (`poker.ports.SeatingView`)."""

    def __init__(
        self, settings: TournamentSettings, desk: TournamentDesk, seats: Callable[[], TournamentSeats]
    ) -> None:
        self._settings = settings
        self._desk = desk
        self._seats = seats
        self._waiting: list[Callable[[], None]] = []
        """Callbacks that wait until the seats are known."""

    def info(self) -> wire.TableInfo:
        seats = len(self._seats().seats)
        return self.settings_now().info(seats, seats)

    def players(self) -> int:
        """See `SeatingView`: players who are away are dealt in, too."""
        return len(self._seats().seats)

    def settings_now(self) -> TableSettings:
        """See `SeatingView`: those of the present level."""
        if self.opens():
            return self._settings
        return self._settings.at(self._settings.terms.schedule.levels[self._desk.present.level.level - 1])

    def tournament_view(self) -> wire.TournamentView:
        return self._desk.view()

    def opens(self) -> bool:
        """See `SeatingView`: until ledger and tournament have said how it stands."""
        return self._desk.opens

    def when_open(self, then: Callable[[], None]) -> None:
        self._waiting.append(then)

    def take_over(self, before: TournamentSeatingView) -> None:
        """Take over the waiting callbacks of the game before, after a fault."""
        self._waiting, before._waiting = before._waiting, []

    def opened(self) -> None:
        """Call what has waited until the seats are known."""
        waiting, self._waiting = self._waiting, []
        for then in waiting:
            then()


class TournamentRecovery:
    """The seats of a tournament's table rebuilt from ledger, journal and plan (`poker.ports.SeatRecovery`)."""

    def __init__(
        self,
        settings: TournamentSettings,
        ports: GamePorts,
        hands: HandPorts,
        desk: TournamentDesk,
        seats: TournamentSeats,
        *,
        view: TournamentSeatingView,
    ) -> None:
        self._settings = settings
        self._post = ports.mailbox.post
        self._table = ports.table
        self._context = ports.context
        self._hands = hands
        self._desk = desk
        self._seats = seats
        self._view = view
        self._kept: SeatPlan | None = None
        """The plan in the journal with which the table comes to live here."""
        self.read_after: SeatPlan | None = None
        """The plan that was known before the ledger was asked. What it answers is older than later plans."""
        self._row: TournamentRow | None = None
        self._facts = TournamentFacts()
        """Those in the journal."""

    def restore(
        self,
        rows: list[SeatRow],  # noqa: ARG002 -- the seats are the tournament's
        entries: list[bytes],
        settled: frozenset[str],
        begin: Callable[[TournamentRows, list[bytes], frozenset[str]], None],
    ) -> None:
        """See `SeatRecovery`: ledger and tournament are asked how the tournament stands."""
        with suppress(UnreadableJournal):  # it says so when it is read for the hand
            self._kept = decode_facts(recovery.read(entries).facts).plan

        def known(rows: TournamentRows) -> None:
            superseded = self._seats.abandoned or not self._view.opens()
            if self._table.frozen or self._table.relinquished or superseded:
                return  # the table restarts, and asks again
            begin(rows, entries, settled)
            self._view.opened()
            row = rows[0]
            if row.phase == "running" and not hands_of(row, self._settings.number) and not entries:
                self._context.started(row, self._settings.table)

        asked = Deferred.fromCoroutine(self.rows())
        asked.addCallbacks(
            lambda rows: self._post(known, rows), lambda failure: self._post(failure.raiseException)
        )

    async def rows(self) -> TournamentRows:
        """See `SeatRecovery`; waits for the tournament's plan, too."""
        while True:
            plan = self._desk.plan
            found = await rows_at(self._settings, self._context)
            kept = self._kept
            if kept is not None and self._fits(kept, found) and (plan is None or plan.number < kept.number):
                self._desk.adopt(kept)
                plan = kept
            if plan is None and self._desk.plan is not None and self._agree(self._desk.plan, found):
                plan = self._desk.plan
            if is_closed(found[0], self._settings.number) or plan is not None:
                self.read_after = plan
                return found
            if self._desk.plan is None:
                await self._desk.asked()

    def _fits(self, plan: SeatPlan, rows: TournamentRows) -> bool:
        """Return whether a plan of the journal is one of this table, and no player has moved away since."""
        here = rows[0].seated.at(self._settings.number)
        drawn = {(entry.account, table_and_seat(entry.seat or 0)[1]) for entry in here}
        fits = bool(plan.seats) and {(one.account, one.seat) for one in plan.seats} <= drawn
        if not fits:
            structlog.get_logger().warning("tournament.other_plan", table=self._settings.table)
        return fits

    def _agree(self, plan: SeatPlan, rows: TournamentRows) -> bool:
        """Return whether plan and ledger say the same of the players here, whichever is older."""
        here = {
            (entry.account, table_and_seat(entry.seat or 0)[1], entry.chips)
            for entry in rows[0].seated.at(self._settings.number)
            if entry.chips
        }
        return here == {(one.account, one.seat, one.chips) for one in plan.seats}

    def doubt(self) -> None:
        """Ask the ledger whether the tournament is over: it does not answer."""

        def known(rows: TournamentRows) -> None:
            if is_closed(rows[0], self._settings.number) and not self._table.relinquished:
                self._desk.tell_end(*rows)

        Deferred.fromCoroutine(rows_at(self._settings, self._context)).addCallbacks(
            lambda rows: self._post(known, rows), lambda failure: self._post(failure.raiseException)
        )

    def take_over(self, before: PokerSeating, rows: TournamentRows) -> None:  # noqa: ARG002 -- no player has left meanwhile
        assert isinstance(before, TournamentSeating)
        before.desk.stop()
        self._desk.adopt(before.desk.plan)
        self.read_after = before.recovery.read_after
        self._view.take_over(before.view)

    def ended(self, rows: TournamentRows) -> bool:
        return is_closed(rows[0], self._settings.number)

    def sit_again(self, rows: TournamentRows, found: JournalledPoker) -> None:
        """See `SeatRecovery`; a tournament that has ended is shown at its end."""
        row, names = rows
        if self.ended(rows):
            self._desk.show_end(row, names)
            return
        facts = decode_facts(found.facts)
        self._row, self._facts = row, facts
        assert self.read_after is not None
        here = {entry.account: entry for entry in row.seated.at(self._settings.number)}
        planned = [
            replace(one, chips=here[one.account].chips or 0)
            for one in self.read_after.seats
            if one.account in here  # or they have moved away since
            and here[one.account].seat == seat_number(self._settings.number, one.seat)
        ]
        time_bank_ms = self._settings.time_bank_s * 1000
        self._seats.sit([seat_of(one, time_bank_ms) for one in planned if one.chips], facts.seats)

    def plays_on(self, play: HandPlay | None, *, settled: bool) -> None:  # noqa: ARG002 -- the ledger has told
        row, self._row = self._row, None  # each table of a field would keep all of it
        assert row is not None
        assert self.read_after is not None
        self._desk.begin(row, self._facts, self.read_after, playing=play is not None)

    def standing_of(self, rows: TournamentRows) -> Mapping[int, Seat]:
        row, names = rows
        return {
            entry.account: Seat(
                time_bank_ms=self._settings.time_bank_s * 1000,
                number=table_and_seat(entry.seat or 0)[1],
                account=entry.account,
                name=names[entry.account],
                stack=entry.chips or 0,
                state=SeatState.PLAYING,
                owes=Owes.nothing,
            )
            for entry in row.seated.ever_at(self._settings.number)
        }

    def settings_of(self, found: JournalledPoker) -> TableSettings:
        """See `SeatRecovery`: those of the level that the hand was dealt at."""
        return settings_of_hand(self._settings, found)

    def gathered(self) -> None:
        self._hands.consider_dealing()

    def restarted(self) -> None:
        """See `SeatRecovery`: show the table to clients that have waited for it."""
        self._view.opened()


def settings_of_hand(settings: TournamentSettings, found: JournalledPoker) -> TableSettings:
    """Return the settings of the level that the hand in the journal was dealt at. Raises `UnreadableJournal`."""
    level, levels = decode_facts(found.facts).level, settings.terms.schedule.levels
    if level is None or not 0 <= level < len(levels):
        raise UnreadableJournal("the journal does not tell of the level that the hand is of")
    return settings.at(levels[level])
