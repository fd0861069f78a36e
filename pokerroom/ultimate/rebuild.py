"""Makes the game of a table again from ledger and journal: when the table comes to its owner, and after a fault.

The ledger says whether a round is in progress; the journal has its cards. Without them the round is void, and every bet
goes back (U15). Runs inside the table's mailbox; `recovery` knows what an entry means.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import structlog
from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.api import NotOwner, SeatRow
from pokerroom.ledger.retry import until_known
from pokerroom.ledger.rounds import OpenRound, VoidRound
from pokerroom.ops.reports import OrderRefused
from pokerroom.table.game import GamePorts
from pokerroom.table.game_parts import Voided
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.ledger_requests import fault_of_ours
from pokerroom.table.lifecycle import AfterSettlement
from pokerroom.table.operator_orders import FINISH_IT, NOT_TAKEN
from pokerroom.ultimate import recovery, views
from pokerroom.ultimate.journal import frozen_entry
from pokerroom.ultimate.places import BoxPlaces
from pokerroom.ultimate.play import RoundPlay, unknown_record
from pokerroom.ultimate.refusal_notices import RefusalNotices
from pokerroom.ultimate.round_table import RoundTable
from pokerroom.ultimate.slips import BetSlips
from pokerroom.ultimate.state import UltimateState


@dataclass(frozen=True, slots=True, kw_only=True)
class UltimateStanding:
    """What ledger and journal say of a table: places, entries, the round in progress, and the meter.

    `voided` is the id of a round in progress that has just become void.
    """

    rows: list[SeatRow]
    entries: list[bytes]
    round: OpenRound | None
    meter: Money
    voided: str | None = None


class UltimatePredecessor(Protocol):
    """The game that a restart replaces; it is abandoned."""

    @property
    def state(self) -> UltimateState:
        """Its state, which is frozen."""

    @property
    def slips(self) -> BetSlips:
        """Its slips."""

    @property
    def places(self) -> BoxPlaces:
        """Its places."""

    @property
    def notices(self) -> RefusalNotices:
        """Its notices."""


class UltimateRecovery:
    """Makes the game of one table again (`table.game_parts.GameRecovery`)."""

    def __init__(
        self,
        ports: GamePorts,
        state: UltimateState,
        slips: BetSlips,
        places: BoxPlaces,
        play: RoundTable,
        *,
        notices: RefusalNotices,
        settlement: AfterSettlement,
    ) -> None:
        self._name = ports.announcer.table
        self._context = ports.context
        self._announcer = ports.announcer
        self._ask = ports.requests.ask
        self._snapshots = ports.snapshots
        self._writer = ports.writer
        self._orders = ports.orders
        self._restarts = ports.restarts
        self._table = ports.table
        self._state = state
        self._slips = slips
        self._places = places
        self._play = play
        self._notices = notices
        self._settlement = settlement
        self._log = structlog.get_logger().bind(table=self._name)
        self.ledger_voids = False
        """See `GameRecovery`."""

    # --- when the table comes to its owner --------------------------------------------------------------------------

    def restore(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:  # noqa: ARG002 -- the ledger is asked which round is in progress
        """See `GameRecovery`: viewers are shown the table when the ledger has said which round is in progress."""
        found = self._read(entries)
        self._state.closing = found.closing
        self._places.restore(rows)
        self._slips.restore(found.last_bets)
        self._state.keys.restore(found.keys, self._places.accounts())
        self._ask(
            lambda: Deferred.fromCoroutine(self._standing_of(rows, entries)),
            done=partial(self._restored, found),
            refused=fault_of_ours,
            late=lambda _: None,  # frozen meanwhile: the table restarts from the ledger
        )

    async def _standing_of(self, rows: list[SeatRow], entries: list[bytes]) -> UltimateStanding:
        return await self._voided_if_lost(await self._asked(rows, entries))

    def _restored(self, found: recovery.JournalledUltimate, known: UltimateStanding) -> None:
        self._state.known = True
        self._resume(found, known)
        self._settlement.run()
        self._snapshots.show_to_all()
        self._play.go_on()
        self._play.consider_betting()
        if found.frozen:
            self._orders.restored()
            self._writer.note(frozen_entry(frozen=True), first=False)  # the entry was replaced
        elif found.closing:
            self._table.close()  # all players who are still here leave, and then the table is told to be closed

    # --- after a fault ----------------------------------------------------------------------------------------------

    async def standing(self) -> UltimateStanding:
        try:
            return await self._voided_if_lost(await self._ask_both())
        except NotOwner:
            self._table.lost_ownership()
            raise

    def restart(
        self, found: UltimateStanding, before: UltimatePredecessor, goes_on: Callable[[str], None]
    ) -> None:
        state, old = self._state, before.state
        assert old.frozen
        self._notices.take_over(before.notices)
        for account in set(before.places.accounts()) - {row.account for row in found.rows}:
            self._context.seating.freed(account, self._name)
            self._notices.forget(account)
        journalled = self._read(found.entries)
        state.closing, state.ended = old.closing, old.ended or self._orders.voided
        self._places.restore(found.rows)
        self._slips.restore(journalled.last_bets or before.slips.last_bets)
        state.keys.restore(journalled.keys, self._places.accounts())
        if self._table.by_operator:  # after a fault slips are lost: nothing was paid
            state.keys.take_over(old.keys)
            self._slips.take_over(before.slips, {place.account: place.box for place in self._places})
        state.known = True
        if old.play is not None:
            self._tell_end(old.play, found)
        goes_on("The table goes on.")
        self._resume(journalled, found)

    def _tell_end(self, play: RoundPlay, found: UltimateStanding) -> None:
        """Tell the end of the round that was broken off, unless it goes on or clients know it."""
        in_progress = None if found.round is None else found.round.round_id
        if play.round_id in {self._state.ended, self._orders.voided, in_progress}:
            return
        self._state.ended = play.round_id
        if found.voided == play.round_id:
            lost = views.round_lost(play.table, play.round_id, self._announcer.next_seq())
            self._announcer.tell(lost)
        elif play.state.finished:  # it was settled, and that was not told
            self._announcer.tell(views.round_ended(play, self._announcer.next_seq()))

    def restarted(self) -> None:
        """See `GameRecovery`."""

    # --- what it writes ---------------------------------------------------------------------------------------------

    def handoff_entry(self) -> bytes:
        return self._play.table_entry()

    def frozen_entry(self, *, frozen: bool) -> bytes:
        return frozen_entry(frozen=frozen)

    # --- a round that the operator declares void --------------------------------------------------------------------

    async def prepare_void(self, *, complete: bool) -> tuple[str, RoundPlay | None]:
        """See `GameRecovery`: every bet goes back, Plays too; a tip stays given (U15).

        A round that is decided is finished when the table goes on. The ledger may refuse its result, which is a fault
        of ours: then the operator may declare it void, too (house choice), as clients do not know the result.
        """
        found = await self._ask_both()
        if found.round is None:
            raise OrderRefused("no_hand", "No round is in progress.")
        if not self._restarts.held:  # the operator has let the table go on meanwhile
            raise OrderRefused("not_frozen", "The table is not frozen. Freeze it first.")
        round_id, ended_ms = found.round.round_id, self._context.now_ms()
        record, play = unknown_record(self._name, round_id, ended_ms), None
        with suppress(UnreadableJournal):  # the ledger knows every bet
            play = self._rebuild(recovery.read(found.entries), found.round).play
        if play is not None:
            if play.state.finished:
                if not complete:
                    raise OrderRefused("hand_complete", f"All is decided in round {round_id}: {FINISH_IT}")
                self._log.error("round.result_dropped", round_id=round_id, reason=NOT_TAKEN)
            play.void()
            record = play.record(ended_ms)
        self.ledger_voids = True
        try:
            await self._void(round_id, ended_ms, record)
        finally:
            self.ledger_voids = False
        return round_id, play

    def declare_void(self, prepared: tuple[str, RoundPlay | None], *, complete: bool) -> Voided:  # noqa: ARG002 -- the ledger has voided the round already
        round_id, play = prepared
        seq = self._announcer.next_seq()
        self._state.ended = round_id
        ended = views.round_lost(self._name, round_id, seq) if play is None else views.round_ended(play, seq)
        return Voided(hand_id=round_id, ended=ended, entry=self._play.table_entry())

    # --- inside -----------------------------------------------------------------------------------------------------

    async def _ask_both(self) -> UltimateStanding:
        """Ask journal and ledger, and wait for them as long as it takes. Raises `NotOwner`."""
        entries = await self._context.journal.entries(self._name)
        rows = await until_known(self._context.clock, partial(self._context.ledger.seats, [self._name]))
        return await self._asked(rows, entries)

    async def _asked(self, rows: list[SeatRow], entries: list[bytes]) -> UltimateStanding:
        """Ask the ledger for the round in progress and the meter. Raises `NotOwner`."""
        clock, ledger = self._context.clock, self._context.ledger
        found = await until_known(clock, partial(ledger.open_round, self._name))
        # a seed of 0 fills nothing: the ledger only says what the meter holds
        open_bank = partial(ledger.open_bank, self._name, self._context.epoch, Money(0))
        meter = await until_known(clock, open_bank)
        return UltimateStanding(rows=rows, entries=entries, round=found, meter=meter)

    async def _voided_if_lost(self, found: UltimateStanding) -> UltimateStanding:
        """Declare a round in progress void if it cannot be played on: the ledger knows every bet. Raises `NotOwner`."""
        if found.round is None:
            return found
        round_id = found.round.round_id
        try:
            self._rebuild(recovery.read(found.entries), found.round)
        except UnreadableJournal as unreadable:
            self._log.error("round.void", round_id=round_id, reason=str(unreadable))
        else:
            return found
        ended_ms = self._context.now_ms()
        await self._void(round_id, ended_ms, unknown_record(self._name, round_id, ended_ms))
        return replace(found, round=None, voided=round_id)

    async def _void(self, round_id: str, ended_ms: int, record: bytes) -> None:
        void = VoidRound(
            round_id=round_id, table=self._name, epoch=self._context.epoch, ended_ms=ended_ms, record=record
        )
        await until_known(self._context.clock, partial(self._context.ledger.void_round, void))

    def _read(self, entries: list[bytes]) -> recovery.JournalledUltimate:
        """Return what the entries say; nothing where they cannot be read."""
        try:
            return recovery.read(entries)
        except UnreadableJournal as unreadable:
            self._log.error("journal.unreadable", reason=str(unreadable))
            return recovery.JournalledUltimate()

    def _rebuild(self, found: recovery.JournalledUltimate, of: OpenRound) -> recovery.RecoveredRound:
        return recovery.rebuild(found, self._name, of, self._context.seal)

    def _resume(self, found: recovery.JournalledUltimate, known: UltimateStanding) -> None:
        """Go on with the round in progress, if any; viewers are shown it before its decisions are asked."""
        self._state.meter = known.meter
        if known.round is None:
            self._play.note_table()
        else:
            self._play.rounds.resume(self._rebuild(found, known.round))
