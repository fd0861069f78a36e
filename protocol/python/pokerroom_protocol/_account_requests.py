"""Requests about an account: settings, histories, the cashier, sessions and the password."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from ._declarations import CASH_KEY, HAND, LOGGED_IN, NOW_MS, ROUND, declare_request
from ._fields import (
    CashAmount,
    CashKey,
    Cursor,
    HandFormat,
    HandId,
    Language,
    Millis,
    Name,
    NewPassword,
    PresentPassword,
    RealityCheckMinutes,
    RecoveryCode,
    RefillKey,
    RoundId,
    SecondCode,
    SecondCodeIfNeeded,
    SessionNumber,
    SourceName,
    TableId,
    Volume,
)
from ._notes import GetPlayerNotes, SetPlayerNote
from ._requests import Request
from ._statistics import GetOpponents, GetStatistics


class GetSettings(Request, frozen=True, kw_only=True, tag="get_settings"):
    """Request the settings of the account."""


declare_request(
    GetSettings(id=30),
    sender=LOGGED_IN,
    answers="settings",
)


class ChangeSettings(Request, frozen=True, kw_only=True, tag="change_settings"):
    """Change the settings that are not null."""

    language: Annotated[Language | None, Meta(description="Language of the client")] = None
    chat: Annotated[bool | None, Meta(description="Chat is shown")] = None
    side_bets: Annotated[bool | None, Meta(description="Side bets are offered")] = None
    announcements: Volume | None = None
    sounds: Volume | None = None
    muck_losing: Annotated[bool | None, Meta(description="A losing hand is not shown at the showdown")] = None
    straddle: Annotated[
        bool | None, Meta(description="Post a straddle whenever the seat is first left of the big blind")
    ] = None
    reality_check_min: Annotated[
        RealityCheckMinutes | None, Meta(description="Minutes of play between `reality_check`; 0: off")
    ] = None


declare_request(
    ChangeSettings(id=31, language="pl", chat=False, sounds=40),
    sender=LOGGED_IN,
    answers="settings",
)


class GetHistory(Request, frozen=True, kw_only=True, tag="get_history"):
    """Request the history of the account, newest first."""

    before: Annotated[
        Cursor | None,
        Meta(description="`before` of the last `history`, for the next page; null: from the newest"),
    ] = None
    limit: Annotated[int, Meta(ge=1, le=100, description="Largest number of entries")] = 20


declare_request(
    GetHistory(id=32),
    GetHistory(id=33, before=4_711, limit=100),
    sender=LOGGED_IN,
    answers="history",
)


class GetHand(Request, frozen=True, kw_only=True, tag="get_hand"):
    """Request an ended hand that the account played."""

    hand_id: HandId
    format: Annotated[
        HandFormat | None,
        Meta(description="Format of `text` in the answer, with `hand_text` among the features; null: none"),
    ] = None


declare_request(
    GetHand(id=34, hand_id=HAND),
    GetHand(id=34, hand_id=HAND, format="pokerstars"),
    sender="logged in, was dealt in",
    answers="hand_history",
    refusals="unknown_hand record_archived",
)


class ExportHands(Request, frozen=True, kw_only=True, tag="export_hands"):
    """Request ended hands that the account played, as text for other programs, a page at a time, the oldest first."""

    format: Annotated[HandFormat, Meta(description="Format of `text` in the answer")]
    table: Annotated[TableId | None, Meta(description="Of this table or sit-and-go alone; null: of all")] = (
        None
    )
    since_ms: Annotated[Millis | None, Meta(description="Hands that ended then or later; null: all")] = None
    until_ms: Annotated[Millis | None, Meta(description="Hands that ended before; null: all")] = None
    after: Annotated[
        Cursor | None,
        Meta(description="`after` of the last `hand_texts`, for the next page; null: from the oldest"),
    ] = None


declare_request(
    ExportHands(id=37, format="pokerstars"),
    ExportHands(id=37, format="ohh", table="six.12", after=4_711),
    ExportHands(id=37, format="phh", since_ms=NOW_MS - 86_400_000, until_ms=NOW_MS),
    sender=LOGGED_IN,
    answers="hand_texts",
)


class GetRound(Request, frozen=True, kw_only=True, tag="get_round"):
    """Request an ended round that the account played."""

    round_id: RoundId


declare_request(
    GetRound(id=35, round_id=ROUND),
    sender="logged in, had bets in it",
    answers="round_history",
    refusals="unknown_round record_archived",
)


class GetCashier(Request, frozen=True, kw_only=True, tag="get_cashier"):
    """Request the sources of money and the account's requests."""


declare_request(
    GetCashier(id=36),
    sender=LOGGED_IN,
    answers="cashier",
)


class RequestDeposit(Request, frozen=True, kw_only=True, tag="request_deposit"):
    """Request a deposit. Answered by `cash_requested`; a repetition with the same key gets the same request."""

    key: CashKey
    amount: CashAmount
    source: SourceName


declare_request(
    RequestDeposit(id=37, key=CASH_KEY, amount=50_000, source="cash"),
    sender=LOGGED_IN,
    answers="cash_requested",
    refusals="unknown_source key_used too_many_requests limit_reached excluded",
)


class RequestWithdrawal(Request, frozen=True, kw_only=True, tag="request_withdrawal"):
    """Request a withdrawal: the amount leaves the wallet at once.

    Answered by `cash_requested`, as for a deposit.
    """

    key: CashKey
    amount: CashAmount
    source: SourceName


