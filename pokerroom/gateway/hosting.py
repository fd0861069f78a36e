"""Answers requests about hosted tables. Knows the ledger and the lobby, and no connections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import gcd
from typing import Final, assert_never

import structlog

from pokerroom.chips import Money
from pokerroom.gateway.account_service import AccountRefused
from pokerroom.gateway.code_guesses import CodeGuesses
from pokerroom.gateway.link_secrets import LinkSecrets
from pokerroom.gateway.private_sit_and_gos import PrivateSitAndGoService, view_of
from pokerroom.ledger.hosted_tables import (
    Gift,
    HostedTableLedger,
    HostedTableRow,
    TableResult,
    Terms,
    hosted_id,
)
from pokerroom.lobby.hosted_tables import HostedTableRegistry
from pokerroom.lobby.lobby import Lobby
from pokerroom.lobby.settlement_list import settlement_list
from pokerroom.ops.config_hosting import HostingOffer
from pokerroom.ops.config_table import BadTerms, hosted_table_settings
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

HOSTING_FEATURES: Final = ["hosted_tables", "host_powers", "table_passwords", "private_sit_and_gos"]
"""What a room takes in which players may open tables."""

_FIELDS: Final = {"small_bet": "small_blind"}
"""Fields of `create_table` that have another name than the setting."""
_STAKES: Final = frozenset({"small_blind", "small_bet", "unit", "straddle", "min_buy_in", "max_buy_in"})

_log = structlog.get_logger()


class HostingService:
    """Answers for accounts that are logged in.

    `offered` returns which tables players may open now.
    """

    def __init__(
        self,
        ledger: HostedTableLedger,
        registry: HostedTableRegistry,
        lobby: Lobby,
        offered: Callable[[], HostingOffer],
        *,
        sit_and_gos: PrivateSitAndGoService,
        guesses: CodeGuesses,
        secrets: LinkSecrets,
    ) -> None:
        self._ledger = ledger
        self._registry = registry
        self._lobby = lobby
        self._offered = offered
        self._guesses = guesses
        self._sit_and_gos = sit_and_gos
        self.new_letters, self.new_code = secrets.letters, secrets.code
        self.admits = registry.admits

    @property
    def features(self) -> list[str]:
        """What this room takes of hosting, for `welcome`."""
        return HOSTING_FEATURES if self._offered().tables_per_account else []

    def hidden(self, account: int | None, message: wire.ClientMessage) -> str | None:
        """Return the tournament that a request names if the account may not know of it, by what this node knows."""
        tournament: str | None = getattr(message, "tournament", None)
        return None if tournament is None or self.admits(account, tournament) else tournament

    async def look_up(self, name: str, account: int | None, unknown: Code) -> None:
        """Read a table or a tournament again that this node hides from an account: it may have missed a change.

        Raises `AccountRefused` with `unknown` if it is hidden in the ledger, too, and `LedgerUnavailable`.
        """
        await self._registry.look_up(name)
        if not self.admits(account, name):
            raise AccountRefused(unknown)

    async def answered(self, message: wire.HostingMessage, account: int, *, address: str = "") -> wire.Answer:
        """Answer a request of a client at `address` (`Viewer.address_group`).

        Raises `AccountRefused`, and what the ledger raises.
        """
        match message:
            case wire.CreateTable():
                row = await self._create(message, account)
                await self._registry.opened(row)
            case wire.FindTable():
                return await self._found(message, account, address)
            case wire.CreateSitAndGo() | wire.ChangeSitAndGo():
                return await self._sit_and_gos.answered(message, account)
            case wire.ChangeHostedTable() | wire.ChangeStakes():
                row = await self._change(message, account)
                self._registry.changed_here(row)
            case wire.RemovePlayer():
                return await self._remove(message, account, address)
            case wire.AskSeat():
                row = await self._ledger.ask_seat(message.table, account)
                self._registry.changed_here(row)
            case wire.AnswerSeat() | wire.GiveHost() | wire.GiveChips():
                row = await self._about_guest(message, account)
                self._registry.changed_here(row)
            case wire.GetHostedTables():
                return await self._listed(message, account)
            case wire.GetTableResults():
                results = await self._ledger.hosted_results(message.table, account)
                return _results(message, results)
            case _:
                assert_never(message)
        return self._told(message.id, row, account)

    async def _remove(self, message: wire.RemovePlayer, account: int, address: str) -> wire.Ok:
        tournament = self._registry.sit_and_go(message.table)
        if tournament is not None:
            await self._sit_and_gos.remove(message, tournament, account, address)
        else:
            row = await self._ledger.remove_guest(message.table, account, message.name, address)
            self._registry.changed_here(row)
            _log.info("hosted_table.guest_removed", table=row.table, account=account, name=message.name)
        return wire.Ok(re=message.id)

    async def _listed(self, message: wire.GetHostedTables, account: int) -> wire.HostedTables:
        rows = await self._ledger.hosted_tables_of(account)
        views = [self._view(row, account) for row in rows if row.tournament is None]
        return wire.HostedTables(
            re=message.id,
            tables=[view for view in views if view is not None],
            offered=_offer_view(self._offered()),
            sit_and_gos=[view_of(row, account) for row in rows if row.tournament is not None],
        )

    async def _found(self, message: wire.FindTable, account: int, address: str) -> wire.Answer:
        self.check_on()
        join = partial(self._join, message.code, account, address)
        row = await self._guesses.looked_up(account, address, join)
        return await self.came(message.id, row, account)

    def changed(self, re: int, row: HostedTableRow, account: int) -> wire.HostedTable | wire.PrivateSitAndGo:
        """Answer an order of the host that has changed a table or a sit-and-go."""
        if row.tournament is not None:
            return self._sit_and_gos.told(re, row, account)
        self._registry.changed_here(row)
        return self._told(re, row, account)

    async def came(
        self, re: int, row: HostedTableRow, account: int
    ) -> wire.HostedTable | wire.PrivateSitAndGo:
        """Answer an account that has come to a table or a sit-and-go."""
        if row.tournament is not None:
            return self._sit_and_gos.told(re, row, account)
        return await self.joined(re, row, account)

    async def joined(self, re: int, row: HostedTableRow, account: int) -> wire.HostedTable:
        """Answer an account that has come to a table: it may be asked at once."""
        await self._registry.found(row)
        return self._told(re, row, account)

    async def members_changed(self, tables: Iterable[str]) -> None:
        """Read tables of a club again: an order of the club has changed them, or their guests."""
        for table in tables:
            row = await self._ledger.hosted_table(table)
            if row is not None:
                self._registry.changed_here(row)

    def club_table(self, table: str) -> wire.ClubTableView | None:
        """Return a table as every member of its club may see it; None while it is not known here."""
        row = self._registry.host_of(table).row
        info = None if row is None else self._info(row)
        return None if row is None or info is None else wire.ClubTableView(info=info, host=row.host_name)

    def _told(self, re: int, row: HostedTableRow, account: int) -> wire.HostedTable:
        view = self._view(row, account)
        if view is None:
            raise AccountRefused(Code.UNKNOWN_TABLE)  # it was closed meanwhile
        return wire.HostedTable(re=re, hosted=view)

    def check_on(self) -> None:
        """Refuse a room in which players may open no tables now."""
        if not self._offered().tables_per_account:
            raise AccountRefused(Code.HOSTING_OFF)

    async def row_of_host(self, table: str, account: int) -> HostedTableRow:
        """Return a table for an order of its host.

        An order that needs looks before it is given must not be left to the ledger: an account that becomes the host
        meanwhile would give it without them. Raises `AccountRefused`.
        """
        row = await self._ledger.hosted_table(table)
        if row is None or not row.admits(account):
            raise AccountRefused(Code.UNKNOWN_TABLE)
        if account != row.host:
            raise AccountRefused(Code.NOT_HOST)
        return row

    async def _join(self, code: str, account: int, address: str) -> HostedTableRow:
        self.check_open(self._registry.table_of_link(code))
        return await self._ledger.join_hosted_table(code, account, address)

    def closed_club_table(self, table: str) -> str | None:
        """Return the club of a table that an operator has closed; None for all other tables."""
        row = self._registry.host_of(table).row
        return None if row is None or row.closing or not self._is_closed(table) else row.club

    def check_open(self, table: str | None) -> None:
        """Refuse what an operator's closed table takes no more: the ledger knows the closing of a host alone."""
        if table is not None and self._is_closed(table):
            raise AccountRefused(Code.TABLE_CLOSING)

    def _is_closed(self, table: str) -> bool:
        handle = self._lobby.table(table)
        info = None if handle is None else handle.info()
        return isinstance(info, wire.TableInfo) and info.closing

    async def _create(self, message: wire.CreateTable, account: int) -> HostedTableRow:
        self.check_on()
        table = hosted_id(self.new_letters())
        terms = _terms(message)
        _check(table, terms)
        refused = self._offered().refused_field(
            message.game, message.structure, small_blind=message.small_blind, seats=message.seats
        )
        if refused is not None:
            raise AccountRefused(Code.SETTINGS_NOT_OFFERED, path=f"$.{refused}")
        row = await self._ledger.open_hosted_table(
            table, account, terms, self.new_code(), self._offered().limits, club=message.club
        )
        _log.info("hosted_table.opened", table=table, account=account, name=message.name, club=message.club)
        return row

    async def _about_guest(
        self, message: wire.AnswerSeat | wire.GiveHost | wire.GiveChips, account: int
    ) -> HostedTableRow:
        """Carry out an order of the host about one guest."""
        table, name = message.table, message.name
        match message:
            case wire.AnswerSeat():
                row = await self._ledger.answer_seat(table, account, name, accepts=message.accepts)
                done = {"order": "accept" if message.accepts else "refuse"}
            case wire.GiveHost():
                row = await self._ledger.give_host(table, account, name, self._offered().limits)
                done = {"order": "give_host"}
            case wire.GiveChips():
                gift = Gift(
                    table=table, giver=account, name=name, key=message.key, amount=Money(message.amount)
                )
                row = await self._ledger.give_chips(gift)
                done = {"order": "give_chips", "amount": str(message.amount)}
        _log.info("hosted_table.guest", table=table, account=account, name=name, **done)
        return row

    async def _change(
        self, message: wire.ChangeHostedTable | wire.ChangeStakes, account: int
    ) -> HostedTableRow:
        """Carry out an order of the host about the table."""
        table = message.table
        if isinstance(message, wire.ChangeStakes):
            row = await self._change_stakes(message, account)
            _log.info("hosted_table.stakes", table=table, account=account, blind=message.small_blind)
        else:
            row = await self._ledger.change_hosted_table(table, account, message.order, self.new_code())
            _log.info("hosted_table.changed", table=table, account=account, order=message.order)
        return row

    async def _change_stakes(self, message: wire.ChangeStakes, account: int) -> HostedTableRow:
        """Change the stakes, and nothing else of the terms."""
        table = message.table
        row = await self.row_of_host(table, account)
        if row.tournament is not None:
            raise AccountRefused(Code.UNKNOWN_TABLE)
        kept = {key: value for key, value in row.terms.items() if key not in _STAKES}
        terms = {**kept, **_stakes(message, str(row.terms["structure"]), straddle="straddle" in row.terms)}
        self.check_open(table)
        _check(table, terms)
        if not self._offered().takes(message.small_blind):
            raise AccountRefused(Code.SETTINGS_NOT_OFFERED, path="$.small_blind")
        stake = "small_bet" if "small_bet" in terms else "small_blind"
        return await self._ledger.change_hosted_terms(table, account, terms, stake)

    def _view(self, row: HostedTableRow, account: int) -> wire.HostedTableView | None:
        """Return the table as this account may see it; None once it is closed for good."""
        self._registry.note(row)
        info = self._info(row)
        if info is None:
            return None
        return wire.HostedTableView(
            info=info,
            host=row.host_name,
            paused=row.paused,
            code=row.code if account == row.host else None,
            approves=row.approves,
            your_seat=row.seat_of(account),
            given=row.given_to(account),
            guests=_guests(row) if account == row.host else None,
            club=row.club,
            has_password=row.has_password,
        )

    def _info(self, row: HostedTableRow) -> wire.TableInfo | None:
        handle = self._lobby.table(row.table)
        if handle is None:
            return None
        told = handle.info()  # of the table's owner, which may not have heard of a change
        assert isinstance(told, wire.TableInfo)
        settings = hosted_table_settings(row.table, row.terms)
        return settings.info(told.occupied, told.players, waiting=told.waiting, closing=told.closing)


