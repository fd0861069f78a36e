"""What the operator sees of the tables of a room and may ask of them. Knows no port and no HTTP."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import Ledger
from pokerroom.lobby.lobby import Lobby
from pokerroom.lobby.timeouts import TimeoutDay
from pokerroom.ops.operator import timeout_counts
from pokerroom.ops.reports import AccountTimeouts, TableReport
from pokerroom.table.actor import Table


class OperatedTables:
    """Keeps `ops.operator.Operated` for the tables of a lobby."""

    def __init__(self, lobby: Lobby, ledger: Ledger, day: TimeoutDay) -> None:
        self._lobby = lobby
        self._ledger = ledger
        self._day = day

    def tables(self) -> list[TableReport]:
        """See `Operated.tables`."""
        return [_report(table) for table in self._lobby]

    def close(self, table: str) -> bool:
        """See `Operated.close`."""
        found = self._lobby.table(table)
        if found is not None:
            found.close()
        return found is not None

    def open(self, table: str) -> bool:
        """See `Operated.open`."""
        found = self._lobby.table(table)
        if found is not None:
            found.reopen()
        return found is not None

    def timeouts(self) -> Deferred[list[AccountTimeouts]]:
        """See `Operated.timeouts`."""
        return timeout_counts(self._ledger, self._day.all())


def _report(table: Table) -> TableReport:
    seats = list(table.chairs.seats)
    return TableReport(
        table=table.settings.table,
        name=table.settings.name,
        state=table.state_name,
        closing=table.chairs.closing,
        hand_id=table.hand_id(),
        seats=table.settings.seats_max,
        occupied=len(seats),
        connected=sum(seat.connected for seat in seats),
        waiting=table.world.seating.waiting(table.settings.table),
        crashes=table.restarts.count,
        frozen=table.frozen_by,
    )
