"""Messages about an account apart from its seats: settings, histories, the cashier, sessions. Parts and answers."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from ._answers import Answer
from ._declarations import CASH_KEY, HAND, NOW_MS, ROUND, declare
from ._events import Share
from ._fields import (
    AccountSettings,
    Amount,
    BoxAction,
    BoxNumber,
    CardText,
    CashKey,
    Cursor,
    Game,
    GameName,
    HandId,
    Millis,
    PlayerName,
    RequestId,
    RoundId,
    SeatNumber,
    SessionNumber,
    SourceName,
    StreetName,
    Structure,
    TableId,
)
from ._notes import PlayerNotes
from ._statistics import Opponents, Statistics
from ._ultimate import BankResult, BetResult, BoxResult, UltimateStreet

CashKind = Annotated[
    Literal["deposit", "withdrawal", "refill"],
    Meta(description="`refill`: a deposit by the room's terms, approved at once"),
]
CashState = Annotated[
    Literal["waiting", "approved", "refused"],
    Meta(description="`approved`: the money has moved; `refused`: the held amount is back in the wallet"),
]


class HistoryEntry(Struct, frozen=True, kw_only=True):
    """One entry of an account's history: a hand, a round, or a tournament (`sit_and_go`, of any kind)."""

    game: Annotated[Literal[GameName, "ultimate", "sit_and_go"], Meta(description="Game")]
    id: Annotated[
        str, Meta(description="Id of the hand or round, for `get_hand` or `get_round`; or of the tournament")
    ]
    table: Annotated[str, Meta(description="Table")]
    at_ms: Annotated[Millis, Meta(description="End; for a tournament, when you were out")]
    stake: Annotated[
        Amount, Meta(description="Amount put in: all bets that were not returned, or the buy-ins")
    ]
    win: Annotated[Amount, Meta(description="Amount won, 0 if all is lost")]
    tip: Annotated[Amount, Meta(description="Tip, beside the stake")] = 0
    void: Annotated[bool, Meta(description="Void: the stake was returned")] = False
    place: Annotated[int | None, Meta(description="Place in a tournament")] = None
    chips: Annotated[bool, Meta(description="For a hand: it was played in a tournament, with its chips")] = (
        False
    )
    archived: Annotated[
        bool,
        Meta(
            description="In the room's archive: of a hand `stake` and `win` tell the difference alone, and neither a"
            " hand nor a round can be opened"
        ),
    ] = False


class HandHistorySeat(Struct, frozen=True, kw_only=True):
    """A seat dealt in. `cards` are your own, or cards shown at the showdown; null: never shown, or erased."""

    seat: SeatNumber
    name: PlayerName
    stack: Annotated[Amount, Meta(description="Stack at the start of the hand")]
    end: Annotated[Amount, Meta(description="Stack at the end of the hand")]
    cards: Annotated[list[CardText] | None, Meta(description="Cards dealt or shown")] = None


class HandStep(Struct, frozen=True, kw_only=True):
    """One step of a hand; `what` decides which fields have a meaning."""

    what: Annotated[
        Literal[
            "post",
            "fold",
            "check",
            "call",
            "bet",
            "raise",
            "clock_all_in",
            "street",
            "uncalled",
            "shown",
            "mucked",
            "award",
        ],
        Meta(description="Kind of step"),
    ]
    seat: SeatNumber | None = None
    amount: Annotated[Amount, Meta(description="Amount posted, added or returned, or size of the pot")] = 0
    bet: Annotated[Amount, Meta(description="Total for the street after an action")] = 0
    kind: Annotated[str | None, Meta(description="For `post`: kind, as in `posted`")] = None
    street: Annotated[StreetName | None, Meta(description="For `street`: the street dealt")] = None
    cards: Annotated[list[CardText], Meta(description="For `street`: its board cards")] = []
    pot: Annotated[int | None, Meta(description="For `award`: 0 is the main pot")] = None
    shares: Annotated[list[Share], Meta(description="For `award`: shares of the pot")] = []
    rake: (
        Annotated[Amount, Meta(description="For `award`: what the room takes of the pot; absent: nothing")]
        | UnsetType
    ) = UNSET