def _offer_view(offer: HostingOffer) -> wire.OfferedTables | None:
    """Return what players may open; None if they may open nothing."""
    if not offer.tables_per_account:
        return None
    games = [one.split() for one in offer.games]
    return wire.OfferedTables(
        tables_per_account=offer.tables_per_account,
        games=[wire.OfferedGame(game=game, structure=structure) for game, structure in games],  # type: ignore[arg-type] # of `GAMES`
        small_blind_min=offer.small_blind_min,
        small_blind_max=offer.small_blind_max,
        seats_max=offer.seats_max,
        sit_and_go_buy_in_max=offer.sit_and_go_buy_in_max,
    )


def _guests(row: HostedTableRow) -> list[wire.GuestView]:
    return [
        wire.GuestView(name=guest.name, seat=row.seat_of(account), given=guest.given)
        for account, guest in row.guests.items()
        if account != row.host
    ]


def _results(message: wire.GetTableResults, results: Sequence[TableResult]) -> wire.TableResults:
    names = {row.account: row.name for row in results}
    return wire.TableResults(
        re=message.id,
        table=message.table,
        players=[
            wire.PlayerResult(
                name=row.name,
                bought_in=row.bought_in,
                taken_out=row.taken_out,
                on_table=row.on_table,
                net=row.net,
            )
            for row in sorted(results, key=lambda row: (-row.net, row.account))
        ],
        payments=payments_of({row.account: row.net for row in results}, names),
    )


