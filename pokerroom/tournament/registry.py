"""The registry of running tournaments and their tables: known at every node while they run, then forgotten.

The settings of the room's tables are one shared mapping. This module adds the tournaments that run, or are about to, as
the ledger says, with the tables of those that run, and removes those that are over. It does not decide which node owns
a tournament: ownership does, as for any table.
"""

from __future__ import annotations

from collections.abc import Callable, Container, MutableMapping, Sequence
from functools import partial
from typing import Final, TypeAlias

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from pokerroom.bridge import as_deferred
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.tournaments import TournamentLedger, owned_as, tournament_at, tournament_owned_as
from pokerroom.ops.periodic_task import PeriodicTask, log_fault
from pokerroom.table.api import ActorSettings
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.tournament.settings import TournamentActorSettings, tournament_settings
from pokerroom_protocol import messages as wire

LOOK_S: Final = 1.0
"""[D] Seconds between two readings of the ledger: shorter than an owner keeps a table that is over."""

STARTING_S: Final = 10.0
"""Seconds for which a full tournament stays known without running: it is about to start, or an account has left it."""

Deliver: TypeAlias = Callable[[int, Outgoing | Bundle], None]
"""Sends a message to an account that may be connected to this node."""

_log = structlog.get_logger()


class TournamentRegistry:
    """Keeps tournaments and their tables in `settings`, the room's mapping.

    `here` contains those of this node, `owned` those that have an owner. `claim(name)` takes a new one for this node,
    `news` is called when the mapping has changed, and `over(name)` when a table that is over has no owner left.
    """

    def __init__(
        self,
        *,
        ledger: TournamentLedger,
        clock: IReactorTime,
        settings: MutableMapping[str, ActorSettings],
        here: Container[str],
        owned: Container[str],
        claim: Callable[[str], None],
        news: Callable[[], None],
        over: Callable[[str], None],
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._here = here
        self._owned = owned
        self._claim = claim
        self._news = news
        self._over = over
        self._known: set[str] = set()
        """The ids among the settings that are of tournaments: their tables' and their own."""
        self._starting: dict[str, float] = {}
        self._leaving: set[str] = set()
        """Ids of tournaments that are over, while their owner may still send last messages."""
        self._ownerless: set[str] = set()
        """Tournaments that are over, with an owner that died before it gave the table up, as of the last look."""
        self._looking = PeriodicTask(clock, LOOK_S, self.look)

    async def first(self) -> None:
        """Read the running tournaments once. Raises `LedgerUnavailable`."""
        for name in dict.fromkeys(map(tournament_at, await self._ledger.running_tables())):
            await self._add(name, runs=True)

    def start(self) -> None:
        """Start the periodic look."""
        self._looking.start()

    def stop(self) -> None:
        """Stop the periodic look."""
        self._looking.stop()

    def full(self, tournament: str) -> None:
        """Start a tournament that is full: this node claims it, unless another node is faster."""
        starts = self._starting.setdefault(tournament, self._clock.seconds())
        if owned_as(tournament) in self._settings or self._clock.seconds() - starts > STARTING_S:
            return

        async def add() -> None:
            try:
                await self._add(tournament, runs=False)
            except LedgerUnavailable:
                return  # the next look finds it full, too
            self._claim(owned_as(tournament))
            self._news()

        Deferred.fromCoroutine(add()).addErrback(log_fault)

    def opened(self, tournament: str, tables: Sequence[int]) -> None:
        """Open tables of a tournament that this node owns, and that runs: this node claims those that are new."""
        self._clock.callLater(0, self._open, tournament, tables)  # the node is about to own the tournament

    def _open(self, tournament: str, tables: Sequence[int]) -> None:
        settings = self._settings.get(owned_as(tournament))
        if not isinstance(settings, TournamentActorSettings):
            return
        found = [settings.of.table_numbered(number) for number in tables]
        new = [table for table in found if table.table not in self._settings]
        for table in new:
            self._enter(table)
            self._claim(table.table)
        if new:
            self._news()

    def delivering(self, deliver: Deliver) -> Deliver:
        """Return a `deliver` that holds a tournament's start, or a move, back until its tables are known here."""

        def deliver_when_known(account: int, outgoing: Outgoing | Bundle) -> None:
            for part in outgoing.parts:
                send = partial(deliver, account, part)
                if isinstance(part.message, wire.SngStarted | wire.TournamentMoved):
                    self._when_known(part.message.tournament, send)
                else:
                    send()

        return deliver_when_known

    def _when_known(self, tournament: str, then: Callable[[], None]) -> None:

        async def known() -> None:
            if tournament not in self._settings:
                try:
                    await self._add(tournament, runs=True)
                except LedgerUnavailable:
                    pass  # a look finds it
                else:
                    self._news()
            then()

        Deferred.fromCoroutine(known()).addErrback(log_fault)

    def ended(self, name: str) -> None:
        """Forget a tournament that has ended, or a table of it, once it was given up here."""
        self._starting.pop(tournament_owned_as(name) or name, None)
        self._forget(name)
        self._leaving.discard(name)
        self._over(name)

    @as_deferred
    async def look(self) -> None:
        """Read once which tournaments run."""
        asked_at, known = self._clock.seconds(), frozenset(self._known)
        try:
            running = set(await self._ledger.running_tables()) | await self._unannounced()
            new = sorted({tournament_at(name) for name in running if name not in self._settings})
            for name in new:
                await self._add(name, runs=True)
        except LedgerUnavailable:
            return  # the known tournaments stay
        for name in running:
            self._starting.pop(name, None)
        for name, since in list(self._starting.items()):
            if asked_at - since > STARTING_S:
                del self._starting[name]
        stay = running | self._starting.keys()
        stay |= {owned_as(tournament_at(name)) for name in stay}
        for name in sorted(self._known & known - stay):
            if name not in self._here:
                self._forget(name)
        for name in sorted(name for name in self._leaving - self._ownerless if name not in self._owned):
            self._leaving.discard(name)
            self._over(name)
        if new:
            self._news()

    # --- inside ---------------------------------------------------------------------------------------------------

    async def _unannounced(self) -> set[str]:
        """Return tournaments that ended while their owner died, at two looks in a row: a node must show the end to
        viewers.
        """
        untold = {name for name in await self._ledger.tournaments_to_show() if name not in self._owned}
        before, self._ownerless = self._ownerless, untold
        return untold & before

    async def _add(self, tournament: str, *, runs: bool) -> None:
        row = await self._ledger.tournament(tournament)
        table = tournament_settings(row.opening)
        if row.phase in {"registering", "running"}:
            self._enter(TournamentActorSettings(of=table))
        if runs:
            numbers = [one.number for one in row.tables if not one.closed]
            for number in numbers:
                self._enter(table.table_numbered(number))

    def _enter(self, settings: ActorSettings) -> None:
        name = settings.table
        if name not in self._settings:
            self._settings[name] = settings
            self._known.add(name)
            self._leaving.discard(name)

    def _forget(self, name: str) -> None:
        """Remove a table or a tournament from the room, so that no node takes it."""
        if name in self._known:
            self._known.discard(name)
            del self._settings[name]
            self._leaving.add(name)
