"""What an account has apart from its seats: settings, histories, the cashier. Parts, and the answers that have them.

See `messages`, which re-exports it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ._answers import Answer
from ._events import Share
from ._fields import (
    AccountSettings,
    Amount,
    BoxNumber,
    CardText,
    CashKey,
    Cursor,
    HandId,
    Millis,
    RequestId,
    RoundId,
    SeatNumber,
    SourceName,
    StreetName,
    TableId,
)
from ._ultimate import BankResult, BoxResult, UltimateStreet

CashKind = Literal["deposit", "withdrawal"]
CashState = Annotated[
    Literal["waiting", "approved", "refused"],
    Meta(description="`approved`: the money has moved; `refused`: what was held is in the wallet again"),
]


class HistoryEntry(Struct, frozen=True, kw_only=True):
    """One line of an account's history: a hand, a round against the house, or a sit-and-go."""

    game: Literal["holdem", "ultimate", "sit_and_go"]
    id: Annotated[
        str, Meta(description="Of a hand or round, for `get_hand` or `get_round`; else the sit-and-go's own")
    ]
    table: Annotated[str, Meta(description="Where it was played")]
    at_ms: Annotated[Millis, Meta(description="When it ended; of a sit-and-go, when you were out of it")]
    stake: Annotated[
        Amount, Meta(description="What you put in: all your bets that were not returned, or the buy-in")
    ]
    win: Annotated[Amount, Meta(description="What you got for it: 0 when all is lost")]
    tip: Annotated[Amount, Meta(description="Given to the tronc, beside the stake")] = 0
    void: Annotated[bool, Meta(description="It does not count: the stake was returned")] = False
    place: Annotated[int | None, Meta(description="In a sit-and-go")] = None
    chips: Annotated[
        bool, Meta(description="Of a hand: played in the sit-and-go `table`, whose chips are no money")
    ] = False


class HandHistorySeat(Struct, frozen=True, kw_only=True):
    """Who was dealt in. `cards` are yours, and those that were turned up at the showdown; None: never shown."""

    seat: SeatNumber
    name: str
    stack: Annotated[Amount, Meta(description="At the start of the hand")]
    end: Annotated[Amount, Meta(description="At its end")]
    cards: list[CardText] | None = None


class HandStep(Struct, frozen=True, kw_only=True):
    """One thing that happened in a hand; which fields say something depends on `what`."""

    what: Literal[
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
    ]
    seat: SeatNumber | None = None
    amount: Annotated[Amount, Meta(description="Posted, added, returned, or the size of the pot")] = 0
    bet: Annotated[Amount, Meta(description="Street total after an action")] = 0
    kind: Annotated[str | None, Meta(description="Of a `post`, as in the event `posted`")] = None
    street: Annotated[StreetName | None, Meta(description="Of `street`: which was dealt")] = None
    cards: Annotated[list[CardText], Meta(description="Of `street`")] = []
    pot: Annotated[int | None, Meta(description="Of `award`; 0 is the main pot")] = None
    shares: Annotated[list[Share], Meta(description="Of `award`")] = []


class HandHistoryView(Struct, frozen=True, kw_only=True):
    """A hand that is over, as you may see it."""

    hand_id: HandId
    table: TableId
    structure: Literal["no_limit", "pot_limit", "fixed_limit"]
    small_blind: Amount
    big_blind: Amount
    started_ms: Millis
    ended_ms: Millis
    button: SeatNumber
    your_seat: SeatNumber
    seats: list[HandHistorySeat]
    steps: list[HandStep]


class BoxDecision(Struct, frozen=True, kw_only=True):
    """What was decided for a box on a street; `amount` is the Play."""

    box: BoxNumber
    street: UltimateStreet
    decision: Literal["check", "play", "fold"]
    amount: Amount = 0
    automatic: Annotated[bool, Meta(description="By the clock")] = False


class RoundHistoryView(Struct, frozen=True, kw_only=True):
    """A round against the house that is over, as you may see it."""

    round_id: RoundId
    table: TableId
    started_ms: Millis
    ended_ms: Millis
    your_boxes: list[BoxNumber]
    boxes: list[BoxResult]
    decisions: list[BoxDecision]
    board: list[CardText]
    bank: Annotated[BankResult | None, Meta(description="None in a void round")]
    stake: Annotated[Amount, Meta(description="All your bets")]
    win: Annotated[Amount, Meta(description="All that went back to you")]
    tip: Amount = 0
    void: bool = False


class CashRequestView(Struct, frozen=True, kw_only=True):
    """A deposit or withdrawal. A withdrawal that waits is out of the wallet already."""

    key: CashKey
    kind: CashKind
    amount: Amount
    source: SourceName
    state: CashState
    asked_ms: Millis
    decided_ms: Millis | None = None
    note: Annotated[str, Meta(description="What the operator says about it")] = ""


class Settings(Answer, frozen=True, kw_only=True, tag="settings"):
    """Answer to `get_settings` and `change_settings`: all of them, as they are now."""

    re: RequestId
    settings: AccountSettings


class History(Answer, frozen=True, kw_only=True, tag="history"):
    """Answer to `get_history`: the newest first."""

    re: RequestId
    entries: list[HistoryEntry]
    before: Annotated[Cursor | None, Meta(description="For the next `get_history`; None: there is no more")]


class HandHistory(Answer, frozen=True, kw_only=True, tag="hand_history"):
    """Answer to `get_hand`."""

    re: RequestId
    hand: HandHistoryView


class RoundHistory(Answer, frozen=True, kw_only=True, tag="round_history"):
    """Answer to `get_round`."""

    re: RequestId
    round: RoundHistoryView


class Cashier(Answer, frozen=True, kw_only=True, tag="cashier"):
    """Answer to `get_cashier`: what you hold, and your requests, the newest first."""

    re: RequestId
    balance: Annotated[Amount, Meta(description="In the wallet")]
    held: Annotated[Amount, Meta(description="For withdrawals that wait")]
    sources: Annotated[list[SourceName], Meta(description="Where money may come from, and go to")]
    requests: list[CashRequestView]


class CashRequested(Answer, frozen=True, kw_only=True, tag="cash_requested"):
    """Answer to `request_deposit` and `request_withdrawal`: how the request stands."""

    re: RequestId
    request: CashRequestView


AccountAnswer = Settings | History | HandHistory | RoundHistory | Cashier | CashRequested
