"""A table against the house made again of what ledger and journal say: when it comes to its owner, and after a fault.

The ledger says whether a round is in progress; the journal has its cards. Without them it is void, and every bet goes
back. Runs inside the table's mailbox; what an entry means is `recovery`'s business.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import structlog
from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.api import NotOwner, SeatRow
from pokerroom.ledger.retry import until_known
from pokerroom.ledger.rounds import OpenRound, VoidRound
from pokerroom.ops.reports import OrderRefused
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.ledger_requests import fault_of_ours
from pokerroom.table.operator_orders import FINISH_IT, NOT_TAKEN, Voided
from pokerroom.ultimate import recovery, views
from pokerroom.ultimate.felt import Felt
from pokerroom.ultimate.play import RoundPlay, unknown_record

if TYPE_CHECKING:  # the game makes it
    from pokerroom.ultimate.game import UltimateGame


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What ledger and journal say: places, entries, the round in progress, and what the meter holds.

    `voided` is a round that just was in progress.
    """

    rows: list[SeatRow]
    entries: list[bytes]
    round: OpenRound | None
    meter: Money
    voided: str | None = None


async def standing(table: UltimateGame) -> Standing:
    """Asks both, and waits for them as long as it takes. Call it as a Twisted coroutine."""
    world, name = table.world, table.settings.table
    entries = await world.journal.entries(name)
    rows = await until_known(world.clock, world.ledger.seats)
    return await _standing(table, [row for row in rows if row.table == name], entries)


async def _standing(table: UltimateGame, rows: list[SeatRow], entries: list[bytes]) -> Standing:
    """With what the ledger alone says. Raises `NotOwner`, as does `standing`."""
    world, name = table.world, table.settings.table
    found = await until_known(world.clock, partial(world.ledger.open_round, name))
    # nothing is filled to 0: it is only asked
    meter = await until_known(world.clock, partial(world.ledger.open_bank, name, world.epoch, Money(0)))
    return Standing(rows=rows, entries=entries, round=found, meter=meter)


def journalled(table: UltimateGame, entries: list[bytes]) -> recovery.Journalled:
    """What the entries say; nothing, where they cannot be read."""
    try:
        return recovery.read(entries)
    except UnreadableJournal as unreadable:
        log = structlog.get_logger().bind(table=table.settings.table)
        log.error("journal.unreadable", reason=str(unreadable))  # noqa: TRY400 -- the cause may quote entries
        return recovery.Journalled()


