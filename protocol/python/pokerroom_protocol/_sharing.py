"""Messages about hands that players share by a link: to make and to take back links, and to open one."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ._account import HandHistorySeat, HandHistoryView, HandStep
from ._answers import Answer
from ._declarations import HAND, LOGGED_IN, NOW_MS, declare, declare_request
from ._events import Share
from ._fields import HandId, PlayerName, RequestId, SeatNumber
from ._requests import Request

_CODE = "Vx0d3kR8mQz1bN5tYc7L2w"

HandCode = Annotated[
    str,
    Meta(
        min_length=22,
        max_length=22,
        pattern=r"^[A-Za-z0-9_-]+$(?!\n)",
        description="Secret of a hand's link: whoever has it may see the hand",
    ),
]
ShownNames = Annotated[
    Literal["none", "own", "all"],
    Meta(description="The names that are shown: those of no players, of the sharing player alone, or of all"),
]
OwnCards = Annotated[
    bool,
    Meta(description="The sharing player's cards are shown; if not, only where all players saw them"),
]


class ShareHand(Request, frozen=True, kw_only=True, tag="share_hand"):
    """Make a link to an ended hand that the account played. The same options give the same link again."""

    hand_id: HandId
    names: ShownNames = "own"
    own_cards: OwnCards = True


declare_request(
    ShareHand(id=60, hand_id=HAND),
    ShareHand(id=60, hand_id=HAND, names="all", own_cards=False),
    sender="logged in, was dealt in",
    answers="hand_link",
    refusals="unknown_hand record_archived too_many_hand_links account_locked",
)


class UnshareHand(Request, frozen=True, kw_only=True, tag="unshare_hand"):
    """Take back all your links to a hand: they lead nowhere from now on. Without any it is no error."""

    hand_id: HandId


declare_request(
    UnshareHand(id=61, hand_id=HAND),
    sender=LOGGED_IN,
    answers="ok",
)


class GetHandLinks(Request, frozen=True, kw_only=True, tag="get_hand_links"):
    """Request your links to hands."""


declare_request(
    GetHandLinks(id=62),
    sender=LOGGED_IN,
    answers="hand_links",
)


class GetSharedHand(Request, frozen=True, kw_only=True, tag="get_shared_hand"):
    """Open the link of a hand. No log-in is needed."""

    code: HandCode


declare_request(
    GetSharedHand(id=63, code=_CODE),
    sender="after `hello`, logged in or not",
    answers="shared_hand",
    refusals="unknown_hand_link record_archived",
)


class HandLinkView(Struct, frozen=True, kw_only=True):
    """A link of yours to a hand."""

    hand_id: HandId
    names: ShownNames
    own_cards: OwnCards
    code: HandCode


class HandLink(Answer, frozen=True, kw_only=True, tag="hand_link"):
    """Answer to `share_hand`."""

    re: RequestId
    link: Annotated[HandLinkView, Meta(description="The link with these options")]


declare(
    HandLink(re=60, link=HandLinkView(hand_id=HAND, names="own", own_cards=True, code=_CODE)),
)


class HandLinks(Answer, frozen=True, kw_only=True, tag="hand_links"):
    """Answer to `get_hand_links`."""

    re: RequestId
    links: Annotated[list[HandLinkView], Meta(description="Those that were not taken back, the newest first")]


declare(
    HandLinks(re=62, links=[HandLinkView(hand_id=HAND, names="all", own_cards=False, code=_CODE)]),
    HandLinks(re=62, links=[]),
)


class SharedHandSeat(HandHistorySeat, frozen=True, kw_only=True):
    """A seat dealt in, as the link shows it. `cards` are null where they were never shown, or are not shared."""

    name: Annotated[PlayerName | None, Meta(description="null: not shared")]  # type: ignore[assignment] # wider


class SharedHandView(HandHistoryView, frozen=True, kw_only=True):
    """An ended hand, as its link shows it."""

    your_seat: Annotated[  # type: ignore[assignment] # wider
        SeatNumber | None,
        Meta(description="Seat of the sharing player; null if neither their name nor their cards are shared"),
    ]
    seats: Annotated[list[SharedHandSeat], Meta(description="Seats dealt in")]  # type: ignore[assignment] # wider


class SharedHand(Answer, frozen=True, kw_only=True, tag="shared_hand"):
    """Answer to `get_shared_hand`."""

    re: RequestId
    hand: Annotated[SharedHandView, Meta(description="The hand as the link shows it")]


declare(
    SharedHand(
        re=63,
        hand=SharedHandView(
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
                SharedHandSeat(seat=4, name="bob", stack=8_000, end=7_800, cards=["7c", "7d"]),
                SharedHandSeat(seat=1, name=None, stack=20_000, end=20_200),
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


SharingMessage = ShareHand | UnshareHand | GetHandLinks
SharingAnswer = HandLink | HandLinks | SharedHand
