"""A table of Ultimate Texas Hold'em from round to round: betting time, close, round, pause.

After a fault the table gets another game, made from journal and ledger. This one then changes nothing any more; answers
that still come back to it go to the clients that wait for them. Runs inside the table's mailbox.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.chips import Money
from pokerroom.ledger.api import BankEmpty
from pokerroom.ops.ultimate_settings import UltimateSettings
from pokerroom.rules.ultimate.closing import Refused
from pokerroom.table.game import GamePorts
from pokerroom.table.ledger_requests import fault_of_ours
from pokerroom.table.lifecycle import AfterSettlement
from pokerroom.ultimate.bet_closing import BetClosing
from pokerroom.ultimate.bet_taking import BetTaking
from pokerroom.ultimate.journal import table_entry
from pokerroom.ultimate.places import BoxPlaces
from pokerroom.ultimate.refusal_notices import RefusalNotices
from pokerroom.ultimate.rounds import RoundRunner
from pokerroom.ultimate.slips import BetSlips
from pokerroom.ultimate.state import UltimateState
from pokerroom.ultimate.table_light import TableLight


class RoundTable:
    """Takes one table from round to round (`table.game_parts.GamePlay`). With `rounds` it alone moves `state`."""

    def __init__(
        self,
        settings: UltimateSettings,
        ports: GamePorts,
        state: UltimateState,
        slips: BetSlips,
        places: BoxPlaces,
        *,
        notices: RefusalNotices,
        settlement: AfterSettlement,
    ) -> None:
        self._settings = settings
        self._context = ports.context
        self._announcer = ports.announcer
        self._outbox = ports.announcer.outbox
        self._snapshots = ports.snapshots
        self._writer = ports.writer
        self._drain = ports.drain
        self._ask = ports.requests.ask
        self._table = ports.table
        self._state = state
        self._slips = slips
        self._places = places
        self._notices = notices
        self._light = TableLight(settings, ports, state, self._consider_closing)
        self.bets = BetTaking(
            settings, ports, state, slips, places, light=self._light, ready=self._consider_closing
        )
        self.rounds = RoundRunner(
            settings, ports, state, slips, notices, settlement=settlement, ended=self._between_rounds
        )
        self._closing = BetClosing(
            settings, ports, state, slips, places, begin=self.rounds.begin, no_round=self._no_round
        )
        self._log = structlog.get_logger().bind(table=settings.table)
        self._meter_filled = False
        """The meter has been filled to its seed, or the bank does not hold the seed."""

    # --- questions --------------------------------------------------------------------------------------------------

    @property
    def state_name(self) -> str:
        return self._state.name

    def hand_id(self) -> str | None:
        return self._state.round_id()

    def unfinished(self) -> bool:
        """See `GamePlay`: with all of its players gone only clocks would run."""
        if self._state.name in {"closing_bets", "settling"}:
            return True
        play = self._state.play
        if play is None or self._state.playing is None:
            return False
        return any(place.connected for place in self._places if place.account in play.accounts)

    # --- betting time -----------------------------------------------------------------------------------------------

    def consider_next(self) -> None:
        self._consider_closing()
        self.consider_betting()

    def consider_betting(self) -> None:
        """Open the betting time if nothing stands in the way; called whenever something has changed between rounds."""
        if self._state.name != "waiting" or not self._state.known:
            return
        if self._drain.no_more_hands:
            self._drain.consider()
        elif self._state.closing:
            self._places.leave_all()
            self._table.consider_closed()
        elif not self._meter_filled:
            # also without a progressive bet: one that was taken out of the settings has left its meter
            progressive = self._settings.terms.progressive
            self._open_bank(0 if progressive is None else progressive.seed)
        else:
            self._light.open(bets=bool(self._slips))

    def _open_bank(self, seed: int) -> None:
        """Let the bank fill the meter, once under each owner; what it holds is known from then on."""

        def opened(holds: int | None) -> None:
            if holds is None:
                self._log.error("meter.not_seeded", seed=seed, message="the bank does not hold the seed")
                self._open_bank(0)
                return
            before, self._state.meter, self._meter_filled = self._state.meter, holds, True
            if self._state.visible_meter() not in {None, before}:  # no event says so
                self._snapshots.show_to_all()
            self.consider_betting()

        def attempt() -> Deferred[Money | None]:
            context = self._context
            asked = context.ledger.open_bank(self._settings.table, context.epoch, Money(seed))
            return asked.addErrback(_not_seeded)

        self._ask(attempt, done=opened, refused=fault_of_ours, late=lambda _: None)

    # --- the close --------------------------------------------------------------------------------------------------

    def _consider_closing(self) -> None:
        """Close betting if a round may begin, and its time has passed or all players who are there wait for it."""
        light = self._state.bets
        if light is None or not (light.overdue or self._slips.all_ready(self._places.present())):
            return
        if self._drain.no_more_hands:
            self._drain.consider()
        elif self._context.lease.deals:
            self._state.machine.close()
            self._light.tell()
            slips = self._slips.take_all()
            self._state.keys.betting_closed()
            if slips:
                self._closing.close(slips)
            else:
                self._no_round(())

    def _no_round(self, refused: Sequence[Refused]) -> None:
        """No bet stands: open betting again."""
        if refused:
            self._announcer.tell(self._notices.event(refused))
        self._state.machine.reopen()
        self.note_table()
        self.consider_betting()

    # --- between rounds ---------------------------------------------------------------------------------------------

    def _between_rounds(self) -> None:
        """The result has been told: pause, so that people can look at it."""
        self.note_table()
        if self._drain.no_more_hands or self._state.closing:
            self.consider_betting()
            return
        pause = any(
            viewer.wants_pause and self._places.held_by(viewer.account) is not None
            for viewer in self._outbox.viewers()
        )
        self._state.machine.rest(self._settings.result_pause_ms / 1000 if pause else 0)

    def rested(self) -> None:
        """The pause is over."""
        if self._state.name == "pausing":
            self._state.machine.wake()
            self.consider_betting()

    def rest_no_more(self) -> None:
        if self._state.name == "pausing":
            self._state.machine.halt()

    def consider_leaving(self) -> None:
        """The table is closing: let the players leave as soon as no round is in progress."""
        if self._state.name in {"taking_bets", "pausing"}:
            taking_bets = self._state.bets is not None
            self._slips.take_all()
            self._state.keys.betting_closed()
            self._state.machine.halt()
            if taking_bets:
                self._light.tell()
        self.consider_betting()

    def note_table(self) -> None:
        """Store what the ledger does not know, between rounds."""
        self._writer.note(self.table_entry(), first=True)

    def table_entry(self) -> bytes:
        """Return that entry, as it would be now; a round in progress is no part of it."""
        return table_entry(
            closing=self._state.closing, last_bets=self._slips.last_bets, keys=self._state.keys.done()
        )

    # --- clocks and restarts ----------------------------------------------------------------------------------------

    def go_on(self) -> None:
        self.rounds.go_on()

    def hold_clocks(self) -> None:
        self._light.hold()
        self.rounds.hold_clock()

    def restart_clocks(self) -> None:
        self._light.restart()
        self.rounds.restart_clock()

    def abandon(self) -> None:
        self._state.abandoned = True
        self._places.stop()
        self.rounds.abandon()
        self.bets.abandon()
        self._state.machine.freeze()

    def stop(self) -> None:
        self._places.stop()
        self._state.machine.halt()


def _not_seeded(failure: Failure) -> None:
    failure.trap(BankEmpty)