class HandHistoryView(Struct, frozen=True, kw_only=True):
    """An ended hand, as you may see it."""

    hand_id: HandId
    table: TableId
    game: Game = "holdem"
    structure: Structure
    small_blind: Amount
    big_blind: Amount
    started_ms: Millis
    ended_ms: Millis
    button: Annotated[SeatNumber, Meta(description="Seat with the button; it may be empty")]
    your_seat: Annotated[SeatNumber, Meta(description="Seat of the account in the hand")]
    seats: Annotated[list[HandHistorySeat], Meta(description="Seats dealt in")]
    steps: Annotated[list[HandStep], Meta(description="All steps of the hand, in order")]
    table_seats: Annotated[
        Annotated[int, Meta(ge=2, le=10)] | None,
        Meta(description="Number of seats of the table; null in old records"),
    ] = None


class BoxDecision(Struct, frozen=True, kw_only=True):
    """A decision for a box on a street; `amount` is the Play."""

    box: BoxNumber
    street: Annotated[UltimateStreet, Meta(description="Street of the decision")]
    decision: BoxAction
    amount: Amount = 0
    automatic: Annotated[bool, Meta(description="The clock decided")] = False


class RoundHistoryView(Struct, frozen=True, kw_only=True):
    """An ended round, as you may see it."""

    round_id: RoundId
    table: TableId
    started_ms: Millis
    ended_ms: Millis
    your_boxes: list[BoxNumber]
    boxes: Annotated[list[BoxResult], Meta(description="Boxes of the round, by number")]
    decisions: Annotated[list[BoxDecision], Meta(description="All decisions of all boxes, in order")]
    board: Annotated[list[CardText], Meta(description="The board cards")]
    bank: Annotated[BankResult | None, Meta(description="null in a void round")]
    stake: Annotated[Amount, Meta(description="Sum of your bets")]
    win: Annotated[Amount, Meta(description="Sum returned to you")]
    tip: Amount = 0
    void: Annotated[bool, Meta(description="The round is void: every bet was returned")] = False


class CashRequestView(Struct, frozen=True, kw_only=True):
    """A deposit or withdrawal. The amount of a waiting withdrawal is already out of the wallet."""

    key: CashKey
    kind: Annotated[CashKind, Meta(description="Direction of the money")]
    amount: Amount
    source: SourceName
    state: CashState
    asked_ms: Millis
    decided_ms: Millis | None = None
    note: Annotated[str, Meta(description="Note of the operator")] = ""


_EXAMPLE_WITHDRAWAL: Final = CashRequestView(
    key=f"w-{CASH_KEY[:8]}", kind="withdrawal", amount=12_500, source="cash", state="waiting", asked_ms=NOW_MS
)


class Settings(Answer, frozen=True, kw_only=True, tag="settings"):
    """Answer to `get_settings` and `change_settings`: all settings."""

    re: RequestId
    settings: Annotated[AccountSettings, Meta(description="All settings")]


declare(
    Settings(re=31, settings=AccountSettings(language="pl", chat=False, sounds=40)),
)


class History(Answer, frozen=True, kw_only=True, tag="history"):
    """Answer to `get_history`: newest first."""

    re: RequestId
    entries: Annotated[list[HistoryEntry], Meta(description="Newest first")]
    before: Annotated[Cursor | None, Meta(description="For the next `get_history`; null: no more entries")]


declare(
    History(
        re=32,
        entries=[
            HistoryEntry(
                game="ultimate",
                id=ROUND,
                table="ultimate-1",
                at_ms=NOW_MS + 40_000,
                stake=600,
                win=1_100,
                tip=50,
            ),
            HistoryEntry(
                game="sit_and_go", id="six.17", table="six.17", at_ms=NOW_MS, stake=300, win=1_000, place=1
            ),
            HistoryEntry(game="holdem", id=HAND, table="nl-6max-1", at_ms=NOW_MS - 1, stake=600, win=0),
            HistoryEntry(
                game="omaha",
                id="h-0a",
                table="plo-1",
                at_ms=NOW_MS - 2,
                stake=0,
                win=150,
                archived=True,
            ),
        ],
        before=4_711,
    ),
)


class HandHistory(Answer, frozen=True, kw_only=True, tag="hand_history"):
    """Answer to `get_hand`."""

    re: RequestId
    hand: Annotated[HandHistoryView, Meta(description="The hand as the account may see it")]
    text: Annotated[
        str | None, Meta(description="The same in the `format` that was asked for, as a file has it")
    ] = None