def payments_of(nets: Mapping[int, int], names: Mapping[int, str]) -> list[wire.ResultPayment]:
    """Return who pays whom, by name."""
    return [
        wire.ResultPayment(payer=names[each.payer], payee=names[each.payee], amount=each.amount)
        for each in settlement_list(nets)
    ]


def _terms(message: wire.CreateTable) -> Terms:
    """Return the settings of the table, as in the operator's file."""
    clock_s = message.action_clock_s
    terms: dict[str, str | int | bool] = {
        "name": message.name,
        "game": message.game,
        "structure": message.structure,
        "seats": message.seats,
        "action_clock_s": clock_s - clock_s // 2,
        "countdown_s": clock_s // 2,
        "seats_per_address": 0,  # friends may sit in one room; the host knows them
    }
    if not message.chat:
        terms["chat_length_max"] = 0
    return {**terms, **_stakes(message, message.structure, straddle=message.straddle)}


def _stakes(message: wire.CreateTable | wire.ChangeStakes, structure: str, *, straddle: bool) -> Terms:
    """Return the part of the terms that the host may change later: `_STAKES`. A straddle is two big blinds (B6)."""
    small_blind = message.small_blind
    bounds = {"min_buy_in": message.min_buy_in, "max_buy_in": message.max_buy_in}
    stakes: dict[str, int] = {key: amount for key, amount in bounds.items() if amount is not None}
    if straddle:
        stakes["straddle"] = 4 * small_blind
    if structure == "fixed_limit":
        # the usual smallest chip, if small blinds are made of it (F3)
        return {**stakes, "small_bet": 2 * small_blind, "unit": gcd(100, small_blind)}
    return {**stakes, "small_blind": small_blind}


def _check(table: str, terms: Terms) -> None:
    try:
        hosted_table_settings(table, terms)
    except BadTerms as bad:
        field = _FIELDS.get(bad.key, bad.key)
        raise AccountRefused(Code.BAD_TABLE_SETTINGS, detail=str(bad), path=f"$.{field}") from None
