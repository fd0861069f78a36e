"""Writes faults of tables to the operators' log, where webhooks find them. Knows no table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import structlog

from pokerroom.bridge import as_deferred
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.operator_log import THE_ROOM, LoggedAct, OperatorLog, legible

LOOK_S: Final = 15.0
"""Seconds between two looks."""

_log = structlog.get_logger()


class FaultLog:
    """`faults` returns how many faults each table of this node has had, and whether it is frozen now."""

    def __init__(self, log: OperatorLog, faults: Callable[[], Mapping[str, tuple[int, bool]]]) -> None:
        self._operator_log = log
        self._faults = faults
        self._told: dict[str, int] = {}

    @as_deferred
    async def run(self) -> None:
        """Write a line for each table with new faults. A fault of the ledger is logged; the next look tells them."""
        found = self._faults()
        self._told = {table: count for table, count in self._told.items() if table in found}
        for table, (count, is_frozen) in found.items():
            new = count - self._told.get(table, 0)
            if not new:
                continue
            line = LoggedAct(
                by=THE_ROOM,
                verb="table.fault",
                subject=legible(table),
                arguments={"faults": new, "frozen": is_frozen},
            )
            try:
                await self._operator_log.record_rarely(line)
            except LedgerUnavailable as unavailable:
                _log.info("table.fault_not_logged", table=table, reason=str(unavailable))
                return
            self._told[table] = count