declare(
    HandHistory(
        re=34,
        hand=HandHistoryView(
            hand_id=HAND,
            table="nl-6max-1",
            structure="no_limit",
            small_blind=100,
            big_blind=200,
            started_ms=NOW_MS - 30_000,
            ended_ms=NOW_MS - 1,
            button=1,
            your_seat=4,
            seats=[
                HandHistorySeat(seat=4, name="bob", stack=8_000, end=7_800, cards=["7c", "7d"]),
                HandHistorySeat(seat=1, name="alice", stack=20_000, end=20_200),
            ],
            steps=[
                HandStep(what="post", seat=1, amount=100, kind="small_blind"),
                HandStep(what="post", seat=4, amount=200, kind="big_blind"),
                HandStep(what="raise", seat=1, amount=500, bet=600),
                HandStep(what="fold", seat=4, bet=200),
                HandStep(what="uncalled", seat=1, amount=400),
                HandStep(what="award", amount=400, pot=0, shares=[Share(seat=1, amount=400)]),
            ],
            table_seats=6,
        ),
    ),
)


class HandTexts(Answer, frozen=True, kw_only=True, tag="hand_texts"):
    """Answer to `export_hands`. A page may have no hands before the last one: ask on while there are `more`."""

    re: RequestId
    text: Annotated[
        str, Meta(description="Hands as a file has them; the pages make one file, one after the other")
    ]
    hands: Annotated[int, Meta(ge=0, le=2**53 - 1, description="How many hands the text has")]
    left_out: Annotated[
        list[HandId], Meta(description="Hands without a text: of more than 1,000 steps, or in the archive")
    ]
    after: Annotated[
        Cursor | None, Meta(description="Send it as `after` for the hands behind this page, now or later")
    ]
    more: Annotated[bool, Meta(description="There may be further hands now")]


declare(
    HandTexts(re=37, text="PokerStars Hand #4711: ...\n\n", hands=1, left_out=[], after=4_711, more=True),
    HandTexts(re=37, text="", hands=0, left_out=[HAND], after=4_712, more=False),
    HandTexts(re=37, text="", hands=0, left_out=[], after=None, more=False),
)


class RoundHistory(Answer, frozen=True, kw_only=True, tag="round_history"):
    """Answer to `get_round`."""

    re: RequestId
    round: Annotated[RoundHistoryView, Meta(description="The round as the account may see it")]


declare(
    RoundHistory(
        re=35,
        round=RoundHistoryView(
            round_id=ROUND,
            table="ultimate-1",
            started_ms=NOW_MS,
            ended_ms=NOW_MS + 40_000,
            your_boxes=[2],
            boxes=[
                BoxResult(
                    box=2,
                    name="alice",
                    outcome="won",
                    bets=[
                        BetResult(bet="ante", staked=100, paid=200),
                        BetResult(bet="blind", staked=100, paid=100),
                        BetResult(bet="play", staked=400, paid=800),
                    ],
                    cards=["As", "Kd"],
                    hand="pair",
                )
            ],
            decisions=[BoxDecision(box=2, street="preflop", decision="play", amount=400)],
            board=["Ac", "7h", "2d", "9s", "3c"],
            bank=BankResult(cards=["7c", "4d"], hand="pair", qualifies=True),
            stake=600,
            win=1_100,
            tip=50,
        ),
    ),
)


class RefillView(Struct, frozen=True, kw_only=True):
    """The terms of the free refill of play money, and what holds for this account now."""

    floor: Annotated[Amount, Meta(description="An account that owns less may refill")]
    to: Annotated[Amount, Meta(description="What the account owns after a refill")]
    owned: Annotated[
        Amount,
        Meta(
            description="Wallet, stacks, held withdrawals; bets of rounds and buy-ins of sit-and-gos in progress"
        ),
    ]
    wait_ms: Annotated[int, Meta(description="Until the next refill is possible, milliseconds; 0: now")]


