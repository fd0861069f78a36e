"""A sit-and-go's table comes to live here: the ledger says how the tournament stands, and a full one is started.

Until the ledger has answered nobody is shown anything. Runs inside the table's mailbox.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.ledger.api import NotOwner
from pokerroom.ledger.retry import until_known
from pokerroom.ledger.tournaments import NotFull, RegistrationClosed, TournamentRow
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.drawing import DRAW_BYTES
from pokerroom.rules.tournament.state import Tournament

if TYPE_CHECKING:  # the table makes it
    from pokerroom.tournament.table import TournamentTable

Rows = tuple[TournamentRow, Mapping[int, str]]
"""The tournament as the ledger has it, and the names of its players."""


class Beginning:
    """How `table` begins."""

    def __init__(self, table: TournamentTable) -> None:
        self._table = table
        self._world = table.world
        self._log = structlog.get_logger().bind(table=table.settings.table)
        self._waiting: list[Callable[[], None]] = []

    def begin(self, entries: list[bytes], settled: frozenset[str]) -> None:
        """Asks the ledger; `entries` are what the journal has, and `settled` whether their hand is."""
        post = self._table.mailbox.post
        asked = Deferred.fromCoroutine(self.rows())
        asked.addCallbacks(
            lambda rows: post(self._known, rows, entries, settled),
            lambda failure: post(self._not_known, failure),
        )

    def wait(self, then: Callable[[], None]) -> None:
        """Does it once the table is open."""
        self._waiting.append(then)

    def opened(self) -> None:
        """The table is made of what is known: who has waited for that is shown it."""
        waiting, self._waiting = self._waiting, []
        for then in waiting:
            then()

    async def rows(self) -> Rows:
        """What the ledger says, once the tournament has started. Raises as `start_tournament` does."""
        world, name = self._world, self._table.settings.table
        row = await until_known(world.clock, partial(world.ledger.tournament, name))
        if row.phase == "registering":
            await self._start(row)
            row = await until_known(world.clock, partial(world.ledger.tournament, name))
        names = await until_known(world.clock, partial(world.ledger.account_names, row.players))
        return row, names

    async def _start(self, row: TournamentRow) -> None:
        world, terms = self._world, self._table.settings.terms
        name = row.opening.tournament
        if len(row.players) != terms.seats:
            raise NotFull(f"{name} has {len(row.players)} of {terms.seats} players")
        full = Tournament(terms=terms, registered=row.players)
        started, _ = rules.start(full, world.random_bytes(DRAW_BYTES))
        drawn = [player.account for player in started.players]
        start = partial(world.ledger.start_tournament, name, world.epoch, drawn, terms.starting_stack)
        await until_known(world.clock, start)
        self._log.info("tournament.started", players=len(drawn))

    def _known(self, rows: Rows, entries: list[bytes], settled: frozenset[str]) -> None:
        table = self._table
        if table.frozen or table.relinquished or table.open:
            return  # it begins anew, and asks again
        if rows[0].phase != "running":
            table.shows_end(rows, table.rebuilding.read(entries))
            self.opened()
            return
        table.rebuilding.restore(rows, entries, settled)
        self.opened()
        if not table.director.here.hands and not entries:
            self._world.started(rows[0])

    def _not_known(self, failure: Failure) -> None:
        """It has started elsewhere, or cannot start; else it is a fault of ours."""
        if isinstance(failure.value, NotOwner):
            self._table.not_owner()
        elif isinstance(failure.value, RegistrationClosed | NotFull):
            self._log.info("tournament.not_started", reason=failure.value.code)
            self._table.over()
        else:
            failure.raiseException()
