"""What operators do about clubs, in memory: see `OperatedClubLedger`."""

from __future__ import annotations

from collections.abc import Sequence

from pokerroom.chips import Money
from pokerroom.ledger.clubs import UnknownClub
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.clubs import MemoryClub, MemoryClubs
from pokerroom.ledger.operated_clubs import (
    ClubMove,
    ClubOverview,
    ClubQuery,
    OperatedClub,
    OperatedMember,
    club_subject,
)
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.transfers import chips_code, club_code, club_key, name_key


class MemoryOperatedClubs(MemoryClubs):
    """An `OperatedClubLedger`."""

    @fired
    def find_clubs(self, query: ClubQuery) -> Sequence[ClubOverview]:
        player = None if query.player is None else name_key(query.player)
        rows = [
            self._club_overview(club)
            for club, row in reversed(self._clubs.items())
            if (query.search == club or query.search.lower() in row.name.lower())
            and (player is None or player in {name_key(self._accounts[one].name) for one in row.members})
        ]
        return [row for row in rows if query.before is None or row.number < query.before][: query.limit]

    @fired
    def operated_club(self, club: str) -> OperatedClub:
        return self._operated_club(club)

    @fired
    def club_moves(self, club: str, before: int | None, limit: int) -> Sequence[ClubMove]:
        if club not in self._clubs:
            raise UnknownClub(f"there is no club {club}")
        rows = [
            ClubMove(
                number=self._numbers[key],
                at_ms=int(self._booked_s[key] * 1000),
                name=self._accounts[account].name,
                amount=amount,
                by=self._accounts[by].name,
            )
            for key, (account, amount, by) in (
                (club_key(club, key), move) for key, move in self._clubs[club].moves.items()
            )
        ]
        found = [row for row in rows if before is None or row.number < before]
        return sorted(found, key=lambda row: -row.number)[:limit]

    @fired
    def rename_club(self, club: str, name: str, *, by: Acting) -> OperatedClub:
        row = self._open_club(club)
        if name != row.name:
            self._log(by, "club.rename", club_subject(club), **{"from": row.name, "to": name})
            row.name = name
        return self._operated_club(club)

    @fired
    def end_club_invitation(self, club: str, *, by: Acting) -> OperatedClub:
        row = self._open_club(club)
        if row.code is not None:
            row.code = row.until_s = None
            self._log(by, "club.end_invitation", club_subject(club))
        return self._operated_club(club)

    @fired
    def set_club_owner(self, club: str, name: str, *, by: Acting) -> OperatedClub:
        row = self._open_club(club)
        member = self._member_named(club, name)
        if row.members[member] != "owner":
            self._limits.check_not_locked(member)
            before = next(account for account, role in row.members.items() if role == "owner")
            self._set_role(club, before, "manager")
            self._leaving.discard((club, member))
            self._set_role(club, member, "owner")
            names = {"from": self._accounts[before].name, "to": self._accounts[member].name}
            self._log(by, "club.set_owner", club_subject(club), **names)
        return self._operated_club(club)

    @fired
    def close_club_by_order(self, club: str, *, by: Acting) -> OperatedClub:
        row = self._open_club(club)
        self._check_not_played(club)
        self._log(by, "club.close", club_subject(club), members=len(row.members))
        self._end_club(club, None)
        return self._operated_club(club)

    def _open_club(self, club: str) -> MemoryClub:
        row = self._clubs.get(club)
        if row is None or row.closed_s is not None:
            raise UnknownClub(f"there is no club {club}")
        return row

    def _operated_club(self, club: str) -> OperatedClub:
        overview = self._club_overview(club)
        row = self._clubs[club]
        return OperatedClub(
            overview=overview,
            invites=row.code is not None,
            code_until_ms=None if row.until_s is None else round(row.until_s * 1000),
            members=[
                OperatedMember(
                    name=self._accounts[account].name,
                    role=role,
                    balance=Money(self._balances[chips_code(club, account)]),
                    leaving=(club, account) in self._leaving,
                )
                for account, role in sorted(row.members.items())
            ],
            tables=[self._hosted[table].tournament or table for table in self._going_on_in(club)],
        )

    def _club_overview(self, club: str) -> ClubOverview:
        row = self._clubs.get(club)
        if row is None:
            raise UnknownClub(f"there is no club {club}")
        owners = [self._accounts[account].name for account, role in row.members.items() if role == "owner"]
        return ClubOverview(
            number=list(self._clubs).index(club) + 1,
            club=club,
            name=row.name,
            owner=owners[0] if owners else "",
            members=len(row.members),
            tables=len(self._going_on_in(club)),
            issued=Money(-self._balances[club_code(club)]),
            opened_ms=int(row.opened_s * 1000),
            closed_ms=None if row.closed_s is None else int(row.closed_s * 1000),
        )
