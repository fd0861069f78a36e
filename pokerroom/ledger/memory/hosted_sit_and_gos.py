"""Sit-and-gos of hosts in memory: see `HostedSitAndGoLedger`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pokerroom.ledger.api import LedgerConflict
from pokerroom.ledger.clubs import ClubSitAndGo
from pokerroom.ledger.hosted_sit_and_gos import NotInvited, SitAndGoOrder
from pokerroom.ledger.hosted_tables import (
    HostedLimits,
    HostedTableRow,
    SeatNotAccepted,
    Terms,
    hosted_as,
    is_private,
)
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.operated_clubs import MemoryOperatedClubs
from pokerroom.ledger.memory.tournament_state import GOES_ON, MemoryTournament, unpaid
from pokerroom.ledger.tournaments import NotFull, Opening, RegistrationClosed
from pokerroom.ledger.transfers import escrow_code


class MemoryHostedSitAndGos(MemoryOperatedClubs):
    """A `HostedSitAndGoLedger`."""

    @fired
    def open_hosted_sit_and_go(
        self,
        host: int,
        opening: Opening,
        terms: Terms,
        code: str,
        limits: HostedLimits,
        *,
        club: str | None = None,
    ) -> HostedTableRow:
        table = hosted_as(opening.tournament)
        assert table is not None
        if opening.tournament in self._tournaments:
            raise LedgerConflict(f"tournament {opening.tournament} is there already")
        self._open_hosted_row(table, host, terms, code, limits, club=club)
        self._open_tournament(opening)
        self._found(opening.tournament).club = club
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

    def _check_takes_entries(self, tournament: str) -> None:
        found = self._found(tournament)
        if found.phase != "registering":
            raise RegistrationClosed(f"tournament {tournament} is {found.phase}")
        self._check_not_starting(found)

    def _give_entry_back(self, tournament: str, account: int) -> None:
        entries = self._found(tournament).active()
        number = next((entry.number for entry in entries if entry.account == account), None)
        if number is not None:
            self._return_entry(tournament, account, number)

    def _check_invited(self, found: MemoryTournament, account: int) -> None:
        tournament = found.opening.tournament
        if not is_private(tournament):
            return
        row = self._open_hosted().get(hosted_as(tournament) or "")
        if row is None or (account != row.host and account not in row.guests):
            raise NotInvited(f"account {account} is not invited to {tournament}")
        if (row.club, account) in self._leaving:
            raise SeatNotAccepted(f"account {account} leaves the club of {tournament}")

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

    # --- of a club ----------------------------------------------------------------------------------------------

    def _of_club(self, club: str) -> list[MemoryTournament]:
        return [found for found in self._tournaments.values() if found.club == club]

    def _club_sit_and_gos(self, club: str) -> Sequence[ClubSitAndGo]:
        going_on = {
            table: found
            for table, row in self._hosted.items()
            if row.tournament is not None
            and (found := self._found(row.tournament)).club == club
            and found.phase in GOES_ON
        }
        return [
            ClubSitAndGo(
                table=table,
                tournament=found.opening.tournament,
                name=str(self._hosted[table].terms["name"]),
                host_name=self._accounts[self._hosted[table].host].name,
                seats=found.opening.seats,
                players=len(found.active()),
                buy_in=found.opening.buy_in,
                runs=found.phase == "running",
            )
            for table, found in going_on.items()
        ]

    def _in_club_sit_and_go(self, club: str, account: int | None) -> bool:
        for found in self._of_club(club):
            entries = found.entries if account is None else found.entries_of(account)
            if found.phase in GOES_ON and any(not entry.returned for entry in entries):
                return True
            if any(account in {None, found.places[number].account} for number in unpaid(found)):
                return True
        return False

    def _sit_and_go_nets(self, club: str, since_ms: int) -> Counter[int]:
        nets: Counter[int] = Counter()
        for found in self._of_club(club):
            if not found.opening.buy_in:
                continue
            if found.phase in {"finished", "rolled_forward"} and (found.ended_s or 0) * 1000 >= since_ms:
                for given in found.places.values():
                    nets[given.account] += given.prize - found.paid_by(given.account)
        return nets

    def _held_in_escrows(self, club: str, sums: Mapping[str, int]) -> int:
        return sum(sums.get(escrow_code(found.opening.tournament), 0) for found in self._of_club(club))
