"""Tables that the settings do not name any more: their seats are cashed out, a hand or round in progress is void.

Tournaments that run, or whose end is still to be shown, are not among them. Any node may do this, and does it once when
it starts: all nodes of a room have the same tables. Money moves as for any table: by the node that owns it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from functools import partial

import structlog
from twisted.internet.interfaces import IReactorTime

from pokerroom.cluster.takeover import TakenTable, Takeover
from pokerroom.coordination.api import Journal, Sealed
from pokerroom.ledger.api import NotOwner, OwnerRow
from pokerroom.ledger.retry import until_known
from pokerroom.ledger.rounds import VoidRound
from pokerroom.ledger.tournaments import TournamentLedger, owned_as, tournament_at
from pokerroom.poker.recovery import hand_in_progress
from pokerroom.ultimate.play import unknown_record

_log = structlog.get_logger()


class RetiredTables:
    """The tables that are not in `settings`; `free(row)` returns whether a table may be taken from its last owner.

    `reread` adds hosted tables to `settings` that another node has opened since this node last looked.
    """

    def __init__(
        self,
        *,
        clock: IReactorTime,
        now_ms: Callable[[], int],
        ledger: TournamentLedger,
        journal: Journal,
        settings: Collection[str],
        takeover: Takeover,
        free: Callable[[OwnerRow], bool],
        reread: Callable[[], Awaitable[None]],
    ) -> None:
        self._clock = clock
        self._now_ms = now_ms
        self._ledger = ledger
        self._journal = journal
        self._settings = settings
        self._takeover = takeover
        self._free = free
        self._reread = reread

    async def sweep(self) -> bool:
        """Close those without an owner; return True if none is left. Fails as ledger and journal do."""
        seats = {row.table for row in await self._ledger.seats()}
        rounds = await self._ledger.open_rounds()
        found = (*seats, *rounds, *await self._journal.tables(but=self._settings))
        # tournaments that started since this node last looked, or ended and are still to be shown, are taken as any
        # table that is played
        played = {*await self._ledger.running_tables(), *await self._ledger.tournaments_to_show()}
        played |= {owned_as(tournament_at(table)) for table in played}
        await self._reread()
        names = {table for table in found if table not in self._settings} - played
        if not names:
            return True
        rows: Mapping[str, OwnerRow] = {row.table: row for row in await self._ledger.owners(sorted(names))}
        epochs = {
            name: rows[name].epoch if name in rows else 0
            for name in sorted(names)
            if name not in rows or self._free(rows[name])
        }
        # taking it has cashed out the seats: their table is not in the settings
        for taken in await self._takeover.take(epochs):
            await self._close(taken)
            names.discard(taken.table)
        return not names

    async def _close(self, taken: TakenTable) -> None:
        hand_id = hand_in_progress(taken.entries)
        if hand_id is not None and hand_id not in taken.settled:
            _log.warning(
                "hand.void",
                table=taken.table,
                hand_id=hand_id,
                reason="the table is no longer in the settings",
            )
        await self._void_round(taken)
        self._journal.forget(taken.table)
        try:
            await self._journal.release(taken.table)
        except Sealed:
            return  # another node has taken it, and does the same
        await until_known(self._clock, partial(self._ledger.release_table, taken.table, taken.epoch))

    async def _void_round(self, taken: TakenTable) -> None:
        """Void a round of Ultimate: every bet goes back, unless the table is lost meanwhile."""
        table, ended_ms = taken.table, self._now_ms()
        found = await until_known(self._clock, partial(self._ledger.open_round, table))
        if found is None:
            return
        void = VoidRound(
            round_id=found.round_id,
            table=table,
            epoch=taken.epoch,
            ended_ms=ended_ms,
            record=unknown_record(table, found.round_id, ended_ms),
        )
        with suppress(NotOwner):
            await until_known(self._clock, partial(self._ledger.void_round, void))
            reason = "the table is no longer in the settings"
            _log.warning("round.void", table=table, round_id=found.round_id, reason=reason)
