"""The contract for reports of the rake, with the rules of `api`. Settled hands say what was taken, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.ledger.day_reports import ReportPart

ALL_LINES: Final = ReportPart()


@dataclass(frozen=True, slots=True, kw_only=True)
class RakeRow:
    """The rake of one table on one day: of the hands that ended between two midnights of UTC."""

    day: str
    """As `2026-11-30`; empty for a sum over all days."""
    table: str
    hands: int
    """Hands that paid a rake; at least 1."""
    rake: Money
    """In the smallest unit."""


class RakeLedger(Protocol):
    """What the room has taken of the pots."""

    def rake_by_day(
        self,
        since_ms: int,
        until_ms: int,
        *,
        table: str | None = None,
        whole: bool = False,
        part: ReportPart = ALL_LINES,
    ) -> Deferred[list[RakeRow]]:
        """The rake of each day and table, in this order, of hands that ended at `since_ms` or later, before `until_ms`.

        Both are in Unix milliseconds. Days and tables without rake are left out. `whole`: one row for each table, with
        the sum of all days. Raises `ReportTooLong`.
        """
