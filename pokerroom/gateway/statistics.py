"""Answers what an account asks about statistics: its own, or those of another player in hands with the account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final, Protocol, cast

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import AccountRow
from pokerroom.ledger.statistics import (
    COUNTED,
    DayResult,
    Months,
    StakeStatistics,
    StatisticsLedger,
)
from pokerroom_protocol import messages as wire

POINTS_MAX: Final = 400
"""Points of a graph."""

_SUM_MAX: Final = 2**53 - 1
"""A message has no larger sum. Results in chips of a club, which cost nothing, can add up to more."""


class StatisticsSource(StatisticsLedger, Protocol):
    """The part of the ledger that is asked here."""

    def find_account(self, name: str) -> Deferred[AccountRow | None]:
        """See `Ledger.find_account`."""


async def statistics(
    ledger: StatisticsSource, message: wire.GetStatistics | wire.GetOpponents, account: int
) -> wire.Statistics | wire.Opponents:
    """Return the answer. A player that the account has never met has no statistics, nor has a name of no player."""
    if isinstance(message, wire.GetOpponents):
        rows = await ledger.opponents(account, message.players, message.game)
        return wire.Opponents(re=message.id, opponents=[wire.OpponentView(**asdict(row)) for row in rows])
    always = Months()
    months = Months(message.first_month or always.first, message.last_month or always.last)
    if message.player is not None:
        found = await ledger.find_account(message.player)
        if found is None or found.account != account:
            seen = [] if found is None else await ledger.player_statistics(account, found.account, months)
            return wire.Statistics(re=message.id, stakes=_stakes(seen), points=[], tournaments=[])
    return wire.Statistics(
        re=message.id,
        stakes=_stakes(await ledger.player_statistics(account, account, months)),
        points=points_of(await ledger.daily_results(account, months)),
        tournaments=[
            wire.TournamentStatisticsView(
                buy_in=each.buy_in,
                entries=each.entries,
                in_the_money=each.in_the_money,
                returned=each.returned,
            )
            for each in await ledger.tournament_statistics(account, months)
        ],
    )


def points_of(days: Sequence[tuple[int, DayResult]]) -> list[wire.ResultPoint]:
    """Return the results by day; several days are one point where there are too many."""
    together = -(-len(days) // POINTS_MAX) or 1
    points = []
    for begin in range(0, len(days), together):
        part = days[begin : begin + together]
        total = DayResult()
        for _, result in part:
            total.add(result)
        points.append(
            wire.ResultPoint(
                day=part[-1][0], hands=total.hands, won=_told(total.won), expected=_told(total.expected)
            )
        )
    return points


def _stakes(found: Sequence[StakeStatistics]) -> list[wire.StakeStatisticsView]:
    return [
        wire.StakeStatisticsView(
            game=cast("Any", each.stake.game),
            structure=cast("Any", each.stake.structure),
            chips=each.stake.in_chips,
            small_blind=each.stake.small_blind,
            big_blind=each.stake.big_blind,
            position=cast("Any", each.position),
            won_squared=str(each.counters.won_squared),
            **{name: _told(getattr(each.counters, name)) for name in COUNTED if name != "won_squared"},
        )
        for each in found
    ]


def _told(value: int) -> int:
    """Return a sum as a message has it: one beyond what it can tell is the largest, or the smallest."""
    return max(-_SUM_MAX, min(_SUM_MAX, value))
