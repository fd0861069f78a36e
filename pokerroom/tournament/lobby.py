"""The lobby of tournaments at one node: answers what a client asks of any tournament, wherever that is played.

Chips, places and seats are those of the ledger, the clock is that of the tournament's owner. A reading of the ledger is
shared by all clients that ask within a moment, so the cost is bounded by time and not by clients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.interfaces import IReactorTime

from pokerroom.ledger.tournaments import TournamentRow
from pokerroom.tournament.lobby_views import ranks_of, state_of, tables_of
from pokerroom.tournament.messages import TournamentStatus
from pokerroom_protocol import messages as wire

FRESH_S: Final = 1.0
"""[D] Seconds for which a reading of the ledger is reused, however many clients ask."""

KEPT_MAX: Final = 50
"""[D] The maximum number of tournaments of which a reading is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What the ledger said of one tournament, and the time."""

    at_s: float
    row: TournamentRow
    ranks: Mapping[int, wire.TournamentRank]
    tables: Sequence[wire.TournamentTable]


class TournamentLobby:
    """See the module. `found` reads a tournament (`RegistrationService.found`), `status` returns its clock."""

    def __init__(
        self,
        *,
        found: Callable[[str], Deferred[TournamentRow]],
        names: Callable[[Sequence[int]], Deferred[dict[int, str]]],
        clock: IReactorTime,
        status: Callable[[str], TournamentStatus | None],
    ) -> None:
        self._found = found
        self._names = names
        self._clock = clock
        self._status = status
        self._readings: dict[str, _Reading] = {}
        self._reads = DeferredLock()
        """One reading at a time: clients that ask for the same tournament wait for one answer."""

    async def answered(self, message: wire.TournamentMessage, account: int) -> wire.Answer:
        """Answer an account. Fails with `UnknownTournament`, `LedgerUnavailable`."""
        name = message.tournament
        reading: _Reading = await self._reads.run(lambda: Deferred.fromCoroutine(self._reading(name)))
        match message:
            case wire.GetTournament():
                return state_of(
                    reading.row,
                    reading.ranks,
                    reading.tables,
                    self._status(name),
                    account=account,
                    re=message.id,
                )
            case wire.GetTournamentRanks():
                ranks = list(reading.ranks.values())
                if message.name:
                    part = message.name.casefold()
                    ranks = [rank for rank in ranks if part in rank.name.casefold()]
                return wire.TournamentRanks(
                    re=message.id,
                    tournament=name,
                    total=len(ranks),
                    offset=message.offset,
                    ranks=ranks[message.offset : message.offset + message.count],
                )
            case wire.GetTournamentTables():
                return wire.TournamentTables(
                    re=message.id,
                    tournament=name,
                    total=len(reading.tables),
                    offset=message.offset,
                    tables=list(reading.tables[message.offset : message.offset + message.count]),
                )

    async def _reading(self, tournament: str) -> _Reading:
        known, now_s = self._readings.pop(tournament, None), self._clock.seconds()
        if known is None or now_s - known.at_s > FRESH_S:
            row = await self._found(tournament)
            names = await self._names(sorted({entry.account for entry in row.entries}))
            known = _Reading(at_s=now_s, row=row, ranks=ranks_of(row, names), tables=tables_of(row))
        self._readings[tournament] = known  # the last one that was asked for is the last one to go
        if len(self._readings) > KEPT_MAX:
            del self._readings[next(iter(self._readings))]
        return known
