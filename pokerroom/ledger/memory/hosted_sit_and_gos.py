"""Sit-and-gos of hosts in memory: see `HostedSitAndGoLedger`."""

from __future__ import annotations

from dataclasses import replace

from pokerroom.ledger.api import LedgerConflict
from pokerroom.ledger.hosted_sit_and_gos import NotInvited, SitAndGoOrder
from pokerroom.ledger.hosted_tables import (
    HostedLimits,
    HostedTableRow,
    Terms,
    hosted_as,
    is_private,
)
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.operated_clubs import MemoryOperatedClubs
from pokerroom.ledger.memory.tournament_state import GOES_ON, MemoryTournament
from pokerroom.ledger.tournaments import NotFull, Opening, RegistrationClosed


class MemoryHostedSitAndGos(MemoryOperatedClubs):
    """A `HostedSitAndGoLedger`."""

    @fired
    def open_hosted_sit_and_go(
        self, host: int, opening: Opening, terms: Terms, code: str, limits: HostedLimits
    ) -> HostedTableRow:
        table = hosted_as(opening.tournament)
        assert table is not None
        if opening.tournament in self._tournaments:
            raise LedgerConflict(f"tournament {opening.tournament} is there already")
        self._open_hosted_row(table, host, terms, code, limits, club=None)
        self._open_tournament(opening)
        self._hosted[table].tournament = opening.tournament
        return self._hosted_table(table)

    @fired
    def change_hosted_sit_and_go(
        self, table: str, host: int, order: SitAndGoOrder, new_code: str
    ) -> HostedTableRow:
        row = self._of_host(table, host, sit_and_go=True)
        if order == "new_link":
            row.code, row.version = new_code, row.version + 1
            return self._hosted_table(table)
        found = self._found(row.tournament or "")
        if found.phase not in {"registering", "running"}:
            raise RegistrationClosed(f"tournament {row.tournament} is {found.phase}")
        if found.phase == "registering":
            if len(found.active()) < 2:
                raise NotFull(f"tournament {row.tournament} has {len(found.active())} players")
            self._begin(found)
        return self._hosted_table(table)

    def _check_invited(self, found: MemoryTournament, account: int) -> None:
        tournament = found.opening.tournament
        if not is_private(tournament):
            return
        row = self._open_hosted().get(hosted_as(tournament) or "")
        if row is None or (account != row.host and account not in row.guests):
            raise NotInvited(f"account {account} is not invited to {tournament}")

    def _has_entered(self, found: MemoryTournament) -> None:
        if is_private(found.opening.tournament) and len(found.active()) == found.opening.seats:
            self._begin(found)

    def _begin(self, found: MemoryTournament) -> None:
        """Let it start now, with those that have entered."""
        start = found.opening.scheduled
        assert start is not None
        now_ms = int(self._now_s() * 1000)
        start = replace(start, starts_ms=min(start.starts_ms, now_ms), players_min=2)
        found.opening = replace(found.opening, scheduled=start)

    def _fills_or_runs(self, tournament: str) -> bool:
        return self._found(tournament).phase in GOES_ON
