"""Answers requests about clubs. Knows the ledger, the lobby and the private tables, and no connections."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, assert_never

import structlog

from pokerroom.gateway.account_service import AccountRefused
from pokerroom.gateway.code_guesses import CodeGuesses
from pokerroom.gateway.hosting import HostingService, payments_of
from pokerroom.ledger.clubs import ClubChips, ClubLedger, ClubResult, ClubRow, ClubSitAndGo
from pokerroom.ledger.hosted_tables import hosted_as
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

CLUB_FEATURES: Final = ["clubs"]
"""What a room takes in which players may create clubs."""

_log = structlog.get_logger()


class ClubService:
    """Answers for accounts that are logged in. An account may own `per_account` clubs; 0: players create no clubs."""

    def __init__(
        self, ledger: ClubLedger, hosting: HostingService, per_account: int, guesses: CodeGuesses
    ) -> None:
        self._ledger = ledger
        self._guesses = guesses
        self._hosting = hosting
        self._per_account = per_account

    @property
    def features(self) -> list[str]:
        """What this room takes of clubs, for `welcome`."""
        return CLUB_FEATURES if self._is_on else []

    @property
    def _is_on(self) -> bool:
        """A club without tables has no use."""
        return bool(self._per_account and self._hosting.features)

    async def answered(self, message: wire.ClubMessage, account: int, *, address: str = "") -> wire.Answer:
        """Answer a request of a client at `address` (`Viewer.address_group`).

        Raises `AccountRefused`, and what the ledger raises.
        """
        ledger = self._ledger
        match message:
            case wire.CreateClub():
                row = await self._create(message, account)
            case wire.JoinClub():
                self._check_on()
                join = partial(ledger.join_club, message.code, account)
                row = await self._guesses.looked_up(account, address, join)
                _log.info("club.joined", club=row.club, account=account)
            case wire.GetClub():
                row = await ledger.club(message.club, account)
            case wire.SetClubCode():
                code = self._hosting.new_code() if message.invites else None
                valid_s = message.valid_s if message.invites else None
                row = await ledger.set_club_code(message.club, account, code, valid_s)
                _log.info("club.code", club=message.club, account=account, invites=message.invites)
            case wire.SetClubRole() | wire.MoveClubChips() | wire.RemoveMember():
                row = await self._about_member(message, account)
            case wire.GetClubs():
                rows = await ledger.clubs_of(account)
                return wire.Clubs(re=message.id, clubs=[_line(row, account) for row in rows])
            case wire.GetClubResults():
                results = await ledger.club_results(message.club, account, message.since_ms)
                return _results(message, results)
            case wire.JoinClubTable():
                await self._check_open(message.table, account)
                table = hosted_as(message.table) or message.table
                return await self._hosting.came(
                    message.id, await ledger.join_club_table(table, account), account
                )
            case wire.LeaveClub() | wire.CloseClub() | wire.CloseClubTable():
                await self._end(message, account)
                return wire.Ok(re=message.id)
            case _:
                assert_never(message)
        return wire.Club(re=message.id, club=self._view(row, account))

    def _check_on(self) -> None:
        if not self._is_on:
            raise AccountRefused(Code.CLUBS_OFF)

    async def _check_open(self, table: str, account: int) -> None:
        """Refuse a member at a table that an operator has closed. To others there is no such table: see the ledger."""
        club = self._hosting.closed_club_table(table)
        if club is not None and any(row.club == club for row in await self._ledger.clubs_of(account)):
            raise AccountRefused(Code.TABLE_CLOSING)

    async def _create(self, message: wire.CreateClub, account: int) -> ClubRow:
        self._check_on()
        if message.name != message.name.strip():
            raise AccountRefused(
                Code.BAD_MESSAGE, detail="name should not begin or end with a space", path="$.name"
            )
        club = self._hosting.new_letters()
        row = await self._ledger.create_club(
            club, account, message.name, self._hosting.new_code(), self._per_account
        )
        _log.info("club.created", club=club, account=account, name=message.name)
        return row

    async def _about_member(
        self, message: wire.SetClubRole | wire.MoveClubChips | wire.RemoveMember, account: int
    ) -> ClubRow:
        """Carry out an order about one member."""
        club, name = message.club, message.name
        match message:
            case wire.SetClubRole():
                row = await self._ledger.set_club_role(club, account, name, message.role, self._per_account)
                done = {"role": str(message.role)}
            case wire.MoveClubChips():
                if not message.amount:
                    raise AccountRefused(Code.BAD_MESSAGE, detail="amount should not be 0", path="$.amount")
                chips = ClubChips(
                    club=club, manager=account, name=name, key=message.key, amount=message.amount
                )
                row = await self._ledger.move_club_chips(chips)
                done = {"chips": str(message.amount)}
            case wire.RemoveMember():
                row = await self._ledger.remove_member(club, account, name, self._hosting.new_code())
                await self._hosting.members_changed(row.hosted)
                done = {"removed": "yes"}
            case _:
                assert_never(message)
        _log.info("club.member", club=club, account=account, name=name, **done)
        return row

    async def _end(
        self, message: wire.LeaveClub | wire.CloseClub | wire.CloseClubTable, account: int
    ) -> None:
        match message:
            case wire.LeaveClub():
                tables = [
                    table
                    for row in await self._ledger.clubs_of(account)
                    if row.club == message.club
                    for table in row.hosted
                ]
                await self._ledger.leave_club(message.club, account)
                await self._hosting.members_changed(tables)
                _log.info("club.left", club=message.club, account=account)
            case wire.CloseClub():
                await self._ledger.close_club(message.club, account)
                _log.info("club.closed", club=message.club, account=account)
            case wire.CloseClubTable():
                await self._ledger.close_club_table(message.table, account)
                await self._hosting.members_changed([message.table])
                _log.info("club.table_closed", table=message.table, account=account)
            case _:
                assert_never(message)

    def _view(self, row: ClubRow, account: int) -> wire.ClubView:
        """Return the club as this account may see it."""
        own = row.members[account]
        return wire.ClubView(
            club=row.club,
            name=row.name,
            your_role=own.role,
            your_balance=own.balance,
            issued=row.issued,
            code=row.code if own.manages else None,
            code_until_ms=row.code_until_ms if own.manages else None,
            members=[
                wire.ClubMemberView(name=member.name, role=member.role, balance=member.balance)
                for member in row.members.values()
            ],
            tables=[view for table in row.tables if (view := self._hosting.club_table(table)) is not None],
            sit_and_gos=[_sit_and_go(one) for one in row.sit_and_gos],
        )


def _line(row: ClubRow, account: int) -> wire.ClubLine:
    own = row.members[account]
    return wire.ClubLine(
        club=row.club,
        name=row.name,
        your_role=own.role,
        your_balance=own.balance,
        members=len(row.members),
        tables=len(row.hosted),
    )


def _sit_and_go(one: ClubSitAndGo) -> wire.ClubSitAndGoView:
    return wire.ClubSitAndGoView(
        tournament=one.tournament,
        name=one.name,
        host=one.host_name,
        players=one.players,
        seats=one.seats,
        buy_in=one.buy_in,
        runs=one.runs,
    )


def _results(message: wire.GetClubResults, results: Sequence[ClubResult]) -> wire.ClubResults:
    names = {row.account: row.name for row in results}
    return wire.ClubResults(
        re=message.id,
        club=message.club,
        since_ms=message.since_ms,
        players=[
            wire.ClubPlayerResult(name=row.name, net=row.net)
            for row in sorted(results, key=lambda row: (-row.net, row.account))
        ],
        payments=payments_of({row.account: row.net for row in results}, names),
    )
