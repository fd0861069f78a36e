"""What operators do about clubs, in PostgreSQL: see `OperatedClubLedger`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.clubs import UnknownClub
from pokerroom.ledger.operated_clubs import ClubMove, ClubOverview, ClubQuery, OperatedClub, OperatedMember
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.postgres.calls import PostgresCalls

_OVERVIEW: Final[LiteralString] = (
    "SELECT number, club, name,"
    " coalesce((SELECT accounts.name FROM club_members AS own JOIN accounts ON id = account"
    "           WHERE own.club = clubs.club AND role = 'owner'), ''),"
    " (SELECT count(*) FROM club_members AS own WHERE own.club = clubs.club),"
    " (SELECT count(*) FROM hosted_tables AS own WHERE own.club = clubs.club AND goes_on(own)),"
    " (SELECT -balance FROM ledger_accounts WHERE ledger_accounts.code = 'club:' || club),"
    " (extract(epoch FROM opened) * 1000)::bigint, (extract(epoch FROM closed) * 1000)::bigint"
)
_FOUND: Final[LiteralString] = (
    " FROM clubs WHERE (club = %(text)s OR strpos(lower(name), lower(%(text)s)) > 0)"
    " AND (%(player)s::text IS NULL OR club IN (SELECT own.club FROM club_members AS own JOIN accounts ON id = account"
    '      WHERE lower(accounts.name COLLATE "C") = lower(%(player)s::text COLLATE "C")))'
    " AND (%(before)s::bigint IS NULL OR number < %(before)s) ORDER BY number DESC LIMIT %(limit)s"
)
_ONE: Final[LiteralString] = (
    ", clubs.code IS NOT NULL, (extract(epoch FROM code_until) * 1000)::bigint,"
    " (SELECT json_agg(json_build_array(accounts.name, role, balance, leaving) ORDER BY account)"
    "  FROM club_members AS own JOIN accounts ON accounts.id = account"
    "  JOIN ledger_accounts ON ledger_accounts.code = format('chips:%%s:%%s', club, account)"
    "  WHERE own.club = clubs.club),"
    " ARRAY(SELECT coalesce(tournament, table_id) FROM hosted_tables AS own"
    "       WHERE own.club = clubs.club AND goes_on(own) ORDER BY own.number)"
    " FROM clubs WHERE club = %(club)s"
)
_MOVES: Final[LiteralString] = (
    "SELECT transfers.id, (extract(epoch FROM transfers.created) * 1000)::bigint, accounts.name, amount,"
    " coalesce((SELECT orderer.name FROM accounts AS orderer WHERE orderer.id = ordered_by), '')"
    " FROM club_moves JOIN transfers ON transfers.key = format('club:%%s:%%s', club, club_moves.key)"
    " JOIN accounts ON accounts.id = account WHERE club = %(club)s"
    " AND (%(before)s::bigint IS NULL OR transfers.id < %(before)s) ORDER BY transfers.id DESC LIMIT %(limit)s"
)


class PostgresOperatedClubs(PostgresCalls):
    """An `OperatedClubLedger`."""

    def find_clubs(self, query: ClubQuery) -> Deferred[Sequence[ClubOverview]]:

        async def found() -> Sequence[ClubOverview]:
            rows = await self._report(
                _OVERVIEW + _FOUND,
                text=query.search,
                player=query.player,
                before=query.before,
                limit=query.limit,
            )
            return [_overview(row) for row in rows]

        return deferred(found())

    def operated_club(self, club: str) -> Deferred[OperatedClub]:
        return deferred(self._operated_club(club))

    def club_moves(self, club: str, before: int | None, limit: int) -> Deferred[Sequence[ClubMove]]:

        async def found() -> Sequence[ClubMove]:
            rows = await self._report(_MOVES, club=club, before=before, limit=limit)
            if not rows:
                await self._operated_club(club)  # refuses one that there is not
            return [
                ClubMove(number=number, at_ms=at_ms, name=name, amount=amount, by=by)
                for number, at_ms, name, amount, by in rows
            ]

        return deferred(found())

    def rename_club(self, club: str, name: str, *, by: Acting) -> Deferred[OperatedClub]:
        query: LiteralString = "SELECT rename_club(%s, %s, ROW(%s, %s, %s, %s)::acting)"
        return deferred(self._after_order(club, query, club, name, *by.row()))

    def end_club_invitation(self, club: str, *, by: Acting) -> Deferred[OperatedClub]:
        query: LiteralString = "SELECT end_club_invitation(%s, ROW(%s, %s, %s, %s)::acting)"
        return deferred(self._after_order(club, query, club, *by.row()))

    def set_club_owner(self, club: str, name: str, *, by: Acting) -> Deferred[OperatedClub]:
        query: LiteralString = "SELECT set_club_owner(%s, %s, ROW(%s, %s, %s, %s)::acting)"
        return deferred(self._after_order(club, query, club, name, *by.row()))

    def close_club_by_order(self, club: str, *, by: Acting) -> Deferred[OperatedClub]:
        query: LiteralString = "SELECT close_club_by_order(%s, ROW(%s, %s, %s, %s)::acting)"
        return deferred(self._after_order(club, query, club, *by.row()))

    async def _after_order(self, club: str, query: LiteralString, *values: Any) -> OperatedClub:
        """Give an order and read the club in one transaction, so that its answer is lost with it alone."""

        async def once() -> tuple[Any, ...] | None:
            async with self._pool.connection() as connection, connection.transaction():
                await connection.execute(query, values)
                return await (await connection.execute(_OVERVIEW + _ONE, {"club": club})).fetchone()

        return _operated(club, await self._translated(once))

    async def _operated_club(self, club: str) -> OperatedClub:
        return _operated(club, await self._row(_OVERVIEW + _ONE, club=club))


def _operated(club: str, row: tuple[Any, ...] | None) -> OperatedClub:
    """Return a club. Raises `UnknownClub` if there is no row."""
    if row is None:
        raise UnknownClub(f"there is no club {club}")
    *overview, invites, code_until_ms, members, tables = row
    return OperatedClub(
        overview=_overview(tuple(overview)),
        invites=invites,
        code_until_ms=code_until_ms,
        members=[
            OperatedMember(name=name, role=role, balance=Money(balance), leaving=leaving)
            for name, role, balance, leaving in members or ()
        ],
        tables=list(tables),
    )


def _overview(row: tuple[Any, ...]) -> ClubOverview:
    number, club, name, owner, members, tables, issued, opened_ms, closed_ms = row
    return ClubOverview(
        number=number,
        club=club,
        name=name,
        owner=owner,
        members=members,
        tables=tables,
        issued=Money(issued),
        opened_ms=opened_ms,
        closed_ms=closed_ms,
    )