class Cashier(Answer, frozen=True, kw_only=True, tag="cashier"):
    """Answer to `get_cashier`: your money, and your requests, newest first."""

    re: RequestId
    balance: Annotated[Amount, Meta(description="Balance of the wallet")]
    held: Annotated[Amount, Meta(description="Held for waiting withdrawals")]
    sources: Annotated[list[SourceName], Meta(description="Sources and destinations of money")]
    requests: Annotated[list[CashRequestView], Meta(description="Requests of the account, newest first")]
    refill: Annotated[RefillView | None, Meta(description="Null without a free refill")] = None


declare(
    Cashier(re=36, balance=937_500, held=12_500, sources=["cash"], requests=[_EXAMPLE_WITHDRAWAL]),
    Cashier(
        re=36,
        balance=500,
        held=0,
        sources=[],
        requests=[],
        refill=RefillView(floor=10_000, to=100_000, owned=500, wait_ms=3_600_000),
    ),
)


class CashRequested(Answer, frozen=True, kw_only=True, tag="cash_requested"):
    """Answer to `request_deposit`, `request_withdrawal` and `refill`: the state of the request."""

    re: RequestId
    request: Annotated[
        CashRequestView,
        Meta(description="The request; a deposit or withdrawal waits for the operator's decision"),
    ]


declare(
    CashRequested(re=38, request=_EXAMPLE_WITHDRAWAL),
)


class SessionView(Struct, frozen=True, kw_only=True):
    """A session of the account: one log-in of a device."""

    session: SessionNumber
    opened_ms: Annotated[Millis, Meta(description="Log-in")]
    seen_ms: Annotated[Millis, Meta(description="Last use, to about a minute, or five while it is connected")]
    client: Annotated[str, Meta(description="Client, as it named itself in `hello`; for display")]
    address: Annotated[str, Meta(description="Shortened address of the last connection; for display")]
    current: Annotated[bool, Meta(description="The session of this connection")]


class Security(Answer, frozen=True, kw_only=True, tag="security"):
    """Answer to `get_security`, `end_sessions` and `change_password`."""

    re: RequestId
    sessions: Annotated[list[SessionView], Meta(description="Sessions, the one used last first")]
    recovery_codes: Annotated[int, Meta(ge=0, description="Recovery codes that are not used")] = 0
    second_factor: Annotated[bool, Meta(description="Log-ins ask for a code")] = False


declare(
    Security(
        re=40,
        sessions=[
            SessionView(
                session=18,
                opened_ms=NOW_MS - 3_600_000,
                seen_ms=NOW_MS,
                client="pokerroom web",
                address="192.0.2.*",
                current=True,
            ),
            SessionView(
                session=17,
                opened_ms=NOW_MS - 90_000_000,
                seen_ms=NOW_MS - 86_400_000,
                client="pokerroom terminal",
                address="2001:db8:7:*",
                current=False,
            ),
        ],
        recovery_codes=9,
        second_factor=True,
    ),
)


class SecondFactor(Answer, frozen=True, kw_only=True, tag="second_factor"):
    """Answer to `begin_second_factor`. The secret cannot be requested again."""

    re: RequestId
    secret: Annotated[str, Meta(description="Secret in base 32, to type into an app")]
    uri: Annotated[str, Meta(description="Address with the secret (`otpauth:`), for an app on the device")]
    qr: Annotated[
        list[str],
        Meta(description="QR code of `uri`: rows of 1 (dark) and 0; leave a border of four around it"),
    ]


declare(
    SecondFactor(
        re=44,
        secret="JBSWY3DPEHPK3PXP",  # noqa: S106 - an example
        uri="otpauth://totp/pokerroom:alice?secret=JBSWY3DPEHPK3PXP&issuer=pokerroom",
        qr=["101", "010", "101"],
    ),
)


class RecoveryCodes(Answer, frozen=True, kw_only=True, tag="recovery_codes"):
    """Answer to `make_recovery_codes`. The codes are secrets, and cannot be requested again."""

    re: RequestId
    codes: Annotated[list[str], Meta(description="Codes; each works once, for `recover`")]


declare(
    RecoveryCodes(re=43, codes=["7K2M-Q0XW-94TB-ZHCE", "ZX81-3P9D-M4GA-0T7R"]),
)


AccountAnswer = (
    Settings
    | History
    | HandHistory
    | HandTexts
    | RoundHistory
    | Cashier
    | CashRequested
    | Security
    | RecoveryCodes
    | SecondFactor
    | Statistics
    | PlayerNotes
    | Opponents
)