declare_request(
    RequestWithdrawal(id=38, key=f"w-{CASH_KEY[:8]}", amount=12_500, source="cash"),
    sender=LOGGED_IN,
    answers="cash_requested",
    refusals="unknown_source key_used too_many_requests insufficient_balance",
)


class Refill(Request, frozen=True, kw_only=True, tag="refill"):
    """Refill the play money of an account that owns less than `refill.floor` of `cashier`.

    The wallet gets what the account lacks to `refill.to`, at once. A repetition with the same key gets the same refill.
    """

    key: RefillKey


declare_request(
    Refill(id=39, key=f"r-{CASH_KEY[:8]}"),
    sender=LOGGED_IN,
    answers="cash_requested",
    refusals="no_refill refill_not_needed refill_too_soon limit_reached excluded account_locked",
)


class GetSecurity(Request, frozen=True, kw_only=True, tag="get_security"):
    """Request the sessions of the account: the devices that are logged in."""


declare_request(
    GetSecurity(id=40),
    sender=LOGGED_IN,
    answers="security",
)


class EndSessions(Request, frozen=True, kw_only=True, tag="end_sessions"):
    """End a session of the account, or all others. Their connections get `goodbye` with `session_ended`.

    A session that is over already is no error.
    """

    session: Annotated[
        SessionNumber | None, Meta(description="Number of the session; null: all but that of this connection")
    ] = None


declare_request(
    EndSessions(id=41),
    EndSessions(id=41, session=17),
    sender=LOGGED_IN,
    answers="security",
)


class ChangePassword(Request, frozen=True, kw_only=True, tag="change_password"):
    """Set a new password. All other sessions of the account end, and its recovery codes are void."""

    password: PresentPassword
    new_password: NewPassword


declare_request(
    ChangePassword(id=42, password="correct horse", new_password="battery staple"),  # noqa: S106 - an example
    sender=LOGGED_IN,
    answers="security",
    refusals="bad_credentials weak_password log_in_delayed",
)


class MakeRecoveryCodes(Request, frozen=True, kw_only=True, tag="make_recovery_codes"):
    """Make new recovery codes. They are told once; earlier ones of the account are void."""

    password: PresentPassword
    code: SecondCodeIfNeeded = None


declare_request(
    MakeRecoveryCodes(id=43, password="correct horse"),  # noqa: S106 - an example
    MakeRecoveryCodes(id=43, password="correct horse", code="123456"),  # noqa: S106 - an example
    sender=LOGGED_IN,
    answers="recovery_codes",
    refusals="bad_credentials code_needed bad_code log_in_delayed",
)


class Recover(Request, frozen=True, kw_only=True, tag="recover"):
    """Set a new password with a recovery code, which is used up, and log in. All sessions of the account end."""

    name: Name
    code: RecoveryCode
    new_password: NewPassword
    second_code: SecondCodeIfNeeded = None


declare_request(
    Recover(id=2, name="alice", code="7K2M-Q0XW-94TB-ZHCE", new_password="battery staple"),  # noqa: S106 - an example
    sender="not logged in",
    answers="authenticated",
    refusals="bad_code code_needed weak_password log_in_delayed already_authenticated account_locked",
)


class BeginSecondFactor(Request, frozen=True, kw_only=True, tag="begin_second_factor"):
    """Request a secret for an authenticator app. It counts after `confirm_second_factor`."""

    password: PresentPassword


declare_request(
    BeginSecondFactor(id=44, password="correct horse"),  # noqa: S106 - an example
    sender=LOGGED_IN,
    answers="second_factor",
    refusals="bad_credentials second_factor_on log_in_delayed",
)


class ConfirmSecondFactor(Request, frozen=True, kw_only=True, tag="confirm_second_factor"):
    """Switch the second factor on with a code of the app. All other sessions of the account end."""

    password: PresentPassword
    code: SecondCode


declare_request(
    ConfirmSecondFactor(id=45, password="correct horse", code="123456"),  # noqa: S106 - an example
    sender=LOGGED_IN,
    answers="security",
    refusals="bad_credentials bad_code log_in_delayed",
)


class EndSecondFactor(Request, frozen=True, kw_only=True, tag="end_second_factor"):
    """Switch the second factor off."""

    password: PresentPassword
    code: SecondCode


declare_request(
    EndSecondFactor(id=46, password="correct horse", code="123456"),  # noqa: S106 - an example
    sender=LOGGED_IN,
    answers="security",
    refusals="bad_credentials bad_code log_in_delayed",
)


class DeleteAccount(Request, frozen=True, kw_only=True, tag="delete_account"):
    """Delete the account, for ever. All its sessions end; this connection is logged out."""

    password: PresentPassword
    code: SecondCodeIfNeeded = None


declare_request(
    DeleteAccount(id=49, password="correct horse"),  # noqa: S106 - an example
    sender=LOGGED_IN,
    answers="ok",
    refusals="bad_credentials code_needed bad_code log_in_delayed account_in_use excluded"
    " wallet_not_empty unknown_source",
)


SecurityMessage = (
    GetSecurity
    | EndSessions
    | ChangePassword
    | MakeRecoveryCodes
    | BeginSecondFactor
    | ConfirmSecondFactor
    | EndSecondFactor
)


AccountMessage = (
    GetSettings
    | ChangeSettings
    | GetHistory
    | GetHand
    | GetRound
    | GetCashier
    | RequestDeposit
    | RequestWithdrawal
    | Refill
    | GetStatistics
    | SetPlayerNote
    | GetPlayerNotes
    | GetOpponents
)
