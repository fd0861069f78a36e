"""Tournaments in memory that start at a time: see `TournamentLedger`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict
from pokerroom.ledger.hosted_tables import is_private
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.tournament_state import GOES_ON, MemoryTournament, adds_up
from pokerroom.ledger.memory.tournaments import MemoryTournaments
from pokerroom.ledger.tournament_entries import table_and_seat
from pokerroom.ledger.tournaments import LateSeat, NotRunning, OtherEntries, TournamentRow, owned_as
from pokerroom.ledger.transfers import escrow_code, overlay_key, whole


class MemoryScheduledTournaments(MemoryTournaments):
    """The part of `TournamentLedger` that only such tournaments need."""

    @fired
    def scheduled_tournaments(self, ended_since_ms: int) -> list[TournamentRow]:
        return self._scheduled(
            lambda t: (
                not is_private(t.opening.tournament)
                and (t.phase in GOES_ON or (t.ended_s is not None and t.ended_s * 1000 >= ended_since_ms))
            )
        )

    @fired
    def due_tournaments(self, until_ms: int) -> list[TournamentRow]:
        return [
            row
            for row in self._scheduled(lambda t: t.phase == "registering")
            if row.opening.scheduled is not None and row.opening.scheduled.starts_ms <= until_ms
        ]

    @fired
    def opened_starts(self, offer: str, since_ms: int) -> list[int]:
        rows = self._scheduled(lambda t: t.opening.offer == offer)
        starts = [row.opening.scheduled.starts_ms for row in rows if row.opening.scheduled is not None]
        return [start for start in starts if start >= since_ms]

    def _scheduled(self, wanted: Callable[[MemoryTournament], bool]) -> list[TournamentRow]:
        found = [
            (one.opening.scheduled.starts_ms, name, one)
            for name, one in self._tournaments.items()
            if one.opening.scheduled is not None and wanted(one)
        ]
        return [one.row() for _, _, one in sorted(found, key=lambda item: item[:2])]

    @fired
    def unseated_entries(self, tournament: str) -> list[tuple[int, int]]:
        found = self._found(tournament)
        running = found.phase == "running"
        return [(entry.account, entry.number) for entry in found.active() if running and entry.seat is None]

    @fired
    def seat_entries(self, tournament: str, epoch: int, seats: Sequence[LateSeat]) -> None:
        found = self._found(tournament)
        entries = {(entry.account, entry.number): entry for entry in found.active()}
        named = [entries.get((one.account, one.number)) for one in seats]
        if all(entry is not None and entry.seat is not None for entry in named):
            return
        if found.phase != "running":
            raise NotRunning(f"{tournament} is {found.phase}")
        self._check_owner(owned_as(tournament), epoch)
        taken = [entry.seat for entry in found.playing().values()] + [one.seat for one in seats]
        if (
            any(entry is None or entry.seat is not None for entry in named)
            or len(set(taken)) != len(taken)
            or any(table_and_seat(one.seat)[0] in found.closed for one in seats)
        ):
            raise LedgerConflict(f"a late seat of {tournament} is taken, or of no late entry")
        for one in seats:
            entry = entries[one.account, one.number]
            entry.seat, entry.chips, entry.chips_before = one.seat, found.stack, found.stack
            found.hands.setdefault(table_and_seat(one.seat)[0], 0)

    @fired
    def close_entries(self, tournament: str, epoch: int, entries: int, prizes: Sequence[Money]) -> None:
        found = self._found(tournament)
        if found.fixed_prizes and found.fixed_prizes == tuple(prizes):
            return
        if found.phase != "running":
            raise NotRunning(f"{tournament} is {found.phase}")
        self._check_owner(owned_as(tournament), epoch)
        scheduled = found.opening.scheduled
        if scheduled is None or found.fixed_prizes:
            raise LedgerConflict(f"the entries of {tournament} were closed with other prizes")
        if (
            entries != len(found.bought())
            or any(entry.seat is None for entry in found.active())
            or not all(one.given for one in found.purchases)
        ):
            raise OtherEntries(f"{tournament} has other entries than {entries} with seats and chips")
        lacking = sum(prizes) - found.parts()
        if not adds_up(found, prizes) or not 1 <= len(prizes) <= len(found.active()):
            raise LedgerConflict(f"the prizes of {tournament} are not its pool")
        if lacking:
            self._check_bank(lacking)
            legs = whole([("bank", -lacking), (escrow_code(tournament), lacking)])
            self._write(overlay_key(tournament), "overlay", legs)
        found.fixed_prizes = tuple(prizes)
