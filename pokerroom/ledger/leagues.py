"""The contract for leagues, with the rules of `api`: what players have reached in tournaments of some offers.

A league owns nothing and stores nothing: its table follows from the places of tournaments that have ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from twisted.internet.defer import Deferred

LeagueScore = Literal["points", "net", "prizes"]
"""What a tournament counts: points (clause L17), prizes and bounties without what was paid, or prizes and bounties."""

ROWS_MAX: Final = 10_000
"""[D] The best players of a league; others have no rank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueQuery:
    """Tournaments of these offers count that ended from `from_ms` on and before `until_ms`, Unix milliseconds.

    Of each player the `best` highest scores count; 0: all.
    """

    offers: Sequence[str]
    from_ms: int
    until_ms: int
    score: LeagueScore
    best: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueRow:
    """A player of a league. `score` is in 1/100 point, or in the smallest unit.

    `counted` of the `played` tournaments are in the score, `wins` are first places; the score was reached at
    `reached_ms`.
    """

    account: int
    name: str
    score: int
    played: int
    counted: int
    wins: int
    reached_ms: int


class LeagueLedger(Protocol):
    """The contract, in addition to that of `Ledger`."""

    def league_rows(self, query: LeagueQuery) -> Deferred[Sequence[LeagueRow]]:
        """The players, at most `ROWS_MAX`: the highest score first, then more wins, then the earlier time."""
