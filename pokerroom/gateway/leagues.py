"""Answers what accounts ask about leagues: the tables of players over many tournaments.

A table is read from the ledger when a client asks for it; all that ask within some seconds share one reading. House
bots are left out: a league is for people.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from twisted.internet.interfaces import IReactorTime

from pokerroom.bridge import as_deferred
from pokerroom.gateway.account_service import AccountRefused
from pokerroom.ledger.leagues import LeagueLedger, LeagueQuery, LeagueRow
from pokerroom.ledger.shared_reads import SharedReads
from pokerroom.ops.config_league import LeagueConfig
from pokerroom.table.house_bots import is_house_bot
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

FRESH_S: Final = 10.0
"""[D] Seconds for which a table is reused, however many clients ask."""

CLOSED_S: Final = 3_600.0
"""[D] The same for a period that is over: no tournament ends in it any more."""

LATE_MS: Final = 60_000
"""A tournament that ended in a period is in the ledger by then."""

KEPT_MAX: Final = 20
"""[D] The maximum number of tables that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    at_s: float
    ranks: Sequence[wire.LeagueRank]
    places: dict[int, int]
    """By account: the number of its rank in `ranks`."""


class LeagueService:
    """See the module. `now_ms` is the wall clock; `clock` says how old a reading is."""

    def __init__(
        self,
        *,
        leagues: Sequence[LeagueConfig],
        ledger: LeagueLedger,
        clock: IReactorTime,
        now_ms: Callable[[], int],
    ) -> None:
        self._leagues = {league.id: league for league in leagues}
        self._ledger = ledger
        self._clock = clock
        self._now_ms = now_ms
        self._tables: dict[str, _Table] = {}
        self._readings = SharedReads(self._read)

    @property
    def features(self) -> list[str]:
        """What this room takes of the features about leagues."""
        return ["leagues"] if self._leagues else []

    async def answered(self, message: wire.LeagueMessage, account: int) -> wire.Answer:
        """Answer an account. Fails with `AccountRefused`, `LedgerUnavailable`."""
        match message:
            case wire.GetLeagues():
                return wire.Leagues(re=message.id, leagues=[_line(one) for one in self._leagues.values()])
            case wire.GetLeague():
                return await self._league(message, account)

    async def _league(self, message: wire.GetLeague, account: int) -> wire.League:
        league = self._leagues.get(message.league)
        if league is None:
            raise AccountRefused(Code.UNKNOWN_LEAGUE)
        try:
            from_ms, until_ms = league.period(self._now_ms(), message.back)
        except ValueError:
            raise AccountRefused(
                Code.BAD_MESSAGE, detail="back should not lead to a time before 1970", path="$.back"
            ) from None
        table: _Table = await self._readings.ask(f"{league.id} {from_ms} {until_ms}")
        own = table.places.get(account)
        offset = message.offset
        if message.around_you and own is not None:
            offset = max(0, own - message.count // 2)
        has_periods = league.span != "ever"
        return wire.League(
            re=message.id,
            league=_line(league),
            from_ms=from_ms if has_periods else None,
            until_ms=until_ms if has_periods else None,
            total=len(table.ranks),
            offset=offset,
            ranks=list(table.ranks[offset : offset + message.count]),
            you=None if own is None else table.ranks[own],
        )

    @as_deferred
    async def _read(self, key: str) -> _Table:
        known, now_s = self._tables.pop(key, None), self._clock.seconds()
        name, from_ms, until_ms = key.split()
        is_over = self._now_ms() > int(until_ms) + LATE_MS
        if known is None or now_s - known.at_s > (CLOSED_S if is_over else FRESH_S):
            league = self._leagues[name]
            rows = await self._ledger.league_rows(
                LeagueQuery(
                    offers=league.offers,
                    from_ms=int(from_ms),
                    until_ms=int(until_ms),
                    score=league.score,
                    best=league.best,
                )
            )
            players = [row for row in rows if not is_house_bot(row.name)]
            known = _Table(
                at_s=now_s,
                ranks=_ranks(players),
                places={row.account: number for number, row in enumerate(players)},
            )
        self._tables[key] = known  # the last one that was asked for is the last one to go
        if len(self._tables) > KEPT_MAX:
            del self._tables[next(iter(self._tables))]
        return known


def _line(league: LeagueConfig) -> wire.LeagueLine:
    return wire.LeagueLine(
        league=league.id,
        name=league.name,
        offers=list(league.offers),
        period=league.span,
        score=league.score,
        best=league.best,
    )


def _ranks(rows: Sequence[LeagueRow]) -> list[wire.LeagueRank]:
    """Return the rank of each player. Those with the same score, wins and time share one."""
    ranks: list[wire.LeagueRank] = []
    before: tuple[int, int, int] | None = None
    for number, row in enumerate(rows, 1):
        reached = (row.score, row.wins, row.reached_ms)
        ranks.append(
            wire.LeagueRank(
                rank=ranks[-1].rank if reached == before else number,
                name=row.name,
                score=row.score,
                played=row.played,
                counted=row.counted,
                wins=row.wins,
            )
        )
        before = reached
    return ranks
