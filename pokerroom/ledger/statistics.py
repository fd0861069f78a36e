"""The contract for statistics of players, with the rules of `api`.

The ledger stores sums, and knows no poker: `pokerroom.history.statistics` says what is counted. Every settled hand and
every tournament that is over is counted once, in the order of the ledger's numbers. The sums and the number up to which
they count are written in one transaction, apart from the settlement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.account_history import SettledHand
from pokerroom.ledger.operator_log import Acting

BATCH: Final = 5_000
"""Hands that are counted in a transaction: some seconds. The more of them, the fewer rows of the database for each."""

PART: Final = 500
"""Hands that are read and counted at once in that transaction: records are larger than what is counted of them."""


STAKES_MAX: Final = 50
"""Statistics tell of at most so many stakes [D], those with the most hands. Hosts may change stakes for each hand."""

_BEGIN: Final = date(1970, 1, 1)


@dataclass(slots=True)
class Counters:
    """What is counted of a player's hands; `pokerroom/history/statistics/README.md` defines each field.

    Amounts are of cash hands: `won` in the smallest unit, `won_squared` the sum of its squares, and `expected` in
    thousandths of the smallest unit.
    """

    hands: int = 0
    vpip_chances: int = 0
    vpip: int = 0
    pfr: int = 0
    three_bet_chances: int = 0
    three_bets: int = 0
    fold_to_three_bet_chances: int = 0
    folds_to_three_bet: int = 0
    c_bet_chances: int = 0
    c_bets: int = 0
    fold_to_c_bet_chances: int = 0
    folds_to_c_bet: int = 0
    bets: int = 0
    calls: int = 0
    flops: int = 0
    showdowns: int = 0
    showdowns_won: int = 0
    all_ins: int = 0
    won: int = 0
    won_squared: int = 0
    expected: int = 0

    def add(self, other: Counters) -> None:
        """Add what another has counted."""
        for name in COUNTED:
            setattr(self, name, getattr(self, name) + getattr(other, name))


COUNTED: Final = tuple(one.name for one in fields(Counters))
"""The names of all counters."""


@dataclass(frozen=True, slots=True, order=True)
class Stake:
    """What a hand was played for. All hands of tournaments (`in_chips`) have the blinds 0."""

    game: str
    structure: str
    in_chips: bool
    small_blind: int
    big_blind: int


@dataclass(frozen=True, slots=True, order=True)
class PlayerKey:
    """What `account` has seen `seen` do in a position, in a month such as 202611. Both may be the same."""

    account: int
    seen: int
    month: int
    stake: Stake
    position: str


@dataclass(frozen=True, slots=True, order=True)
class DayKey:
    """The cash hands of an account on a day (since 1970, UTC)."""

    account: int
    day: int
    stake: Stake


@dataclass(slots=True)
class DayResult:
    """The results of a day's cash hands, in the units of `Counters`."""

    hands: int = 0
    won: int = 0
    expected: int = 0

    def add(self, other: DayResult) -> None:
        """Add what another has counted."""
        self.hands += other.hands
        self.won += other.won
        self.expected += other.expected


@dataclass(frozen=True, slots=True, order=True)
class PlayerDay:
    """An account on a day (since 1970, UTC)."""

    day: int
    account: int


@dataclass(slots=True)
class PlayedHands:
    """The hands of an account at cash tables and of tournaments, and its part of their rake, in the smallest unit."""

    hands: int = 0
    tournament_hands: int = 0
    rake: int = 0

    def add(self, other: PlayedHands) -> None:
        """Add what another has counted."""
        self.hands += other.hands
        self.tournament_hands += other.tournament_hands
        self.rake += other.rake


@dataclass(slots=True)
class HandTally:
    """What some hands count. `unread` are the numbers of hands that could not be read: they count nothing."""

    players: dict[PlayerKey, Counters] = field(default_factory=dict)
    days: dict[DayKey, DayResult] = field(default_factory=dict)
    unread: list[int] = field(default_factory=list)
    played: dict[PlayerDay, PlayedHands] = field(default_factory=dict)

    def add(self, other: HandTally) -> None:
        """Add what other hands count."""
        for key, counters in other.players.items():
            self.players.setdefault(key, Counters()).add(counters)
        for day, result in other.days.items():
            self.days.setdefault(day, DayResult()).add(result)
        for player_day, played in other.played.items():
            self.played.setdefault(player_day, PlayedHands()).add(played)
        self.unread += other.unread


@dataclass(frozen=True, slots=True)
class Counted:
    """What a step has counted: so many hands, up to this number of the ledger. `more`: hands are left.

    `unread` are the numbers of those that could not be read: a rebuild counts them, once a build can read them.
    """

    hands: int
    to: int
    more: bool
    unread: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Months:
    """A period: months such as 202611, the first and the last one."""

    first: int = 197001
    last: int = 999912

    @property
    def days(self) -> tuple[int, int]:
        """The first and the last day, since 1970."""
        year, month = divmod(self.last, 100)
        after = date(year + month // 12, month % 12 + 1, 1) if self.last < 999912 else date.max
        return (date(self.first // 100, self.first % 100, 1) - _BEGIN).days, (after - _BEGIN).days - 1


@dataclass(frozen=True, slots=True)
class StakeStatistics:
    """What was counted at a stake, and in a position."""

    stake: Stake
    position: str
    counters: Counters


@dataclass(frozen=True, slots=True)
class TournamentStatistics:
    """Tournaments of one buy-in (with the fee) that ended with all places given. `returned` are prizes and bounties.

    Each re-entry counts as one of the `entries`. `in_the_money` counts tournaments.
    """

    buy_in: Money
    entries: int
    in_the_money: int
    returned: Money


@dataclass(frozen=True, slots=True)
class OpponentRow:
    """What an account has seen a player do in one game, in short; see `Counters`."""

    player: str
    hands: int
    vpip_chances: int
    vpip: int
    pfr: int


class StatisticsLedger(Protocol):
    """The contract, in addition to that of `Ledger`."""

    def count_statistics(
        self, count: Callable[[Sequence[SettledHand]], HandTally], at_most: int = BATCH
    ) -> Deferred[Counted | None]:
        """Counts the next hands, and the tournaments that ended between them. None: another node is counting.

        What `DayReportLedger` tells of days is counted with them.

        `count` gets some hands at a time, maybe in a thread. If it raises, nothing is counted.
        """

    def reset_statistics(self, *, by: Acting) -> Deferred[None]:
        """Forgets all that was counted; it is then counted from the first hand on. A line of the operators' log."""

    def player_statistics(self, account: int, seen: int, months: Months) -> Deferred[list[StakeStatistics]]:
        """What the account has seen a player do, or itself, by stake and position; of at most `STAKES_MAX` stakes."""

    def opponents(self, account: int, players: Sequence[str], game: str) -> Deferred[Sequence[OpponentRow]]:
        """What the account has seen other players of these names do, ignoring case, of all stakes; by name."""

    def daily_results(self, account: int, months: Months) -> Deferred[list[tuple[int, DayResult]]]:
        """The results of the account's cash hands at all stakes, by day (since 1970, UTC), in the order of days."""

    def tournament_statistics(self, account: int, months: Months) -> Deferred[list[TournamentStatistics]]:
        """The tournaments of the account, from the smallest buy-in."""
