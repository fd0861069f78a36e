"""Answers what an account asks about itself: its settings, its history, its requests to the cashier.

Knows the ledger and what may be told of it; knows no connections. Settings are a fixed set with bounds, those of the
protocol's `AccountSettings`: other settings in the ledger, of another version of the room, are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Final, Protocol, assert_never

import msgspec
from twisted.internet.defer import Deferred

from pokerroom.chips import Money
from pokerroom.gateway.hand_texts import TEXT_STEPS_MAX
from pokerroom.gateway.player_notes import notes_answered
from pokerroom.gateway.statistics import StatisticsSource, statistics
from pokerroom.history.export import tournament_story
from pokerroom.history.hidden_cards import CardSeal
from pokerroom.history.redaction import (
    hand_history,
    history_entry,
    players_of,
    round_history,
    set_names,
    visible_hand,
)
from pokerroom.history.story import story_of
from pokerroom.history.text_export import FORMATS
from pokerroom.ledger.account_history import AccountHistoryLedger, SettingValue
from pokerroom.ledger.cashier import (
    CashierLedger,
    CashKind,
    CashRequest,
    CashRow,
    RefillTerms,
    RefillTooSoon,
    SourceEmpty,
    UnknownSource,
)
from pokerroom.ledger.player_notes import PlayerNoteLedger
from pokerroom.ledger.tournaments import TournamentRow, tournament_at
from pokerroom.ledger.transfers import REFILL
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

WAITING_MAX: Final = 10
"""An account may have this many requests pending [D]."""

REQUESTS_TOLD: Final = 50
"""The number of latest requests that an account is shown."""


class AccountServiceLedger(AccountHistoryLedger, CashierLedger, StatisticsSource, PlayerNoteLedger, Protocol):
    """The part of the ledger that is asked here."""

    def wallet(self, account: int) -> Deferred[Money]:
        """See `Ledger.wallet`."""

    def account_names(self, accounts: Sequence[int]) -> Deferred[dict[int, str]]:
        """See `Ledger.account_names`."""

    def tables_of(self, account: int) -> Deferred[list[str]]:
        """See `Ledger.tables_of`."""

    def tournament(self, tournament: str) -> Deferred[TournamentRow]:
        """See `TournamentLedger.tournament`."""


class AccountRefused(Exception):  # noqa: N818 -- an answer to the client
    """There is nothing that this account may see or have. `path` names the field that is wrong."""

    def __init__(
        self,
        code: Code,
        retry_after_ms: int | None = None,
        *,
        detail: str | None = None,
        path: str | None = None,
    ) -> None:
        super().__init__(code.value)
        self.code = code
        self.retry_after_ms = retry_after_ms
        self.detail = detail
        self.path = path


class AccountService:
    """Answers for accounts that are logged in. `refill` are the terms of free play money; None: there is none.

    `cards` opens the cards of settled hands. `statistics_seated`: an account with a seat is told statistics of others.
    """

    def __init__(
        self,
        ledger: AccountServiceLedger,
        cards: CardSeal,
        refill: RefillTerms | None = None,
        *,
        statistics_seated: bool = True,
    ) -> None:
        self._statistics_seated = statistics_seated
        self._ledger = ledger
        self._cards = cards
        self._refill_terms = refill

    async def answered(  # noqa: C901 -- one case per message
        self, message: wire.AccountMessage, account: int
    ) -> wire.AccountAnswer | wire.Ok:
        """Answer a request. Raises `AccountRefused`, and what the ledger raises."""
        match message:
            case wire.GetSettings():
                return wire.Settings(
                    re=message.id, settings=settings_view(await self._ledger.account_settings(account))
                )
            case wire.ChangeSettings():
                kept = await self._ledger.change_settings(account, _changes(message))
                return wire.Settings(re=message.id, settings=settings_view(kept))
            case wire.GetHistory():
                return await self._history(message, account)
            case wire.GetHand():
                return await self._hand(message, account)
            case wire.GetRound():
                of = await self._ledger.round_of(account, message.round_id)
                if of is None:
                    raise AccountRefused(Code.UNKNOWN_ROUND)
                names = await self._ledger.account_names(players_of(of))
                return wire.RoundHistory(re=message.id, round=round_history(of, account, names))
            case wire.GetCashier():
                return await self._cashier(message, account)
            case wire.RequestDeposit() | wire.RequestWithdrawal():
                return await self._request(message, account)
            case wire.Refill():
                return await self._refill(message, account)
            case wire.GetStatistics() | wire.GetOpponents():
                await self._check_statistics(message, account)
                return await statistics(self._ledger, message, account)
            case wire.SetPlayerNote() | wire.GetPlayerNotes():
                return await notes_answered(self._ledger, message, account)
            case _:
                assert_never(message)

    @property
    def features(self) -> list[str]:
        """What this room takes of the features about statistics."""
        return ["opponents"] if self._statistics_seated else []

    async def _check_statistics(self, message: wire.GetStatistics | wire.GetOpponents, account: int) -> None:
        """Refuse statistics of others to an account with a seat, where the room does not show them at tables."""
        is_own = isinstance(message, wire.GetStatistics) and message.player is None
        if not is_own and not self._statistics_seated and await self._ledger.tables_of(account):
            raise AccountRefused(Code.STATISTICS_OFF)

    async def _hand(self, message: wire.GetHand, account: int) -> wire.HandHistory:
        hand = await self._ledger.hand_of(account, message.hand_id)
        if hand is None:
            raise AccountRefused(Code.UNKNOWN_HAND)
        visible = visible_hand(hand.record, account, self._cards)
        set_names(visible, await self._ledger.account_names([seat.account for seat in visible.seats]))
        told = hand_history(visible, account)
        text = None
        if message.format is not None and len(told.steps) <= TEXT_STEPS_MAX:
            story = story_of(
                visible,
                number=hand.number,
                viewer=account,
                tournament=tournament_story(await self._ledger.tournament(tournament_at(hand.table)))
                if hand.in_chips
                else None,
            )
            text = FORMATS[message.format](story)
        return wire.HandHistory(re=message.id, hand=told, text=text)

    async def _history(self, message: wire.GetHistory, account: int) -> wire.History:
        played = await self._ledger.account_history(account, message.before, message.limit + 1)
        told, more = played[: message.limit], played[message.limit :]
        return wire.History(
            re=message.id,
            entries=[history_entry(each, account) for each in told],
            before=told[-1].number if more else None,
        )

    async def _cashier(self, message: wire.GetCashier, account: int) -> wire.Cashier:
        rows = await self._ledger.cash_requests(account, False, REQUESTS_TOLD)
        sources = [row.source for row in await self._ledger.sources() if row.is_open]
        return wire.Cashier(
            re=message.id,
            balance=await self._ledger.wallet(account),
            held=await self._ledger.held(account),
            sources=sources,
            requests=[_request_view(row) for row in rows],
            refill=await self._refill_view(account, sources),
        )

    async def _refill_view(self, account: int, sources: Sequence[str]) -> wire.RefillView | None:
        terms = self._refill_terms
        if terms is None or terms.source not in sources:
            return None
        state = await self._ledger.refill_state(account)
        wait_ms = _wait_ms(terms, state.since_s)
        return wire.RefillView(floor=terms.floor, to=terms.to, owned=state.owned, wait_ms=wait_ms)

    async def _refill(self, message: wire.Refill, account: int) -> wire.CashRequested:
        terms = self._refill_terms
        if terms is None:
            raise AccountRefused(Code.NO_REFILL)
        try:
            row = await self._ledger.refill(account, message.key, terms)
        except (SourceEmpty, UnknownSource):
            raise AccountRefused(Code.NO_REFILL) from None
        except RefillTooSoon:
            state = await self._ledger.refill_state(account)
            # a refill has become possible meanwhile: the next try succeeds
            raise AccountRefused(Code.REFILL_TOO_SOON, max(1, _wait_ms(terms, state.since_s))) from None
        return wire.CashRequested(re=message.id, request=_request_view(row))

    async def _request(
        self, message: wire.RequestDeposit | wire.RequestWithdrawal, account: int
    ) -> wire.CashRequested:
        kind: CashKind = "deposit" if isinstance(message, wire.RequestDeposit) else "withdrawal"
        request = CashRequest(
            account=account,
            key=message.key,
            kind=kind,
            amount=Money(message.amount),
            source=message.source,
        )
        row = await self._ledger.request_cash(request, WAITING_MAX)
        return wire.CashRequested(re=message.id, request=_request_view(row))


def _changes(message: wire.ChangeSettings) -> dict[str, SettingValue]:
    fields = msgspec.structs.asdict(message)
    del fields["id"]
    return {key: value for key, value in fields.items() if value is not None}


def settings_view(kept: Mapping[str, SettingValue]) -> wire.AccountSettings:
    """Return the settings that the account's clients apply."""
    settings = wire.AccountSettings()
    for key, value in kept.items():
        try:
            of_one = msgspec.convert({key: value}, wire.AccountSettings, strict=True)
        except msgspec.ValidationError:
            continue
        if key in settings.__struct_fields__:
            settings = msgspec.structs.replace(settings, **{key: getattr(of_one, key)})
    return settings


def _wait_ms(terms: RefillTerms, since_s: float | None) -> int:
    return 0 if since_s is None else max(0, ceil((terms.every_s - since_s) * 1000))


def _request_view(row: CashRow) -> wire.CashRequestView:
    request = row.request
    is_refill = request.key.startswith(REFILL)
    return wire.CashRequestView(
        key=request.key.removeprefix(REFILL),
        kind="refill" if is_refill else request.kind,
        amount=request.amount,
        source=request.source,
        state=row.state,
        asked_ms=row.asked_ms,
        decided_ms=row.decided_ms,
        note=row.note,
    )
