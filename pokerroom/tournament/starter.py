"""The start of a sit-and-go at its owner: the ledger returns its state, and a full tournament is started.

Until the ledger has answered, no client is shown anything. Runs inside the table's mailbox.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.ledger.api import NotOwner
from pokerroom.ledger.retry import until_known
from pokerroom.ledger.tournaments import NotFull, RegistrationClosed, TournamentRow
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.seat_draw import DRAW_BYTES
from pokerroom.rules.tournament.state import Tournament
from pokerroom.table.game import GamePorts
from pokerroom.tournament.settings import TournamentSettings

Rows = tuple[TournamentRow, Mapping[int, str]]
"""The tournament as the ledger has it, and the names of its players."""


class TournamentStarter:
    """Asks the ledger for the state of one table's tournament, and starts it when it is full.

    `known` is called with the answer, unless the table is frozen or has another owner by then; `over` if nothing is
    played here.
    """

    def __init__(
        self,
        settings: TournamentSettings,
        ports: GamePorts,
        known: Callable[[Rows, list[bytes], frozenset[str]], None],
        over: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._post = ports.mailbox.post
        self._table = ports.table
        self._context = ports.context
        self._known = known
        self._over = over
        self._log = structlog.get_logger().bind(table=settings.table)

    def begin(self, entries: list[bytes], settled: frozenset[str]) -> None:
        """Ask the ledger; `entries` are those of the journal, and `settled` the hands that the ledger has."""
        post = self._post
        asked = Deferred.fromCoroutine(self.rows())
        asked.addCallbacks(
            lambda rows: post(self._known, rows, entries, settled),
            lambda failure: post(self._not_known, failure),
        )

    async def rows(self) -> Rows:
        """Return the ledger's state, once the tournament has started. Raises as `start_tournament` does."""
        context, name = self._context, self._settings.table
        row = await until_known(context.clock, partial(context.ledger.tournament, name))
        if row.phase == "registering":
            await self._start(row)
            row = await until_known(context.clock, partial(context.ledger.tournament, name))
        names = await until_known(context.clock, partial(context.ledger.account_names, row.players))
        return row, names

    async def _start(self, row: TournamentRow) -> None:
        context, terms = self._context, self._settings.terms
        name = row.opening.tournament
        if len(row.players) != terms.seats:
            raise NotFull(f"{name} has {len(row.players)} of {terms.seats} players")
        full = Tournament(terms=terms, registered=row.players)
        started, _ = rules.start(full, context.random_bytes(DRAW_BYTES))
        drawn = [player.account for player in started.players]
        start = partial(context.ledger.start_tournament, name, context.epoch, drawn, terms.starting_stack)
        await until_known(context.clock, start)
        self._log.info("tournament.started", players=len(drawn))

    def _not_known(self, failure: Failure) -> None:
        """Handle a refused start: it has started elsewhere, or cannot start. Any other failure is a defect."""
        if isinstance(failure.value, NotOwner):
            self._table.lost_ownership()
        elif isinstance(failure.value, RegistrationClosed | NotFull):
            self._log.info("tournament.not_started", reason=failure.value.code)
            self._over()
        else:
            failure.raiseException()
