"""Takes tables: first the ledger's epoch, then the journal's seal, and only then what both know of the table.

In this order nothing that an earlier owner still does can be missed or come later: its settlements are refused from the
first step on, its journal entries from the second, and what is read after both is complete. Knows no nodes and decides
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import structlog
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from pokerroom.coordination.api import Journal, Sealed
from pokerroom.ledger.api import Ledger, LedgerUnavailable, NotOwner, SeatRow
from pokerroom.ledger.retry import until_known
from pokerroom.poker.recovery import hand_in_progress
from pokerroom.table.shuffle import RandomBytes

AT_ONCE: Final = 50
"""This many tables are taken together: more would only wait for one another at the ledger."""

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenTable:
    """A table that this node owns under `epoch`, with what journal and ledger know of it."""

    table: str
    epoch: int
    rows: list[SeatRow]
    entries: list[bytes]
    settled: frozenset[str]


class Takeover:
    """Takes tables for `node`. `seats_of` returns how many seats a table has; 0 for a table that does not exist."""

    def __init__(
        self,
        *,
        node: str,
        clock: IReactorTime,
        ledger: Ledger,
        journal: Journal,
        random_bytes: RandomBytes,
        seats_of: Callable[[str], int],
    ) -> None:
        self._node = node
        self._clock = clock
        self._ledger = ledger
        self._journal = journal
        self._random_bytes = random_bytes
        self._seats_of = seats_of

    async def take(self, epochs: Mapping[str, int]) -> list[TakenTable]:
        """Take the tables whose last epochs are `epochs`; return those that could be taken. Waits for journal and
        ledger.

        A table is left out if another node has taken it meanwhile, or if the ledger does not answer the first step.
        Seats beyond those of a table are cashed out.
        """
        asked = [self._owned(table, epoch) for table, epoch in epochs.items()]
        owned = [found for found in await _all(asked) if found is not None]
        sealed = [found for found in await _all([self._sealed(*one) for one in owned]) if found is not None]
        if not sealed:
            return []
        hands = {hand_in_progress(entries) for _, _, entries in sealed} - {None}
        settled = await self._until_known(partial(self._ledger.settled_hands, sorted(map(str, hands))))
        tables = [table for table, _, _ in sealed]
        rows = by_table(await self._until_known(partial(self._ledger.seats, tables)))
        return [
            TakenTable(
                table=table,
                epoch=epoch,
                rows=await self._existing_seats(rows.get(table, []), epoch),
                entries=entries,
                settled=settled,
            )
            for table, epoch, entries in sealed
        ]

    async def _owned(self, table: str, last_epoch: int) -> tuple[str, int] | None:
        try:
            epoch = await self._ledger.take_table(table, self._node, last_epoch)
        except LedgerUnavailable:
            return None  # the next reading of the owners shows whether it is ours by now
        return None if epoch is None else (table, epoch)

    async def _sealed(self, table: str, epoch: int) -> tuple[str, int, list[bytes]] | None:
        try:
            return table, epoch, await self._journal.take(table, epoch)
        except Sealed:
            hint = "a later owner has written to it; if PostgreSQL was restored from a backup, empty Redis"
            _log.warning("journal.ahead", table=table, epoch=epoch, message=hint)
            return None

    async def _existing_seats(self, rows: list[SeatRow], epoch: int) -> list[SeatRow]:
        """Cash out seats that the settings do not have any more."""
        for row in rows:
            if row.seat > self._seats_of(row.table):
                await self.cash_out(row, epoch)
        return [row for row in rows if row.seat <= self._seats_of(row.table)]

    async def cash_out(self, row: SeatRow, epoch: int) -> None:
        """Pay a removed seat's stack to its holder's wallet, unless the table is lost meanwhile."""
        key = f"cashout:{self._random_bytes(16).hex()}"
        try:
            amount = await self._until_known(
                partial(self._ledger.cash_out, key, row.table, epoch, row.account)
            )
        except NotOwner:
            return
        _log.info("seat.closed", table=row.table, seat=row.seat, account=row.account, amount=amount)

    def _until_known(self, attempt: Callable[[], Deferred[Any]]) -> Deferred[Any]:
        return until_known(self._clock, attempt)


def by_table(rows: Iterable[SeatRow]) -> dict[str, list[SeatRow]]:
    """Group the seats by table, in their order."""
    found: dict[str, list[SeatRow]] = {}
    for row in rows:
        found.setdefault(row.table, []).append(row)
    return found


async def _all(coroutines: Sequence[Any]) -> list[Any]:
    """Wait for all coroutines and return their results in order; if some fail, raise the first failure."""
    results = await DeferredList([Deferred.fromCoroutine(one) for one in coroutines], consumeErrors=True)
    for succeeded, result in results:
        if not succeeded:
            assert isinstance(result, Failure)
            result.raiseException()
    return [result for _, result in results]
