"""Requests to a table of Ultimate Texas Hold'em."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from ._declarations import CASH_KEY, ROUND, ULTIMATE_TABLE, declare_request
from ._fields import ONCE, Amount, BoxAction, BoxNumber, CashKey, RoundId, Seq, TableId
from ._requests import Request


class TakePlace(Request, frozen=True, kw_only=True, tag="take_place"):
    """Take a place at a table of Ultimate Texas Hold'em; `stand_up` gives it up.

    There is no buy-in: bets are paid from the wallet when betting closes.
    """

    table: TableId
    box: Annotated[
        BoxNumber | None, Meta(description="null: any free one; always null with a common hand")
    ] = None


declare_request(
    TakePlace(id=16, table=ULTIMATE_TABLE, box=2),
    sender="logged in, no place at the table",
    answers="ultimate_snapshot",
    refusals="already_seated no_such_box box_taken table_full too_many_tables limit_reached excluded account_locked "
    "request_pending table_closing",
)


class PlaceBet(Request, frozen=True, kw_only=True, tag="place_bet"):
    """Add an amount to a bet while betting is open.

    The Blind of the same amount goes with the Ante. `box` defaults to your own; an extra box is played blind.
    """

    table: TableId
    bet: Annotated[Literal["ante", "trips", "progressive"], Meta(description="Name of the bet")]
    amount: Amount
    box: BoxNumber | None = None
    key: Annotated[CashKey | None, Meta(description=ONCE)] = None


declare_request(
    PlaceBet(id=17, table=ULTIMATE_TABLE, bet="ante", amount=200),
    PlaceBet(id=17, table=ULTIMATE_TABLE, bet="trips", amount=100, box=5, key=CASH_KEY),
    sender="with a place, while betting is open",
    answers="slip",
    refusals="not_seated leaving table_closing betting_closed no_such_bet no_such_box box_taken "
    "bad_amount above_maximum ante_not_even ante_needed own_box_needed "
    "insufficient_balance",
)


class ChoosePlay(Request, frozen=True, kw_only=True, tag="choose_play"):
    """Set the Play of an extra box before the deal."""

    table: TableId
    box: BoxNumber
    multiple: Annotated[
        int, Meta(ge=3, le=4, description="Play in Antes, placed before the deal on an extra box")
    ]


declare_request(
    ChoosePlay(id=18, table=ULTIMATE_TABLE, box=5, multiple=4),
    sender="with a place, while betting is open",
    answers="slip",
    refusals="not_seated leaving table_closing betting_closed no_such_box ante_needed "
    "play_not_allowed insufficient_balance",
)


class ChangeBets(Request, frozen=True, kw_only=True, tag="change_bets"):
    """Double all bets (once), repeat those of the last round, undo the last change, or undo all."""

    table: TableId
    action: Annotated[
        Literal["double", "repeat", "undo", "undo_all"],
        Meta(description="Change of all bets; see *Betting* in ultimate.md"),
    ]
    key: Annotated[CashKey | None, Meta(description=ONCE)] = None


declare_request(
    ChangeBets(id=19, table=ULTIMATE_TABLE, action="double"),
    ChangeBets(id=19, table=ULTIMATE_TABLE, action="undo_all"),
    sender="with a place, while betting is open",
    answers="slip",
    refusals="not_seated leaving table_closing betting_closed doubled_already nothing_to_double "
    "bets_placed nothing_to_repeat nothing_to_undo no_such_bet no_such_box box_taken "
    "above_maximum ante_not_even ante_needed own_box_needed insufficient_balance",
)


class DealNow(Request, frozen=True, kw_only=True, tag="deal_now"):
    """Ask to deal without waiting for the rest of the betting time.

    Betting closes as soon as each connected player with a place has bet and asked for it; a repetition changes nothing.
    """

    table: TableId


declare_request(
    DealNow(id=22, table=ULTIMATE_TABLE),
    sender="with an Ante, while betting is open",
    answers="ok",
    refusals="not_seated leaving table_closing betting_closed ante_needed",
)


class Decide(Request, frozen=True, kw_only=True, tag="decide"):
    """Decide for a box of yours. A repetition (same `round_id`, `seq`, `box`) gets the first answer."""

    table: TableId
    round_id: RoundId
    seq: Annotated[Seq, Meta(description="`seq` of the answered `decisions`")]
    box: BoxNumber
    decision: BoxAction
    multiple: Annotated[int, Meta(ge=1, le=4, description="Play in Antes; only with `play`")] | None = None


declare_request(
    Decide(id=20, table=ULTIMATE_TABLE, round_id=ROUND, seq=7, box=2, decision="play", multiple=4),
    Decide(id=20, table=ULTIMATE_TABLE, round_id=ROUND, seq=7, box=2, decision="check"),
    sender="with a box that has to decide",
    answers="ok",
    refusals="not_seated round_over wrong_round stale_seq not_your_box decided_already cannot_check "
    "cannot_fold play_not_allowed amount_required amount_not_allowed insufficient_balance "
    "limit_reached",
)


class GiveTip(Request, frozen=True, kw_only=True, tag="give_tip"):
    """Tip the dealers in a round in which you have bet."""

    table: TableId
    amount: Amount
    key: Annotated[CashKey | None, Meta(description=ONCE)] = None


declare_request(
    GiveTip(id=21, table=ULTIMATE_TABLE, amount=50),
    GiveTip(id=21, table=ULTIMATE_TABLE, amount=50, key=CASH_KEY),
    sender="with a bet in the round in progress",
    answers="ok",
    refusals="not_seated request_pending round_over not_your_box bad_amount insufficient_balance "
    "limit_reached",
)


class SetPresence(Request, frozen=True, kw_only=True, tag="set_presence"):
    """Say whether the player can see the table.

    It holds until it is said otherwise. After `observe` or an unasked snapshot the player counts as present, as does
    the player of a client that never says it.
    """

    table: TableId
    present: Annotated[
        bool,
        Meta(
            description="False: the page is hidden or minimised. Where `info.presence` is set, bets are refused "
            "(`not_present`) if that is so when betting closes."
        ),
    ]


declare_request(
    SetPresence(id=23, table=ULTIMATE_TABLE, present=False),
    sender="with a place at the table",
    answers="ok",
    refusals="not_seated",
)


UltimateMessage = TakePlace | PlaceBet | ChoosePlay | ChangeBets | DealNow | Decide | GiveTip | SetPresence
