"""The hosted tables of the room: known at every node while they are open, then forgotten.

The ledger has what the hosts have decided. This module keeps a copy for its node, adds the tables to the room's one
mapping of settings, and makes the tables that live here follow: a pause, guests that are removed, and the end. Nothing
depends on a message that may be lost: a node reads again what has a newer version in the ledger. It does not decide
which node owns a table. Of the sit-and-gos that players host it knows who may ask them; they are played as others are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import replace
from typing import Final

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from pokerroom.bridge import as_deferred
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.hosted_tables import HostedTableLedger, HostedTableRow, hosted_as, is_hosted
from pokerroom.lobby.leaving import LeavingTable
from pokerroom.ops.config_table import BadTerms, hosted_table_settings
from pokerroom.ops.periodic_task import PeriodicTask, log_fault
from pokerroom.table.actor import TableActor
from pokerroom.table.api import ActorSettings
from pokerroom.table.context import NO_HOST, TableHost

LOOK_S: Final = 2.0
"""[D] Seconds between two looks for newer versions in the ledger."""

IDLE_LOOK_S: Final = 600.0
"""[D] Seconds between two looks for tables without players."""

OPEN_S: Final = 2.0
"""The host of a new table waits at most so long until a node has it."""

LINGER_S: Final = 0.5
"""A table that is closed for good stays so long at its node, which tells the viewers of other nodes."""

_STEP_S: Final = 0.02

_log = structlog.get_logger()


class HostedTableRegistry:
    """Keeps the open hosted tables in `settings`, the room's mapping. `local` are the tables of this node.

    `claim(name)` takes a new one for this node, `news` is called when the mapping has new ones, `tell(name)` makes the
    other nodes read a table again, `over(name)` is called when a table of another node exists no more.
    """

    def __init__(
        self,
        *,
        ledger: HostedTableLedger,
        clock: IReactorTime,
        settings: MutableMapping[str, ActorSettings],
        local: Mapping[str, TableActor],
        owned: Mapping[str, str],
        idle_close_s: int,
        claim: Callable[[str], None],
        news: Callable[[], None],
        tell: Callable[[str], None],
        over: Callable[[str], None],
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._local = local
        self._owned = owned
        self._idle_close_s = idle_close_s
        self._claim = claim
        self._news = news
        self._tell = tell
        self._over = over
        self._rows: dict[str, HostedTableRow] = {}
        self._closing: dict[str, TableActor] = {}
        """Tables of this node that were told to close, and have not been closed for good."""
        self._leaving: set[str] = set()
        """Tables that are closed for good, while their owner may still send last messages."""
        self._tasks = (
            PeriodicTask(clock, LOOK_S, self.look),
            PeriodicTask(clock, IDLE_LOOK_S, as_deferred(self._close_idle)),
        )

    # --- questions ------------------------------------------------------------------------------------------------

    def admits(self, account: int | None, table: str) -> bool:
        """Return whether an account may ask a table or a tournament. Every account may, if no player hosts it.

        Also one that the host has removed, while it may be in a hand: the table decides.
        """
        name = hosted_as(table)
        if name is None:
            return True
        row = self._rows.get(name)
        return row is not None and row.shows(account)

    def host_of(self, table: str) -> TableHost:
        """Return what the host of a table has decided, now and later."""
        return _Host(self._rows, self._settings, table) if is_hosted(table) else NO_HOST

    def table_of_link(self, code: str) -> str | None:
        """Return the table of a link, as this node knows it; None also where its host has closed it."""
        return next((row.table for row in self._rows.values() if row.code == code and not row.closing), None)

    def sit_and_go(self, table: str) -> str | None:
        """Return the sit-and-go that is hosted under this id; None of a table, and of what this node does not know."""
        row = self._rows.get(table)
        return None if row is None else row.tournament

    def host_name(self, table: str) -> str | None:
        """Return the name of the table's host; None if no player hosts it."""
        row = self._rows.get(table)
        return None if row is None else row.host_name

    # --- changes --------------------------------------------------------------------------------------------------

    async def opened(self, row: HostedTableRow) -> None:
        """Open a new table here, unless another node is faster. Returns as `found`."""
        self._claim(row.table)
        await self.found(row)

    async def found(self, row: HostedTableRow) -> None:
        """Note a table for a client of this node, which is about to ask it. Returns when a node has it, or late."""
        self.changed_here(row)
        waited_s = 0.0
        while row.tournament is None and row.table not in self._owned and waited_s < OPEN_S:
            await deferLater(self._clock, _STEP_S)
            waited_s += _STEP_S

    def changed_here(self, row: HostedTableRow) -> None:
        """Note what a client of this node has changed, and tell the other nodes."""
        if self.note(row):
            self._tell(row.table)

    def note(self, row: HostedTableRow) -> bool:
        """Note what the ledger has said. Return whether it was news."""
        before = self._rows.get(row.table)
        if before is not None and before.version >= row.version:
            return False
        if row.tournament is None and (before is None or before.terms != row.terms):
            try:
                self._settings[row.table] = hosted_table_settings(row.table, row.terms)
            except BadTerms as bad:
                _log.error("hosted_table.unreadable", table=row.table, reason=str(bad))
                return False
        self._rows[row.table] = row
        if before is None and row.tournament is None:
            self._news()
        self._follow(row)
        return True

    async def resume(self, table: str) -> bool:
        """Let a table go on that its host has paused, by an operator's order; False if it is not paused, or closes.

        Raises `LedgerUnavailable`, and `LedgerRefusal` if the host has decided something else at the same time.
        """
        row = await self._ledger.hosted_table(table)
        if row is None or not row.paused or row.closing:
            return False
        self.changed_here(await self._ledger.change_hosted_table(table, row.host, "resume", ""))
        return True

    def changed(self, table: str) -> None:
        """Read a table again: another node has changed it."""
        Deferred.fromCoroutine(self._read(table)).addErrback(log_fault)

    async def look_up(self, name: str) -> None:
        """Read again who may ask a table or a tournament, by its name. Raises `LedgerUnavailable`.

        A client that comes from another node may ask for what this node has not heard of.
        """
        table = hosted_as(name)
        if table is None:
            return
        known = table in self._rows
        row = await self._ledger.hosted_table(table)
        if row is not None:
            self.note(row)
        elif known:
            self._closed_for_good(table)

    # --- start and stop -------------------------------------------------------------------------------------------

    async def first(self) -> None:
        """Read the open tables once. Raises `LedgerUnavailable`."""
        known = list(self._rows)
        versions = await self._ledger.hosted_versions()
        for table, version in versions.items():
            row = self._rows.get(table)
            if row is None or row.version < version:
                found = await self._ledger.hosted_table(table)
                if found is not None:
                    self.note(found)
        for table in known:
            if table not in versions:
                self._closed_for_good(table)

    def start(self) -> None:
        """Start the periodic looks."""
        for task in self._tasks:
            task.start()

    def stop(self) -> None:
        """Stop the periodic looks."""
        for task in self._tasks:
            task.stop()

    @as_deferred
    async def look(self) -> None:
        """Read what has changed, and make the tables of this node follow, also those that came to live here."""
        try:
            await self.first()
        except LedgerUnavailable:
            return  # the known tables stay
        for row in list(self._rows.values()):
            self._follow(row)
        for table in sorted(table for table in self._leaving if table not in self._owned):
            self._leaving.discard(table)
            self._over(table)

    # --- inside ---------------------------------------------------------------------------------------------------

    async def _read(self, table: str) -> None:
        try:
            await self.look_up(table)
        except LedgerUnavailable:
            return  # a look finds it

    async def _close_idle(self) -> None:
        try:
            for table in await self._ledger.close_idle_hosted_tables(self._idle_close_s):
                _log.info("hosted_table.idle", table=table)
                self._tell(table)
                await self._read(table)
        except LedgerUnavailable:
            pass  # the next look finds them

    def _follow(self, row: HostedTableRow) -> None:
        actor = self._local.get(row.table)
        if actor is None:
            return
        leaving = LeavingTable(actor)
        for account in actor.seated():
            if not row.admits(account):
                leaving.leave(account)
        actor.hosting.changed()
        if row.closing and (self._closing.get(row.table) is not actor or not actor.closing):
            self._closing[row.table] = actor
            actor.close().addCallback(lambda _: self._emptied(row.table, actor)).addErrback(log_fault)

    def _emptied(self, table: str, actor: TableActor) -> Deferred[None]:
        """All seats of a closing table are cashed out: it is closed for good, if the ledger agrees."""

        async def end() -> None:
            try:
                ended = await self._ledger.end_hosted_table(table)
            except LedgerUnavailable:
                ended = False
            await deferLater(self._clock, LINGER_S)
            if self._closing.get(table) is actor:
                del self._closing[table]  # the next look closes it again, if it is still here
            if ended and table in self._rows and self._local.get(table) in {actor, None}:
                self._forget(table)  # another node may have had it meanwhile, and told that it is gone
                self._tell(table)

        return Deferred.fromCoroutine(end())

    def _closed_for_good(self, table: str) -> None:
        """The ledger has the table no more. If it lives here all the same, it must be empty first."""
        row = self._rows.get(table)
        if row is None:
            return
        if table in self._local:
            self._rows[table] = replace(row, closing=True)
            self._follow(self._rows[table])
        else:
            self._forget(table)

    def _forget(self, table: str) -> None:
        """Remove a table from the room, so that no node takes it."""
        row = self._rows.pop(table)
        if row.tournament is not None:
            return  # it was none of the room's tables
        del self._settings[table]
        actor = self._local.get(table)
        if actor is not None:
            actor.hosting.end()
        self._leaving.add(table)


class _Host:
    """A `TableHost`. A table that is closed for good begins no hand, and admits no account."""

    def __init__(
        self, rows: Mapping[str, HostedTableRow], settings: Mapping[str, ActorSettings], table: str
    ) -> None:
        self._rows = rows
        self._settings = settings
        self._table = table

    @property
    def paused(self) -> bool:
        row = self._rows.get(self._table)
        return row is None or row.paused

    @property
    def settings(self) -> ActorSettings | None:
        return self._settings.get(self._table)

    dealt = settings

    @property
    def row(self) -> HostedTableRow | None:
        return self._rows.get(self._table)

    def admits(self, account: int | None) -> bool:
        row = self.row
        return row is not None and row.admits(account)

    def takes(self, account: int) -> bool:
        row = self.row
        return row is not None and row.admits(account) and row.seat_of(account) == "open"
