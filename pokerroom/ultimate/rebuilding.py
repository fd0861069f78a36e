"""A table against the house made again of what ledger and journal say: when it comes to its owner, and after a fault.

The ledger says whether a round is in progress; the journal has its cards. Without them it is void, and every bet goes
back. Runs inside the table's mailbox; what an entry means is `recovery`'s business.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.chips import Money
from pokerroom.ledger.api import NotOwner, SeatRow
from pokerroom.ledger.retry import until_known
from pokerroom.ledger.rounds import OpenRound, VoidRound
from pokerroom.table.journal import UnreadableJournal
from pokerroom.table.operator_orders import BY_OPERATOR
from pokerroom.ultimate import recovery, views
from pokerroom.ultimate.felt import Felt
from pokerroom.ultimate.play import unknown_record

if TYPE_CHECKING:  # the table makes it
    from pokerroom.ultimate.actor import UltimateTable


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


async def standing(table: UltimateTable) -> Standing:
    """Asks both, and waits for them as long as it takes. Call it as a Twisted coroutine."""
    world, name = table.world, table.settings.table
    entries = await world.journal.entries(name)
    rows = await until_known(world.clock, world.ledger.seats)
    return await _standing(table, [row for row in rows if row.table == name], entries)


async def _standing(table: UltimateTable, rows: list[SeatRow], entries: list[bytes]) -> Standing:
    """With what the ledger alone says. Raises `NotOwner`, as does `standing`."""
    world, name = table.world, table.settings.table
    found = await until_known(world.clock, partial(world.ledger.open_round, name))
    # nothing is filled to 0: it is only asked
    meter = await until_known(world.clock, partial(world.ledger.open_bank, name, world.epoch, Money(0)))
    return Standing(rows=rows, entries=entries, round=found, meter=meter)


def journalled(table: UltimateTable, entries: list[bytes]) -> recovery.Journalled:
    """What the entries say; nothing, where they cannot be read."""
    try:
        return recovery.read(entries)
    except UnreadableJournal as unreadable:
        log = structlog.get_logger().bind(table=table.settings.table)
        log.error("journal.unreadable", reason=str(unreadable))  # noqa: TRY400 -- the cause may quote entries
        return recovery.Journalled()


class Rebuilding:
    """Makes the felt of `table` as it was."""

    def __init__(self, table: UltimateTable) -> None:
        self._table = table
        self._world = table.world
        self._log = structlog.get_logger().bind(table=table.settings.table)

    # --- when it comes to its owner ---------------------------------------------------------------------------------

    def restore(self, rows: list[SeatRow], entries: list[bytes]) -> None:
        """The table has come here. Who watches it is shown it when the ledger has said how its round stands."""
        felt, found = self._table.felt, journalled(self._table, entries)
        felt.closing = found.closing
        felt.places.restore(rows)
        felt.betting.last_bets.update(found.last_bets)
        asked = Deferred.fromCoroutine(self._settled(rows, entries))
        self._table.starting += 1
        post = self._table.mailbox.post
        asked.addBoth(lambda known: post(self._restored, felt, found, known))

    async def _settled(self, rows: list[SeatRow], entries: list[bytes]) -> Standing:
        """With the round in progress; void by then, if it cannot be played on."""
        return await self.voided_if_lost(await _standing(self._table, rows, entries))

    def _restored(self, felt: Felt, found: recovery.Journalled, known: Standing | Failure) -> None:
        table = self._table
        table.starting -= 1
        if isinstance(known, Failure):
            if isinstance(known.value, NotOwner):
                table.not_owner()
                return
            known.raiseException()
        if felt.abandoned:  # frozen meanwhile: it begins anew from the ledger
            table.answered()
            return
        felt.known = True
        self._go_on(felt, found, known)
        if found.frozen:
            table.operating.restored()
            table.note_frozen(frozen=True)  # in place of the entry that stood there
        elif found.closing:
            table.close()  # who is still here leaves, and then it is told that the table is closed
        table.answered()

    # --- after a fault ----------------------------------------------------------------------------------------------

    async def standing(self) -> Standing:
        """See `Played`."""
        try:
            return await self.voided_if_lost(await standing(self._table))
        except NotOwner:
            self._table.not_owner()
            raise

    def begin_anew(self, known: Standing) -> None:
        """Another felt in place of one whose state may be wrong; what was said stays said."""
        table = self._table
        before = table.felt
        assert before.course.state == "frozen"
        gone = set(before.places.accounts()) - {row.account for row in known.rows}
        for account in gone:
            self._world.seating.freed(account, table.settings.table)
            table.refusals.forget(account)
        broken_off = before.course.play
        found = journalled(table, known.entries)
        felt = table.felt = Felt(table)
        felt.closing, felt.ended = before.closing, before.ended
        felt.places.restore(known.rows)
        felt.betting.last_bets.update(found.last_bets or before.betting.last_bets)
        if table.frozen_by == BY_OPERATOR:
            felt.betting.take_over(before.betting)
        felt.known = True
        table.frozen_by = None
        if broken_off is not None and broken_off.round_id not in {felt.ended, _id(known.round)}:
            felt.ended = broken_off.round_id
            if known.voided == broken_off.round_id:
                table.tell(views.round_lost(broken_off.table, broken_off.round_id, table.next_seq()))
            elif broken_off.state.finished:  # it was settled, and that was not told
                table.tell(views.round_ended(broken_off, table.next_seq()))
        table.notice("running", "The table goes on.")
        self._go_on(felt, found, known)
        table.ending.consider()

    # --- both -------------------------------------------------------------------------------------------------------

    def _go_on(self, felt: Felt, found: recovery.Journalled, known: Standing) -> None:
        """With the round in progress, if any; who watches sees it before the decisions are asked."""
        table = self._table
        felt.meter = known.meter
        if known.round is None:
            felt.note_table()
        else:
            recovered = recovery.rebuild(found, table.settings.table, known.round, self._world.seal)
            felt.decisions.remember(known.round.round_id, (*recovered.steps, *recovered.lacking))
            felt.rounds.resume(recovered)
        felt.rounds.run_when_settled()
        table.snapshots.begun_anew()
        felt.rounds.go_on()
        felt.prepare()

    async def voided_if_lost(self, known: Standing) -> Standing:
        """A round in progress that cannot be played on is void: the ledger knows every bet.

        Raises `NotOwner`.
        """
        if known.round is None:
            return known
        round_id = known.round.round_id
        try:
            found = recovery.read(known.entries)
            recovery.rebuild(found, self._table.settings.table, known.round, self._world.seal)
        except UnreadableJournal as unreadable:
            self._log.error("round.void", round_id=round_id, reason=str(unreadable))
        else:
            return known
        name, ended_ms = self._table.settings.table, self._world.now_ms()
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
