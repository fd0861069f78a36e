"""Answers requests about sit-and-gos that players host. Knows the ledger and the tournaments, and no connections."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Protocol

import structlog
from twisted.internet.defer import Deferred

from pokerroom.gateway.account_service import AccountRefused
from pokerroom.gateway.link_secrets import LinkSecrets
from pokerroom.ledger.clubs import ClubLedger, UnknownClub
from pokerroom.ledger.hosted_sit_and_gos import HostedSitAndGoLedger
from pokerroom.ledger.hosted_tables import (
    HostedTableLedger,
    HostedTableRow,
    UnknownHostedTable,
    hosted_as,
    hosted_id,
    private_offer,
)
from pokerroom.ledger.tournaments import TournamentRow
from pokerroom.ledger.transfers import name_key
from pokerroom.ops.config_hosting import HostingOffer
from pokerroom.ops.config_private_sit_and_go import private_sit_and_go
from pokerroom.ops.config_table import BadTerms
from pokerroom.tournament.offers import private_opening_of
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

_log = structlog.get_logger()

_FIELDS = {"players_max": "seats", "seats_per_table": "seats"}
"""Fields of `create_sit_and_go` that have another name than the setting."""


class SitAndGoLedger(HostedTableLedger, HostedSitAndGoLedger, ClubLedger, Protocol):
    """What is read and written."""


class PrivateSitAndGoService:
    """Answers for accounts that are logged in.

    `changed` tells this node and the others of a row; `look` finds what is due, `cancel` returns all entries, `found`
    reads a tournament, `removed` tells an account that its host has returned the entry. A sit-and-go that has not
    started `given_up_s` seconds after its opening is cancelled.
    """

    def __init__(
        self,
        ledger: SitAndGoLedger,
        *,
        offered: Callable[[], HostingOffer],
        secrets: LinkSecrets,
        changed: Callable[[HostedTableRow], None],
        look: Callable[[], Deferred[None]],
        cancel: Callable[[str], Deferred[None]],
        found: Callable[[str], Deferred[TournamentRow]],
        removed: Callable[[TournamentRow, int], None],
        now_ms: Callable[[], int],
        given_up_s: int,
    ) -> None:
        self._ledger = ledger
        self._offered = offered
        self._secrets = secrets
        self._changed = changed
        self._look = look
        self._cancel = cancel
        self._found = found
        self._removed = removed
        self._now_ms = now_ms
        self._given_up_s = given_up_s

    async def answered(
        self, message: wire.CreateSitAndGo | wire.ChangeSitAndGo, account: int
    ) -> wire.PrivateSitAndGo:
        """Open one, or carry out an order of its host. Raises `AccountRefused`, and what the ledger raises."""
        if isinstance(message, wire.CreateSitAndGo):
            row = await self._created(message, account)
        else:
            row = await self._ordered(message, account)
        return self.told(message.id, row, account)

    async def _created(self, message: wire.CreateSitAndGo, account: int) -> HostedTableRow:
        if not self._offered().tables_per_account:
            raise AccountRefused(Code.HOSTING_OFF)
        table = hosted_id(self._secrets.letters())
        given_up_ms = self._now_ms() + 1000 * self._given_up_s
        try:
            offer = private_sit_and_go(private_offer(table), _terms(message, given_up_ms))
        except BadTerms as bad:
            field = _FIELDS.get(bad.key, bad.key)
            raise AccountRefused(Code.BAD_TABLE_SETTINGS, detail=str(bad), path=f"$.{field}") from None
        refused = self._offered().refused_of_sit_and_go(
            message.game, message.structure, buy_in=message.buy_in, seats=message.seats
        )
        if refused is not None:
            raise AccountRefused(Code.SETTINGS_NOT_OFFERED, path=f"$.{refused}")
        row = await self._ledger.open_hosted_sit_and_go(
            account,
            private_opening_of(offer, given_up_ms),
            {"name": message.name},
            self._secrets.code(),
            self._offered().limits,
            club=message.club,
        )
        opened = {"tournament": row.tournament, "name": message.name, "club": message.club}
        _log.info("hosted_sit_and_go.opened", account=account, **opened)
        return row

    async def _ordered(self, message: wire.ChangeSitAndGo, account: int) -> HostedTableRow:
        table = hosted_as(message.tournament) or ""
        try:
            if message.order == "cancel":
                row = await self._to_cancel(message.tournament, account)
                await self._cancel(message.tournament)
            else:
                code = self._secrets.code()
                row = await self._ledger.change_hosted_sit_and_go(table, account, message.order, code)
        except UnknownHostedTable:
            raise AccountRefused(Code.UNKNOWN_TOURNAMENT) from None
        _log.info(
            "hosted_sit_and_go.changed", tournament=row.tournament, account=account, order=message.order
        )
        if message.order == "start":
            await self._look()
        return row

    async def remove(self, message: wire.RemovePlayer, tournament: str, account: int, address: str) -> None:
        """Remove a guest before the start, and return the entry. `address` is as in `remove_guest`."""
        before = await self._ledger.hosted_table(message.table)
        entered = await self._found(tournament)
        row = await self._ledger.remove_guest(message.table, account, message.name, address)
        self._changed(row)
        _log.info(
            "hosted_sit_and_go.guest_removed", tournament=tournament, account=account, name=message.name
        )
        guests = {} if before is None else before.guests
        for guest in guests.keys() - row.guests.keys():
            if name_key(guests[guest].name) == name_key(message.name) and guest in entered.players:
                self._removed(entered, guest)

    def told(self, re: int, row: HostedTableRow, account: int) -> wire.PrivateSitAndGo:
        """Answer an account that may know of a sit-and-go: it may ask for its state at once."""
        self._changed(row)
        return wire.PrivateSitAndGo(re=re, sit_and_go=view_of(row, account))

    async def _to_cancel(self, tournament: str, account: int) -> HostedTableRow:
        """Return the row of a sit-and-go that the account may cancel."""
        row = await self._ledger.hosted_table(hosted_as(tournament) or "")
        if row is None or row.tournament != tournament or not row.admits(account):
            raise AccountRefused(Code.UNKNOWN_TOURNAMENT)
        if account != row.host and not (row.club is not None and await self._manages(row.club, account)):
            raise AccountRefused(Code.NOT_HOST)
        if _has_begun(await self._found(tournament)):
            raise AccountRefused(Code.REGISTRATION_CLOSED)
        return row

    async def _manages(self, club: str, account: int) -> bool:
        """Return whether the account is a manager or the owner of a club."""
        try:
            return (await self._ledger.club(club, account)).members[account].manages
        except UnknownClub:
            return False


def _has_begun(row: TournamentRow) -> bool:
    """Return whether a sit-and-go is to start, perhaps in a moment: until then it lacks players (`begin_private`)."""
    start = row.opening.scheduled
    return row.phase == "registering" and start is not None and len(row.players) >= start.players_min


def view_of(row: HostedTableRow, account: int) -> wire.PrivateSitAndGoView:
    """Return a sit-and-go as this account may see it, which may know of it."""
    assert row.tournament is not None
    return wire.PrivateSitAndGoView(
        tournament=row.tournament,
        table=row.table,
        name=str(row.terms["name"]),
        host=row.host_name,
        code=row.code if account == row.host else None,
        club=row.club,
        has_password=row.has_password,
        guests=[guest.name for guest in row.guests.values()] if account == row.host else None,
    )


def _terms(message: wire.CreateSitAndGo, given_up_ms: int) -> dict[str, Any]:
    """Return the settings of the sit-and-go, as in the operator's file."""
    clock_s = message.action_clock_s
    fixed_limit = message.structure == "fixed_limit"
    terms: dict[str, Any] = {
        "name": message.name,
        "start": datetime.fromtimestamp(given_up_ms // 1000, UTC).isoformat(),
        "game": message.game,
        "structure": message.structure,
        "players_max": message.seats,
        "seats_per_table": message.seats,
        "buy_in": message.buy_in,
        "starting_stack": message.starting_stack,
        **({"prize_shares": list(message.prize_shares)} if message.prize_shares else {}),
        "level_s": message.levels[0].length_s,
        "levels": [_level(level, fixed_limit=fixed_limit) for level in message.levels],
        "hourly_breaks": False,
        "action_clock_s": clock_s - clock_s // 2,
        "countdown_s": clock_s // 2,
        "seats_per_address": 0,  # friends may sit in one room; the host knows them
    }
    return terms if message.chat else {**terms, "chat_length_max": 0}


def _level(level: wire.PrivateLevel, *, fixed_limit: bool) -> dict[str, int]:
    blinds = (
        {"small_bet": level.big_blind}
        if fixed_limit
        else {"small_blind": level.small_blind, "big_blind": level.big_blind}
    )
    return {**blinds, "big_blind_ante": level.big_blind_ante, "length": level.length_s}
