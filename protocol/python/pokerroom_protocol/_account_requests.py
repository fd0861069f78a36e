"""What a client may ask about its account: settings, histories, the cashier. See `messages`, which re-exports it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from ._fields import CashAmount, CashKey, Cursor, HandId, Language, RoundId, SourceName, Volume
from ._requests import Request


class GetSettings(Request, frozen=True, kw_only=True, tag="get_settings"):
    """Asks for the settings that are kept with the account. Answered by `settings`."""


class ChangeSettings(Request, frozen=True, kw_only=True, tag="change_settings"):
    """Changes those that are not null: they are applied at every later log-in. Answered by `settings`."""

    language: Language | None = None
    chat: bool | None = None
    side_bets: bool | None = None
    announcements: Volume | None = None
    sounds: Volume | None = None
    muck_losing: bool | None = None
    straddle: bool | None = None


class GetHistory(Request, frozen=True, kw_only=True, tag="get_history"):
    """Asks for what the account has played, the newest first. Answered by `history`."""

    before: Annotated[
        Cursor | None,
        Meta(description="`before` of the last `history`: what comes next; None: from the newest"),
    ] = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 20


class GetHand(Request, frozen=True, kw_only=True, tag="get_hand"):
    """Asks for a hand that the account has played and that is over. Answered by `hand_history`."""

    hand_id: HandId


class GetRound(Request, frozen=True, kw_only=True, tag="get_round"):
    """Asks for a round that the account has played and that is over. Answered by `round_history`."""

    round_id: RoundId


class GetCashier(Request, frozen=True, kw_only=True, tag="get_cashier"):
    """Asks for sources of money, and for the account's own requests. Answered by `cashier`."""


class RequestDeposit(Request, frozen=True, kw_only=True, tag="request_deposit"):
    """Asks the operator to put money into the wallet. Answered by `cash_requested`; asked again, the same request."""

    key: CashKey
    amount: CashAmount
    source: SourceName


class RequestWithdrawal(Request, frozen=True, kw_only=True, tag="request_withdrawal"):
    """Asks the operator to pay money out: it leaves the wallet at once. Answered by `cash_requested`, as above."""

    key: CashKey
    amount: CashAmount
    source: SourceName


AccountMessage = (
    GetSettings
    | ChangeSettings
    | GetHistory
    | GetHand
    | GetRound
    | GetCashier
    | RequestDeposit
    | RequestWithdrawal
)
