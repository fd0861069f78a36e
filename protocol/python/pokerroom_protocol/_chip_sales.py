"""Rebuys and add-ons of a tournament: buying and declining them, and the offers that an account is told."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from ._answers import Answer
from ._declarations import LOGGED_IN, NOW_MS, declare, declare_request
from ._fields import Amount, Millis, RequestId, TournamentId
from ._requests import Request

PurchaseKind = Annotated[Literal["rebuy", "add_on"], Meta(description="A rebuy, or the add-on")]


class BuyRebuy(Request, frozen=True, kw_only=True, tag="buy_rebuy"):
    """Buy a rebuy while they are sold: after a hand that left you with at most `stack_max`, or with nothing.

    The price leaves the wallet at once. The chips come before your next hand; until then `purchase_pending` refuses
    the next one. A repetition names the same `number`: it is answered again, and does not pay twice.
    """

    tournament: TournamentId
    number: Annotated[
        int,
        Meta(ge=1, le=1_000, description="Number of your rebuy: one more than those that you have bought"),
    ]


_REFUSALS = (
    "unknown_tournament not_registered sale_closed purchase_pending purchases_used_up {}"
    "insufficient_balance wallet_busy wallet_refused limit_reached excluded account_locked"
)

declare_request(
    BuyRebuy(id=43, tournament="rebuy.3", number=1),
    sender=LOGGED_IN,
    answers="chips_bought",
    refusals=_REFUSALS.format("stack_too_large "),
)


class BuyAddOn(Request, frozen=True, kw_only=True, tag="buy_add_on"):
    """Buy the add-on in the break after the last level with rebuys, with any stack, once.

    A repetition is answered again, and does not pay twice.
    """

    tournament: TournamentId


declare_request(
    BuyAddOn(id=44, tournament="rebuy.3"),
    sender=LOGGED_IN,
    answers="chips_bought",
    refusals=_REFUSALS.format(""),
)


class DeclineRebuy(Request, frozen=True, kw_only=True, tag="decline_rebuy"):
    """Buy no rebuy after you have lost all chips: the table waits no longer, and you are out."""

    tournament: TournamentId


declare_request(
    DeclineRebuy(id=45, tournament="rebuy.3"),
    sender=LOGGED_IN,
    answers="ok",
    refusals="unknown_tournament not_registered",
)

ChipSaleMessage = BuyRebuy | BuyAddOn | DeclineRebuy


class ChipsBought(Answer, frozen=True, kw_only=True, tag="chips_bought"):
    """Answer to `buy_rebuy` and `buy_add_on`: it is paid, and `chips` come to your stack before your next hand."""

    re: RequestId
    tournament: TournamentId
    kind: PurchaseKind
    number: Annotated[int, Meta(ge=1, description="Number of your rebuy, or of your add-on")]
    price: Amount
    chips: Amount


declare(
    ChipsBought(re=43, tournament="rebuy.3", kind="rebuy", number=1, price=1_100, chips=5_000),
)


class ChipsOffered(Answer, frozen=True, kw_only=True, tag="chips_offered"):
    """You have lost all chips and can buy a rebuy, or the break of the add-on has begun.

    Your table waits for the decision on a rebuy. May be repeated after a failure.
    """

    tournament: TournamentId
    kind: PurchaseKind
    price: Amount
    chips: Amount
    number: Annotated[int, Meta(ge=1, description="Number of what is offered, for `buy_rebuy`")]
    left: Annotated[int, Meta(ge=1, description="How many you can still buy")]
    until_ms: Annotated[Millis | None, Meta(description="End of the offer; null while the clock stands")]


declare(
    ChipsOffered(
        tournament="rebuy.3",
        kind="rebuy",
        price=1_100,
        chips=5_000,
        number=1,
        left=2,
        until_ms=NOW_MS + 15_000,
    ),
)