class UltimateRecovery:
    """Makes the game of one table again (`table.game.GameRecovery`)."""

    def __init__(self, game: UltimateGame) -> None:
        self._game = game
        self._ports = game.ports
        self._world = game.ports.context
        self._log = structlog.get_logger().bind(table=game.settings.table)

    # --- when it comes to its owner ---------------------------------------------------------------------------------

    def restore(self, rows: list[SeatRow], entries: list[bytes], settled: frozenset[str]) -> None:  # noqa: ARG002 -- the ledger is asked which round is in progress
        """See `GameRecovery`: viewers are shown the table when the ledger has said how its round stands."""
        felt, found = self._game.felt, journalled(self._game, entries)
        felt.closing = found.closing
        felt.places.restore(rows)
        felt.betting.last_bets.update(found.last_bets)
        self._ports.requests.ask(
            lambda: Deferred.fromCoroutine(self._settled(rows, entries)),
            done=partial(self._restored, felt, found),
            refused=fault_of_ours,
            late=lambda _: None,  # frozen meanwhile: the table restarts from the ledger
        )

    async def _settled(self, rows: list[SeatRow], entries: list[bytes]) -> Standing:
        """With the round in progress; void by then, if it cannot be played on."""
        return await self.voided_if_lost(await _standing(self._game, rows, entries))

    def _restored(self, felt: Felt, found: recovery.Journalled, known: Standing) -> None:
        felt.known = True
        self._go_on(felt, found, known)
        felt.rounds.run_when_settled()
        self._ports.snapshots.begun_anew()
        felt.rounds.go_on()
        felt.prepare()
        if found.frozen:
            self._ports.orders.restored()
            self._ports.writer.note(self.frozen_entry(frozen=True), first=False)  # the entry was replaced
        elif found.closing:
            self._ports.table.close()  # all players who are still here leave, and then the table is told to be closed

    # --- after a fault ----------------------------------------------------------------------------------------------

    async def standing(self) -> Standing:
        """See `GameRecovery`."""
        try:
            return await self.voided_if_lost(await standing(self._game))
        except NotOwner:
            self._ports.table.lost_ownership()
            raise

    def restart(self, found: Standing, before: UltimateGame) -> str:
        """See `GameRecovery`."""
        known, game, old = found, self._game, before.felt
        assert old.course.frozen
        game.refusals.take_over(before.refusals)
        for account in set(old.places.accounts()) - {row.account for row in known.rows}:
            self._world.seating.freed(account, game.settings.table)
            game.refusals.forget(account)
        broken_off = old.course.play
        entries = journalled(game, known.entries)
        felt = game.felt
        felt.closing, felt.ended = old.closing, old.ended or self._ports.orders.voided
        felt.places.restore(known.rows)
        felt.betting.last_bets.update(entries.last_bets or old.betting.last_bets)
        if self._ports.table.by_operator:
            felt.betting.take_over(old.betting)
        felt.known = True
        over = {felt.ended, self._ports.orders.voided, _id(known.round)}
        if broken_off is not None and broken_off.round_id not in over:
            felt.ended = broken_off.round_id
            announcer = self._ports.announcer
            if known.voided == broken_off.round_id:
                announcer.tell(views.round_lost(broken_off.table, broken_off.round_id, announcer.next_seq()))
            elif broken_off.state.finished:  # it was settled, and that was not told
                announcer.tell(views.round_ended(broken_off, announcer.next_seq()))
        self._go_on(felt, entries, known)
        felt.rounds.take_over(old.rounds)
        felt.rounds.run_when_settled()
        return "The table goes on."

    def restarted(self) -> None:
        """See `GameRecovery`."""

    # --- what it writes ---------------------------------------------------------------------------------------------

    def handoff_entry(self) -> bytes:
        """See `GameRecovery`."""
        return self._game.felt.words()

    def frozen_entry(self, *, frozen: bool) -> bytes:
        """See `GameRecovery`."""
        return recovery.frozen_entry(frozen=frozen)

    # --- a round that the operator declares void --------------------------------------------------------------------

    async def prepare_void(self, *, complete: bool) -> tuple[str, RoundPlay | None]:
        """See `GameRecovery`: every bet goes back, Plays too; a tip stays given (U15).

        A round that is decided is finished by whoever goes on with it. The ledger may refuse its result, which is a
        fault of ours: then the operator may declare it void, too [D], as clients have not been told what it came to.
        """
        world, name = self._world, self._game.settings.table
        known = await standing(self._game)
        if known.round is None:
            raise OrderRefused("no_hand", "No round is in progress.")
        if not self._ports.restarts.held:  # the operator has let the table go on meanwhile
            raise OrderRefused("not_frozen", "The table is not frozen.")
        round_id, ended_ms = known.round.round_id, world.now_ms()
        record, play = unknown_record(name, round_id, ended_ms), None
        with suppress(UnreadableJournal):  # the ledger knows every bet
            play = recovery.rebuild(recovery.read(known.entries), name, known.round, world.seal).play
        if play is not None:
            if play.state.finished:
                if not complete:
                    raise OrderRefused("hand_complete", f"All is decided in round {round_id}: {FINISH_IT}")
                self._log.error("round.result_dropped", round_id=round_id, reason=NOT_TAKEN)
            play.void()
            record = play.record(ended_ms)
        void = VoidRound(round_id=round_id, table=name, epoch=world.epoch, ended_ms=ended_ms, record=record)
        await until_known(world.clock, partial(world.ledger.void_round, void))
        return round_id, play

    def declare_void(self, prepared: tuple[str, RoundPlay | None], *, complete: bool) -> Voided:  # noqa: ARG002 -- the ledger has it
        """See `GameRecovery`."""
        round_id, play = prepared
        seq = self._ports.announcer.next_seq()
        self._game.felt.ended = round_id
        if play is None:
            ended = views.round_lost(self._game.settings.table, round_id, seq)
        else:
            ended = views.round_ended(play, seq)
        return Voided(hand_id=round_id, ended=ended, entry=self._game.felt.words())

    # --- both -------------------------------------------------------------------------------------------------------

    def _go_on(self, felt: Felt, found: recovery.Journalled, known: Standing) -> None:
        """With the round in progress, if any; viewers see it before the decisions are asked."""
        felt.meter = known.meter
        if known.round is None:
            felt.note_table()
        else:
            recovered = recovery.rebuild(found, self._game.settings.table, known.round, self._world.seal)
            felt.decisions.remember(known.round.round_id, (*recovered.steps, *recovered.lacking))
            felt.rounds.resume(recovered)

    async def voided_if_lost(self, known: Standing) -> Standing:
        """A round in progress that cannot be played on is void: the ledger knows every bet.

        Raises `NotOwner`.
        """
        if known.round is None:
            return known
        round_id = known.round.round_id
        try:
            found = recovery.read(known.entries)
            recovery.rebuild(found, self._game.settings.table, known.round, self._world.seal)
        except UnreadableJournal as unreadable:
            self._log.error("round.void", round_id=round_id, reason=str(unreadable))
        else:
            return known
        name, ended_ms = self._game.settings.table, self._world.now_ms()
        void = VoidRound(
            round_id=round_id,
            table=name,
            epoch=self._world.epoch,
            ended_ms=ended_ms,
            record=unknown_record(name, round_id, ended_ms),
        )
        await until_known(self._world.clock, partial(self._world.ledger.void_round, void))
        return replace(known, round=None, voided=round_id)


def _id(of: OpenRound | None) -> str | None:
    return None if of is None else of.round_id
