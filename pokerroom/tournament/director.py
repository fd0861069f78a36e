"""The director of one table's tournament: levels, absences, places and the end.

It holds the state of the rules. Hands belong to the table, and money to the ledger. An event is told when it is
certain: a place only when the ledger has it. Runs inside the table's mailbox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall

from pokerroom.poker.ports import HandPorts
from pokerroom.rules.tournament import state as rules_events
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.data import tournament_to_data
from pokerroom.rules.tournament.schedule import LengthUnit
from pokerroom.rules.tournament.state import PlacedPlayer, Tournament, TournamentPhase
from pokerroom.table.game import GamePorts
from pokerroom.table.ledger_requests import fault_of_ours
from pokerroom.table.viewer import public
from pokerroom.tournament import views
from pokerroom.tournament.restore import THE_TABLE, places_of
from pokerroom.tournament.seats import TournamentSeats
from pokerroom.tournament.settings import TournamentSettings
from pokerroom_protocol import messages as wire

LINGER_S = 2.0
"""Seconds for which the table stays after the end, so that all viewers are told."""

KEPT_S: Final = 5.0
"""[D] Seconds between two journal entries while no hand is played (break or pause).

A node that dies loses no more of a break than this, and a Redis that has lost all data soon knows the clock of a pause.
"""


_END_PHASES: Final[dict[TournamentPhase, Literal["finished", "rolled_back", "rolled_forward"]]] = {
    TournamentPhase.finished: "finished",
    TournamentPhase.rolled_back: "rolled_back",
    TournamentPhase.rolled_forward: "rolled_forward",
}


class Director:
    """The tournament of one table; `tournament` is None until the ledger has returned its state.

    `over` is called when nothing more is played at the table, and all viewers have been told.
    """

    def __init__(
        self,
        settings: TournamentSettings,
        ports: GamePorts,
        hands: HandPorts,
        seats: Callable[[], TournamentSeats],
        over: Callable[[], None],
    ) -> None:
        self._name = settings.table
        self._announcer = ports.announcer
        self._snapshots = ports.snapshots
        self._post = ports.mailbox.post
        self._requests = ports.requests
        self._context = ports.context
        self._hands = hands
        self._seats = seats
        self._declare_over = over
        self._log = structlog.get_logger().bind(table=self._name)
        self._timer: IDelayedCall | None = None
        self._since = 0.0
        """The time up to which the clock has been counted."""
        self._on_break = False
        """Whether a break has begun and viewers have been told."""
        self._given = 0
        """The best number that the ledger has given."""
        self._stopped = False
        self._waits_for_ledger = False
        """Whether places, or the end, are at the ledger: no hand is dealt meanwhile."""
        self._afterwards: list[Callable[[], None]] = []
        """Callbacks that wait until places are given."""
        self.tournament: Tournament | None = None
        self.names: Mapping[int, str] = {}
        self.ending = False
        """Whether no more hands are dealt: the tournament is over, or an operator is about to end it."""
        self._told_end = False

    # --- questions --------------------------------------------------------------------------------------------------

    @property
    def here(self) -> Tournament:
        """The tournament, once it is known."""
        assert self.tournament is not None
        return self.tournament

    def data(self) -> dict[str, Any] | None:
        """Return the state for the journal, as of now."""
        return None if self.tournament is None else tournament_to_data(self._by_now()[0])

    def view(self) -> wire.TournamentView:
        """Return the view of the tournament for a snapshot."""
        return views.tournament_view(
            self._by_now()[0], self.names, self._given, self._context.now_ms(), over=self._told_end
        )

    # --- its beginning here ---------------------------------------------------------------------------------------

    def begin(
        self, tournament: Tournament, names: Mapping[int, str], given: int, missing: Sequence[PlacedPlayer]
    ) -> None:
        """Go on from this state; `given` is the best place that the ledger has, `missing` are those it lacks."""
        self.tournament, self.names, self._given = tournament, names, given
        self._since = self._context.clock.seconds()
        self._on_break = views.break_until_ms(tournament, 0) is not None
        if missing:
            self._give(missing)
        self._schedule()

    def show_end(self, tournament: Tournament, names: Mapping[int, str]) -> None:
        """Show a tournament that is over for a moment, to clients that may not know its end."""
        self.tournament, self.names, self._given = tournament, names, 1
        self.ending = self._told_end = True
        self._linger()

    def stop(self) -> None:
        """Cancel all timers, and do nothing more."""
        self._stopped = True
        self._cancel()

    # --- hands ------------------------------------------------------------------------------------------------------

    def deal(self) -> rules_events.TournamentHand | None:
        """Return the next hand, or None if none may be dealt now."""
        self._count()
        tournament = self.here
        waits = self.ending or self._waits_for_ledger or self._on_break or tournament.paused
        if waits or tournament.phase is not TournamentPhase.running or tournament.clock.break_left_ms:
            return None
        self.tournament, _ = rules.deal(tournament, THE_TABLE)
        return self.tournament.table(THE_TABLE).hand

    def hand_over(self, stacks: Mapping[int, int]) -> None:
        """Place the bust players of a hand that is in the ledger; the next level may begin."""
        self._count()
        standings = self.here.standings
        self.tournament, events = rules.finish_hand(self.here, THE_TABLE, stacks)
        new = self.here.standings[: len(self.here.standings) - len(standings)]
        if new:
            self._give(new)
        self._tell(
            event
            for event in events
            if not isinstance(event, rules_events.Placed | rules_events.TournamentOver)
        )
        self._begin_break()
        self._schedule()

    def hand_void(self) -> None:
        """Void the hand in progress (I4)."""
        if not self.here.between_hands:
            self.tournament, _ = rules.void_hand(self.here, THE_TABLE)
        self._begin_break()
        self._schedule()

    # --- absences (H5) ----------------------------------------------------------------------------------------------

    def away(self, account: int, *, away: bool) -> bool:
        """Note whether a player is away, and return whether that is a change.

        Ignore a player who is out and waits for a place.
        """
        if self.tournament is None:  # a fault has frozen the table before it was known
            return False
        player = self.here.player(account)
        if self.here.phase is not TournamentPhase.running or player is None or not player.chips:
            return False
        step = rules.go_away if away else rules.come_back
        self.tournament, events = step(self.here, account)
        return bool(events)

    # --- places -----------------------------------------------------------------------------------------------------

    def _give(self, standings: Sequence[PlacedPlayer]) -> None:
        """Send places to the ledger, then tell the viewers; no hand is dealt meanwhile."""
        best = min(one.number for one in standings)
        phase = self.here.phase
        give = partial(
            self._context.ledger.give_places,
            self._name,
            self._context.epoch,
            best,
            places_of(sorted(standings, key=lambda one: one.number)),
            rolled_forward=phase is TournamentPhase.rolled_forward,
        )
        self._ask(give, lambda: self._placed(standings), late=self._do_afterwards)

    def _placed(self, standings: Sequence[PlacedPlayer]) -> None:
        self._given = min(one.number for one in standings)
        for one in sorted(standings, key=lambda one: -one.number):
            self._log.info("tournament.placed", place=one.place, prize=one.prize)
            self._say_placed(one)
            if one.prize and self._context.payouts is not None:
                self._context.payouts.publish(self._name, one.number)
        if self.here.phase is TournamentPhase.running:
            self._hands.consider_dealing()
        else:
            self.end(self.here.phase)
        self._do_afterwards()

    def _do_afterwards(self) -> None:
        afterwards, self._afterwards = self._afterwards, []
        for then in afterwards:
            then()

    def _say_placed(self, standing: PlacedPlayer) -> None:
        seat = self._seats().seats.of(standing.account)
        number = next(p.seat for p in self.here.players if p.account == standing.account)
        message = views.placed(
            self._name, self._announcer.next_seq(), number, self.names[standing.account], standing
        )
        if seat is not None:
            self._seats().left(seat)
        self._announcer.tell(public(message), left=partial(self._snapshots.lost_seat, standing.account))

    def end(self, phase: TournamentPhase) -> None:
        """End the tournament here. The table is gone after `LINGER_S`."""
        self.ending = True
        self._cancel()
        self._log.info("tournament.ended", phase=phase.value)
        self._told_end = True
        ended = wire.TournamentEnded(
            table=self._name, seq=self._announcer.next_seq(), phase=_END_PHASES[phase]
        )
        self._announcer.tell(public(ended), left=partial(self._post, self._linger))

    def _linger(self) -> None:
        if not self._stopped:
            self._timer = self._context.clock.callLater(LINGER_S, self._post, self._over)

    def _over(self) -> None:
        if not self._stopped:
            self._declare_over()

    # --- the operator -----------------------------------------------------------------------------------------------

    def pause(self, *, paused: bool) -> None:
        """Pause or resume. Raises `TournamentRefusal`."""
        self._count()
        self.tournament, events = (rules.pause if paused else rules.resume)(self.here)
        self._since = self._context.clock.seconds()
        self._tell(events)
        self._begin_break()
        self._schedule()

    def when_given(self, then: Callable[[], None]) -> bool:
        """Call `then` when the ledger has answered. Return False, and do nothing, if no answer is due."""
        if self._waits_for_ledger:
            self._afterwards.append(then)
            return True
        return False

    def roll_back(self, done: Callable[[], None]) -> None:
        """Return all buy-ins. Raises `TournamentRefusal`."""
        rolled, _ = rules.roll_back(self.here)
        self.ending = True

        def ended() -> None:
            self.tournament = rolled
            self.end(TournamentPhase.rolled_back)
            done()

        back = partial(self._context.ledger.roll_back_tournament, self._name, self._context.epoch)
        self._ask(back, ended, late=done)

    def roll_forward(self, done: Callable[[], None]) -> None:
        """Place the remaining players by their chips. Raises `TournamentRefusal`."""
        standings = self.here.standings
        self.tournament, _ = rules.roll_forward(self.here)
        self.ending = True
        self._afterwards.append(done)
        self._give(self.here.standings[: len(self.here.standings) - len(standings)])

    def _ask(
        self, attempt: Callable[[], Deferred[None]], done: Callable[[], None], late: Callable[[], None]
    ) -> None:
        """Ask the ledger for what it has no reason to refuse.

        `late` is called in place of `done` where the table was frozen meanwhile: a restart goes on with what the ledger
        says then, but the operator waits for an answer.
        """

        def answered(_: None) -> None:
            self._waits_for_ledger = False
            done()

        self._waits_for_ledger = True
        self._requests.ask(attempt, done=answered, refused=fault_of_ours, late=lambda _: late())

    # --- time -------------------------------------------------------------------------------------------------------

    def _by_now(self) -> rules.Step:
        """Return the tournament with the time that has passed since the last count."""
        elapsed_ms = round((self._context.clock.seconds() - self._since) * 1000)
        if elapsed_ms <= 0 or self._stopped or self.here.phase is not TournamentPhase.running:
            return self.here, ()
        return (rules.break_time if self._on_break else rules.play_time)(self.here, elapsed_ms)

    def _count(self) -> None:
        """Count the time since the last count, and tell what follows from it."""
        self.tournament, events = self._by_now()
        self._since = self._context.clock.seconds()
        self._tell(events)
        if self.tournament.between_hands:
            self._begin_break()

    def _begin_break(self) -> None:
        until_ms = views.break_until_ms(self.here, self._context.now_ms())
        if until_ms is not None and not self._on_break and self.here.phase is TournamentPhase.running:
            self._on_break = True
            self._announcer.tell(
                public(wire.BreakStarted(table=self._name, seq=self._announcer.next_seq(), until_ms=until_ms))
            )

    def _schedule(self) -> None:
        """Set the timer for the end of the level or break; while the clock stands, for the next journal entry."""
        self._cancel()
        tournament = self.here
        if self._stopped or self.ending or tournament.phase is not TournamentPhase.running:
            return
        schedule, clock = tournament.terms.schedule, tournament.clock
        left_ms: int | None = None
        if tournament.paused:
            left_ms = round(KEPT_S * 1000)
        elif clock.break_left_ms:
            left_ms = min(clock.break_left_ms, round(KEPT_S * 1000)) if self._on_break else None
        elif schedule.unit is LengthUnit.ms:
            left_ms = schedule.left(clock)
        if left_ms is not None:
            self._timer = self._context.clock.callLater(left_ms / 1000, self._post, self._due)

    def _due(self) -> None:
        if self._stopped or self.ending or self.tournament is None:
            return
        self._count()
        self._schedule()
        if self.here.between_hands and (self._on_break or self.here.paused):
            self._hands.journal.keep()
        self._hands.consider_dealing()

    def _cancel(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    # --- telling ----------------------------------------------------------------------------------------------------

    def _tell(self, events: Iterable[rules_events.TournamentEvent]) -> None:
        for event in events:
            next_seq, now_ms = self._announcer.next_seq, self._context.now_ms()
            level = views.level_view(self.here, now_ms)
            match event:
                case rules_events.LevelBegan():
                    self._log.info("tournament.level", level=level.level)
                    message: wire.Event = wire.LevelStarted(table=self._name, seq=next_seq(), level=level)
                case rules_events.LevelBreakEnded():
                    self._on_break = False
                    message = wire.BreakEnded(table=self._name, seq=next_seq(), level=level)
                case rules_events.PlayPaused():
                    message = wire.TournamentPaused(table=self._name, seq=next_seq())
                case rules_events.PlayResumed():
                    until_ms = views.break_until_ms(self.here, now_ms) if self._on_break else None
                    message = wire.TournamentResumed(
                        table=self._name, seq=next_seq(), level=level, break_until_ms=until_ms
                    )
                case rules_events.LevelBreakBegan():
                    continue  # the break begins once the hand in progress has ended
                case _:
                    raise AssertionError(f"no message for {event}")
            self._announcer.tell(public(message))
