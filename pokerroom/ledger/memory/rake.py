"""Reports of the rake in memory: see `RakeLedger`."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime

from pokerroom.chips import Money
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.statistics import MemoryStatistics
from pokerroom.ledger.rake import RakeRow


class MemoryRake(MemoryStatistics):
    """A `RakeLedger`."""

    @fired
    def rake_by_day(self, since_ms: int, until_ms: int) -> list[RakeRow]:
        found: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for hand in self._hands.values():
            if hand.rake and since_ms <= hand.ended_ms < until_ms:
                day = datetime.fromtimestamp(hand.ended_ms / 1000, UTC)
                found[f"{day:%Y-%m-%d}", hand.table].append(hand.rake)
        return [
            RakeRow(day=day, table=table, hands=len(rakes), rake=Money(sum(rakes)))
            for (day, table), rakes in sorted(found.items())
        ]
