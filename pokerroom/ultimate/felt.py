"""What is played at one table against the house: places, slips, the round, and what is next. The felt of the table.

After a fault a table gets another one, made of what journal and ledger say; this one changes nothing any more then, and
what still comes back to it is told to whom it concerns (`abandoned`). Runs inside the table's mailbox.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.chips import Money
from pokerroom.ledger.api import BankEmpty
from pokerroom.rules.ultimate.closing import Refused
from pokerroom.rules.ultimate.terms import Seating
from pokerroom.table.ledger_requests import fault_of_ours
from pokerroom.table.lifecycle import TableState, table_machine
from pokerroom.ultimate import recovery
from pokerroom.ultimate.betting import Betting
from pokerroom.ultimate.clocks import Light, Window
from pokerroom.ultimate.closing import Closing
from pokerroom.ultimate.decisions import Decisions
from pokerroom.ultimate.places import Places
from pokerroom.ultimate.play import RoundPlay
from pokerroom.ultimate.rounds import Rounds
from pokerroom_protocol import messages as wire

if TYPE_CHECKING:  # the table makes it
    from pokerroom.ultimate.game import UltimateGame

_RED = wire.LightView(light="red", closes_ms=None)


class Felt:
    """See the module. `course` says what is going on at `table`."""

    def __init__(self, table: UltimateGame) -> None:
        self.table = table
        self._settings = table.settings
        self._world = table.world
        self._log = structlog.get_logger().bind(table=table.settings.table)
        self.asking = table.ports.requests
        self.course: TableState[RoundPlay, Window, Light] = TableState(
            clock=table.world.clock, rested=partial(table.mailbox.post, self._rested)
        )
        self.life = table_machine(self.course)
        self.places = Places(self, self.asking)
        self.betting = Betting(self)
        self.closings = Closing(self, self.asking)
        self.rounds = Rounds(self, self.asking)
        self.decisions = Decisions(self, self.asking)
        self.abandoned = False
        self.closing = False
        """The operator has closed the table."""
        self.known = False
        """Whether journal and ledger have said how the table stands."""
        self.meter: int | None = None
        """What the meter holds, once the ledger has said so; also where there is no progressive bet (any more)."""
        self.filled = False
        """Whether the meter has been filled to its seed, or the bank could not."""
        self.ended: str | None = None
        """The last round of which the end was told."""

    # --- questions --------------------------------------------------------------------------------------------------

    @property
    def is_common(self) -> bool:
        """Whether all play one hand."""
        return self._settings.terms.seating is Seating.common_hand

    @property
    def shown(self) -> bool:
        """Whether the table can be shown as it is: no result is on its way to the ledger, and nothing is asked."""
        return self.course.state != "settling" and (self.known or self.abandoned)

    @property
    def state_name(self) -> str:
        """See `GamePlay`."""
        return self.course.state

    def hand_id(self) -> str | None:
        """See `GamePlay`: the round in progress, unless its end was told."""
        play = self.course.play
        return None if play is None or play.round_id == self.ended else play.round_id

    def light(self) -> wire.LightView:
        """Green, yellow or red; red whenever no bets are taken."""
        light = self.course.bets
        return _RED if light is None else light.view()

    def visible_play(self) -> RoundPlay | None:
        """The round as it may be shown; none of a frozen table: which steps stand the restart will tell."""
        play = self.course.play
        return None if play is None or play.state.finished or self.course.state == "frozen" else play

    def shown_meter(self) -> int | None:
        """What the meter of the progressive bet holds."""
        return None if self._settings.terms.progressive is None else self.meter

    def boxes_in_play(self) -> list[int]:
        """The boxes with bets in the round in progress."""
        play = self.course.play
        return [] if play is None else [box.bets.box for box in play.state.boxes]

    def unfinished(self) -> bool:
        """Whether somebody is there to finish the round: with all of its players gone only the clock would run."""
        if self.course.state in {"closing_bets", "settling"}:
            return True
        play = self.course.play
        if play is None or self.course.playing is None:
            return False
        return any(place.connected for place in self.places if place.account in play.accounts)

    # --- from round to round ----------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Betting time, if nothing stands in the way; called whenever something changed between rounds."""
        if self.course.state != "waiting" or not self.known:
            return
        if self.table.ending.no_more_hands:
            self.table.ending.consider()
        elif self.closing:
            self.places.leave_all()
            self.table.consider_closed()
        elif not self.filled:
            # also without a progressive bet: one that was taken out of the settings has left its meter
            progressive = self._settings.terms.progressive
            self._open_bank(0 if progressive is None else progressive.seed)
        else:
            light = self.betting.made_light()
            self.life.open(light)
            if self.betting.slips:
                light.bet()
            self.betting.tell_light()

    def _open_bank(self, seed: int) -> None:
        """The meter is filled once under each owner, and what it holds is known from then on."""

        def opened(holds: int | None) -> None:
            if holds is None:
                self._log.error("meter.not_seeded", seed=seed, message="the bank does not hold it")
                self._open_bank(0)
                return
            before, self.meter, self.filled = self.meter, holds, True
            if self.shown_meter() not in {None, before}:  # no event says so
                self.table.snapshots.begun_anew()
            self.prepare()

        def attempt() -> Deferred[Money | None]:
            asked = self._world.ledger.open_bank(self._settings.table, self._world.epoch, Money(seed))
            return asked.addErrback(_not_seeded)

        self.asking.ask(attempt, done=opened, refused=fault_of_ours, late=lambda _: None)

    def consider_closing(self) -> None:
        """Betting closes as soon as its time has passed, and a round may begin."""
        light = self.course.bets
        if light is None or not light.overdue:
            return
        if self.table.ending.no_more_hands:
            self.table.ending.consider()
        elif self._world.lease.deals:
            self.life.close()
            self.betting.tell_light()
            slips = self.betting.close()
            if slips:
                self.closings.begin(slips)
            else:
                self.no_round(())

    def no_round(self, refused: Sequence[Refused]) -> None:
        """No bet stands: betting is open again."""
        if refused:
            self.table.tell(self.table.refusals.told(refused))
        self.life.reopen()
        self.note_table()
        self.prepare()

    def between_rounds(self) -> None:
        """The result has been told: people look at it, and then bet again."""
        self.note_table()
        if self.table.ending.no_more_hands or self.closing:
            self.prepare()
            return
        pause = any(
            viewer.wants_pause and self.places.held_by(viewer.account) is not None
            for viewer in self.table.outbox.viewers()
        )
        self.life.rest(self._settings.result_pause_ms / 1000 if pause else 0)

    def _rested(self) -> None:
        if self.course.state == "pausing":
            self.life.wake()
            self.prepare()

    def rest_no_more(self) -> None:
        """There is no next round here."""
        if self.course.state == "pausing":
            self.life.halt()

    def consider_leaving(self) -> None:
        """The table is closed: who has no round to finish leaves."""
        if self.course.state in {"taking_bets", "pausing"}:
            dark = self.course.state == "taking_bets"
            self.betting.close()
            self.life.halt()
            if dark:
                self.betting.tell_light()
        self.prepare()

    def note_table(self) -> None:
        """Between rounds the journal keeps what the ledger does not know."""
        self.table.ports.writer.note(self.words(), first=True)

    def words(self) -> bytes:
        """That entry, as it would be now; the round in progress, if any, is no part of it."""
        return recovery.table_entry(closing=self.closing, last_bets=self.betting.last_bets)

    def consider_next(self) -> None:
        """See `GamePlay`."""
        self.consider_closing()
        self.prepare()

    def go_on(self) -> None:
        """See `GamePlay`."""
        self.rounds.go_on()

    # --- clocks -----------------------------------------------------------------------------------------------------

    def hold_clocks(self) -> None:
        """Nobody can act for a while."""
        if self.course.bets is not None:
            self.course.bets.hold()
        if self.course.question is not None:
            self.course.question.hold()

    def restart_clocks(self) -> None:
        """It can be acted again, with whole clocks [D]."""
        light, deciding = self.course.bets, self.course.playing
        if light is not None and light.restart():
            self.betting.tell_light()
        if deciding is not None and deciding.question is not None and deciding.question.restart():
            self.rounds.ask_again(deciding.play, deciding.question)

    # --- the end ----------------------------------------------------------------------------------------------------

    def abandon(self) -> None:
        """The table is about to begin anew: nothing moves here any more, and nothing is left on the clock."""
        self.abandoned = True
        self.places.stop()
        self.rounds.abandon()
        self.betting.abandon()
        self.life.freeze()

    def stop(self) -> None:
        """The room goes down: what is in progress is left to journal and ledger."""
        self.places.stop()
        self.life.halt()


def _not_seeded(failure: Failure) -> None:
    failure.trap(BankEmpty)
