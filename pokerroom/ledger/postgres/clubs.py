"""Clubs in PostgreSQL: see `ClubLedger`. Functions of `schema/functions/clubs.sql` decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.clubs import (
    CLUBS_MAX,
    CLUBS_PER_DAY,
    ISSUED_MAX,
    MEMBERS_MAX,
    ClubChips,
    ClubMember,
    ClubResult,
    ClubRole,
    ClubRow,
    ClubSitAndGo,
    MemberAtTable,
    UnknownClub,
)
from pokerroom.ledger.hosted_tables import GUESTS_MAX, HostedTableRow
from pokerroom.ledger.postgres.hosted_tables import PostgresHostedTables

_ROWS: Final[LiteralString] = (
    "SELECT club, name, code, (extract(epoch FROM code_until) * 1000)::bigint,"
    " (SELECT -balance FROM ledger_accounts WHERE ledger_accounts.code = 'club:' || club),"
    " (SELECT json_agg(json_build_array(account, accounts.name, role, balance) ORDER BY account)"
    "  FROM club_members AS member JOIN accounts ON accounts.id = account"
    "  JOIN ledger_accounts ON ledger_accounts.code = format('chips:%%s:%%s', club, account)"
    "  WHERE member.club = clubs.club),"
    " ARRAY(SELECT table_id FROM hosted_tables AS hosted WHERE hosted.club = clubs.club AND hosted.closed IS NULL"
    "       AND hosted.tournament IS NULL ORDER BY hosted.number),"
    " (SELECT coalesce(json_agg(json_build_array(table_id, its.id, hosted.terms ->> 'name', person.name, seats,"
    "      players_of(its.id), buy_in, phase = 'running') ORDER BY hosted.number), '[]')"
    "  FROM hosted_tables AS hosted JOIN tournaments AS its ON its.id = tournament"
    "  JOIN accounts AS person ON person.id = host"
    "  WHERE hosted.club = clubs.club AND phase IN ('registering', 'running'))"
    " FROM clubs WHERE closed IS NULL"
    " AND EXISTS (SELECT FROM club_members AS own WHERE own.club = clubs.club AND own.account = %(account)s)"
)


class PostgresClubs(PostgresHostedTables):
    """A `ClubLedger`."""

    def create_club(self, club: str, owner: int, name: str, code: str, per_account: int) -> Deferred[ClubRow]:
        query: LiteralString = "SELECT create_club(%s, %s, %s, %s, %s, %s, %s)"
        values = club, owner, name, code, per_account, CLUBS_MAX, CLUBS_PER_DAY
        return deferred(self._club_after(club, owner, query, *values))

    def club(self, club: str, account: int) -> Deferred[ClubRow]:
        return deferred(self._club(club, account))

    def clubs_of(self, account: int) -> Deferred[Sequence[ClubRow]]:

        async def found() -> Sequence[ClubRow]:
            return [_club(row) for row in await self._rows(_ROWS + " ORDER BY number", account=account)]

        return deferred(found())

    def set_club_code(
        self, club: str, manager: int, code: str | None, valid_s: int | None
    ) -> Deferred[ClubRow]:
        query: LiteralString = "SELECT set_club_code(%s, %s, %s, %s)"
        return deferred(self._club_after(club, manager, query, club, manager, code, valid_s))

    def join_club(self, code: str, account: int) -> Deferred[ClubRow]:

        async def joined() -> ClubRow:
            club = await self._value(
                "SELECT join_club(%s, %s, %s, %s)", code, account, MEMBERS_MAX, CLUBS_MAX
            )
            return await self._club(club, account)

        return deferred(joined())

    def set_club_role(
        self, club: str, owner: int, name: str, role: ClubRole, per_account: int
    ) -> Deferred[ClubRow]:
        query: LiteralString = "SELECT set_club_role(%s, %s, %s, %s, %s)"
        return deferred(self._club_after(club, owner, query, club, owner, name, role, per_account))

    def leave_club(self, club: str, account: int) -> Deferred[None]:
        return deferred(self._done("SELECT leave_club(%s, %s)", club, account))

    def remove_member(self, club: str, manager: int, name: str, new_code: str) -> Deferred[ClubRow]:

        async def removed() -> ClubRow:
            query: LiteralString = "SELECT remove_member(%s, %s, %s, %s)"
            if not await self._value(query, club, manager, name, new_code):
                raise MemberAtTable(f"{name} is at a table of {club}")
            return await self._club(club, manager)

        return deferred(removed())

    def move_club_chips(self, chips: ClubChips) -> Deferred[ClubRow]:
        query: LiteralString = "SELECT move_club_chips(%s, %s, %s, %s, %s, %s)"
        values = chips.club, chips.manager, chips.name, chips.key, chips.amount, ISSUED_MAX
        return deferred(self._club_after(chips.club, chips.manager, query, *values))

    def close_club(self, club: str, owner: int) -> Deferred[None]:
        return deferred(self._done("SELECT close_club(%s, %s)", club, owner))

    def join_club_table(self, table: str, account: int) -> Deferred[HostedTableRow]:
        query: LiteralString = "SELECT join_club_table(%s, %s, %s)"
        return deferred(self._hosted_after(table, query, table, account, GUESTS_MAX))

    def close_club_table(self, table: str, manager: int) -> Deferred[HostedTableRow]:
        return deferred(self._hosted_after(table, "SELECT close_club_table(%s, %s)", table, manager))

    def club_results(self, club: str, account: int, since_ms: int) -> Deferred[Sequence[ClubResult]]:

        async def found() -> Sequence[ClubResult]:
            rows = await self._rows("SELECT * FROM club_results(%s, %s, %s)", club, account, since_ms)
            return [ClubResult(account=player, name=name, net=net) for player, name, net in rows]

        return deferred(found())

    # --- inside -----------------------------------------------------------------------------------------------

    async def _club_after(self, club: str, account: int, query: LiteralString, *values: Any) -> ClubRow:
        await self._done(query, *values)
        return await self._club(club, account)

    async def _club(self, club: str, account: int) -> ClubRow:
        rows = await self._rows(_ROWS + " AND club = %(club)s", account=account, club=club)
        if not rows:
            raise UnknownClub(f"there is no club {club} for account {account}")
        return _club(rows[0])


def _club(row: tuple[Any, ...]) -> ClubRow:
    club, name, code, code_until_ms, issued, members, tables, sit_and_gos = row
    return ClubRow(
        club=club,
        name=name,
        code=code,
        code_until_ms=code_until_ms,
        issued=Money(issued),
        members={
            account: ClubMember(name=member, role=role, balance=Money(balance))
            for account, member, role, balance in members
        },
        tables=tuple(tables),
        sit_and_gos=tuple(
            ClubSitAndGo(
                table=table,
                tournament=tournament,
                name=title,
                host_name=host,
                seats=seats,
                players=players,
                buy_in=Money(buy_in),
                runs=runs,
            )
            for table, tournament, title, host, seats, players, buy_in, runs in sit_and_gos
        ),
    )
