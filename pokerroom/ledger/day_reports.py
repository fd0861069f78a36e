"""The contract for reports by day: what was played, and what the room has taken of whom, with the rules of `api`.

Sums of days are kept apart from what they are made of. The step that counts the statistics counts them, too, so what
was settled in the last minutes may not be in them yet. Days are of UTC: a hand and a round count on the day on which
they ended, an entry and a fee on the day on which they were booked.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerRefusal

LINES_MAX: Final = 1_000
"""[D] The longest part of a report: it is some milliseconds of the reactor."""

REPORT_S: Final = 8
"""[D] Seconds after which the database gives a report up."""

_BEGIN: Final = date(1970, 1, 1)
_DAY_MS: Final = 86_400_000


class ReportTooLong(LedgerRefusal):
    """The database did not finish a report within `REPORT_S`."""

    code = "report_too_long"


@dataclass(frozen=True, slots=True)
class ReportPeriod:
    """The first and the last day of a report, both included."""

    first: date
    last: date

    @property
    def days(self) -> tuple[int, int]:
        """Both days, since 1970."""
        return day_number(self.first), day_number(self.last)

    @property
    def since_ms(self) -> int:
        """The first moment, in Unix milliseconds."""
        return self.days[0] * _DAY_MS

    @property
    def until_ms(self) -> int:
        """The first moment after it."""
        return (self.days[1] + 1) * _DAY_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPart:
    """Which lines of a report: at most `limit` (up to `LINES_MAX`), after the first `skip`."""

    skip: int = 0
    limit: int = LINES_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityRow:
    """A day. `players` are the accounts that have played, without house bots; so are `new_accounts`.

    `entries` are those to tournaments, less those that were returned that day.
    """

    day: str
    players: int = 0
    new_accounts: int = 0
    hands: int = 0
    tournament_hands: int = 0
    rounds: int = 0
    entries: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerTakings:
    """What the room has taken of a player: its part of the rake of its hands, and the fees of its tournaments.

    What a roll back returned counts against the fees.
    """

    account: int
    name: str
    hands: int
    rake: Money
    entries: int
    fees: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentTakings:
    """The fees of a tournament with those of rebuys and add-ons, and its entries less those returned."""

    tournament: str
    entries: int
    fees: Money


def day_number(day: date) -> int:
    """Return the number of a day since 1970."""
    return (day - _BEGIN).days


def day_text(number: int) -> str:
    """Return a day since 1970 as `2026-11-30`."""
    return (_BEGIN + timedelta(days=number)).isoformat()


class DayReportLedger(Protocol):
    """The contract, in addition to that of `Ledger`. Each method may raise `ReportTooLong`."""

    def activity(self, period: ReportPeriod) -> Deferred[list[ActivityRow]]:
        """What was played on each day, the latest first; also days on which nothing was."""

    def player_takings(self, period: ReportPeriod, part: ReportPart) -> Deferred[list[PlayerTakings]]:
        """Whom the room has taken something of, or given back: the largest sum first, then by account."""

    def tournament_takings(self, period: ReportPeriod, part: ReportPart) -> Deferred[list[TournamentTakings]]:
        """The tournaments with entries or fees: the largest fees first, then by id."""
