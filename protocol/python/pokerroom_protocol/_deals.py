"""Deals at the final table of a tournament: all players left agree how they share the prizes that are not paid."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from ._answers import Answer
from ._declarations import SEATED, declare, declare_event, declare_request
from ._events import Event
from ._fields import Amount, DealKind, DealNumber, PlayerName, RequestId, SeatNumber, TableId
from ._requests import Request
from ._views import DealShare, DealView, LevelView

_NOT_NOW = "not_seated deals_not_offered no_final_table deal_in_progress deal_made deal_paused deal_too_soon"

# --- requests ---------------------------------------------------------------------------------------------------


class GetDeal(Request, frozen=True, kw_only=True, tag="get_deal"):
    """Request what each player left would get by a deal now, with the least amount for the winner."""

    table: TableId


declare_request(GetDeal(id=37, table="sunday.3"), sender=SEATED, answers="deal_options", refusals=_NOT_NOW)


class ProposeDeal(Request, frozen=True, kw_only=True, tag="propose_deal"):
    """Propose a deal. When the hand has ended all players left see the amounts, and answer; the proposer accepts."""

    table: TableId
    kind: Annotated[DealKind, Meta(description="How the prizes are shared")]
    for_the_winner: Annotated[
        Amount, Meta(description="Set aside for the winner; `deal_options` has the bounds")
    ] = 0


declare_request(
    ProposeDeal(id=38, table="sunday.3", kind="icm"),
    ProposeDeal(id=38, table="sunday.3", kind="chips", for_the_winner=10_000),
    sender=SEATED,
    answers="ok",
    refusals=_NOT_NOW + " wrong_deal_amount deal_player_away chip_chop_too_large",
)


class AnswerDeal(Request, frozen=True, kw_only=True, tag="answer_deal"):
    """Accept or refuse the open deal. One refusal ends it; an answer is not taken back."""

    table: TableId
    deal: DealNumber
    accept: Annotated[bool, Meta(description="False: refuse, which ends the deal")]


declare_request(
    AnswerDeal(id=39, table="sunday.3", deal=8_589_934_601, accept=True),
    sender=SEATED,
    answers="ok",
    refusals="not_seated no_deal",
)

DealMessage = GetDeal | ProposeDeal | AnswerDeal

# --- answers ----------------------------------------------------------------------------------------------------


class DealOptions(Answer, frozen=True, kw_only=True, tag="deal_options"):
    """Answer to `get_deal`: the amounts by the stacks after the last hand, with `least` set aside for the winner.

    The amounts of the deal are those by the stacks when it opens.
    """

    re: RequestId
    table: TableId
    least: Annotated[Amount, Meta(description="Least amount that is set aside for the winner")]
    most: Annotated[Amount, Meta(description="Most of it")]
    shares: Annotated[list[DealShare], Meta(description="From the first left of the button")]


_SHARES = [
    DealShare(seat=2, name="ada", stack=5_000, icm=3_839, chips=4_000),
    DealShare(seat=5, name="kim", stack=3_000, icm=3_275, chips=3_200),
    DealShare(seat=6, name="lou", stack=2_000, icm=2_886, chips=2_800, accepted=True),
]
_DEAL = DealView(
    deal=8_589_934_601,
    proposer="lou",
    kind="icm",
    for_the_winner=0,
    until_ms=1_760_000_090_000,
    shares=_SHARES,
)

declare(
    DealOptions(re=37, table="sunday.3", least=0, most=2_000, shares=_SHARES[:2]),
)

DealAnswer = DealOptions

# --- events -----------------------------------------------------------------------------------------------------


class DealOffered(Event, frozen=True, kw_only=True, tag="deal_offered"):
    """A proposed deal is open: no hand is dealt, and the clock of the level stands, until it has ended."""

    deal: Annotated[DealView, Meta(description="What each player gets, and until when they answer")]


declare_event(
    DealOffered(table="sunday.3", seq=49, deal=_DEAL),
    changes="`tournament.deal`; `level.ends_ms` becomes null",
)


class DealAccepted(Event, frozen=True, kw_only=True, tag="deal_accepted"):
    """A player has accepted the open deal."""

    deal: DealNumber
    seat: SeatNumber
    name: PlayerName


declare_event(
    DealAccepted(table="sunday.3", seq=50, deal=8_589_934_601, seat=5, name="kim"),
    changes="`accepted` of the player in `tournament.deal`",
)


class DealEnded(Event, frozen=True, kw_only=True, tag="deal_ended"):
    """A proposed deal is agreed, or there is none; then play goes on. It may come without a `deal_offered`.

    The places pay what was agreed. With nothing set aside for the winner the tournament is over in a moment.
    """

    deal: DealNumber
    reason: Annotated[
        Literal["agreed", "refused", "left", "timed_out", "impossible", "stopped"],
        Meta(
            description="`left`: a player went away; `impossible`: it could not be offered when the hand had ended; "
            "`stopped`: the operator has paused the tournament, or the room could not keep the deal"
        ),
    ]
    name: Annotated[
        PlayerName | None, Meta(description="The player that `refused` or `left`; null otherwise")
    ] = None
    agreed: Annotated[DealView | None, Meta(description="The deal that is agreed; null otherwise")] = None
    level: Annotated[LevelView, Meta(description="Current level; its clock runs again")]


declare_event(
    DealEnded(
        table="sunday.3",
        seq=51,
        deal=8_589_934_601,
        reason="refused",
        name="ada",
        level=LevelView(level=9, small_blind=200, big_blind=400, ends_ms=1_760_000_360_000),
    ),
    DealEnded(
        table="sunday.3",
        seq=51,
        deal=8_589_934_601,
        reason="agreed",
        agreed=DealView(
            deal=None,
            proposer="lou",
            kind="chips",
            for_the_winner=1_000,
            until_ms=None,
            shares=[DealShare(seat=5, name="kim", stack=3_000, chips=3_000, accepted=True)],
        ),
        level=LevelView(level=9, small_blind=200, big_blind=400),
    ),
    changes="`tournament.deal`, as `agreed`; as `level_started`",
)

DealEvent = DealOffered | DealAccepted | DealEnded
