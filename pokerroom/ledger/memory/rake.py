"""Reports of the rake in memory: see `RakeLedger`."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime

from pokerroom.chips import Money
from pokerroom.ledger.day_reports import ReportPart
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.day_reports import MemoryDayReports
from pokerroom.ledger.rake import ALL_LINES, RakeRow


class MemoryRake(MemoryDayReports):
    """A `RakeLedger`."""

    @fired
    def rake_by_day(
        self,
        since_ms: int,
        until_ms: int,
        *,
        table: str | None = None,
        whole: bool = False,
        part: ReportPart = ALL_LINES,
    ) -> list[RakeRow]:
        found: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for hand in self._hands.values():
            if hand.rake and since_ms <= hand.ended_ms < until_ms and table in {None, hand.table}:
                day = "" if whole else f"{datetime.fromtimestamp(hand.ended_ms / 1000, UTC):%Y-%m-%d}"
                found[day, hand.table].append(hand.rake)
        return [
            RakeRow(day=day, table=at, hands=len(rakes), rake=Money(sum(rakes)))
            for (day, at), rakes in sorted(found.items())
        ][part.skip : part.skip + part.limit]
