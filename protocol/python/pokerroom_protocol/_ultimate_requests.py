"""What a client may send to a table of Ultimate Texas Hold'em. See `messages`, which re-exports it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from ._fields import Amount, BoxNumber, RoundId, Seq, TableId
from ._requests import Request


class TakePlace(Request, frozen=True, kw_only=True, tag="take_place"):
    """Takes a place at a table against the house; `stand_up` gives it up. Answered by `ultimate_snapshot`.

    Nothing is bought in: bets are paid from the wallet when betting closes.
    """

    table: TableId
    box: Annotated[
        BoxNumber | None, Meta(description="None: any free one; where a common hand is dealt always")
    ] = None


class PlaceBet(Request, frozen=True, kw_only=True, tag="place_bet"):
    """Adds an amount to a bet while betting is open, as with a chip. Answered by `slip`.

    With the Ante goes a Blind of the same amount. `box` is your own unless it is said: an extra box is played blind.
    """

    table: TableId
    bet: Literal["ante", "trips", "progressive"]
    amount: Amount
    box: BoxNumber | None = None


class ChoosePlay(Request, frozen=True, kw_only=True, tag="choose_play"):
    """Places the Play of an extra box before the deal, or changes it. Answered by `slip`."""

    table: TableId
    box: BoxNumber
    multiple: Annotated[int, Meta(ge=3, le=4)]


class ChangeBets(Request, frozen=True, kw_only=True, tag="change_bets"):
    """While betting is open: doubles all bets (once), repeats the last round's, takes back the last thing done or all.

    Answered by `slip`.
    """

    table: TableId
    action: Literal["double", "repeat", "undo", "undo_all"]


class Decide(Request, frozen=True, kw_only=True, tag="decide"):
    """A decision for a box of yours. Answered by `ok`. Repeated (`round_id`, `seq`, `box`): its first answer."""

    table: TableId
    round_id: RoundId
    seq: Annotated[Seq, Meta(description="`seq` of the `decisions` event that this answers")]
    box: BoxNumber
    decision: Literal["check", "play", "fold"]
    multiple: Annotated[int, Meta(ge=1, le=4, description="Of the Ante; with `play` alone")] | None = None


class GiveTip(Request, frozen=True, kw_only=True, tag="give_tip"):
    """Gives something to the tronc, in a round in which you have bet. Answered by `ok`."""

    table: TableId
    amount: Amount


UltimateMessage = TakePlace | PlaceBet | ChoosePlay | ChangeBets | Decide | GiveTip
