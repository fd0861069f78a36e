"""The tournaments that run, as tables of the room: known at every node while they go on, and forgotten after it.

The settings of a room's tables are one mapping, which everybody looks into; this module adds to it what the ledger says
is running, or is about to, and takes away what is not any more. Where a tournament lives it does not know: that is
settled as for any table.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Final

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.tournaments import TournamentLedger
from pokerroom.table.api import ActorSettings
from pokerroom.tournament.often import Often, fault
from pokerroom.tournament.settings import tournament_settings

LOOK_S: Final = 1.0
"""[D] So often each node asks what runs: more often than an owner lets go of a table that is over."""

STARTING_S: Final = 10.0
"""What is full is known for so long without running: it is about to be started, or somebody has left it."""

_log = structlog.get_logger()


class Running:
    """See the module; `settings` is the room's mapping.

    `lives(name)` says whether a table has an owner, `news` is called when there are others than before, and
    `over(name)` when nobody has a table any more that is over.
    """

    def __init__(
        self,
        *,
        ledger: TournamentLedger,
        clock: IReactorTime,
        settings: MutableMapping[str, ActorSettings],
        here: Callable[[str], bool],
        lives: Callable[[str], bool],
        news: Callable[[], None],
        over: Callable[[str], None],
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._here = here
        self._lives = lives
        self._news = news
        self._over = over
        self._known: set[str] = set()
        """Those of the settings that are tournaments."""
        self._starting: dict[str, float] = {}
        self._leaving: set[str] = set()
        """Over, but somebody may still say his last words."""
        self._ownerless: set[str] = set()
        """Over, and its owner has not given the table up, but lives no more; as of the last look."""
        self._looking = Often(clock, LOOK_S, self.look)

    async def first(self) -> None:
        """What runs already. Raises `LedgerUnavailable`."""
        for name in await self._ledger.running_tournaments():
            await self._add(name)

    def start(self) -> None:
        """Looks from now on."""
        self._looking.start()

    def stop(self) -> None:
        """Looks no more."""
        self._looking.stop()

    def full(self, tournament: str, then: Callable[[], None] = lambda: None) -> None:
        """It can start, at whichever node takes its table; `then` is called once it is known as a table."""
        starts = self._starting.setdefault(tournament, self._clock.seconds())
        if tournament in self._settings or self._clock.seconds() - starts > STARTING_S:
            return

        async def add() -> None:
            try:
                await self._add(tournament)
            except LedgerUnavailable:
                return  # it is full at the next look, too
            then()
            self._news()

        Deferred.fromCoroutine(add()).addErrback(fault)

    def started(self, tournament: str, then: Callable[[], None]) -> None:
        """It has started somewhere; `then` is called once it is known as a table here, too, or cannot be known yet."""

        async def known() -> None:
            if tournament not in self._settings:
                try:
                    await self._add(tournament)
                except LedgerUnavailable:
                    pass  # a look will find it
                else:
                    self._news()
            then()

        Deferred.fromCoroutine(known()).addErrback(fault)

    def ended(self, tournament: str) -> None:
        """Its table was given up here, as nothing will be played there any more."""
        self._starting.pop(tournament, None)
        self._forget(tournament)
        self._leaving.discard(tournament)
        self._over(tournament)

    def look(self) -> Deferred[None]:
        """One look at what runs."""
        return Deferred.fromCoroutine(self._look())

    # --- inside ---------------------------------------------------------------------------------------------------

    async def _look(self) -> None:
        asked_at, known = self._clock.seconds(), frozenset(self._known)
        try:
            running = set(await self._ledger.running_tournaments()) | await self._untold()
            new = sorted(name for name in running if name not in self._settings)
            for name in new:
                await self._add(name)
        except LedgerUnavailable:
            return  # what is known stays known
        for name in running:
            self._starting.pop(name, None)
        for name, since in list(self._starting.items()):
            if asked_at - since > STARTING_S:
                del self._starting[name]
        for name in sorted(self._known & known - running - self._starting.keys()):
            if not self._here(name):
                self._forget(name)
        for name in sorted(name for name in self._leaving - self._ownerless if not self._lives(name)):
            self._leaving.discard(name)
            self._over(name)
        if new:
            self._news()

    async def _untold(self) -> set[str]:
        """What has ended while its owner died: somebody must show that to who watches. It was so a look ago, too."""
        untold = {name for name in await self._ledger.tournaments_to_show() if not self._lives(name)}
        before, self._ownerless = self._ownerless, untold
        return untold & before

    async def _add(self, tournament: str) -> None:
        row = await self._ledger.tournament(tournament)
        if tournament not in self._settings:
            self._settings[tournament] = tournament_settings(row.opening)
            self._known.add(tournament)
            self._leaving.discard(tournament)

    def _forget(self, tournament: str) -> None:
        """No table of the room any more, so that nobody takes it."""
        if tournament in self._known:
            self._known.discard(tournament)
            del self._settings[tournament]
            self._leaving.add(tournament)
